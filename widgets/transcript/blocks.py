"""The blocks that the transcript is made of: entries with their rows, and what is not here."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, Self

from textual.strip import Strip

from widgets.entries import CallEntry, Entry, LiveEntry, MarkEntry, MessageEntry, number_of
from widgets.entry_rows import heading_rows, rows_of
from widgets.rows import EMPTY, Row


class Growing(Protocol):
    """A text that grows at its end, in rows of one width."""

    @property
    def text(self) -> str:
        """All that has come, as it came."""

    @property
    def rows(self) -> list[Row]:
        """Its rows so far."""

    @property
    def frozen(self) -> int:
        """The rows at the start that stay as they are, whatever comes."""

    def grow(self, text: str) -> None:
        """Adds a piece."""

    def at_width(self, width: int) -> Self:
        """The same text in rows of another width."""


ROWS = 1 << 20
"""More rows than a block can have: an order and a row of it make one number."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Messages of the session that are not here, by number, both ends included."""

    first: int
    last: int

    @property
    def count(self) -> int:
        """How many they are."""
        return self.last - self.first + 1


@dataclass(slots=True, eq=False)
class Block:
    """An entry with its rows at the current width, or a gap."""

    entry: Entry | Gap
    number: int = 0
    """The message that it is, or else the one before it; a gap's last."""
    order: int = 0
    """Grows from block to block and stays when others come and go: selections hold on to it."""
    height: int = 0
    """Its rows; a guess until they are made."""
    rows: list[Row] | None = None
    growing: Growing | None = None
    pending: list[str] = field(default_factory=list)
    """What has come of a growing text since it was drawn last."""
    head: int = 0
    """The rows of the heading above a growing text."""
    fixed: int = 0
    """The rows at the start that do not change as the text grows."""
    strips: dict[int, Strip] = field(default_factory=dict)
    """Rows that have been drawn before, by their number."""
    unfolded: bool = False
    """Whether all of a call is shown."""
    tight: bool = False
    """Whether the next one follows without an empty row."""
    silent: bool = False
    """Whether it has nothing to say: a message of calls alone, below other calls."""

    @property
    def is_logged(self) -> bool:
        """Whether it can be let go of, since the log has it."""
        if isinstance(self.entry, CallEntry):
            return self.entry.state not in ("queued", "asking", "running")
        return isinstance(self.entry, MessageEntry | MarkEntry)

    @property
    def message(self) -> int:
        """The message that it is; 0 where it is none."""
        return number_of(self.entry)

    @property
    def told(self) -> int:
        """Its rows without the empty one that parts it from the next."""
        return self.height - (not self.tight)

    def make(self, width: int, *, plain: bool = False) -> None:
        """Makes its rows, if it is no gap; plain, Markdown stays as it was typed."""
        self.strips.clear()
        if isinstance(self.entry, Gap):
            return
        if self.growing is None:
            self.rows = self._rows_alone(width, plain=plain)
        else:
            heading = self._heading(width)
            self.rows = [*heading, *self.growing.rows, EMPTY]
            self.head, self.fixed = len(heading), len(heading) + self.growing.frozen
        self.height = len(self.rows)

    def forget_rows(self, height: int) -> None:
        """Lets go of its rows, which take about this height."""
        self.rows, self.height = None, height
        self.strips.clear()

    def grow(self, width: int, begin: Callable[[int], Growing]) -> int:
        """Takes in what is pending.

        Returns:
            The first row that has changed.
        """
        text = "".join(self.pending)
        self.pending.clear()
        if self.growing is None:
            self.growing, text = begin(width), text.lstrip("\n")
            self.rows = None
        self.growing.grow(text)
        return self._take_growth(self.growing, width)

    def change_heading(self, entry: LiveEntry, width: int) -> None:
        """Puts another heading above a text that grows."""
        self.entry = entry
        heading = self._heading(width)
        if self.rows is None or self.growing is None or len(heading) != self.head:
            self.make(width)
            return
        self.rows[: self.head] = heading
        for row in range(self.head):
            self.strips.pop(row, None)

    def _rows_alone(self, width: int, *, plain: bool) -> list[Row]:
        if isinstance(self.entry, Gap):
            return []
        rows = rows_of(self.entry, width, plain=plain, unfolded=self.unfolded)
        told = [] if self.silent else rows[:-1]
        return told if self.tight else [*told, EMPTY]

    def _take_growth(self, growing: Growing, width: int) -> int:
        if self.rows is None or self.head + growing.frozen < self.fixed:
            self.make(width)
            return 0
        rows, first = self.rows, self.fixed
        del rows[first:]
        rows += growing.rows[first - self.head :]
        rows.append(EMPTY)
        self.height = len(rows)
        self.fixed = self.head + growing.frozen
        for row in [row for row in self.strips if row >= first]:
            del self.strips[row]
        return first

    def _heading(self, width: int) -> list[Row]:
        entry = self.entry
        return heading_rows(entry, width) if isinstance(entry, LiveEntry | MessageEntry) else []


def neighbours(above: Block | None, block: Block, below: Block | None) -> tuple[bool, bool]:
    """How a block stands between its neighbours: whether it is tight, and whether it is silent."""
    entry = block.entry
    silent = _only_calls(entry) and above is not None and isinstance(above.entry, CallEntry)
    if below is None:
        return False, silent
    follows = isinstance(below.entry, CallEntry) or (
        _only_calls(below.entry) and isinstance(entry, CallEntry)
    )
    return follows and (isinstance(entry, CallEntry) or _only_calls(entry)), silent


def _only_calls(entry: Entry | Gap) -> bool:
    """Whether it is a message that says nothing but calls tools."""
    return (
        isinstance(entry, MessageEntry) and entry.calls and not (entry.text.strip() or entry.mark)
    )
