"""What can happen to agents, and between a session and the helpers that work for it."""

from dataclasses import dataclass
from typing import ClassVar

from memory.events import Event
from memory.parts import MemoryScope


@dataclass(frozen=True, slots=True)
class AgentStarted(Event):
    """The first event of an agent's own stream."""

    KIND: ClassVar[str] = "agent_started"
    name: str


@dataclass(frozen=True, slots=True)
class AgentDefined(Event):
    """In an agent's own stream: what it is from here on (CHAT-12)."""

    KIND: ClassVar[str] = "agent"
    profile: str | None
    """Body of the text that begins its system prompt."""
    chars: int
    model: str | None
    policy: str | None


@dataclass(frozen=True, slots=True)
class Delegated(Event):
    """A helper began a task in a session of its own (CHAT-11)."""

    KIND: ClassVar[str] = "delegated"
    call: str
    """The tool call that asked for it; empty where the user did."""
    session: str
    branch: str
    """Where the helper works."""
    scope: MemoryScope


@dataclass(frozen=True, slots=True)
class HelpingBegun(Event):
    """This session is a helper's, for a task of another one (CHAT-11)."""

    KIND: ClassVar[str] = "helping"
    session: str
    branch: str
    """Where the task comes from."""
    scope: MemoryScope


AGENT_EVENTS: tuple[type[Event], ...] = (AgentStarted, AgentDefined, Delegated, HelpingBegun)
