"""Rows that keep to their width, whatever stands in them. Pure."""

from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from widgets.panes.view import clipped, wrapped
from widgets.plain import one_line
from widgets.rows import Piece, Row

SHORTEST_TEXT = 8
FULL, FREE = "━", "─"
"""What a thin bar is drawn with: told apart without colour as well."""


def cut(pieces: Iterable[Piece], width: int) -> list[Piece]:
    """As much of the pieces as fits."""
    kept, room = [], width
    for piece in pieces:
        text = clipped(piece.text, room)
        if text:
            kept.append(piece._replace(text=text))
        room -= cell_len(text)
    return kept


def line(
    left: Sequence[Piece],
    text: Piece,
    right: Sequence[Piece],
    width: int,
    *,
    least: int = SHORTEST_TEXT,
) -> Row:
    """One row: a text between two ends, of which the right one gives way piece by piece.

    Args:
        left: What stands before the text.
        text: Of any origin; it is put on one line and clipped.
        right: Pieces for the right end, the most important first; each begins with its gap.
        width: Cells of the row.
        least: Cells that the text keeps before what stands right of it gives way.
    """
    told, ends = one_line(text.text), list(right)
    before = sum(cell_len(piece.text) for piece in left)
    needed = min(least, cell_len(told))
    while ends and width - before - _cells(ends) < needed:
        ends.pop()
    room = width - before - _cells(ends)
    return at_ends([*left, text._replace(text=clipped(told, room))], ends, width)


def at_ends(left: Iterable[Piece], right: Sequence[Piece], width: int) -> Row:
    """One row with something at each end; the right one has its gap."""
    shown = cut(left, width - _cells(right)) if right else cut(left, width)
    gap = width - _cells(shown) - _cells(right)
    return Row((*shown, Piece(" " * gap, "dim"), *right) if right else tuple(shown))


def padded(text: str, cells: int) -> str:
    """A text of any origin in a column of so many cells."""
    shown = clipped(one_line(text), cells)
    return shown + " " * (cells - cell_len(shown))


def paragraph(text: str, width: int, ink: str = "dim", *, most: int = 0) -> list[Row]:
    """A text of any origin on as many rows as it needs.

    Args:
        text: The text; its breaks become spaces.
        width: Cells of a row.
        ink: The look of all of it.
        most: Rows it may have; the last one then ends in an ellipsis.
    """
    rows = wrapped(one_line(text), width, ink)
    if most and len(rows) > most:
        last = rows[most - 1].text
        rows = [*rows[: most - 1], Row((Piece(clipped(f"{last} …", width), ink),), " ")]
    return [Row(tuple(cut(row.pieces, width)), row.glue) for row in rows]


def indented(rows: Iterable[Row], cells: int) -> list[Row]:
    """Rows that begin so many cells further right."""
    return [Row((Piece(" " * cells, "dim"), *row.pieces), row.glue, cells) for row in rows]


def thin_bar(share: float, cells: int, ink: str) -> list[Piece]:
    """A bar of one row, filled as far as a share from 0 to 1; what is not empty shows a cell."""
    share = min(1.0, max(0.0, share))
    filled = min(cells, max(int(share > 0), int(cells * share)))
    return [Piece(FULL * filled, ink), Piece(FREE * (cells - filled), "dim")]


def _cells(pieces: Iterable[Piece]) -> int:
    return sum(cell_len(piece.text) for piece in pieces)
