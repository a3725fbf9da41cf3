"""Rows put together from parts: what each opens, texts in several inks, two columns. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len

from widgets.panes.view import clipped
from widgets.plain import printable
from widgets.rows import EMPTY, Piece, Row
from widgets.wrapping import TAB, broken

Keyed = tuple[Row, str | None]
"""A row, and what it opens."""
BETWEEN = " │ "


def plain(rows: Iterable[Row]) -> list[Keyed]:
    """Rows that open nothing."""
    return [(row, None) for row in rows]


def heading(title: str, figures: str, width: int, ink: str = "text") -> list[Row]:
    """A heading with a free row above it."""
    room = width - cell_len(title) - 2
    told = (Piece(f"  {clipped(figures, room)}", "dim"),) if figures and room > 0 else ()
    return [EMPTY, Row((Piece(clipped(title, width), ink, "b"), *told))]


def flat(text: str) -> str:
    """A text of any origin as it can be broken into rows: no tabs, no blanks at ends of lines."""
    lines = printable(text).strip("\n").split("\n")
    return "\n".join(line.expandtabs(TAB).rstrip() for line in lines)


def piece_rows(pieces: Sequence[Piece], width: int) -> list[Row]:
    """The rows of a text in several inks; `flat` has made its pieces ready."""
    text = "".join(piece.text for piece in pieces)
    cut = _Cutter(pieces)
    rows: list[Row] = []
    start = 0
    for line in text.split("\n"):
        place = start
        for part, glue in broken(line, max(2, width)):
            place += len(glue or "")
            rows.append(Row(cut.between(place, place + len(part)), glue))
            place += len(part)
        start += len(line) + 1
    return rows


def side_by_side(left: Sequence[Row], right: Sequence[Row], width: int) -> list[Row]:
    """Two columns of `column_width` each, the shorter one filled up with free rows."""
    cells = column_width(width)
    rows = []
    for place in range(max(len(left), len(right))):
        one = left[place] if place < len(left) else EMPTY
        other = right[place] if place < len(right) else EMPTY
        gap = Piece(" " * (cells - cell_len(one.text)), "dim")
        rows.append(Row((*one.pieces, gap, Piece(BETWEEN, "dim"), *other.pieces)))
    return rows


def column_width(width: int) -> int:
    """Cells of each of two columns."""
    return max(2, (width - len(BETWEEN)) // 2)


def barred(rows: Iterable[Row], bar: str = "▎ ") -> Iterator[Row]:
    """Rows behind a bar, which is no text."""
    for row in rows:
        yield Row((Piece(bar, "dim"), *row.pieces), row.glue, len(bar))


class _Cutter:
    """Cuts stretches out of pieces, from the first to the last."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = pieces
        self._index = 0
        self._start = 0

    def between(self, start: int, end: int) -> tuple[Piece, ...]:
        """What stands from character `start` on and before `end`."""
        found: list[Piece] = []
        while self._index < len(self._pieces):
            piece = self._pieces[self._index]
            stop = self._start + len(piece.text)
            text = piece.text[max(0, start - self._start) : max(0, end - self._start)]
            if text:
                found.append(piece._replace(text=text))
            if stop > end:
                break
            self._index, self._start = self._index + 1, stop
        return tuple(found)
