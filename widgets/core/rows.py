"""The rows of the core: every row of a bed, the sky, and the line of the trigger. Pure."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from widgets.core.heights import WHOLE, Bed, beds, trigger_row, warns
from widgets.core.view import CoreView, LayerName

if TYPE_CHECKING:
    from memory.snapshot import MessageView

INKS: dict[LayerName, str] = {
    "system": "system",
    "files": "files",
    "tools": "tools",
    "long_term": "long-term",
    "short_term": "short-term",
    "window": "window-model",
    "draft": "draft",
    "answer": "answer",
    "working": "working",
    "facts": "facts",
    "recalled": "recalled",
}
"""The ink of each layer; that of the window is its name's."""
ROLES = {
    "user": "window-you",
    "assistant": "window-model",
    "tool": "window-tool",
    "system": "window-system",
}
"""The ink of a message of the window."""
ALTERNATING = ("window-you", "window-model")
DISTINCT = 2
"""Messages that one row can show, a half for each."""


@dataclass(frozen=True, slots=True)
class CoreRow:
    """One row of the column."""

    layers: tuple[LayerName, ...] = ()
    """What it stands for, the chief one first; nothing in the sky."""
    ink: str = "sky"
    lower: str = ""
    """The ink of its lower half, where it is another."""
    eighths: int = WHOLE
    """How much of it is filled, from below."""
    first: int = 0
    """The first message of the window that it stands for, by number; 0: none."""
    last: int = 0
    toward: str = ""
    """The ink that it is turning into."""
    mix: float = 0.0
    """How far it has turned, from 0 to 1."""

    @property
    def place(self) -> tuple[tuple[LayerName, ...], int, int]:
        """What it stands for: equal in all rows of one band."""
        return self.layers, self.first, self.last


SKY = CoreRow()
TRIGGER = CoreRow(ink="trigger")
OVER = CoreRow(ink="over")


def layout(view: CoreView, height: int) -> list[CoreRow]:
    """The rows from the top to the bottom, `height` of them."""
    rows: list[CoreRow] = []
    for bed in beds(view, height):
        rows += _bed_rows(bed, view)
    line = trigger_row(view, height) if view.folds else height
    rows += [TRIGGER if row == line else SKY for row in range(len(rows), height)]
    if warns(view, height):
        rows[-1] = OVER
    return rows[::-1]


def empty(height: int) -> list[CoreRow]:
    """The rows while there is nothing to show: sky."""
    return [SKY] * height


def _bed_rows(bed: Bed, view: CoreView) -> list[CoreRow]:
    chief = bed.chief
    names = (chief.name, *(layer.name for layer in bed.layers if layer is not chief))
    if chief.name == "window" and view.messages:
        rows = _band_rows(bed, names, view.messages)
    else:
        rows = [CoreRow(names, INKS[chief.name])] * bed.rows
    if bed.eighths < WHOLE:
        top = rows[-1]
        rows[-1] = CoreRow(names, top.ink, "", bed.eighths, top.first, top.last)
    return rows


def _band_rows(
    bed: Bed, names: tuple[LayerName, ...], messages: "tuple[MessageView, ...]"
) -> list[CoreRow]:
    """The window's rows, each with the messages whose middle lies in it.

    The grid hangs at the bottom: a message that comes on top changes no row below.
    """
    ends = list(accumulate(message.tokens for message in messages))
    middles = [end - message.tokens / 2 for end, message in zip(ends, messages, strict=True)]
    share = ends[-1] / max(bed.height, 1e-9) if bed.rows > 1 else ends[-1]
    rows, start = [], 0
    for index in range(bed.rows):
        stop = len(messages)
        if index < bed.rows - 1:
            stop = max(start, bisect_left(middles, (index + 1) * share))
        halves = [_at(messages, ends, (index + part) * share) for part in (0.25, 0.75)]
        inside = messages[start:stop] or (halves[0],)
        upper, lower = _inks(inside, halves, index)
        rows.append(CoreRow(names, upper, lower, first=inside[0].number, last=inside[-1].number))
        start = stop
    return rows


def _at(messages: "tuple[MessageView, ...]", ends: Sequence[int], tokens: float) -> "MessageView":
    """The message in which a height, told in tokens, lies."""
    return messages[min(len(messages) - 1, bisect_left(ends, tokens))]


def _inks(
    inside: "tuple[MessageView, ...]", halves: "Sequence[MessageView]", index: int
) -> tuple[str, str]:
    """Upper and lower ink: a half for each of two messages; of more, a row by turns."""
    roles = {message.role for message in inside}
    if len(inside) > DISTINCT:
        return (ROLES[roles.pop()] if len(roles) == 1 else ALTERNATING[index % 2]), ""
    below, above = halves if len(inside) == 1 else inside
    lower, upper = ROLES[below.role], ROLES[above.role]
    return upper, "" if upper == lower else lower
