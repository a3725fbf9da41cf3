"""Which band comes next for a reader who walks the core by keys. Pure."""

from collections.abc import Sequence

from widgets.core.rows import CoreRow

NOWHERE = -1


def same_band(rows: Sequence[CoreRow], one: int, other: int) -> bool:
    """Whether two rows, by number, stand for the same and are no sky."""
    if not (0 <= one < len(rows) and 0 <= other < len(rows)):
        return False
    return bool(rows[one].layers) and rows[one].place == rows[other].place


def stepped(rows: Sequence[CoreRow], chosen: int, step: int) -> int:
    """The row where the next band begins.

    Args:
        rows: From the top to the bottom.
        chosen: The row where the reader is; NOWHERE at first, which leads to the top of the column.
        step: 1 downwards, -1 upwards.

    Returns:
        The row, the same one at the ends, or NOWHERE where there is only sky.
    """
    solid = [y for y, row in enumerate(rows) if row.layers]
    if chosen not in solid:
        return solid[0] if solid else NOWHERE
    further = solid[solid.index(chosen) :] if step > 0 else solid[solid.index(chosen) :: -1]
    return next((y for y in further if rows[y].place != rows[chosen].place), chosen)


def found_again(rows: Sequence[CoreRow], chosen: int, before: Sequence[CoreRow]) -> int:
    """Where what was chosen in other rows stands now: itself, else its layer, else nothing."""
    if not 0 <= chosen < len(before):
        return NOWHERE
    was = before[chosen]
    same = [y for y, row in enumerate(rows) if row.layers and row.place == was.place]
    of_layer = [y for y, row in enumerate(rows) if row.layers and row.layers == was.layers]
    candidates = same or of_layer
    return min(candidates, key=lambda y: abs(y - chosen), default=NOWHERE)
