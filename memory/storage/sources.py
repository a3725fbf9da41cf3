"""What events make findable: texts that come, go, or are told of otherwise (RECALL-2). Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Literal

from memory.content_events import (
    ContentCleared,
    ContentDigested,
    ContentListed,
    ContentMarked,
    ContentStored,
)
from memory.events import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Event,
    Message,
    Recorded,
    SessionRestored,
    SummaryRewritten,
)
from memory.parts import ContentItem, Origin, Role, SummaryRef

PassageKind = Literal["message", "summary", "fact", "content"]
SUMMARY = "summary "
"""Begins the name of the passages of a summary, which goes on with the summary's body."""
CONTENT_CHARS = 4_000
"""Characters at the beginning of stored content that it is found by, with its digest."""


@dataclass(frozen=True, slots=True)
class Source:
    """A text that can be found."""

    kind: PassageKind
    body: str
    role: Role
    origin: Origin
    name: str = ""
    """What tells it from others of its stream and kind, where it may change or go."""
    number: int = 0
    """The message it is, or stands in; 0 for none."""
    start: int = 0
    end: int | None = None
    """Characters of the body it begins and ends at; None for the body's end."""
    importance: float = 0.0
    pinned: bool = False
    tags: tuple[str, ...] = ()
    at: str | None = None
    """When, where it is not the time of the event."""


@dataclass(frozen=True, slots=True)
class Said:
    """A text came."""

    n: int
    at: str
    source: Source


@dataclass(frozen=True, slots=True)
class Standing:
    """From here on these summaries are in force, and no others."""

    n: int
    at: str
    summaries: tuple[SummaryRef, ...]


@dataclass(frozen=True, slots=True)
class Replaced:
    """A summary in force gave way to another version."""

    n: int
    at: str
    body: str
    summary: SummaryRef


@dataclass(frozen=True, slots=True)
class Tagged:
    """Stored content has these tags from here on."""

    item: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listed:
    """Stored content left the lists, or is back on them."""

    items: tuple[str, ...]
    listed: bool


Change = Said | Standing | Replaced | Tagged | Listed

STANDING_KINDS = (
    SessionRestored.KIND,
    Compacted.KIND,
    CompactionUndone.KIND,
    CompactionRedone.KIND,
)
"""Kinds of events that say which summaries are in force."""
READ_KINDS = (
    Message.KIND,
    *STANDING_KINDS,
    SummaryRewritten.KIND,
    ContentStored.KIND,
    ContentMarked.KIND,
    ContentCleared.KIND,
    ContentListed.KIND,
    ContentDigested.KIND,
)
"""Kinds of events that change what can be found in a session."""


def changes(recorded: Iterable[Recorded]) -> list[Change]:
    """What events change, in their order."""
    return [change for entry in recorded for change in _changes(entry.event, entry.n, entry.at)]


def summary_sources(summary: SummaryRef) -> list[Source]:
    """The texts of a summary: itself, and what stands word for word under it."""
    bodies = [body for body in (summary.body, summary.details) if body is not None]
    origin: Origin = "model" if summary.by == "model" else "library"
    return [
        Source("summary", body, "assistant", origin, summary_name(summary.body), at=summary.made_at)
        for body in bodies
    ]


def summary_name(body: str) -> str:
    """The name of the passages of a summary."""
    return SUMMARY + body


@singledispatch
def _changes(event: Event, n: int, at: str) -> Iterator[Change]:
    yield from ()


@_changes.register
def _(event: Message, n: int, at: str) -> Iterator[Change]:
    ref = event.ref
    # What tools said is content, and is found as such.
    if ref.role in ("user", "assistant") and ref.chars:
        source = Source("message", ref.body, ref.role, event.origin, "", ref.number, 0, ref.chars)
        yield Said(n, at, replace(source, at=event.said_at))


@_changes.register(Compacted)
@_changes.register(CompactionUndone)
@_changes.register(CompactionRedone)
@_changes.register(SessionRestored)
def _(
    event: Compacted | CompactionUndone | CompactionRedone | SessionRestored, n: int, at: str
) -> Iterator[Change]:
    known = (event.long_term, event.short_term)
    yield Standing(n, at, tuple(summary for summary in known if summary is not None))


@_changes.register
def _(event: SummaryRewritten, n: int, at: str) -> Iterator[Change]:
    yield Replaced(n, at, event.replaces, event.summary)


@_changes.register
def _(event: ContentStored, n: int, at: str) -> Iterator[Change]:
    for item in event.items:
        yield Said(n, at, _content(item))


@_changes.register
def _(event: ContentDigested, n: int, at: str) -> Iterator[Change]:
    yield Said(
        n, at, Source("content", event.body, "assistant", "model", event.item, end=event.chars)
    )


@_changes.register
def _(event: ContentMarked, n: int, at: str) -> Iterator[Change]:
    yield Tagged(event.item, event.tags)


@_changes.register
def _(event: ContentCleared, n: int, at: str) -> Iterator[Change]:
    yield Listed(event.items, listed=False)


@_changes.register
def _(event: ContentListed, n: int, at: str) -> Iterator[Change]:
    yield Listed(event.items, listed=True)


def _content(item: ContentItem) -> Source:
    by_user = item.source == "user"
    first = item.start + min(item.chars, CONTENT_CHARS)
    return Source(
        kind="content",
        body=item.body,
        role="user" if by_user else "tool",
        origin="user" if by_user else "tool",
        name=item.id,
        number=item.number or 0,
        start=item.start,
        end=first,
        tags=item.tags,
    )
