"""Takes compactions back and lets them hold again (COMPACT-11, I8)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from memory.budget import Budget
from memory.errors import StrataError
from memory.events import (
    CompactionRedone,
    CompactionUndone,
    Event,
    Message,
    Recorded,
    ResultsReceipted,
    SummaryRewritten,
)
from memory.fold import apply
from memory.history import HISTORY_KINDS, CompactionRecord, history
from memory.journal import Journal
from memory.parts import Edit, MessageRef, SummaryRef, SummarySlot
from memory.privacy import Cleaned
from memory.prompt import prompt_tokens
from memory.state import Folding, State, with_edits
from memory.storage import checkpoints
from memory.tokens import Tally


class NothingToUndo(StrataError):
    """There is no compaction that could be undone or redone."""


class WouldNotFit(StrataError):
    """Without the compaction the prompt would be too large."""

    def __init__(self, tokens: int, room: int) -> None:
        super().__init__(
            f"Without this compaction the prompt would have about {tokens:,} tokens, "
            f"but {room:,} is the most that fits.",
            "Choose a model with a larger window first.",
        )


async def undo(journal: Journal, budget: Budget, compaction: str | None) -> CompactionUndone:
    """Takes back the newest compaction, or the named one with all that came after it.

    Raises:
        NothingToUndo: There is none.
        WouldNotFit: The prompt would no longer fit.
        StorageError: The database refused; nothing was changed.
    """
    while True:
        folding = journal.state.folding
        event = await _undone(journal, compaction)
        tally = await _tally_with(journal, event.restored)

        def make(
            state: State,
            seen: Folding = folding,
            event: CompactionUndone = event,
            tally: Tally = tally,
        ) -> tuple[list[Event], dict[str, Cleaned]] | None:
            if not _same_folds(state.folding, seen):
                return None
            assert_fits(event, state, tally, budget)
            return [event], {}

        if await journal.append(make):
            return event


async def redo(journal: Journal) -> CompactionRedone:
    """Lets the compaction undone last hold again.

    Raises:
        NothingToUndo: There is none.
        StorageError: The database refused; nothing was changed.
    """
    records = {record.event.id: record for record in await compactions(journal)}
    rewritten = [r.event for r in await journal.log.read(kinds=(SummaryRewritten.KIND,))]
    changes = [event for event in rewritten if isinstance(event, SummaryRewritten)]

    def make(state: State) -> tuple[list[Event], dict[str, Cleaned]]:
        if not state.undone or state.undone[-1] not in records:
            raise NothingToUndo("There is no compaction to redo.")
        compacted = records[state.undone[-1]].event
        event = CompactionRedone(
            compaction=compacted.id,
            message=compacted.message,
            verbatim_from=compacted.verbatim_from,
            long_term=_as_rewritten("long_term", compacted.long_term, changes),
            short_term=_as_rewritten("short_term", compacted.short_term, changes),
            pinned=compacted.pinned,
            edits=compacted.edits,
            folds=compacted.folds,
        )
        return [event], {}

    (recorded,) = await journal.append(make)
    return cast(CompactionRedone, recorded.event)


async def compactions(journal: Journal, upto: int | None = None) -> tuple[CompactionRecord, ...]:
    """Every compaction up to event `upto`, oldest first, as it then stood."""
    last = journal.state.n if upto is None else upto
    return history(await journal.log.read(upto=last, kinds=HISTORY_KINDS))


def assert_fits(event: CompactionUndone, state: State, tally: Tally, budget: Budget) -> None:
    """Refuses an undo after which the prompt would not fit.

    Raises:
        WouldNotFit: It would not.
    """
    after = apply(state, Recorded(state.n + 1, "", event))
    tokens = prompt_tokens(after, tally)
    if not budget.fits(tokens):
        raise WouldNotFit(round(tokens * budget.spare), budget.limit)


def _as_rewritten(
    slot: SummarySlot, summary: SummaryRef | None, changes: Sequence[SummaryRewritten]
) -> SummaryRef | None:
    """A summary as it was when its compaction was taken back: in the version accepted last."""
    for change in changes:
        if summary is not None and (change.slot, change.replaces) == (slot, summary.body):
            summary = change.summary
    return summary


async def _undone(journal: Journal, compaction: str | None) -> CompactionUndone:
    standing = [record for record in await compactions(journal) if not record.undone]
    names = [record.event.id for record in standing]
    if not names or (compaction is not None and compaction not in names):
        raise NothingToUndo("There is no compaction to undo.")
    first = names.index(compaction) if compaction else len(names) - 1
    before = await checkpoints.state_at(journal.database, journal.log, standing[first].n - 1)
    state = journal.state
    start = state.folding.verbatim_from or state.messages + 1
    messages = await journal.log.messages(before.folding.verbatim_from or start, start - 1)
    return CompactionUndone(
        compactions=tuple(names[first:]),
        long_term=before.folding.long_term,
        short_term=before.folding.short_term,
        pinned=before.folding.pinned,
        last_cascade=before.folding.last_cascade,
        restored=tuple(r.event.ref for r in messages if isinstance(r.event, Message)),
        edits=with_edits(before.folding, await _receipts_since(journal, standing[first].n)).edits,
    )


async def _receipts_since(journal: Journal, n: int) -> list[Edit]:
    """What took the place of tool results after an event; an undo of compactions leaves it."""
    found = await journal.log.read(n, kinds=(ResultsReceipted.KIND,))
    return [edit for entry in found for edit in cast(ResultsReceipted, entry.event).edits]


async def _tally_with(journal: Journal, restored: tuple[MessageRef, ...]) -> Tally:
    bodies = {
        body
        for ref in restored
        for body in (ref.body, ref.calls, ref.reasoning)
        if body is not None
    }
    known = await journal.bodies.counts(bodies, journal.tokenizer or "")
    return replace(journal.tally, counted={**known, **journal.counts})


def _same_folds(one: Folding, other: Folding) -> bool:
    """Whether nothing was folded, unfolded or edited between two states."""
    return (one.short_term, one.long_term, one.verbatim[:1], one.edits) == (
        other.short_term,
        other.long_term,
        other.verbatim[:1],
        other.edits,
    )
