"""What of memory files stands in a prompt: cleaned, and cut to the room there is (PROMPT-2). Pure.

Whoever looks at the disk is not here: files come as they were found.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.privacy import Cleaned, Door

LEAST_CHARS = 200
"""Characters below which the beginning of a file says nothing; then it is left out."""
LINE_WITHIN = 0.25
"""Part of what is shown within which a cut moves back to the end of a line."""
NOTICE_TOKENS = 30
"""Tokens kept for the line at a cut, where the room is that of all files together."""
KILO, MEGA = 1_000, 1_000_000


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A memory file as it was found."""

    path: str
    text: str | None = None
    """Its text, or the beginning of it; None where it can't be read."""
    whole: bool = True
    """Whether that is all of it."""
    size: int = 0
    """Bytes of the file."""
    changed: str | None = None
    """When it was written last (UTC, ISO 8601)."""
    note: str = ""
    """What the user should know: why it can't be read, or how it was."""
    inside: str = ""
    """Its path for the tool `read_file`; empty where that can't reach it."""


@dataclass(frozen=True, slots=True)
class ShownFile:
    """What stands in the prompt of a file."""

    found: FoundFile
    text: str | None
    """None where nothing of it is shown."""
    source: str = ""
    """The text that passed the door, before it was cut."""
    redacted: int = 0
    cut: bool = False
    note: str = ""
    passed: Cleaned | None = None
    """The same with what was replaced in it."""


@dataclass(frozen=True, slots=True)
class Limit:
    """Why a file is cut, as the user is told."""

    setting: str
    """The key that lets in more of it."""
    share: float | None = None
    """The part of the window that all files together may take; None for the cap of one file."""


def let_in(found: FoundFile, door: Door, chars: int) -> ShownFile:
    """A file as it passed the door, cut where it is too long by itself.

    Args:
        found: The file.
        door: What every text passes before it is kept.
        chars: The most characters of one file.
    """
    found = replace(found, path=door.clean(found.path).text)
    if found.text is None:
        return ShownFile(found, None, note=found.note)
    cleaned = door.clean(found.text)
    if not cleaned.text.strip():
        return ShownFile(found, None, note=found.note or "is empty")
    shown = ShownFile(
        found, cleaned.text, cleaned.text, cleaned.redacted, note=found.note, passed=cleaned
    )
    if found.whole and len(cleaned.text) <= chars:
        return shown
    return shortened(shown, chars, Limit("memory_file_chars"))


def shortened(shown: ShownFile, chars: int, limit: Limit) -> ShownFile:
    """The file with so many characters of it at most, and a line that says so.

    Args:
        shown: The file, in full or cut already.
        chars: Characters that remain, besides that line.
        limit: Why.
    """
    if shown.text is None:
        return shown
    if chars < LEAST_CHARS:
        note = f"is left out{_why(limit)} ({limit.setting})"
        return replace(shown, text=None, cut=False, note=note)
    head = _head(shown.source, chars)
    note = _told(shown.found, len(head), limit)
    if shown.found.note:
        note = f"{shown.found.note}; {note}"
    return replace(shown, text=f"{head}\n{_notice(shown, head)}", cut=True, note=note)


def shares(wanted: Sequence[int], room: int) -> list[int]:
    """What each may have of a room: the small ones all they want, the large ones equal parts.

    Args:
        wanted: Tokens of each.
        room: Tokens there are for all of them.
    """
    given = [0] * len(wanted)
    left = max(0, room)
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    for place, index in enumerate(order):
        given[index] = min(wanted[index], left // (len(order) - place))
        left -= given[index]
    return given


def _head(text: str, chars: int) -> str:
    """The beginning of a text, up to the end of a line where one is near."""
    head = text[:chars]
    line = head.rfind("\n")
    return head[:line] if line > chars * (1 - LINE_WITHIN) else head


def _notice(shown: ShownFile, head: str) -> str:
    """The line at a cut, which the model reads.

    It does not say how long the file is: one that only grows at its end leaves the prompt as it is.
    """
    inside = shown.found.inside
    if not inside:
        return "[Cut here: only the beginning of this file is shown.]"
    at_break = shown.source[len(head) : len(head) + 1] == "\n"
    line = head.count("\n") + (2 if at_break else 1)
    return f"[Cut here. read_file shows the rest of {inside} from line {line:,} on.]"


def _told(found: FoundFile, chars: int, limit: Limit) -> str:
    told = f"is cut to the first {chars:,} characters of {_size(found.size)}"
    return f"{told}{_why(limit)} ({limit.setting})"


def _why(limit: Limit) -> str:
    return "" if limit.share is None else f": memory files may take {limit.share:.0%} of the window"


def _size(number: int) -> str:
    """Bytes in two digits: a file that grows all day need not be told of each time."""
    digits = len(str(number))
    rounded = round(number, 2 - digits)
    return f"{rounded / MEGA:,g} MB" if rounded >= MEGA else f"{rounded / KILO:,g} kB"
