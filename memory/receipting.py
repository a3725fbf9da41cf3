"""Lets receipts stand for the tool results that a request has shown in full (CONT-3)."""

from collections.abc import Mapping

from memory import telemetry
from memory.compaction.editing import EditPlan, with_proposals
from memory.compaction.shown import shown_results
from memory.events import Event, ResultsReceipted
from memory.journal import Journal
from memory.privacy import Cleaned
from memory.prompt import prompt_tokens
from memory.state import State


@telemetry.operation("memory.receipts")
async def receipt_results(journal: Journal) -> ResultsReceipted | None:
    """Puts receipts in the place of what has been shown; None where nothing is due.

    Raises:
        ReadOnly, Conflict, StorageError: Nothing was changed.
    """
    if journal.read_only or journal.state.thresholds is None:
        return None

    def make(state: State) -> tuple[list[Event], Mapping[str, Cleaned]] | None:
        proposals = shown_results(state, journal.texts, journal.digests)
        if not proposals:
            return None
        tally = journal.tally
        plan = with_proposals(EditPlan.none(state), proposals, state, tally)
        event = ResultsReceipted(plan.edits, prompt_tokens(state, tally), plan.after)
        return plan.recorded_with(event, journal.door)

    recorded = await journal.append(make)
    event = recorded[-1].event if recorded else None
    return event if isinstance(event, ResultsReceipted) else None
