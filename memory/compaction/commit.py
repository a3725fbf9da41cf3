"""Commits what was planned and written, as one event, where it still fits and gains. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

from memory.clock import utc_now
from memory.compaction.editing import EditPlan, edited
from memory.compaction.plan import FoldPlan
from memory.compaction.run import Folded, NewSummary, summary_ref
from memory.events import Compacted
from memory.ids import new_id
from memory.parts import Edit, Stage, StageName, SummaryRef, Trigger, add_usage
from memory.prompt import prompt_tokens
from memory.state import State, refold
from memory.tokens import Tally

EDIT_STAGES: tuple[StageName, ...] = ("budget", "snip", "micro")


@dataclass(frozen=True, slots=True)
class Bodies:
    """Body ids of the texts that a folding brings."""

    short: str
    short_details: str
    long: str
    long_details: str

    @classmethod
    def new(cls) -> "Bodies":
        """Fresh ids."""
        return cls(new_id(), new_id(), new_id(), new_id())


def edits_event(trigger: Trigger, plan: EditPlan, state: State, tally: Tally) -> Compacted | None:
    """The event of a compaction by the deterministic stages alone, or None where it can't be.

    Args:
        trigger: What asked for it.
        plan: What stands otherwise from here on.
        state: The state to commit to; messages may have come since.
        tally: Token counts, those of the new texts included.
    """
    folding = state.folding
    edits = plan.edits
    if not edits or not plan.holds_for(state):
        return None
    before = prompt_tokens(state, tally)
    stages = _edit_stages(state, edits, tally)
    after = before - sum(stage.freed for stage in stages)
    if after >= before:
        return None
    return Compacted(
        id=new_id(),
        trigger=trigger,
        policy=state.rules.policy,
        message=state.messages,
        verbatim_from=folding.verbatim_from or state.messages + 1,
        long_term=folding.long_term,
        short_term=folding.short_term,
        pinned=folding.pinned,
        stages=stages,
        tokens_before=before,
        tokens_after=after,
        duration_s=0.0,
        by="rule",
        edits=edits,
        folds=False,
    )


def fold_event(
    plan: FoldPlan,
    folded: Folded,
    bodies: Bodies,
    edits: Sequence[Edit],
    state: State,
    tally: Tally,
) -> Compacted | None:
    """The event that commits a folding to a state, or None where it no longer fits or gains.

    Args:
        plan: What was planned.
        folded: The summaries written for it.
        bodies: Ids of the new texts.
        edits: What stands otherwise of the messages that stay.
        state: The state to commit to; messages may have come since the plan.
        tally: Token counts, those of the new texts included.
    """
    folding = state.folding
    if (folding.short_term, folding.long_term) != (plan.short_term, plan.long_term):
        return None
    if folding.verbatim_from != plan.first:
        return None
    short_term, long_term = _summaries(plan, folded, bodies, state)
    before = prompt_tokens(state, tally)
    stages = _edit_stages(state, edits, tally)
    after_folding = refold(
        folding,
        plan.verbatim_from,
        long_term=long_term,
        short_term=short_term,
        pinned=plan.pinned,
        last_cascade=plan.message,
        edits=tuple(edits),
    )
    after = prompt_tokens(replace(state, folding=after_folding), tally)
    if after >= before:
        return None
    freed = before - after - sum(stage.freed for stage in stages)
    name: StageName = "reactive" if plan.trigger == "overflow" else "auto"
    return Compacted(
        id=new_id(),
        trigger=plan.trigger,
        policy=plan.policy.name,
        message=plan.message,
        verbatim_from=plan.verbatim_from,
        long_term=long_term,
        short_term=short_term,
        pinned=plan.pinned,
        stages=(*stages, Stage(name, freed)),
        tokens_before=before,
        tokens_after=after,
        duration_s=round(sum(entry.duration_s for entry in folded.written), 3),
        by=folded.by,
        failures=folded.failures,
        cache_hits=sum(entry.cache_hits for entry in folded.written),
        cache_misses=sum(entry.cache_misses for entry in folded.written),
        edits=tuple(edits),
        kept=tuple(item.id for item in plan.kept),
        usage=reduce(add_usage, (entry.usage for entry in folded.written)),
    )


def _edit_stages(state: State, edits: Sequence[Edit], tally: Tally) -> tuple[Stage, ...]:
    """What each deterministic stage freed, one after the other."""
    stages: list[Stage] = []
    so_far: list[Edit] = []
    tokens = prompt_tokens(state, tally)
    for name in EDIT_STAGES:
        of_stage = [edit for edit in edits if edit.stage == name]
        if of_stage:
            so_far += of_stage
            now = prompt_tokens(edited(state, so_far), tally)
            stages.append(Stage(name, tokens - now))
            tokens = now
    return tuple(stages)


def _summaries(
    plan: FoldPlan, folded: Folded, bodies: Bodies, state: State
) -> tuple[SummaryRef | None, SummaryRef | None]:
    """The short-term and the long-term summary after the folding."""
    if folded.short_term is None:
        return None, _running(plan, folded.long_term, bodies, state)
    ref = SummaryRef(
        body=bodies.short,
        first=plan.first,
        last=plan.last,
        version=state.short_versions + 1,
        by="rule",
        made_at=utc_now(),
        tokens_in=plan.source_tokens,
    )
    short_term = summary_ref(folded.short_term, bodies.short, bodies.short_details, ref)
    return short_term, _long_term(plan, folded.long_term, bodies, state)


def _running(
    plan: FoldPlan, new: NewSummary | None, bodies: Bodies, state: State
) -> SummaryRef | None:
    parents = [parent for parent in (plan.long_term, plan.short_term) if parent is not None]
    if new is None:
        return plan.long_term
    ref = SummaryRef(
        body=bodies.long,
        first=min([plan.first, *(parent.first for parent in parents)]),
        last=plan.last,
        version=state.long_versions + 1,
        by="rule",
        made_at=utc_now(),
        parents=tuple(parent.body for parent in parents),
        tokens_in=plan.source_tokens + sum(parent.tokens for parent in parents),
    )
    return summary_ref(new, bodies.long, bodies.long_details, ref)


def _long_term(
    plan: FoldPlan, new: NewSummary | None, bodies: Bodies, state: State
) -> SummaryRef | None:
    old_short, old_long = plan.short_term, plan.long_term
    if old_short is None:
        return old_long
    if new is None or old_long is None:
        return replace(old_short, by="carried", version=state.long_versions + 1)
    ref = SummaryRef(
        body=bodies.long,
        first=old_long.first,
        last=old_short.last,
        version=state.long_versions + 1,
        by="rule",
        made_at=utc_now(),
        parents=(old_long.body, old_short.body),
        tokens_in=old_long.tokens + old_short.tokens,
    )
    return summary_ref(new, bodies.long, bodies.long_details, ref)
