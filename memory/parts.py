"""What events are made of: plain values, and the words that they choose between.

Texts stand in the body table and are named here by id.
"""

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["system", "user", "assistant", "tool"]
Origin = Literal["user", "model", "tool", "import", "library"]
CountedBy = Literal["model", "tiktoken", "estimate"]
ModelMode = Literal["chat", "completion"]
SummaryBy = Literal["model", "rule", "carried"]
Trigger = Literal["count", "tokens", "manual", "overflow"]
Outcome = Literal["ok", "stopped", "failed"]
StageName = Literal["budget", "snip", "micro", "auto", "reactive"]
TitledBy = Literal["user", "model", "rule"]
EditStage = Literal["budget", "snip", "micro", "shown"]
ForkReason = Literal["fork", "edit", "regenerate"]
ShowResults = Literal["once", "turn", "always"]
"""How long a tool result stands in full: in one request, to the end of its turn, or always."""
MemoryScope = Literal["shared", "snapshot", "isolated"]
"""What a helper has of the memory of who called it: all of it, a copy, or nothing (S3)."""
HELPERS_OWN = 1_000_000
"""Numbers of items up to here are the owner's in a session that shares the owner's memory, so that
a handle never means two things; the items that it keeps by itself follow."""
SummarySlot = Literal["short_term", "long_term"]
FactBy = Literal["user", "model", "tool"]
"""Who made a fact: the user by a command, the model that read what was said, or the model that
answers by a tool."""
FactEnd = Literal["contradicted", "user", "tool"]
"""Why a fact no longer holds: a newer one says otherwise, or somebody ended it."""
ItemType = Literal[
    "action_result", "web_content", "database_result", "search_results", "file", "json",
    "pasted_text", "code", "custom",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class MessageRef:
    """A message by reference: what the fold and the prompt need to know, without the text."""

    number: int
    role: Role
    body: str
    chars: int
    calls: str | None = None
    """Body with the tool calls as JSON."""
    call_ids: tuple[str, ...] = ()
    answers: str | None = None
    """The tool call that a tool message answers."""
    reasoning: str | None = None
    """Body with the provider's reasoning parts as JSON; tool loops must send them back."""
    extra_chars: int = 0
    """Characters of calls and reasoning, for estimates."""
    interrupted: bool = False
    item: str | None = None
    """The content item that its text is kept as; tool results have one (CONT-3)."""


@dataclass(frozen=True, slots=True)
class SummaryRef:
    """One version of a summary and the messages it stands for (inclusive range)."""

    body: str
    first: int
    last: int
    version: int
    by: SummaryBy
    made_at: str
    model: str | None = None
    parents: tuple[str, ...] = ()
    """Bodies of the summaries it was made from."""
    duration_s: float = 0.0
    tokens_in: int = 0
    tokens: int = 0
    details: str | None = None
    """Body with names, numbers and conditions that stand word for word under the summary."""
    details_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Edit:
    """What stands in the prompt in the place of a verbatim message's own text."""

    number: int
    stage: EditStage
    body: str | None
    """The text in its place; None where the message is left out under the receipt of its run."""
    chars: int = 0
    why: str = ""
    """Why this message: a few words that a reader understands."""
    items: tuple[str, ...] = ()
    """Ids of the content that the text cites; empty where the message's own number is cited."""


@dataclass(frozen=True, slots=True)
class ContentItem:
    """Content kept outside the prompt and cited by id (CONT-1)."""

    id: str
    type: ItemType
    body: str
    start: int = 0
    end: int | None = None
    """Characters of the body it begins and ends at; None for the body's end."""
    chars: int = 0
    number: int | None = None
    """The message it stands in."""
    source: str = ""
    """Where it came from: a tool's name, `user`, …"""
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    """Ids of items that belong with it."""
    origin: str = ""
    """What it is a copy of, as stream and id; empty where it is none."""
    at: str = ""
    """When it was stored; known once it is in the log."""


@dataclass(frozen=True, slots=True)
class FactSource:
    """Messages of one branch that a fact was learned from."""

    session: str
    """The session's stream."""
    branch: str
    """The branch that the messages were said in."""
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage of a compaction and the prompt tokens it freed."""

    name: StageName
    freed: int


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of requests and, where the price is known, money in US dollars."""

    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float | None = None


def add_usage(total: Usage, more: Usage) -> Usage:
    """Both usages together; the cost stays unknown until one is known."""
    costs = [cost for cost in (total.cost, more.cost) if cost is not None]
    return Usage(
        input=total.input + more.input,
        output=total.output + more.output,
        cached=total.cached + more.cached,
        cost=sum(costs) if costs else None,
    )


@dataclass(frozen=True, slots=True)
class WorkCaps:
    """Caps of working memory (GOAL-5); tokens by estimate."""

    session_tokens: int = 12_000
    warning_tokens: int = 10_000
    archive_tokens: int = 6_000
    archives: int = 10
    executions: int = 20
    failed_tasks: int = 5
    context_chars: int = 2_000
    prompt_tokens: int = 1_500
    """Of the block in the prompt."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The part of the configuration that decides what a prompt looks like."""

    policy: str
    immediate_window: int
    recent_window: int
    keep_recent: int
    trigger_share: float
    buffer_tokens: int
    reserve_tokens: int
    receipt_chars: int
    summary_tokens: int
    max_failures: int
    paste_chars: int = 2_000
    code_lines: int = 40
    detail_tokens: int = 100
    show_results: ShowResults = "once"
    digest_chars: int = 300
    work: WorkCaps = field(default_factory=WorkCaps)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The pieces of one request in ranges and ids: enough to write it again, at most 2 kB."""

    renderer: int
    n: int
    """The event after which the prompt was made; others may stand before the ledger's own."""
    digest: str
    """SHA-256 of the messages as canonical JSON."""
    system: str | None
    long_term: str | None
    short_term: str | None
    first: int
    last: int
    left_out: tuple[int, int] | None
    """Range of messages that a receipt stands for, because the rest would not fit."""
    shortened: tuple[int, ...]
    """Messages that stand as head and tail."""
    excerpt_chars: int = 0
    sections: dict[str, int] = field(default_factory=dict)
    tokens: int = 0
    limit: int = 0
    shared_tokens: int = 0
    """Tokens at its beginning that the request before began with as well (I9)."""
    tools: str | None = None
    """Body with the schemas of the tools that were offered, as JSON."""
    files: tuple[str, ...] = ()
    """Bodies of the memory files that stood in it, in their order."""
    broken_by: str = ""
    """What ended the shared part: a section's name with what changed; empty where nothing did."""
    without_recall: bool = False
    """Whether what was recalled had to give way to messages."""
