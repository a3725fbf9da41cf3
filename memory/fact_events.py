"""What can happen to the facts of an agent; all of it stands in the agent's own stream (RECALL-1).

Texts stand in the body table and are named here by id.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from memory.events import Event
from memory.parts import FactBy, FactEnd, FactSource, Usage


class FactEvent(Event):
    """Base of the events that change facts."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class FactLearned(FactEvent):
    """One more fact."""

    KIND: ClassVar[str] = "fact_learned"
    id: str
    body: str
    chars: int
    valid_from: str
    """Since when it holds (UTC): when it was said, unless somebody knows better."""
    importance: float
    """0 to 1."""
    by: FactBy
    sources: tuple[FactSource, ...] = ()
    model: str | None = None
    """The model that read it out of the sources."""
    conflicts_with: tuple[str, ...] = ()
    """Facts that may say otherwise; nobody could tell for sure, so they hold as well."""


@dataclass(frozen=True, slots=True)
class FactConfirmed(FactEvent):
    """A fact that is known was said again."""

    KIND: ClassVar[str] = "fact_confirmed"
    id: str
    sources: tuple[FactSource, ...]
    importance: float


@dataclass(frozen=True, slots=True)
class FactEdited(FactEvent):
    """A fact says something else, and holds again if it had ended; the text before is kept."""

    KIND: ClassVar[str] = "fact_edited"
    id: str
    body: str
    chars: int


@dataclass(frozen=True, slots=True)
class FactEnded(FactEvent):
    """A fact no longer holds; it is kept."""

    KIND: ClassVar[str] = "fact_ended"
    id: str
    until: str
    """When it ceased to hold (UTC)."""
    why: FactEnd
    successor: str | None = None
    """The fact that holds in its place."""


@dataclass(frozen=True, slots=True)
class FactPinned(FactEvent):
    """A fact stays in the prompt word for word (COMPACT-14)."""

    KIND: ClassVar[str] = "fact_pinned"
    id: str


@dataclass(frozen=True, slots=True)
class FactUnpinned(FactEvent):
    """A fact is no longer pinned."""

    KIND: ClassVar[str] = "fact_unpinned"
    id: str


@dataclass(frozen=True, slots=True)
class FactForgotten(FactEvent):
    """A fact is gone, and its texts with it; only its id is never used again (RECALL-6)."""

    KIND: ClassVar[str] = "fact_forgotten"
    id: str


@dataclass(frozen=True, slots=True)
class FactsSought(FactEvent):
    """Messages of a branch were read for facts, and need not be read again."""

    KIND: ClassVar[str] = "facts_sought"
    session: str
    branch: str
    """The branch that the messages were said in."""
    first: int
    last: int
    """The last message of the range (inclusive)."""
    model: str
    found: int = 0
    """Facts that were learned or confirmed."""
    refused: int = 0
    """Sentences that were not taken over, since the messages do not bear them out."""
    usage: Usage = field(default_factory=Usage)
    """What asking has used."""


FACT_EVENTS: tuple[type[Event], ...] = (
    FactLearned,
    FactConfirmed,
    FactEdited,
    FactEnded,
    FactPinned,
    FactUnpinned,
    FactForgotten,
    FactsSought,
)
