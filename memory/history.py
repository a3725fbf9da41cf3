"""The compactions of a session, as the log tells them. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from memory.events import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    LossMeasured,
    LossReported,
    Recorded,
)

HISTORY_KINDS = (
    Compacted.KIND,
    CompactionUndone.KIND,
    CompactionRedone.KIND,
    LossReported.KIND,
    LossMeasured.KIND,
)


@dataclass(frozen=True, slots=True)
class CompactionRecord:
    """A compaction, when it was, whether it still holds, and what it lost as far as is known."""

    n: int
    at: str
    event: Compacted
    undone: bool = False
    loss: LossReported | None = None
    measured: LossMeasured | None = None

    @property
    def similarity(self) -> float | None:
        """How well its sources are still represented, 0 to 1; None until that is measured."""
        return self.measured.similarity if self.measured else None

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
        case LossReported(compaction=id) as loss:
            _mark(records, [id], loss=loss)
        case LossMeasured(compaction=id) as measured:
            _mark(records, [id], measured=measured)


def _mark(records: dict[str, CompactionRecord], ids: Iterable[str], **changes: Any) -> None:
    for id in ids:
        if id in records:
            records[id] = replace(records[id], **changes)
