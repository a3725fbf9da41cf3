"""What a pane may see of memory at a moment. Immutable."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from memory.budget import Budget, largest_below, smallest_at
from memory.clock import format_time, parse_time
from memory.compaction.triggers import Forecast, forecast, keeps_one_summary, levels
from memory.history import CompactionRecord
from memory.parts import CountedBy, EditStage, Role, SummaryBy, SummaryRef, Usage, add_usage
from memory.project_context import file_tokens, shown_files
from memory.prompt import fitted_sections, prompt_tokens
from memory.recall_viewing import recall_view
from memory.recall_views import IndexView, RecallView
from memory.state import Folding, State
from memory.tokens import Tally
from memory.views import FactsView
from memory.window import Window
from memory.work_viewing import work_view
from memory.work_views import ItemView, WorkView

PREVIEW_CHARS = 200
RECENT_RECORDS = 20
"""Compactions that a snapshot shows; the log has them all."""
BREAKER_MINUTES = 5
"""How long the breaker stays open by itself (COMPACT-7)."""


@dataclass(frozen=True, slots=True)
class ContextView:
    """The prompt if it were sent now, against the levels of the window; all in tokens.

    `window`, `limit`, `trigger` and `warning` are the model's; `used`, `unfitted` and `sections`
    are our count, which may be an estimate. What stands in one picture with them is `limit_at`,
    `trigger_at` and `warning_at`: the same levels in our count.
    """

    window: int
    limit: int
    used: int
    unfitted: int
    """What it would be if nothing had to be left out to stay under the limit."""
    trigger: int
    warning: int
    counted_by: CountedBy
    sections: Mapping[str, int]
    spare: float = 1.0
    """Factor from our count to a safe one."""

    @property
    def limit_at(self) -> int:
        """The largest count that may be sent."""
        return largest_below(self.limit, self.spare)

    @property
    def trigger_at(self) -> int:
        """The count at which compaction begins."""
        return smallest_at(self.trigger, self.spare)

    @property
    def warning_at(self) -> int:
        """The count at which the gauge warns."""
        return smallest_at(self.warning, self.spare)


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message of the immediate window."""

    number: int
    role: Role
    preview: str
    tokens: int
    interrupted: bool
    stage: EditStage | None = None
    """The stage that shortened it or left it out."""


@dataclass(frozen=True, slots=True)
class SummaryView:
    """A summary in force."""

    first: int
    last: int
    tokens: int
    version: int
    by: SummaryBy
    model: str | None
    made_at: str
    text: str
    details: str = ""
    """Names, numbers and conditions that stand word for word under it."""


@dataclass(frozen=True, slots=True)
class BreakerView:
    """Whether automatic compaction still asks the model, and why not."""

    open: bool
    failures: int
    reason: str | None
    until: str | None


@dataclass(frozen=True, slots=True)
class PinView:
    """A message or a sentence that stays word for word."""

    id: str
    number: int | None
    """The message it is, or was taken from."""
    whole: bool
    """Whether it is the whole message."""
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class FileView:
    """A memory file (PROMPT-2)."""

    path: str
    tokens: int
    """Of what stands in the prompt; 0 where nothing does."""
    chars: int
    cut: bool
    """Whether only its beginning stands there."""
    changed: str | None
    """When it had been written last (UTC); None where nobody knows."""
    note: str
    """What was cut, or why nothing is shown; goes on where its path ends."""
    redacted: int = 0


@dataclass(frozen=True, slots=True)
class CompactionProgress:
    """A compaction that is running."""

    trigger: str
    message: int
    stage: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A session at a moment."""

    session: str
    session_id: str
    title: str | None
    agent: str
    model: str | None
    policy: str
    n: int
    messages: int
    context: ContextView
    verbatim: tuple[int, int] | None
    window: tuple[MessageView, ...]
    short_term: SummaryView | None
    long_term: SummaryView | None
    next_compaction: Forecast | None
    automatic_waits: bool
    breaker: BreakerView
    compactions: int
    recent_compactions: tuple[CompactionRecord, ...]
    """The newest ones, oldest first."""
    running: CompactionProgress | None
    usage: Usage
    """Of the session, all its branches together."""
    requests: int
    ratio: float
    """The provider's count of prompts over ours, learned."""
    cache_hits: int
    cache_misses: int
    read_only: bool
    redacted: tuple[tuple[str, int], ...] = ()
    """How many secrets of which kind were replaced in what was stored."""
    pins: tuple[PinView, ...] = ()
    one_summary: bool = False
    """Whether the policy keeps one running summary, reported as the long-term one."""
    redoable: str | None = None
    """The compaction that a redo lets hold again."""
    content_items: int = 0
    """What is kept outside the prompt and cited."""
    content_chars: int = 0
    work: WorkView = field(default_factory=WorkView)
    """Goals, tasks, executions, steps, tool statistics."""
    items: tuple[ItemView, ...] = ()
    """The newest stored items, newest first; the content store has them all."""
    index: IndexView = field(default_factory=IndexView)
    """How far what a search looks through is complete."""
    files: tuple[FileView, ...] = ()
    """The memory files there are, in the order in which they stand in the prompt."""
    recalled: RecallView | None = None
    """What long-term memory brought to the present turn; None where it was not searched."""
    searching: bool = False
    """Whether it is being searched; until it was, `recalled` may be that of the turn before."""
    facts: FactsView = field(default_factory=FactsView)
    """What the agent knows from all of its sessions."""

    @property
    def pinned_numbers(self) -> frozenset[int]:
        """Messages that are pinned as they are."""
        return frozenset(p.number for p in self.pins if p.whole and p.number is not None)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a snapshot shows beside the state."""

    session_id: str
    now: datetime
    records: tuple[CompactionRecord, ...] = ()
    running: CompactionProgress | None = None
    vain: bool = False
    """Whether it was tried to fold what stands there now, and nothing would be gained."""
    read_only: bool = False
    elsewhere: Usage = field(default_factory=Usage)
    """What other branches of the session have used beyond the shared past."""
    items: tuple[ItemView, ...] = ()
    """The newest stored items, newest first."""
    index: IndexView = field(default_factory=IndexView)
    stream: str = ""
    """The session's stream."""
    facts: FactsView = field(default_factory=FactsView)


def take_snapshot(
    state: State,
    texts: Mapping[str, str],
    tally: Tally,
    budget: Budget,
    around: Surroundings,
) -> Snapshot:
    """The snapshot of a state."""
    whole = prompt_tokens(state, tally)
    figures = fitted_sections(state, texts, tally, budget)
    marks = levels(state, tally, budget)
    folding = state.folding
    span = (folding.verbatim[0].number, state.messages) if folding.verbatim else None
    return Snapshot(
        session=state.title or around.session_id,
        session_id=around.session_id,
        title=state.title,
        agent=state.agent,
        model=state.model.name if state.model else None,
        policy=state.thresholds.policy if state.thresholds else "cascade",
        n=state.n,
        messages=state.messages,
        context=ContextView(
            window=budget.window,
            limit=budget.limit,
            used=sum(figures.values()),
            unfitted=whole,
            trigger=marks.trigger,
            warning=marks.warning,
            counted_by=counted_by(state, tally),
            sections={str(name): tokens for name, tokens in figures.items()},
            spare=budget.spare,
        ),
        verbatim=span,
        window=_window(folding, texts, tally),
        short_term=_summary(folding.short_term, texts, tally),
        long_term=_summary(folding.long_term, texts, tally),
        next_compaction=_forecast(state, tally, budget, vain=around.vain),
        automatic_waits=state.automatic_waits,
        breaker=breaker_at(state, around.now),
        compactions=state.compactions,
        recent_compactions=around.records,
        running=around.running,
        usage=add_usage(state.usage, around.elsewhere),
        requests=state.requests,
        redacted=state.redacted,
        ratio=state.ratio,
        cache_hits=state.cache_hits,
        cache_misses=state.cache_misses,
        read_only=around.read_only,
        pins=_pins(state, texts, tally),
        one_summary=keeps_one_summary(state),
        redoable=state.undone[-1] if state.undone else None,
        content_items=state.content_items - state.cleared_items,
        content_chars=state.content_chars - state.cleared_chars,
        items=around.items,
        index=around.index,
        facts=around.facts,
        work=work_view(state, texts),
        files=_files(state, tally),
        recalled=recall_view(state, texts, tally, around.stream),
    )


def _window(folding: Folding, texts: Mapping[str, str], tally: Tally) -> tuple[MessageView, ...]:
    window = Window.of(folding)
    stages = {edit.number: edit.stage for edit in folding.edits}
    snipped = window.snipped - window.runs.keys()
    return tuple(
        MessageView(
            ref.number,
            ref.role,
            texts[ref.body][:PREVIEW_CHARS],
            0 if ref.number in snipped else window.tokens(ref, tally),
            ref.interrupted,
            stages.get(ref.number),
        )
        for ref in folding.verbatim
    )


def breaker_at(state: State, now: datetime) -> BreakerView:
    """The breaker at a moment: it closes by itself after five minutes."""
    breaker = state.breaker
    if breaker.opened_at is None:
        return BreakerView(False, breaker.failures, breaker.reason, None)
    until = parse_time(breaker.opened_at) + timedelta(minutes=BREAKER_MINUTES)
    if now >= until:
        return BreakerView(False, breaker.failures, breaker.reason, None)
    return BreakerView(True, breaker.failures, breaker.reason, format_time(until))


def _forecast(state: State, tally: Tally, budget: Budget, *, vain: bool) -> Forecast | None:
    following = forecast(state, tally, budget)
    return replace(following, gains=False) if following is not None and vain else following


def counted_by(state: State, tally: Tally) -> CountedBy:
    """How the prompt's tokens are known: by an exact count only if every text is counted."""
    if state.model is None or state.model.counted_by == "estimate":
        return "estimate"
    complete = all(ref.body in tally.counted for ref in state.folding.verbatim)
    return state.model.counted_by if complete else "estimate"


def _summary(
    summary: SummaryRef | None, texts: Mapping[str, str], tally: Tally
) -> SummaryView | None:
    if summary is None:
        return None
    return SummaryView(
        summary.first,
        summary.last,
        tally.counted.get(summary.body, summary.tokens),
        summary.version,
        summary.by,
        summary.model,
        summary.made_at,
        texts[summary.body],
        texts[summary.details] if summary.details is not None else "",
    )


def _files(state: State, tally: Tally) -> tuple[FileView, ...]:
    first = next(iter(shown_files(state)), None)
    return tuple(
        FileView(
            ref.path,
            file_tokens(ref, tally, first=ref is first) if ref.body is not None else 0,
            ref.chars,
            ref.cut,
            ref.changed,
            ref.note,
            ref.redacted,
        )
        for ref in state.files
    )


def _pins(state: State, texts: Mapping[str, str], tally: Tally) -> tuple[PinView, ...]:
    return tuple(
        PinView(
            pin.id,
            pin.number,
            pin.whole,
            texts[pin.body][:PREVIEW_CHARS],
            tally.body(pin.body, pin.chars),
        )
        for pin in state.pins
    )
