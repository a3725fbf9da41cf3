"""Names and what they are, one below the other. Pure."""

from collections.abc import Mapping

from widgets.panes.fitting import at_ends, padded
from widgets.panes.view import wrapped
from widgets.plain import one_line
from widgets.rows import Piece, Row

LABEL_CELLS = 10


def labelled(facts: Mapping[str, str], width: int) -> list[Row]:
    """Names and what they are, where they are anything.

    Args:
        facts: Texts of any origin by their names.
        width: Cells of a row.
    """
    rows: list[Row] = []
    for name, text in facts.items():
        told = wrapped(one_line(text), max(4, width - LABEL_CELLS)) if text else []
        for place, row in enumerate(told):
            label = padded("" if place else name, LABEL_CELLS)
            rows.append(Row((Piece(label, "dim"), *row.pieces), row.glue, LABEL_CELLS))
    return [Row(at_ends(row.pieces, [], width).pieces, row.glue, row.bare) for row in rows]
