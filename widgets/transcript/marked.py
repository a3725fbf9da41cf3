"""The text of rows as it is copied: as it was written, not as it was broken to fit. Pure."""

from collections.abc import Iterator
from dataclasses import replace

from rich.cells import cell_len
from textual.selection import Selection

from widgets.rows import Piece, Row
from widgets.transcript.blocks import ROWS, Gap
from widgets.transcript.sheet import Sheet

LEFT_OUT = Row((Piece("…"),))
"""Stands for messages that are marked and not here."""


def marked_rows(sheet: Sheet, selection: Selection) -> Iterator[Row]:
    """The rows that are marked, the first and the last of them in part."""
    start = selection.start.y if selection.start is not None else 0
    first = max(0, sheet.by_order(start // ROWS))
    for index in range(first, len(sheet.blocks)):
        block = sheet.make(index)
        if selection.end is not None and block.order * ROWS > selection.end.y:
            return
        if isinstance(block.entry, Gap):
            yield LEFT_OUT
        for number, row in enumerate(block.rows or ()):
            span = selection.get_span(block.order * ROWS + number)
            if span is not None:
                yield clipped(row, *span)


def clipped(row: Row, start: int, end: int) -> Row:
    """A part of a row, by characters; an end of -1 is that of the row."""
    pieces: list[Piece] = []
    at = 0
    for piece in row.pieces:
        upto = len(piece.text) if end < 0 else end - at
        text = piece.text[max(0, start - at) : max(0, upto)]
        if text:
            pieces.append(piece._replace(text=text))
        at += len(piece.text)
    return replace(row, pieces=tuple(pieces), bare=max(0, row.bare - start))


def piece_at(row: Row, cell: int) -> Piece | None:
    """The piece of a row that is drawn at a cell."""
    for piece in row.pieces:
        cell -= cell_len(piece.text)
        if cell < 0:
            return piece
    return None
