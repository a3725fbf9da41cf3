"""Where the reader is: kept by what stands there, not by a row's number, which changes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from widgets.rows import Row
from widgets.transcript.blocks import Block, Gap
from widgets.transcript.sheet import Sheet

START = 16
"""Characters by which a row is known again."""
LEAST_REACH = 8
"""Rows above and below in which it is looked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a block, at the top of the view."""

    block: Block
    row: int
    """Of the block; below 0 for rows above it."""
    number: float = 0.0
    """In a gap: the message there, and the part of it that is above."""
    chars: int | None = None
    """The letters above its text, kept so that a resize and its reversal cancel out."""
    start: str = ""
    """How its text begins."""
    lead: int = 0
    """The empty rows above its text."""


def place_at(sheet: Sheet, y: int, room: int) -> Place | None:
    """The place of a row, held by a block that will not change its height where there is one.

    Args:
        sheet: Where it is.
        y: The row at the top of the view.
        room: The rows of the view.
    """
    if not sheet.blocks:
        return None
    first = sheet.at(y)
    for index in range(first, len(sheet.blocks)):
        if sheet.top(index) >= y + room:
            break
        if sheet.blocks[index].rows is not None:
            return Place(sheet.blocks[index], y - sheet.top(index))
    block, row = sheet.blocks[first], y - sheet.top(first)
    if isinstance(block.entry, Gap):
        return Place(block, row, block.entry.first + row * block.entry.count / block.height)
    return Place(block, row)


def resolve(sheet: Sheet, place: Place) -> tuple[int, int]:
    """The block and its row that a place means now; its rows are made."""
    index = sheet.index(place.block)
    if index < 0 and place.number:
        index = sheet.find(int(place.number))
        if index >= 0 and not isinstance(sheet.blocks[index].entry, Gap):
            return index, int(place.number % 1 * sheet.make(index).height)
    if index < 0:
        return len(sheet.blocks) - 1, 0
    block = sheet.make(index)
    if isinstance(block.entry, Gap) and place.number:
        part = (place.number - block.entry.first) / block.entry.count
        return index, int(part * block.height)
    if place.chars is not None and place.row > 0:
        return index, row_again(block.rows or (), place) - place.lead
    return index, place.row


def held_by_text(place: Place) -> Place:
    """The place by the text above it, so that it is found again in other rows."""
    if place.row <= 0 or place.chars is not None or place.block.rows is None:
        return place
    rows = place.block.rows
    row = next((n for n in range(place.row, len(rows)) if rows[n].text), place.row)
    start = rows[row].text[:START] if row < len(rows) else ""
    return replace(place, chars=letters_above(rows, row), start=start, lead=row - place.row)


def letters_above(rows: Sequence[Row], row: int) -> int:
    """The letters above a row."""
    return sum(_letters(above) for above in rows[:row])


def row_again(rows: Sequence[Row], place: Place) -> int:
    """The row where the text begins that a place was held by, among other rows of the block.

    That is the row with as many letters above it; or one near that begins as it did, since
    letters may have come or gone above it.
    """
    letters = place.chars or 0
    same = place.row + place.lead
    if same < len(rows) and letters_above(rows, same) == letters:
        return same
    about = len(rows) - 1
    for number, row in enumerate(rows):
        letters -= _letters(row)
        if letters < 0:
            about = number
            break
    reach = max(LEAST_REACH, len(rows) // 10)
    alike = [
        number
        for number in range(max(0, about - reach), min(len(rows), about + reach + 1))
        if place.start and rows[number].text.startswith(place.start)
    ]
    return min(alike, key=lambda number: abs(number - about), default=max(0, about))


def _letters(row: Row) -> int:
    return len(row.text.replace(" ", "")) - len(row.text[: row.bare].replace(" ", ""))
