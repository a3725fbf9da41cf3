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
        match recorded.event:
            case Compacted() as event:
                records[event.id] = CompactionRecord(recorded.n, recorded.at, event)
            case CompactionUndone() as event:
                for id in event.compactions:
                    if id in records:
                        records[id] = replace(records[id], undone=True)
            case CompactionRedone() as event:
                if event.compaction in records:
                    records[event.compaction] = replace(records[event.compaction], undone=False)
    return tuple(records.values())
