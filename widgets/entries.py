"""What stands in the transcript, as plain data. Pure."""

from dataclasses import dataclass
from typing import Literal

Speaker = Literal["you", "strata", "tool", "system"]
Tone = Literal["plain", "note", "problem"]


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


Entry = MessageEntry | LiveEntry | NoticeEntry | MarkEntry | LiveMarkEntry


def source_text(entry: Entry) -> str:
    """What is copied where the whole entry is."""
    match entry:
        case MessageEntry() | MarkEntry() | LiveMarkEntry():
            return entry.text
        case NoticeEntry():
            return f"{entry.heading}\n{entry.text}" if entry.heading else entry.text
        case LiveEntry():
            return ""
