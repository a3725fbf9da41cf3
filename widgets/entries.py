"""What stands in the transcript, as plain data. Pure."""

from dataclasses import dataclass
from typing import Literal

HELPER = "delegate"
"""The tool whose calls lead to a session of their own."""
Speaker = Literal["you", "strata", "tool", "system"]
Tone = Literal["plain", "note", "problem"]
CallState = Literal["queued", "asking", "running", "done", "failed", "stopped", "unanswered"]


@dataclass(frozen=True, slots=True)
class MessageEntry:
    """A message of the conversation."""

    number: int
    speaker: Speaker
    text: str
    """Markdown where the user or the model wrote it."""
    figures: tuple[str, ...] = ()
    """Time, duration and the like, shown dim beside the speaker."""
    mark: str = ""
    """Why it ends where it ends, if not by itself."""
    calls: bool = False
    """Whether the model calls tools with it, which then stand below it."""
    recalled: bool = False
    """Whether long-term memory brought something to its turn."""


@dataclass(frozen=True, slots=True)
class CallEntry:
    """A call of a tool with what came of it: one line, which unfolds."""

    name: str
    arguments: str
    """JSON, as the model wrote it."""
    state: CallState = "running"
    number: int = 0
    """The message with its result; 0 while there is none."""
    result: str = ""
    error: str = ""
    """The kind of failure."""
    seconds: float | None = None
    """How long it took, or has been running; None where nobody knows."""
    output: str = ""
    """The end of what it has shown while it runs."""
    handle: str = ""
    """What `@retrieve` is given to have all of the result."""
    figures: tuple[str, ...] = ()
    """What else there is to say of it, such as that it is pinned."""


@dataclass(frozen=True, slots=True)
class LiveEntry:
    """The answer that is on its way: its heading; its text grows in the transcript."""

    speaker: Speaker
    state: str
    figures: tuple[str, ...] = ()
    """What is known before its end, such as the time."""


@dataclass(frozen=True, slots=True)
class NoticeEntry:
    """A command's report, a note or a problem; no part of the conversation."""

    text: str
    tone: Tone = "plain"
    heading: str = ""


@dataclass(frozen=True, slots=True)
class MarkEntry:
    """Where memory changed: a compaction, or one taken back."""

    text: str
    compaction: str = ""
    """Id of the compaction that opens from here, if one does."""


@dataclass(frozen=True, slots=True)
class LiveMarkEntry:
    """A compaction that is on its way."""

    text: str
    """What is done, such as `folding 66–129: short-term summary`."""
    seconds: float | None = None
    """Since when, once that says something."""


Entry = MessageEntry | CallEntry | LiveEntry | NoticeEntry | MarkEntry | LiveMarkEntry


def number_of(entry: object) -> int:
    """The message that an entry is; 0 where it is none."""
    return entry.number if isinstance(entry, MessageEntry | CallEntry) else 0
