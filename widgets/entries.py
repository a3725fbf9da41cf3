"""What stands in the transcript, as plain data, and the rows it is drawn in. Pure."""

from dataclasses import dataclass
from typing import Literal, get_args

from widgets.plain import printable
from widgets.wrapping import wrap

Speaker = Literal["you", "strata", "tool", "system"]
Tone = Literal["plain", "note", "problem"]
Shade = Literal["text", "dim", "short-term", "report", "live", "note", "problem"]
Ink = Shade | Speaker
"""What a piece of a row is; the theme says which colour that is."""
INKS: tuple[str, ...] = (*get_args(Shade), *get_args(Speaker))
Row = tuple[tuple[str, Ink], ...]

LONGEST_SHOWN = 200_000
"""Characters of a message that are shown; nobody reads more of it here, and it stays quick."""


@dataclass(frozen=True, slots=True)
class MessageEntry:
    """A message of the conversation."""

    number: int
    speaker: Speaker
    text: str
    figures: tuple[str, ...] = ()
    """Time, duration and the like, shown dim beside the speaker."""
    mark: str = ""
    """Why it ends where it ends, if not by itself."""


@dataclass(frozen=True, slots=True)
class LiveEntry:
    """The answer that is on its way: its heading; its text grows in the transcript."""

    speaker: Speaker
    state: str


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


Entry = MessageEntry | LiveEntry | NoticeEntry | MarkEntry


def rows_of(entry: Entry, width: int) -> list[Row]:
    """The rows of an entry, with the empty one that parts it from the next."""
    match entry:
        case MessageEntry():
            rows = [*heading_rows(entry, width), *text_rows(_shown(entry.text), width)]
            if entry.mark:
                rows += _inked(entry.mark, "note", width)
        case LiveEntry():
            rows = heading_rows(entry, width)
        case NoticeEntry():
            rows = _inked(entry.heading, "short-term", width) if entry.heading else []
            ink: Ink = "report" if entry.tone == "plain" else entry.tone
            rows += _inked(entry.text, ink, width)
        case MarkEntry():
            rows = _inked(f"── {entry.text} ──", "short-term", width)
    return [*rows, ()]


def heading_rows(entry: MessageEntry | LiveEntry, width: int) -> list[Row]:
    """Who speaks, and the figures; on two rows where they don't fit beside each other."""
    name: tuple[str, Ink] = (entry.speaker, entry.speaker)
    ink: Ink = "dim"
    if isinstance(entry, LiveEntry):
        details, ink = f"● {entry.state}", "live"
    else:
        details = " · ".join(entry.figures)
    details = printable(details)
    if not details:
        return [(name,)]
    if len(entry.speaker) + 2 + len(details) <= width:
        return [(name, ("  ", "dim"), (details, ink))]
    return [(name,), *_inked(details, ink, width)]


def text_rows(text: str, width: int) -> list[Row]:
    """The rows of a message's text."""
    return _inked(text.strip("\n"), "text", width) if text.strip("\n") else []


def _shown(text: str) -> str:
    if len(text) <= LONGEST_SHOWN:
        return text
    rest = len(text) - LONGEST_SHOWN
    return f"{text[:LONGEST_SHOWN]}\n… {rest:,} more characters are in the log, not shown here"


def _inked(text: str, ink: Ink, width: int) -> list[Row]:
    return [((row, ink),) for row in wrap(printable(text), width)]
