"""What a cascade would fold, decided before any model is asked. Pure."""

from dataclasses import dataclass
from itertools import accumulate

from memory.budget import Budget
from memory.cuts import SafeCuts
from memory.events import MessageRef, SummaryRef, Thresholds, Trigger
from memory.prompt import section_tokens
from memory.state import State
from memory.tokens import Tally

HALF = 0.5
"""Share of the trigger under which a cascade on tokens brings the prompt (COMPACT-10)."""
SMALLEST_SUMMARY = 12
"""Tokens of the shortest summary that says anything."""
LEAST_GAIN = 2
"""A summary must be worth this many times its tokens, else the messages wait."""


@dataclass(frozen=True, slots=True)
class CascadePlan:
    """A cascade that would gain something."""

    trigger: Trigger
    message: int
    """Newest message when it was planned."""
    fold: tuple[MessageRef, ...]
    """Messages that leave the window, oldest first; pinned ones are not among them."""
    first: int
    last: int
    """Range that the new short-term summary stands for (inclusive)."""
    pinned: tuple[MessageRef, ...]
    verbatim_from: int
    long_term: SummaryRef | None
    short_term: SummaryRef | None
    """The summaries in force, which the new long-term one is made from."""
    source_tokens: int
    """Tokens of the messages to fold."""
    tokens_before: int


def plan_cascade(
    state: State, tally: Tally, budget: Budget, trigger: Trigger
) -> CascadePlan | None:
    """The cascade that the trigger asks for, or None where nothing would be gained yet."""
    thresholds = state.thresholds
    verbatim = state.folding.verbatim
    if thresholds is None or not verbatim:
        return None
    figures = section_tokens(state, tally)
    cut = _cut(state, thresholds, tally, budget, trigger, sum(figures.values()))
    fold = tuple(ref for ref in verbatim[:cut] if ref.role != "system")
    source = sum(map(tally.message, fold))
    if not fold or source < LEAST_GAIN * SMALLEST_SUMMARY:
        return None
    kept = tuple(ref for ref in verbatim[:cut] if ref.role == "system")
    return CascadePlan(
        trigger=trigger,
        message=state.messages,
        fold=fold,
        first=verbatim[0].number,
        last=verbatim[cut - 1].number,
        pinned=(*state.folding.pinned, *kept),
        verbatim_from=verbatim[cut - 1].number + 1,
        long_term=state.folding.long_term,
        short_term=state.folding.short_term,
        source_tokens=source,
        tokens_before=sum(figures.values()),
    )


def summary_room(source_tokens: int, thresholds: Thresholds) -> int:
    """Tokens that a summary of so many source tokens may have: it must be smaller."""
    return max(SMALLEST_SUMMARY, min(thresholds.summary_tokens, source_tokens // LEAST_GAIN))


def _cut(
    state: State,
    thresholds: Thresholds,
    tally: Tally,
    budget: Budget,
    trigger: Trigger,
    tokens: int,
) -> int:
    """Index in the verbatim messages before which everything is folded."""
    verbatim = state.folding.verbatim
    cuts = SafeCuts.of(verbatim)
    if trigger in ("count", "manual"):
        return cuts.at_or_before(max(0, len(verbatim) - thresholds.immediate_window))
    floor = min(thresholds.keep_recent, thresholds.immediate_window)
    highest = cuts.at_or_before(max(0, len(verbatim) - floor))
    freed = [0, *accumulate(tally.message(ref) * (ref.role != "system") for ref in verbatim)]
    after = tokens + _summary_growth(state, thresholds, tally)
    goal = HALF * budget.trigger / budget.spare
    for cut in cuts.indices:
        if 0 < cut <= highest and after - freed[cut] < goal:
            return cut
    return highest


def _summary_growth(state: State, thresholds: Thresholds, tally: Tally) -> int:
    """Tokens by which the summaries may grow: both at their longest, less what they are now."""
    folding = state.folding
    now = sum(
        tally.body(summary.body, summary.tokens * 4)
        for summary in (folding.long_term, folding.short_term)
        if summary
    )
    will_be = thresholds.summary_tokens * (2 if folding.short_term else 1)
    headings = 24 if folding.short_term is None else 0
    return max(0, will_be + headings - now)
