"""Names and what they are, one below the other. Pure."""

from collections.abc import Mapping

from widgets.panes.fitting import at_ends, padded
from widgets.panes.view import wrapped
from widgets.plain import one_line
from widgets.rows import Piece, Row

LABEL_CELLS = 10
"""Of the names, with what is free behind the longest; more where one is longer."""


def labelled(facts: Mapping[str, str], width: int) -> list[Row]:
    """Names and what they are, where they are anything.

    Args:
        facts: Texts of any origin by their names.
        width: Cells of a row.
    """
    told = {name: one_line(text) for name, text in facts.items() if text}
    cells = max([LABEL_CELLS, *(len(name) + 1 for name in told)])
    rows: list[Row] = []
    for name, text in told.items():
        for place, row in enumerate(wrapped(text, max(4, width - cells))):
            label = padded("" if place else name, cells)
            rows.append(Row((Piece(label, "dim"), *row.pieces), row.glue, cells))
    return [Row(at_ends(row.pieces, [], width).pieces, row.glue, row.bare) for row in rows]
