"""What a search of long-term memory brought into a session (RECALL-3)."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from memory.events import Event

RecalledKind = Literal["message", "fact", "summary", "content"]


@dataclass(frozen=True, slots=True)
class RecalledText:
    """A passage or a fact that a search found, by reference."""

    passage: int
    """Its number in the search tables."""
    kind: RecalledKind
    body: str
    chars: int
    """Characters of the whole text."""
    role: str
    """Who said it, or who made it."""
    at: str
    session: str = ""
    """The session it is from; empty for what the agent knows from all of them."""
    number: int = 0
    """The message's number there; 0 for what is no message."""
    origin: str = "user"
    score: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    """What the score is made of, by name."""
    first: int = 0
    """The character at which the passage begins in the text."""
    shown: int | None = None
    """Characters from there that stand in the prompt; None for all the rest of the text."""
    elsewhere: bool = False
    """Whether it was said in another session than the one it was brought to."""
    why_not: str = ""
    """Why it was left out, in a few words that a reader understands."""


@dataclass(frozen=True, slots=True)
class Recalled(Event):
    """Long-term memory was searched for the user's message; this stands in its turn."""

    KIND: ClassVar[str] = "recalled"
    number: int
    """The message that it was searched for."""
    facts: tuple[RecalledText, ...] = ()
    texts: tuple[RecalledText, ...] = ()
    """Best first."""
    left_out: tuple[RecalledText, ...] = ()
    """The best of those that were found and do not stand in the prompt."""
    budget: int = 0
    """Tokens there were for facts and passages together."""
    meaning: bool = True
    """Whether it was searched by meaning as well as by words."""
    duration_s: float = 0.0


RECALL_EVENTS: tuple[type[Event], ...] = (Recalled,)
