"""Which compactions of a session an undo takes back, and which one a redo lets hold. Pure."""

from collections.abc import Iterable, Sequence

from memory.history import CompactionRecord


def taken_back_with(
    record: CompactionRecord, records: Iterable[CompactionRecord]
) -> list[CompactionRecord]:
    """The compactions that an undo of one takes back after it, oldest first."""
    return [other for other in records if not other.undone and other.n > record.n]


def first_folded(record: CompactionRecord, records: Sequence[CompactionRecord]) -> int:
    """The oldest message that stood verbatim when a compaction began."""
    folds = (
        other.event.verbatim_from
        for other in records
        if other.n < record.n and not other.undone and other.event.folds
    )
    return max(folds, default=1)
