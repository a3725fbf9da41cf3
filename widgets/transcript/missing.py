"""Which messages the transcript should ask for next. Pure."""

from widgets.transcript.blocks import Gap
from widgets.transcript.sheet import Sheet

PAGE = 60
"""Messages that are asked for at once."""
AHEAD = 3
"""Heights of the view that a gap may be away before it is asked for."""


def missing(sheet: Sheet, y: int, room: int) -> tuple[int, int] | None:
    """The messages to ask for: what is in sight first, then what is near.

    Args:
        sheet: All there is.
        y: The row at the top of the view.
        room: The rows of the view.

    Returns:
        First and last number, or None where nothing is missing nearby.
    """
    if (index := gap_between(sheet, y, y + room)) >= 0:
        gap, above = _gap(sheet, index), max(0, y - sheet.top(index))
        number = gap.first + above * gap.count // sheet.blocks[index].height
        first = max(gap.first, min(number - PAGE // 3, gap.last - PAGE + 1))
        return first, min(gap.last, first + PAGE - 1)
    if (index := gap_between(sheet, y - AHEAD * room, y)) >= 0:
        gap = _gap(sheet, index)
        return max(gap.first, gap.last - PAGE + 1), gap.last
    if (index := gap_between(sheet, y + room, y + (1 + AHEAD) * room)) >= 0:
        gap = _gap(sheet, index)
        return gap.first, min(gap.last, gap.first + PAGE - 1)
    return None


def gap_between(sheet: Sheet, start: int, end: int) -> int:
    """The index of the lowest gap that has rows from `start` to before `end`, or -1."""
    if not sheet.blocks or end <= 0:
        return -1
    for index in range(sheet.at(end - 1), sheet.at(max(0, start)) - 1, -1):
        if isinstance(sheet.blocks[index].entry, Gap):
            return index
    return -1


def _gap(sheet: Sheet, index: int) -> Gap:
    gap = sheet.blocks[index].entry
    if not isinstance(gap, Gap):
        raise TypeError(f"block {index} is no gap")
    return gap
