"""What a screen of the past asks of memory: the turns there are, and what each moment was."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.screens.paging import calling_message
from app.screens.recorded import entries_of
from app.screens.recorded_calls import bodies_of
from memory import Memory
from memory.events import Message
from memory.history import CompactionRecord
from memory.snapshot import Snapshot
from memory.views import TurnPoint
from widgets.entries import Entry, NoticeEntry
from widgets.figures import count

NEAR = 30
"""Messages before a moment that are read with it; those before them as the reader comes near."""


@dataclass(frozen=True, slots=True)
class Turns:
    """The turns of a session, and which of them are the first after a compaction."""

    points: tuple[TurnPoint, ...]
    marks: tuple[int, ...]
    present: bool = False
    """Whether the last of them is no turn but the present."""

    @property
    def taken(self) -> tuple[TurnPoint, ...]:
        """Those that were turns."""
        return self.points[:-1] if self.present else self.points


@dataclass(frozen=True, slots=True)
class Moment:
    """A session as it was."""

    point: TurnPoint
    snapshot: Snapshot
    then: datetime
    entries: tuple[Entry, ...]
    """The newest messages of then, oldest first."""


class Journey:
    """Reads moments of a session that is open; changes nothing.

    Args:
        memory: The open session.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._past = memory.past()

    async def turns(self) -> Turns:
        """The turns up to now; the last of them is the present.

        Raises:
            StorageError: The database refused.
        """
        points = await self._memory.turn_points()
        records = await self._memory.compactions()
        return turns_of(points, records, self._memory.snapshot())

    async def moment(self, point: TurnPoint) -> Moment:
        """A session as it was at a turn.

        Raises:
            StorageError: The database refused.
        """
        snapshot, then = await self._past.moment(point.n)
        entries = await self._said(max(1, point.message - NEAR + 1), point.message, point.n)
        return Moment(point, snapshot, then, tuple(entries))

    async def prepare(self, point: TurnPoint) -> None:
        """Reads ahead what the moment of a turn needs.

        Raises:
            StorageError: The database refused.
        """
        await self._past.moment(point.n)

    async def earlier(self, first: int, last: int, point: TurnPoint) -> list[Entry]:
        """What was said from message `first` to `last`, as it stood at a turn.

        Raises:
            StorageError: The database refused.
        """
        following = await self._memory.messages(last + 1, last + 1)
        upto = following[0].n - 1 if following else point.n
        return await self._said(first, last, min(upto, point.n))

    async def _said(self, first: int, last: int, upto: int) -> list[Entry]:
        memory = self._memory
        first = max(first, memory.state.before_log + 1)
        begin = await memory.messages(first, first) if first <= last else []
        if not begin:
            return []
        events = await memory.log(begin[0].n - 1, upto)
        before = await calling_message(memory, events)
        texts = await memory.texts(bodies_of([*before, *events]))
        caller = next((e.event for e in before if isinstance(e.event, Message)), None)
        return entries_of(events, texts, datetime.now(UTC), caller=caller)


def turns_of(
    points: Sequence[TurnPoint], records: Sequence[CompactionRecord], now: Snapshot
) -> Turns:
    """The turns with the present as the last one. Pure.

    Args:
        points: The turns that the log tells of, oldest first.
        records: Every compaction.
        now: Memory as it is.
    """
    newest = points[-1] if points else TurnPoint(0, 0, 0, 0)
    folded = any(record.n > newest.n for record in records)
    present = now.messages > newest.message or (bool(points) and folded)
    if present:
        full = max(newest.full_history_tokens, now.context.used)
        points = (*points, TurnPoint(now.n, now.messages, now.context.used, full))
    numbers = [point.n for point in points]
    places = {bisect_left(numbers, record.n) for record in records}
    marks = tuple(sorted(place for place in places if place < len(numbers)))
    return Turns(tuple(points), marks, present)


def came_later(moment: Moment, messages: int) -> list[Entry]:
    """The line below the last message of a moment; nothing where it is the newest.

    Args:
        moment: What is seen.
        messages: How many messages there are now.
    """
    later = messages - moment.point.message
    if later <= 0:
        return []
    return [NoticeEntry(f"{count(later, 'message')} came later.")]


def as_of(message: int, messages: int) -> str:
    """Which moment it is: `as of message 140, 88 messages ago`."""
    later = messages - message
    ago = f"{count(later, 'message')} ago" if later > 0 else "the newest"
    return f"as of message {message:,}, {ago}"
