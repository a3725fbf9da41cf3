"""How panes share the rows of a column. Pure."""

from collections.abc import Sequence

LEAST_ROWS = 4
"""Rows of a pane with its border, below which nothing can be read in it."""
ROWS_OF_TWO = 11
"""Rows of two panes where there is room for one more that others could do without."""


def share(wanted: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """The heights of panes that stand one below the other, the most important first.

    Each gets what it wants where there is room for all; else the tallest are cut to one height,
    none below its least. Where even that is too much, the ones at the end stand below what is in
    sight, at their least, and the others share the room.

    Args:
        wanted: Rows each would like.
        least: Rows each needs, unless it wants fewer.
        room: Rows there are.
    """
    floors = [min(want, low) for want, low in zip(wanted, least, strict=True)]
    seen = _seen(floors, room)
    return [*_cut(wanted[:seen], floors[:seen], room), *floors[seen:]]


def _seen(floors: Sequence[int], room: int) -> int:
    """How many panes from the first on can be in sight."""
    taken = 0
    for index, floor in enumerate(floors):
        taken += floor
        if taken > room:
            return index
    return len(floors)


def _cut(wanted: Sequence[int], floors: Sequence[int], room: int) -> list[int]:
    """Heights that fit, given that the floors do."""
    if sum(wanted) <= room:
        return list(wanted)
    low, high = 0, max(wanted)
    while high - low > 1:
        level = (low + high) // 2
        if sum(_at(wanted, floors, level)) <= room:
            low = level
        else:
            high = level
    heights = _at(wanted, floors, low)
    # What is left is less than a row for each that was cut: the first of them get it.
    above = _at(wanted, floors, low + 1)
    rest = room - sum(heights)
    for index, (height, higher) in enumerate(zip(heights, above, strict=True)):
        if rest and higher > height:
            heights[index] += 1
            rest -= 1
    return heights


def _at(wanted: Sequence[int], floors: Sequence[int], level: int) -> list[int]:
    pairs = zip(wanted, floors, strict=True)
    return [max(floor, min(want, level)) for want, floor in pairs]
