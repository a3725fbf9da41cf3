"""What the compactions of a session were made from, and which can be taken back. Pure."""

from collections.abc import Iterable, Sequence

from memory.events import Compacted, SummaryRef
from memory.history import CompactionRecord

Summaries = tuple[SummaryRef | None, SummaryRef | None]
"""The short-term summary and the long-term one."""


def before(record: CompactionRecord, records: Sequence[CompactionRecord]) -> Summaries:
    """The summaries that stood when a compaction began."""
    event = record.event
    earlier = [other for other in records if other.n < record.n]
    old = _replaced_short_term(event)
    if old is None:
        return None, None
    for other in reversed(earlier):
        if other.event.short_term is not None and other.event.short_term.body == old:
            return other.event.short_term, other.event.long_term
    return None, None


def taken_back_with(
    record: CompactionRecord, records: Iterable[CompactionRecord]
) -> list[CompactionRecord]:
    """The compactions that an undo of one takes back after it, oldest first."""
    return [other for other in records if not other.undone and other.n > record.n]


def redoable(records: Sequence[CompactionRecord]) -> CompactionRecord | None:
    """The compaction that a redo lets hold again, if any can be.

    One that was undone can hold again where it stands on what stands now, and none has come since.
    """
    standing = [record for record in records if not record.undone]
    top = standing[-1] if standing else None
    for record in reversed(records):
        if not record.undone:
            return None
        if _stands_on(record.event, top.event if top else None):
            return record
    return None


def _stands_on(event: Compacted, below: Compacted | None) -> bool:
    old = _replaced_short_term(event)
    if below is None or below.short_term is None:
        return old is None
    return below.short_term.body == old


def _replaced_short_term(event: Compacted) -> str | None:
    """Body of the short-term summary that became part of the long-term one."""
    long_term = event.long_term
    if long_term is None:
        return None
    return long_term.parents[-1] if long_term.parents else long_term.body
