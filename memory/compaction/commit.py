"""Commits a cascade that has run, as one event, where it still fits and gains. Pure."""

from dataclasses import replace

from memory.clock import utc_now
from memory.compaction.cascade import Cascaded
from memory.compaction.plan import CascadePlan
from memory.compaction.summariser import Written
from memory.events import Compacted, Stage, SummaryRef
from memory.ids import new_id
from memory.prompt import section_tokens
from memory.state import State, refold
from memory.tokens import Tally


def compacted_event(
    plan: CascadePlan,
    cascaded: Cascaded,
    short_id: str,
    long_id: str,
    state: State,
    tally: Tally,
) -> Compacted | None:
    """The event that commits a cascade to a state, or None where it no longer fits or gains.

    Args:
        plan: What was planned.
        cascaded: The summaries written for it.
        short_id: Body of the new short-term summary.
        long_id: Body of the new long-term summary, where one was written.
        state: The state to commit to; messages may have come since the plan.
        tally: Token counts, the new summaries' included.
    """
    folding = state.folding
    if (folding.short_term, folding.long_term) != (plan.short_term, plan.long_term):
        return None
    if folding.verbatim_from != plan.first:
        return None
    short_term = _short_term(plan, cascaded.short_term, short_id, state)
    long_term = _long_term(plan, cascaded.long_term, long_id, state)
    before = sum(section_tokens(state, tally).values())
    after_state = replace(
        state,
        folding=refold(
            folding,
            plan.verbatim_from,
            long_term=long_term,
            short_term=short_term,
            pinned=plan.pinned,
            last_cascade=plan.message,
        ),
    )
    after = sum(section_tokens(after_state, tally).values())
    if after >= before:
        return None
    written = [cascaded.short_term, *([cascaded.long_term] if cascaded.long_term else [])]
    return Compacted(
        id=new_id(),
        trigger=plan.trigger,
        policy="cascade",
        message=plan.message,
        verbatim_from=plan.verbatim_from,
        long_term=long_term,
        short_term=short_term,
        pinned=plan.pinned,
        stages=(Stage("auto", before - after),),
        tokens_before=before,
        tokens_after=after,
        duration_s=round(sum(entry.duration_s for entry in written), 3),
        by=cascaded.by,
        failures=cascaded.failures,
        cache_hits=sum(entry.cache_hits for entry in written),
        cache_misses=sum(entry.cache_misses for entry in written),
    )


def _short_term(plan: CascadePlan, written: Written, body: str, state: State) -> SummaryRef:
    return SummaryRef(
        body=body,
        first=plan.first,
        last=plan.last,
        version=state.short_versions + 1,
        by=written.by,
        made_at=utc_now(),
        model=written.model,
        duration_s=round(written.duration_s, 3),
        tokens_in=plan.source_tokens,
        tokens=written.tokens,
    )


def _long_term(
    plan: CascadePlan, written: Written | None, body: str, state: State
) -> SummaryRef | None:
    old_short, old_long = plan.short_term, plan.long_term
    if old_short is None:
        return old_long
    if written is None or old_long is None:
        return replace(old_short, by="carried", version=state.long_versions + 1)
    return SummaryRef(
        body=body,
        first=old_long.first,
        last=old_short.last,
        version=state.long_versions + 1,
        by=written.by,
        made_at=utc_now(),
        model=written.model,
        parents=(old_long.body, old_short.body),
        duration_s=round(written.duration_s, 3),
        tokens_in=old_long.tokens + old_short.tokens,
        tokens=written.tokens,
    )
