"""What a folding would fold, decided before any model is asked. Pure."""

from dataclasses import dataclass, replace

from memory.budget import Budget
from memory.compaction.policies import Policy, Situation, find
from memory.cuts import SafeCuts
from memory.parts import ContentItem, MessageRef, SummaryRef, Thresholds, Trigger
from memory.prompt import prompt_tokens
from memory.state import State, refold
from memory.tokens import Tally
from memory.window import Window

SMALLEST_SUMMARY = 12
"""Tokens of the shortest summary that says anything."""
LEAST_GAIN = 2
"""A summary must be worth this many times its tokens, else the messages wait."""
DETAILS_PART = 8
"""Details may have this part of their source's tokens."""
MERGED_PART = 4
"""The same where the source is summaries and their details: what is left of them is the essence."""
LEAST_DETAILS = 8
"""Tokens below which details say nothing."""
QUESTION_PART = 4
"""A question of up to this part of a prompt's room is not folded while it is the newest one."""
HEADINGS = 24
"""Tokens that headings and the template's part of the first summary add."""


@dataclass(frozen=True, slots=True)
class FoldPlan:
    """A folding that would gain something."""

    trigger: Trigger
    policy: Policy
    message: int
    """Newest message when it was planned."""
    fold: tuple[MessageRef, ...]
    """Messages that stood word for word and do no longer, oldest first."""
    first: int
    last: int
    """Range of messages that leave the window (inclusive)."""
    pinned: tuple[MessageRef, ...]
    verbatim_from: int
    long_term: SummaryRef | None
    short_term: SummaryRef | None
    """The summaries in force, which the new long-term one is made from."""
    source_tokens: int
    """Tokens of the messages to fold."""
    tokens_before: int
    kept: tuple[ContentItem, ...] = ()
    """What is put aside of the messages to fold."""


def plan_fold(state: State, tally: Tally, budget: Budget, trigger: Trigger) -> FoldPlan | None:
    """The folding that the trigger asks for, or None where nothing would be gained yet."""
    thresholds = state.thresholds
    verbatim = state.folding.verbatim
    if thresholds is None or not verbatim:
        return None
    policy = find(thresholds.policy)
    whole = prompt_tokens(state, tally)
    seen = situation(state, tally, budget, policy, whole)
    # I4 holds whatever a policy would rather fold.
    least = min(thresholds.keep_recent, thresholds.immediate_window)
    keep = max(least, policy.keeps(seen, trigger))
    cut = SafeCuts.of(verbatim).at_or_before(max(0, len(verbatim) - keep))
    staying = _staying(state, tally, budget)
    leaving = (*state.folding.pinned, *verbatim[:cut])
    fold = tuple(ref for ref in leaving if ref.number not in staying)
    source = sum(map(tally.message, fold))
    if not cut or not fold or source < LEAST_GAIN * SMALLEST_SUMMARY:
        return None
    plan = FoldPlan(
        trigger=trigger,
        policy=policy,
        message=state.messages,
        fold=fold,
        first=verbatim[0].number,
        last=verbatim[cut - 1].number,
        pinned=tuple(ref for ref in leaving if ref.number in staying),
        verbatim_from=verbatim[cut - 1].number + 1,
        long_term=state.folding.long_term,
        short_term=state.folding.short_term,
        source_tokens=source,
        tokens_before=whole,
    )
    return plan if _least_after(plan, state, tally) < whole else None


def _least_after(plan: FoldPlan, state: State, tally: Tally) -> int:
    """Tokens of the prompt after a folding whose summaries are as short as can be."""
    old_long, old_short = plan.long_term, plan.short_term
    short_term: SummaryRef | None = _shortest(SMALLEST_SUMMARY)
    long_term = old_short or old_long
    if plan.policy.summaries == "one":
        short_term, long_term = None, short_term
    elif old_short is not None and old_long is not None:
        long_term = _shortest(1)
    folding = refold(
        state.folding,
        plan.verbatim_from,
        long_term=long_term,
        short_term=short_term,
        pinned=plan.pinned,
        last_cascade=plan.message,
    )
    return prompt_tokens(replace(state, folding=folding), tally)


def _shortest(tokens: int) -> SummaryRef:
    return SummaryRef(
        body="", first=1, last=1, version=1, by="rule", made_at="", tokens_in=0, tokens=tokens
    )


def situation(state: State, tally: Tally, budget: Budget, policy: Policy, whole: int) -> Situation:
    """What a policy sees of a state whose prompt has `whole` tokens."""
    window = Window.of(state.folding)
    pinned = state.pinned_numbers
    snipped = window.snipped - window.runs.keys()
    tokens = tuple(
        0 if ref.number in snipped else window.tokens(ref, tally) for ref in state.folding.verbatim
    )
    movable = tuple(
        0 if ref.role == "system" or ref.number in pinned else cost
        for ref, cost in zip(state.folding.verbatim, tokens, strict=True)
    )
    fixed = whole - sum(movable)
    return Situation(
        messages=state.messages,
        window=movable,
        last_folded=state.folding.last_cascade,
        fixed=fixed + _summary_growth(state, tally, policy),
        trigger=int(budget.trigger / budget.spare),
        thresholds=state.rules,
    )


def _staying(state: State, tally: Tally, budget: Budget) -> frozenset[int]:
    """Numbers of the messages that are not folded: they stay word for word.

    The newest question is among them, however many tool calls have followed it, unless it is so
    long that little room would be left: without it the model would not know what it works on.
    """
    refs = (*state.folding.pinned, *state.folding.verbatim)
    asked = [ref for ref in refs if ref.role == "user"][-1:]
    short = {ref.number for ref in asked if tally.message(ref) <= budget.room // QUESTION_PART}
    system = {ref.number for ref in refs if ref.role == "system"}
    return frozenset(state.pinned_numbers | system | short)


def longest_summary(policy: Policy, thresholds: Thresholds) -> int:
    """Tokens of the longest summary of a policy."""
    return policy.summary_tokens or thresholds.summary_tokens


def summary_room(source_tokens: int, longest: int) -> int:
    """Tokens that a summary of so many source tokens may have: it must be smaller."""
    return max(SMALLEST_SUMMARY, min(longest, source_tokens // LEAST_GAIN))


def details_room(source_tokens: int, thresholds: Thresholds, *, whole: bool = True) -> int:
    """Tokens that the details under a summary may have; 0 where they would say nothing.

    Args:
        source_tokens: Tokens of what the summary stands for.
        thresholds: Their cap.
        whole: The source holds whole messages, not summaries alone.
    """
    part = DETAILS_PART if whole else MERGED_PART
    room = min(thresholds.detail_tokens, source_tokens // part)
    return room if room >= LEAST_DETAILS else 0


def _summary_growth(state: State, tally: Tally, policy: Policy) -> int:
    """Tokens by which the summaries may grow: at their longest, less what they are now."""
    folding = state.folding
    standing = [summary for summary in (folding.long_term, folding.short_term) if summary]
    now = sum(
        tally.body(summary.body, summary.tokens * 4) + summary.details_tokens
        for summary in standing
    )
    rules = state.rules
    each = longest_summary(policy, rules) + rules.detail_tokens
    source = sum(map(tally.message, folding.verbatim))
    will_be = min(each, source // LEAST_GAIN + source // DETAILS_PART)
    if policy.summaries == "two" and folding.short_term is not None:
        will_be += each
    return max(0, will_be + (0 if standing else HEADINGS) - now)
