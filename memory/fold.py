"""State as a fold over the log: what each event makes of it."""

from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch

from memory.agent_events import HelpingBegun
from memory.content_events import ContentCleared, ContentListed, ContentStored
from memory.events import (
    Compacted,
    CompactionFailed,
    CompactionRedone,
    CompactionUndone,
    Event,
    Message,
    ModelChosen,
    Pinned,
    Recorded,
    RequestEnded,
    RequestPrepared,
    RequestRefused,
    ResultsReceipted,
    SecretsReplaced,
    SessionRenamed,
    SessionRestored,
    SessionStarted,
    SummaryRewritten,
    SystemPromptSet,
    ThresholdsSet,
    ToolsOffered,
    Unpinned,
)
from memory.file_events import MemoryFilesRead
from memory.forgetting_events import Forgotten
from memory.learning import ratio_after, ratio_after_refusal, speed_after, window_after_refusal
from memory.parts import (
    HELPERS_OWN,
    SummaryRef,
    add_usage,
)
from memory.recall_events import Recalled
from memory.state import Folding, Pin, State, refold, with_edits
from memory.work import worked
from memory.work_events import WorkEvent

FOLD_VERSION = 12
"""Raised with every change of what the fold computes; older checkpoints are then not used."""

MOST_FAILURES = 3
"""Failures of compaction in a row, in logs that say no number."""


def apply(state: State, recorded: Recorded) -> State:
    """The state after one more event. Pure; unknown kinds only advance `n`."""
    return replace(_apply(recorded.event, state, recorded.at), n=recorded.n)


def fold(events: Iterable[Recorded], start: State | None = None) -> State:
    """The state after all of `events`, from `start` or from nothing."""
    state = start or State()
    for recorded in events:
        state = apply(state, recorded)
    return state


@singledispatch
def _apply(event: Event, state: State, at: str) -> State:
    return state


@_apply.register
def _(event: SessionStarted, state: State, at: str) -> State:
    return replace(
        state,
        agent=event.agent,
        user=event.user,
        title=event.title,
        titled_by="user" if event.title else None,
        started_at=at,
    )


@_apply.register
def _(event: SessionRenamed, state: State, at: str) -> State:
    return replace(state, title=event.title, titled_by=event.by)


@_apply.register
def _(event: SystemPromptSet, state: State, at: str) -> State:
    return replace(state, system=event.body, system_chars=event.chars)


@_apply.register
def _(event: HelpingBegun, state: State, at: str) -> State:
    if event.scope != "shared":
        return replace(state, helping=event)
    # The owner's numbers are passed over, and none of them is an item that is listed here.
    return replace(state, helping=event, content_items=HELPERS_OWN, cleared_items=HELPERS_OWN)


@_apply.register
def _(event: ToolsOffered, state: State, at: str) -> State:
    return replace(state, tools=event if event.body else None)


@_apply.register
def _(event: MemoryFilesRead, state: State, at: str) -> State:
    return replace(state, files=event.files)


@_apply.register
def _(event: RequestPrepared, state: State, at: str) -> State:
    folding = state.folding
    return replace(state, carried=state.carried.prepared(event, folding.verbatim, folding.edits))


@_apply.register
def _(event: ModelChosen, state: State, at: str) -> State:
    same = state.model is not None and state.model.name == event.name
    return replace(
        state,
        model=event,
        ratio=state.ratio if same else 1.0,
        reading_speed=state.reading_speed if same else None,
        learned_window=None,
    )


@_apply.register
def _(event: ThresholdsSet, state: State, at: str) -> State:
    return replace(state, thresholds=event.thresholds, policy_chosen=event.policy_chosen)


@_apply.register
def _(event: Message, state: State, at: str) -> State:
    folding = replace(state.folding, verbatim=(*state.folding.verbatim, event.ref))
    # What was found for one question does not belong to the next.
    recalled = None if event.ref.role == "user" else state.recalled
    state = replace(state, messages=event.ref.number, folding=folding, recalled=recalled)
    return replace(state, redacted=_summed(state.redacted, event.kinds)) if event.kinds else state


@_apply.register
def _(event: SecretsReplaced, state: State, at: str) -> State:
    return replace(state, redacted=_summed(state.redacted, event.kinds))


def _summed(
    known: tuple[tuple[str, int], ...], more: tuple[tuple[str, int], ...]
) -> tuple[tuple[str, int], ...]:
    sums = dict(known)
    for kind, number in more:
        sums[kind] = sums.get(kind, 0) + number
    return tuple(sums.items())


@_apply.register
def _(event: SessionRestored, state: State, at: str) -> State:
    folding = Folding(
        event.long_term,
        event.short_term,
        pinned=event.pinned,
        last_cascade=event.last_cascade,
    )
    return replace(
        state,
        messages=event.covered,
        before_log=event.covered,
        folding=folding,
        short_versions=_newest(state.short_versions, event.short_term),
        long_versions=_newest(state.long_versions, event.long_term),
        automatic_waits=event.automatic_waits,
    )


@_apply.register
def _(event: RequestEnded, state: State, at: str) -> State:
    return replace(
        state,
        requests=state.requests + 1,
        usage=add_usage(state.usage, event.usage),
        ratio=ratio_after(state.ratio, event),
        carried=state.carried.ended(event),
        reading_speed=speed_after(state.reading_speed, event),
    )


@_apply.register
def _(event: ResultsReceipted, state: State, at: str) -> State:
    return replace(state, folding=with_edits(state.folding, event.edits))


@_apply.register
def _(event: Compacted, state: State, at: str) -> State:
    return replace(
        state,
        folding=_folded(state, event),
        compactions=state.compactions + 1,
        short_versions=_newest(state.short_versions, event.short_term),
        long_versions=_newest(state.long_versions, event.long_term),
        undone=(),
        automatic_waits=False,
        breaker=state.breaker.compacted(
            event, state.folding.last_cascade, _most_failures(state), at
        ),
        cache_hits=state.cache_hits + event.cache_hits,
        cache_misses=state.cache_misses + event.cache_misses,
        last_compaction=event.message,
    )


@_apply.register
def _(event: CompactionFailed, state: State, at: str) -> State:
    return replace(state, breaker=state.breaker.failed(event.reason, _most_failures(state), at))


@_apply.register
def _(event: CompactionUndone, state: State, at: str) -> State:
    folding = Folding(
        long_term=event.long_term,
        short_term=event.short_term,
        verbatim=(*event.restored, *state.folding.verbatim),
        pinned=event.pinned,
        last_cascade=event.last_cascade,
        edits=event.edits,
    )
    return replace(
        state,
        folding=folding,
        undone=(*state.undone, *reversed(event.compactions)),
        automatic_waits=True,
    )


@_apply.register
def _(event: CompactionRedone, state: State, at: str) -> State:
    undone = tuple(id for id in state.undone if id != event.compaction)
    return replace(
        state, folding=_folded(state, event), undone=undone, automatic_waits=bool(undone)
    )


@_apply.register
def _(event: SummaryRewritten, state: State, at: str) -> State:
    # What was made from the old version could not hold beside the new one: nothing is redone.
    folding, summary = state.folding, event.summary
    if event.slot == "short_term":
        if folding.short_term is None or folding.short_term.body != event.replaces:
            return state
        return replace(
            state,
            folding=replace(folding, short_term=summary),
            short_versions=_newest(state.short_versions, summary),
            undone=(),
        )
    if folding.long_term is None or folding.long_term.body != event.replaces:
        return state
    return replace(
        state,
        folding=replace(folding, long_term=summary),
        long_versions=_newest(state.long_versions, summary),
        undone=(),
    )


@_apply.register
def _(event: ContentStored, state: State, at: str) -> State:
    return replace(
        state,
        content_items=state.content_items + len(event.items),
        content_chars=state.content_chars + sum(item.chars for item in event.items),
    )


@_apply.register
def _(event: ContentCleared, state: State, at: str) -> State:
    return replace(
        state,
        cleared_items=state.cleared_items + len(event.items),
        cleared_chars=state.cleared_chars + event.chars,
    )


@_apply.register
def _(event: ContentListed, state: State, at: str) -> State:
    return replace(
        state,
        cleared_items=state.cleared_items - len(event.items),
        cleared_chars=state.cleared_chars - event.chars,
    )


@_apply.register
def _(event: Recalled, state: State, at: str) -> State:
    return replace(state, recalled=event)


@_apply.register
def _(event: Pinned, state: State, at: str) -> State:
    pin = Pin(event.id, event.body, event.chars, event.number, event.whole)
    return replace(state, pins=(*state.pins, pin))


@_apply.register
def _(event: Unpinned, state: State, at: str) -> State:
    return replace(state, pins=tuple(pin for pin in state.pins if pin.id != event.id))


@_apply.register
def _(event: Forgotten, state: State, at: str) -> State:
    # A sentence that was pinned by itself is a text of its own, and says what is left of it.
    gone = [range(first, last + 1) for first, last in event.numbers]
    pins = tuple(
        pin for pin in state.pins if not pin.whole or not any(pin.number in span for span in gone)
    )
    return replace(state, pins=pins) if len(pins) != len(state.pins) else state


@_apply.register
def _(event: RequestRefused, state: State, at: str) -> State:
    return replace(
        state,
        learned_window=window_after_refusal(state.learned_window, event),
        ratio=ratio_after_refusal(state.ratio, event),
    )


@_apply.register
def _(event: WorkEvent, state: State, at: str) -> State:
    return replace(state, work=worked(event, state.work, at, state.n + 1))


def _folded(state: State, event: Compacted | CompactionRedone) -> Folding:
    return refold(
        state.folding,
        event.verbatim_from,
        long_term=event.long_term,
        short_term=event.short_term,
        pinned=event.pinned,
        last_cascade=event.message if event.folds else state.folding.last_cascade,
        edits=event.edits,
    )


def _newest(versions: int, summary: SummaryRef | None) -> int:
    return max(versions, summary.version) if summary else versions


def _most_failures(state: State) -> int:
    return state.thresholds.max_failures if state.thresholds else MOST_FAILURES
