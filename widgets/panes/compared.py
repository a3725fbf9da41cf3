"""Two versions of a summary with their differences marked, side by side where it fits. Pure."""

from rich.cells import cell_len

from widgets.panes.blocks import column_width, flat, piece_rows, side_by_side
from widgets.panes.view import wrapped
from widgets.rows import EMPTY, Piece, Row
from widgets.word_diff import Part, difference

LEAST_COLUMN = 30
"""Cells of a column of text that can still be read."""
GONE, NEW = ("lost", "s"), ("live", "u")
"""Ink and style of what only one version has: read without colour as well."""


def compared(
    before: str, after: str, width: int, titles: tuple[str, str] = ("before", "after")
) -> list[Row]:
    """Rows of both versions.

    Args:
        before: The older text; of any origin.
        after: The newer one.
        width: Cells of a row.
        titles: What they are called.
    """
    old, new = difference(flat(before), flat(after))
    beside = column_width(width) >= LEAST_COLUMN
    room = column_width(width) if beside else width
    heads = [wrapped(title, room, "dim") for title in titles]
    texts = [piece_rows(_pieces(old, GONE), room), piece_rows(_pieces(new, NEW), room)]
    if beside:
        return [*side_by_side(heads[0], heads[1], width), *side_by_side(texts[0], texts[1], width)]
    return [*heads[0], *texts[0], EMPTY, *heads[1], *texts[1]]


def legend(width: int) -> list[Row]:
    """What the marks mean."""
    pieces = (
        Piece("struck through", *GONE),
        Piece(" is only before, ", "dim"),
        Piece("underlined", *NEW),
        Piece(" only after.", "dim"),
    )
    whole = "".join(piece.text for piece in pieces)
    return [Row(pieces)] if cell_len(whole) <= width else wrapped(whole, width, "dim")


def _pieces(parts: tuple[Part, ...], mark: tuple[str, str]) -> list[Piece]:
    pieces: list[Piece] = []
    for part in parts:
        words = part.text.rstrip()
        # Blanks after the last word that differs are neither struck through nor underlined.
        if words:
            pieces.append(Piece(words, *mark) if part.changed else Piece(words))
        if len(words) < len(part.text):
            pieces.append(Piece(part.text[len(words) :]))
    return pieces
