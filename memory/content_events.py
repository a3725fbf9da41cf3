"""What can happen to the texts of the content store, which stand in the body table (CONT)."""

from dataclasses import dataclass, field
from typing import ClassVar

from memory.events import Event
from memory.parts import ContentItem, Usage


@dataclass(frozen=True, slots=True)
class ContentStored(Event):
    """Content was put aside, to be cited by id."""

    KIND: ClassVar[str] = "content_stored"
    items: tuple[ContentItem, ...]


@dataclass(frozen=True, slots=True)
class ContentMarked(Event):
    """A stored item has these tags and relations from here on."""

    KIND: ClassVar[str] = "content_marked"
    item: str
    tags: tuple[str, ...]
    related: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContentCleared(Event):
    """Stored items are no longer listed; a receipt that cites one can still be followed (I10)."""

    KIND: ClassVar[str] = "content_cleared"
    items: tuple[str, ...]
    chars: int
    """Characters of them all."""


@dataclass(frozen=True, slots=True)
class ContentListed(Event):
    """Items that were cleared are listed again."""

    KIND: ClassVar[str] = "content_listed"
    items: tuple[str, ...]
    chars: int


@dataclass(frozen=True, slots=True)
class ContentDigested(Event):
    """A model has written a digest of a stored item (CONT-5)."""

    KIND: ClassVar[str] = "content_digested"
    item: str
    body: str
    chars: int
    model: str
    usage: Usage = field(default_factory=Usage)


CONTENT_EVENTS: tuple[type[Event], ...] = (
    ContentStored,
    ContentMarked,
    ContentCleared,
    ContentListed,
    ContentDigested,
)
