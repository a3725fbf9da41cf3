"""What a pane may see of long-term memory: what was found for a turn. Immutable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memory.recall_events import RecalledKind


@dataclass(frozen=True, slots=True)
class FoundView:
    """A passage or a fact that a search found for a turn (RECALL-4)."""

    passage: int
    kind: RecalledKind
    role: str
    at: str
    """When it was said or learned (UTC, ISO 8601)."""
    here: bool
    """Whether it is from this session."""
    session: str
    number: int
    """The message's number in its session; 0 for what is no message."""
    origin: str
    score: float
    text: str
    tokens: int
    """Of what stands in the prompt; of all of it where it does not."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the score is made of, by name."""
    why_not: str = ""
    """Why it does not stand in the prompt; empty where it does."""


@dataclass(frozen=True, slots=True)
class RecallView:
    """What long-term memory brought to the present turn."""

    number: int
    """The message it was searched for."""
    facts: tuple[FoundView, ...] = ()
    texts: tuple[FoundView, ...] = ()
    """Best first."""
    left_out: tuple[FoundView, ...] = ()
    budget: int = 0
    """Tokens there were for facts and passages together."""
    tokens: int = 0
    """Tokens they take."""
    meaning: bool = True
    """Whether it was searched by meaning as well as by words."""
    duration_s: float = 0.0


IndexState = Literal["off", "reading", "indexing", "ready", "waiting"]
"""Without an embedder; going through older messages; making vectors; complete; it goes on later:
something failed, or the process that asked has no embedder."""


@dataclass(frozen=True, slots=True)
class IndexView:
    """How far what a search looks through is complete (RECALL-2)."""

    passages: int = 0
    """Messages, facts, summaries and content of the agent that can be found by their words."""
    indexed: int = 0
    """Those of them that can be found by their meaning."""
    backlog: int = 0
    """What is still to be done; it goes on in the background."""
    state: IndexState = "off"
    problem: str = ""
    """Why it waits, as a sentence."""
