"""What a search looks through: passages, how often words stand in them, and which are near."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from memory.words import index_words

PassageKind = Literal["message", "fact", "summary", "content"]


@dataclass(frozen=True, slots=True)
class Passage:
    """Something that was said, learned, summed up or stored, as a search finds it."""

    id: int
    """Its number in the database."""
    kind: PassageKind
    body: str
    """Body with its text."""
    text: str
    length: int
    """Index words of the text."""
    role: str
    """Who said it: user, assistant, tool or system; for what nobody said, who made it."""
    at: str
    """When (UTC, ISO 8601)."""
    session: str
    """The session's stream."""
    episode: int
    """Passages said in one go, without a pause of hours, share it; it tells them from others of
    the same session."""
    number: int
    """The message's number in its session; 0 for what is no message."""
    origin: str = "user"
    """Where it comes from (`memory.parts.Origin`)."""
    importance: float = 0.0
    """0 to 1; what nobody weighed has 0."""
    pinned: bool = False
    tags: tuple[str, ...] = ()
    vector: bytes | None = None
    """Its embedding, 4-byte floats of length one, where there is one yet."""
    start: int = 0
    """Character of the body at which the text begins: long texts are several passages."""

    @property
    def words(self) -> tuple[str, ...]:
        """What the text is found by; not for hundreds of passages, see `memory.sought`."""
        return index_words(self.text)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which passages a search may find; what is not given is open."""

    agent: str
    sessions: frozenset[str] | None = None
    """Streams of sessions; None for all of the agent's."""
    kinds: frozenset[PassageKind] | None = None
    roles: frozenset[str] | None = None
    origins: frozenset[str] | None = None
    tags: frozenset[str] | None = None
    """At least one of them."""
    since: str | None = None
    until: str | None = None
    """From and up to these times, inclusive (UTC, ISO 8601)."""


@dataclass(frozen=True, slots=True)
class Frequencies:
    """How common words are."""

    passages: int
    """How many passages there are."""
    mean_words: float
    """Words of a passage, on average."""
    having: Mapping[str, int] = field(default_factory=dict)
    """Passages that have a word, by word."""


class Corpus(Protocol):
    """The passages of a data directory, as a search asks for them."""

    async def frequencies(self, words: Sequence[str]) -> Frequencies:
        """How common these words are."""
        ...

    async def with_words(self, words: Sequence[str], scope: Scope, most: int) -> Sequence[int]:
        """Ids of passages that have at least one of the words, likeliest first."""
        ...

    async def near(
        self, vector: Sequence[float], scope: Scope, most: int
    ) -> Sequence[tuple[int, float]]:
        """Ids of the passages nearest in meaning with their cosine, nearest first."""
        ...

    async def passages(self, ids: Sequence[int]) -> Mapping[int, Passage]:
        """Passages by id; one that has gone is left out."""
        ...

    async def around(self, ids: Sequence[int], reach: int) -> Mapping[int, tuple[int, ...]]:
        """For each message, the ids of those at most `reach` before and after it, in order."""
        ...
