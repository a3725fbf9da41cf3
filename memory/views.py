"""What a pane or screen may see of one request, one compaction or one text. Immutable, plain."""

from dataclasses import dataclass
from typing import Literal

from memory.parts import (
    EditStage,
    FactBy,
    FactEnd,
    FactSource,
    Stage,
    SummaryBy,
    SummarySlot,
    Trigger,
    Usage,
)
from memory.pieces import Section
from memory.recall_views import FoundView, RecallView

Sharing = Literal["shared", "broke", "new"]
"""Whether a piece began the request before as well, ended the shared part, or comes after that."""
ItemState = Literal["kept", "retrievable", "lost"]
ItemKind = Literal["name", "number", "date", "path", "url", "identifier", "constraint", "task"]
PlaceKind = Literal[
    "message", "window", "edited", "receipt", "summary", "details", "pin", "content", "left"
]


@dataclass(frozen=True, slots=True)
class RequestInfo:
    """A past request, as one steps through them."""

    request: str
    n: int
    at: str
    message: int
    """Newest message that it was made after."""
    tokens: int


@dataclass(frozen=True, slots=True)
class PieceView:
    """One piece of a request, in the order in which the model reads them."""

    section: Section
    role: str
    text: str
    tokens: int
    share: float
    """Of the whole request, 0 to 1."""
    why: str
    """Why it is there, as the end of the sentence "it is there because …"."""
    sources: tuple[int, int] | None
    """Messages it shows or stands for (inclusive)."""
    sharing: Sharing
    stage: EditStage | None = None
    """The stage that changed it, where one did."""
    replaced: str | None = None
    """The text that it stands in the place of, where it is known."""
    extras: str = ""
    """What the message carries beside its text: calls, reasoning, which call it answers."""
    receipt: bool = False
    """Whether it only tells of messages that are left out."""
    version: int | None = None
    """Of the summary that it is."""
    by: str | None = None
    """The model that wrote the summary, or `rule`."""
    path: str = ""
    """The memory file it is, where it is one."""


@dataclass(frozen=True, slots=True)
class LeftOutView:
    """Messages that a request does not show, and why."""

    first: int
    last: int
    tokens: int
    why: str


@dataclass(frozen=True, slots=True)
class PromptView:
    """One request, past or next."""

    request: str | None
    """None for the next one."""
    n: int
    at: str | None
    model: str | None
    message: int
    pieces: tuple[PieceView, ...]
    left_out: tuple[LeftOutView, ...]
    tokens: int
    limit: int
    window: int
    trigger: int
    shared_tokens: int
    broken_by: str
    provider_tokens: int | None
    """The provider's own count, once it has answered."""
    outcome: str | None
    exact: bool
    """Whether the pieces are what was sent; else a part of them is gone or can't be known."""
    note: str = ""
    """A sentence for the user where something of it can't be shown."""
    recalled: RecallView | None = None
    """What was found for it, and what of that it leaves out; None where nothing was searched."""
    pinned: tuple[FoundView, ...] = ()
    """Sentences that are pinned and stand among its facts."""


@dataclass(frozen=True, slots=True)
class LossItem:
    """A name, number, condition, … of a compaction's source, and what became of it."""

    kind: ItemKind
    text: str
    sentence: str
    """The sentence it stands in, clipped."""
    number: int | None
    """The message it stands in; None where it came from an earlier summary."""
    state: ItemState
    how: str
    """Where it is now (`short-term summary`, `details`, `receipt c3`, …); why it is gone."""


@dataclass(frozen=True, slots=True)
class Represented:
    """How well a source message is still represented, 0 to 1."""

    number: int
    similarity: float


@dataclass(frozen=True, slots=True)
class SummaryChange:
    """A summary before and after a compaction."""

    slot: SummarySlot
    before: str
    after: str
    by: SummaryBy | None
    model: str | None
    version: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class EditView:
    """A message that stands otherwise since a compaction."""

    number: int
    stage: EditStage
    before: str
    after: str
    why: str


@dataclass(frozen=True, slots=True)
class CompactionView:
    """One compaction opened."""

    id: str
    n: int
    at: str
    message: int
    trigger: Trigger
    policy: str
    stages: tuple[Stage, ...]
    tokens_before: int
    tokens_after: int
    duration_s: float
    usage: Usage
    undone: bool
    failures: tuple[str, ...]
    folded: tuple[int, int] | None
    """Messages that left the window (inclusive)."""
    summaries: tuple[SummaryChange, ...]
    edits: tuple[EditView, ...]
    items: tuple[LossItem, ...]
    represented: tuple[Represented, ...]
    """Empty until it has been measured."""
    similarity: float | None


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One station of a text on its way through memory."""

    n: int
    at: str
    message: int | None
    place: PlaceKind
    what: str
    """A sentence: what happened to it there."""
    excerpt: str
    """The text around it, where it stood."""


@dataclass(frozen=True, slots=True)
class Trace:
    """Where a text went: one way for each message or summary it was first seen in."""

    text: str
    number: int | None
    steps: tuple[TraceStep, ...]
    in_prompt: bool
    """Whether the model sees it today."""
    answer: str
    """One sentence: where it is today, or when and by what it left."""


@dataclass(frozen=True, slots=True)
class TurnPoint:
    """A request among others, for plots and for going back in time."""

    n: int
    message: int
    prompt_tokens: int
    full_history_tokens: int
    asked: bool = True
    """Whether it is a request; else a message for which none was made, with the prompt it would
    have had."""


@dataclass(frozen=True, slots=True)
class BranchInfo:
    """A branch of the session."""

    id: str
    parent: str | None
    forked_at: int
    """Newest message shared with the parent; 0 for the first branch."""
    reason: str
    messages: int
    last_used: str
    current: bool
    preview: str
    """The beginning of its first own message."""


@dataclass(frozen=True, slots=True)
class FactView:
    """Something that the agent knows, or knew."""

    id: str
    text: str
    live: bool
    """Whether it holds."""
    pinned: bool
    importance: float
    """0 to 1."""
    by: FactBy
    model: str | None
    """The model that read it out of its sources."""
    learned_at: str
    valid_from: str
    valid_until: str | None
    """None while it holds."""
    why_ended: FactEnd | None = None
    successor: str | None = None
    """The fact that holds in its place."""
    conflicts_with: tuple[str, ...] = ()
    """Facts that may say otherwise."""
    sources: tuple[FactSource, ...] = ()
    earlier: tuple[str, ...] = ()
    """What it said before it was edited, oldest first."""
    confirmed: int = 0
    """How often it was said again."""


@dataclass(frozen=True, slots=True)
class FactsView:
    """What the agent knows, as a pane shows it."""

    live: int = 0
    ended: int = 0
    pinned: int = 0
    """Of those that hold."""
    shown: tuple[FactView, ...] = ()
    """The weightiest of those that hold; `Memory.facts` has them all."""
