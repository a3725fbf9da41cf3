"""The log: events appended by compare-and-swap, read along a branch and its ancestors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from memory.clock import utc_now
from memory.codec import decode, encode
from memory.events import (
    Event,
    Message,
    ModelChosen,
    Recorded,
    RequestEnded,
    RequestPrepared,
    SessionRenamed,
    SessionRestored,
)
from memory.parts import Ledger, MessageRef
from memory.privacy import Cleaned
from memory.storage.database import Database, Row, Transaction
from memory.storage.failures import Conflict
from memory.storage.leases import Lease, assert_held
from memory.storage.passages import keep_findable

ALL = 2**62
"""An event number no branch reaches."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The events `low` to `high` (inclusive) of a branch that another branch sees as its own."""

    branch: str
    low: int
    high: int


FREQUENT = ("message", "request", "attempt")
"""Kinds that the index by kind leaves out, since nearly every event is of them."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Numbered events to append in one transaction, with the texts they name by body id."""

    recorded: Sequence[Recorded]
    bodies: Mapping[str, Cleaned] = field(default_factory=dict)
    closes_draft: bool = False


class Log:
    """The events of one branch."""

    def __init__(self, database: Database, stream: str, branch: str, segments: Sequence[Segment]):
        self._database = database
        self.segments = tuple(segments)
        self.stream = stream
        self.branch = branch

    @classmethod
    async def open(cls, database: Database, branch: str) -> "Log":
        """The log of a branch, its ancestors included."""
        segments: list[Segment] = []
        high, current = ALL, branch
        stream = ""
        while True:
            row = await database.one(
                "SELECT stream, parent, parent_n FROM branch WHERE id = ?", (current,)
            )
            if row is None:
                raise Conflict("The session is no longer there.", "Choose another one.")
            stream = stream or row[0]
            low = 1 if row[1] is None else row[2] + 1
            segments.append(Segment(current, low, high))
            if row[1] is None:
                return cls(database, stream, branch, segments[::-1])
            high, current = min(high, row[2]), row[1]

    async def append(self, batch: Batch, lease: Lease) -> None:
        """Appends events; they are on disk when this returns.

        Raises:
            Conflict: The branch no longer ends before the first of them, or the lease is gone;
                nothing was written.
            StorageError: The database refused; nothing was written.
        """
        recorded = batch.recorded
        written = sum(len(cleaned.text.encode()) for cleaned in batch.bodies.values())

        async def write(transaction: Transaction) -> None:
            await assert_held(transaction, lease)
            await self._move_head(transaction, recorded[0].n - 1, recorded[-1])
            await write_events(transaction, self.stream, self.branch, batch)
            if written:
                await transaction.run(
                    "UPDATE stream SET bytes = bytes + ? WHERE id = ?", (written, self.stream)
                )
            for entry in recorded:
                await self._note(transaction, entry.event)
            if batch.closes_draft:
                await transaction.run("DELETE FROM draft WHERE branch = ?", (self.branch,))

        await self._database.write(write)

    async def read(
        self, after: int = 0, upto: int = ALL, kinds: Sequence[str] = ()
    ) -> list[Recorded]:
        """The events after number `after` up to `upto`, oldest first, of all or some kinds."""
        source, wanted = _of(kinds)
        recorded: list[Recorded] = []
        for segment in self.segments:
            rows = await self._database.all(
                f"SELECT n, at, kind, version, data FROM {source} "
                f"WHERE branch = ? AND n > ? AND n <= ?{wanted} ORDER BY n",
                (segment.branch, max(after, segment.low - 1), min(upto, segment.high), *kinds),
            )
            recorded += map(_recorded, rows)
        return recorded

    async def read_newest(self, kinds: Sequence[str], most: int, upto: int = ALL) -> list[Recorded]:
        """At most so many of the newest events of some rare kinds, oldest first."""
        recorded: list[Recorded] = []
        for segment in reversed(self.segments):
            found: list[Recorded] = []
            # One query a kind: each walks the index from its end and stops after `most`.
            for kind in kinds:
                source, wanted = _of([kind])
                rows = await self._database.all(
                    f"SELECT n, at, kind, version, data FROM {source} "
                    f"WHERE branch = ? AND n <= ?{wanted} ORDER BY n DESC LIMIT ?",
                    (segment.branch, min(upto, segment.high), kind, most),
                )
                found += map(_recorded, rows)
            recorded += sorted(found, key=lambda entry: -entry.n)
            if len(recorded) >= most:
                break
        return recorded[:most][::-1]

    async def messages(self, first: int, last: int, upto: int = ALL) -> list[Recorded]:
        """The messages with numbers `first` to `last` (inclusive), oldest first."""
        recorded: list[Recorded] = []
        for segment in self.segments:
            rows = await self._database.all(
                "SELECT n, at, kind, version, data FROM event WHERE branch = ? "
                "AND number BETWEEN ? AND ? AND n BETWEEN ? AND ? ORDER BY number",
                (segment.branch, first, last, segment.low, min(upto, segment.high)),
            )
            recorded += map(_recorded, rows)
        return recorded

    async def ledger(self, request: str) -> Ledger | None:
        """What is recorded of the prompt of a request, or None where there was none of this id."""
        for segment in reversed(self.segments):
            # SQLite takes the index only where kind and path are written as they are there.
            row = await self._database.one(
                "SELECT n, at, kind, version, data FROM event INDEXED BY event_request "
                "WHERE branch = ? AND kind = 'request' AND json_extract(data, '$.request') = ? "
                "AND n BETWEEN ? AND ?",
                (segment.branch, request, segment.low, segment.high),
            )
            if row is not None:
                return cast(RequestPrepared, _recorded(row).event).ledger
        return None

    async def newest_ledger(self) -> Ledger | None:
        """What is recorded of the prompt of the newest request, or None where there was none."""
        for segment in reversed(self.segments):
            row = await self._database.one(
                "SELECT n, at, kind, version, data FROM event "
                "WHERE branch = ? AND kind = 'request' AND n BETWEEN ? AND ? "
                "ORDER BY n DESC LIMIT 1",
                (segment.branch, segment.low, segment.high),
            )
            if row is not None:
                return cast(RequestPrepared, _recorded(row).event).ledger
        return None

    async def _move_head(self, transaction: Transaction, head: int, last: Recorded) -> None:
        moved = await transaction.run(
            "UPDATE branch SET head = ?, updated_at = ? WHERE id = ? AND head = ?",
            (last.n, last.at, self.branch, head),
        )
        if moved != 1:
            raise Conflict(
                "Another Strata has written to this session meanwhile.",
                "Open it again to go on from there.",
            )

    async def _note(self, transaction: Transaction, event: Event) -> None:
        """Keeps the figures of the session list beside the branch."""
        match event:
            case Message(ref=MessageRef(number=number)) | SessionRestored(covered=number):
                await transaction.run(
                    "UPDATE branch SET messages = ? WHERE id = ?", (number, self.branch)
                )
            case ModelChosen():
                await transaction.run(
                    "UPDATE branch SET model = ? WHERE id = ?", (event.name, self.branch)
                )
            case SessionRenamed():
                await transaction.run(
                    "UPDATE stream SET title = ? WHERE id = ?", (event.title, self.stream)
                )
            case RequestEnded():
                usage = event.usage
                await transaction.run(
                    "UPDATE branch SET used_in = used_in + ?, used_out = used_out + ?, "
                    "used_cached = used_cached + ?, "
                    "cost = CASE WHEN ?4 IS NULL THEN cost ELSE ifnull(cost, 0) + ?4 END "
                    "WHERE id = ?5",
                    (usage.input, usage.output, usage.cached, usage.cost, self.branch),
                )


async def write_events(transaction: Transaction, stream: str, branch: str, batch: Batch) -> None:
    """Writes events and the texts they name into the tables, and what makes them findable."""
    await write_rows(transaction, stream, branch, batch)
    texts = {id: cleaned.text for id, cleaned in batch.bodies.items()}
    await keep_findable(transaction, (stream, branch), batch.recorded, texts)


async def write_rows(transaction: Transaction, stream: str, branch: str, batch: Batch) -> None:
    """Writes events and the texts they name into the tables; nobody finds them yet."""
    await transaction.many(
        "INSERT INTO body (id, stream, text) VALUES (?, ?, ?)",
        [(id, stream, cleaned.text) for id, cleaned in batch.bodies.items()],
    )
    await transaction.many(
        "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)",
        [_event_row(branch, entry) for entry in batch.recorded],
    )


def _event_row(branch: str, entry: Recorded) -> tuple[object, ...]:
    event = entry.event
    number = event.ref.number if isinstance(event, Message) else None
    return (branch, entry.n, entry.at, event.KIND, event.VERSION, number, encode(event))


def numbered(events: Sequence[Event], after: int) -> list[Recorded]:
    """The events as they will stand in the log after event number `after`, all of one time."""
    at = utc_now()
    return [Recorded(n, at, event) for n, event in enumerate(events, start=after + 1)]


def _of(kinds: Sequence[str]) -> tuple[str, str]:
    """The table to read and the condition that an event is of one of the kinds; none means any.

    Rare kinds are read by their index: SQLite would walk the whole log for one that never came.
    """
    if not kinds:
        return "event", ""
    condition = f" AND kind IN ({','.join('?' * len(kinds))})"
    if set(kinds) & set(FREQUENT):
        return "event", condition
    frequent = ", ".join(f"'{kind}'" for kind in FREQUENT)
    return "event INDEXED BY event_kind", f"{condition} AND kind NOT IN ({frequent})"


def _recorded(row: Row) -> Recorded:
    n, at, kind, version, data = row
    return Recorded(n, at, decode(kind, version, data))
