"""The compactions of a session, as the log tells them. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from memory.events import Compacted, CompactionRedone, CompactionUndone, Recorded

HISTORY_KINDS = (Compacted.KIND, CompactionUndone.KIND, CompactionRedone.KIND)


@dataclass(frozen=True, slots=True)
class CompactionRecord:
    """A compaction, when it was, and whether it still holds."""

    n: int
    at: str
    event: Compacted
    undone: bool = False

    @property
    def ratio(self) -> float:
        """Tokens after over tokens before."""
        before = self.event.tokens_before
        return round(self.event.tokens_after / before, 4) if before else 1.0


def history(events: Iterable[Recorded]) -> tuple[CompactionRecord, ...]:
    """The compactions among the events, oldest first, marked where they were undone."""
    records: dict[str, CompactionRecord] = {}
    for recorded in events:
        _follow(records, recorded)
    return tuple(records.values())


def followed(
    records: Iterable[CompactionRecord], recorded: Recorded
) -> tuple[CompactionRecord, ...]:
    """The records once one more event has come."""
    known = {record.event.id: record for record in records}
    _follow(known, recorded)
    return tuple(known.values())


def _follow(records: dict[str, CompactionRecord], recorded: Recorded) -> None:
    match recorded.event:
        case Compacted() as event:
            records[event.id] = CompactionRecord(recorded.n, recorded.at, event)
        case CompactionUndone(compactions=ids):
            _mark(records, ids, undone=True)
        case CompactionRedone(compaction=id):
            _mark(records, [id], undone=False)


def _mark(records: dict[str, CompactionRecord], ids: Iterable[str], *, undone: bool) -> None:
    for id in ids:
        if id in records:
            records[id] = replace(records[id], undone=undone)
