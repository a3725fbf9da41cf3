"""What can happen in a session: the vocabulary of the log.

An event records a decision or an observation. It holds ids, ranges and figures;
texts stand in the body table and are named here by id.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from memory.parts import (
    CountedBy,
    Edit,
    ForkReason,
    Ledger,
    MessageRef,
    ModelMode,
    Origin,
    Outcome,
    Stage,
    SummaryRef,
    SummarySlot,
    Thresholds,
    TitledBy,
    Trigger,
    Usage,
)


@dataclass(frozen=True, slots=True)
class Event:
    """Base of all events. `KIND` names it in the log, `VERSION` counts its changes of form."""

    KIND: ClassVar[str] = ""
    VERSION: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class SessionStarted(Event):
    """The first event of a session."""

    KIND: ClassVar[str] = "session_started"
    agent: str
    user: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class SessionRenamed(Event):
    """The session has a new title."""

    KIND: ClassVar[str] = "session_renamed"
    title: str
    by: TitledBy = "user"
    """Who chose it; what the user chose is never replaced by the others."""


@dataclass(frozen=True, slots=True)
class SystemPromptSet(Event):
    """From here on every prompt begins with this text."""

    KIND: ClassVar[str] = "system_prompt"
    body: str
    chars: int


@dataclass(frozen=True, slots=True)
class ToolsOffered(Event):
    """From here on every request offers these tools."""

    KIND: ClassVar[str] = "tools"
    body: str | None
    """Body with their schemas as JSON; None where none are offered."""
    chars: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelChosen(Event):
    """From here on this model answers."""

    KIND: ClassVar[str] = "model"
    name: str
    window: int | None
    """Tokens it takes in all, prompt and answer; None where nobody knows."""
    tokenizer: str
    counted_by: CountedBy
    message_overhead: int
    """Tokens its template adds to each message."""
    request_overhead: int
    """Tokens its template adds once, the opening of the answer included."""
    mode: ModelMode = "chat"
    """How it is asked: with messages, or with plain text that it continues (PROMPT-6)."""
    reminded: bool = False
    """Whether a line behind a tool's result tells it that it may answer now."""


@dataclass(frozen=True, slots=True)
class ThresholdsSet(Event):
    """From here on these thresholds hold."""

    KIND: ClassVar[str] = "thresholds"
    thresholds: Thresholds
    policy_chosen: bool = False
    """Whether the user chose the policy inside the session; the configuration then yields."""


@dataclass(frozen=True, slots=True)
class Message(Event):
    """An entry of the conversation."""

    KIND: ClassVar[str] = "message"
    ref: MessageRef
    origin: Origin
    request: str | None = None
    """The request whose answer this is."""
    redacted: int = 0
    """Secrets that were replaced before it was written."""
    said_at: str | None = None
    """When it was said (UTC, ISO 8601), where that is known and was before it was written."""
    kinds: tuple[tuple[str, int], ...] = ()
    """How many of which kind, by the names of the switches of `[privacy]`."""


@dataclass(frozen=True, slots=True)
class SecretsReplaced(Event):
    """Secrets were replaced in what was stored beside messages: goals, facts, files, titles."""

    KIND: ClassVar[str] = "redacted"
    kinds: tuple[tuple[str, int], ...]
    """How many of which kind, by the names of the switches of `[privacy]`."""


@dataclass(frozen=True, slots=True)
class SessionRestored(Event):
    """The session goes on from where another one had got; messages keep their numbers.

    The messages up to `covered` are not in this log. The summaries stand for all of them.
    """

    KIND: ClassVar[str] = "restored"
    source: str
    """The id of the session that was."""
    covered: int
    """Newest message that only a summary stands for; 0 where there is none."""
    long_term: SummaryRef | None
    short_term: SummaryRef | None
    pinned: tuple[MessageRef, ...]
    """System messages among the covered ones, which stay word for word."""
    last_cascade: int
    automatic_waits: bool


@dataclass(frozen=True, slots=True)
class Imported(Event):
    """The messages that follow are a conversation of elsewhere, or its continuation (STORE-6)."""

    KIND: ClassVar[str] = "imported"
    source: str
    """Which conversation: the format, and a digest of its id there."""
    messages: int
    """How many of its messages are here from now on."""
    digest: str
    """Of which messages they are, by their ids there."""
    models: tuple[str, ...] = ()
    """The models that answered there."""
    left_out: tuple[tuple[str, int], ...] = ()
    """How many of what stayed behind."""


@dataclass(frozen=True, slots=True)
class RequestPrepared(Event):
    """A prompt as it is about to be sent."""

    KIND: ClassVar[str] = "request"
    request: str
    ledger: Ledger


@dataclass(frozen=True, slots=True)
class RequestEnded(Event):
    """One attempt at a request and how it ended."""

    KIND: ClassVar[str] = "attempt"
    request: str
    attempt: int
    model: str
    outcome: Outcome
    error: str | None = None
    """The kind of failure; never the provider's text, which may quote the prompt."""
    usage: Usage = field(default_factory=Usage)
    counted: int = 0
    """Our own count of the prompt, beside the provider's in `usage`."""
    first_token_s: float | None = None
    duration_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Compacted(Event):
    """Messages were folded: the whole of a compaction, there or not at all."""

    KIND: ClassVar[str] = "compaction"
    id: str
    trigger: Trigger
    policy: str
    message: int
    """Newest message when it was planned."""
    verbatim_from: int
    long_term: SummaryRef | None
    short_term: SummaryRef | None
    pinned: tuple[MessageRef, ...]
    """System messages that have left the window and stay word for word."""
    stages: tuple[Stage, ...]
    tokens_before: int
    tokens_after: int
    duration_s: float
    by: Literal["model", "rule"]
    failures: tuple[str, ...] = ()
    """Why earlier attempts of the escalation were not accepted."""
    cache_hits: int = 0
    cache_misses: int = 0
    edits: tuple[Edit, ...] = ()
    """Messages that stand otherwise from here on."""
    folds: bool = True
    """Whether messages left the window; else only edits were made."""
    kept: tuple[str, ...] = ()
    """Content that was put aside of the messages that left."""
    usage: Usage = field(default_factory=Usage)
    """What writing the summaries has used."""


@dataclass(frozen=True, slots=True)
class CompactionFailed(Event):
    """A compaction was tried and changed nothing."""

    KIND: ClassVar[str] = "compaction_failed"
    trigger: Trigger
    message: int
    reason: str


@dataclass(frozen=True, slots=True)
class CompactionUndone(Event):
    """The folding is again what it was before these compactions."""

    KIND: ClassVar[str] = "undo"
    compactions: tuple[str, ...]
    """Oldest first."""
    long_term: SummaryRef | None
    short_term: SummaryRef | None
    pinned: tuple[MessageRef, ...]
    last_cascade: int
    restored: tuple[MessageRef, ...]
    """Messages that stand verbatim again."""
    edits: tuple[Edit, ...] = ()
    """Every edit that holds again."""


@dataclass(frozen=True, slots=True)
class CompactionRedone(Event):
    """An undone compaction holds again."""

    KIND: ClassVar[str] = "redo"
    compaction: str
    message: int
    verbatim_from: int
    long_term: SummaryRef | None
    short_term: SummaryRef | None
    pinned: tuple[MessageRef, ...]
    edits: tuple[Edit, ...] = ()
    folds: bool = True


@dataclass(frozen=True, slots=True)
class SummaryRewritten(Event):
    """A summary in force was replaced by another version of itself (COMPACT-11)."""

    KIND: ClassVar[str] = "summary_rewritten"
    slot: SummarySlot
    replaces: str
    """Body of the version it takes the place of."""
    summary: SummaryRef
    instructions: str | None = None
    """Body with what the user asked for; None where the built-in wording was used."""


@dataclass(frozen=True, slots=True)
class ResultsReceipted(Event):
    """Tool results that a request has shown in full stand as receipts from here on (CONT-3)."""

    KIND: ClassVar[str] = "receipts"
    edits: tuple[Edit, ...]
    tokens_before: int
    tokens_after: int


@dataclass(frozen=True, slots=True)
class Pinned(Event):
    """A message or a sentence stays word for word in the prompt (COMPACT-14)."""

    KIND: ClassVar[str] = "pinned"
    id: str
    body: str
    chars: int
    number: int | None
    """The message it is, or was taken from."""
    whole: bool
    """Whether it is the whole message."""


@dataclass(frozen=True, slots=True)
class Unpinned(Event):
    """A pin no longer holds."""

    KIND: ClassVar[str] = "unpinned"
    id: str


@dataclass(frozen=True, slots=True)
class RequestRefused(Event):
    """The provider refused a request as too large (COMPACT-5)."""

    KIND: ClassVar[str] = "refused"
    request: str
    counted: int
    """Our count of the prompt that was refused."""
    limit_tokens: int | None
    """Tokens that the provider says it takes."""
    sent_tokens: int | None
    """Tokens that the provider counted."""


@dataclass(frozen=True, slots=True)
class Forked(Event):
    """A branch begins: it shares everything before this event with its parent (CHAT-5)."""

    KIND: ClassVar[str] = "forked"
    parent: str
    """The parent branch."""
    parent_n: int
    """The last event shared with it."""
    message: int
    """The newest message shared with it; 0 where there is none."""
    reason: ForkReason


@dataclass(frozen=True, slots=True)
class LossReported(Event):
    """What a compaction kept and lost, by rule (COMPACT-13)."""

    KIND: ClassVar[str] = "loss"
    compaction: str
    extractor: int
    """Version of the rules that found the items."""
    items: int
    kept: int
    retrievable: int
    lost: int


@dataclass(frozen=True, slots=True)
class LossMeasured(Event):
    """How well a compaction's source messages are still represented, by embedding."""

    KIND: ClassVar[str] = "loss_measured"
    compaction: str
    embedder: str
    numbers: tuple[int, ...]
    """The messages that were measured."""
    percents: tuple[int, ...]
    """The similarity of each to what stands for it, 0 to 100."""
    similarity: float
    """Their mean, 0 to 1."""


CORE_EVENTS: tuple[type[Event], ...] = (
    SessionStarted,
    SessionRenamed,
    SystemPromptSet,
    ToolsOffered,
    ModelChosen,
    ThresholdsSet,
    Message,
    SecretsReplaced,
    SessionRestored,
    Imported,
    RequestPrepared,
    RequestEnded,
    Compacted,
    CompactionFailed,
    CompactionUndone,
    CompactionRedone,
    SummaryRewritten,
    ResultsReceipted,
    Pinned,
    Unpinned,
    RequestRefused,
    Forked,
    LossReported,
    LossMeasured,
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event with its place in the log: number `n` of its branch, written at `at` (UTC)."""

    n: int
    at: str
    event: Event
