"""What a compactor is asked and what it draws: the parts of a digest, and how they are packed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from memory.content.telling import one_line
from memory.parts import ItemType

DIGEST_CHARS = 600
"""Characters of a digest where nobody says how many: a citation costs about 500 in S3's example."""
SCANNED = 200_000
"""Characters of a text that are looked through; what stands beyond is only counted."""
GROUP_SHARE = 0.6
"""Part of the room left that one group of parts may take, so that the next ones are told too."""
LEAST_PART = 3
"""Characters of a part with what separates it from the one before."""
LEAST_HINTED = 300
"""Characters of a digest below which there is no room to say how parts are had."""
MANY_LINES = 40
"""Lines of a text from which on a part of it is worth asking for."""
HINT = "parts by lines A-B or filtered WORD"


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a text beside the text itself.

    Args:
        type: What it is stored as.
        tool: The tool whose result it is; empty where it is none.
        source: What it shows: a path, an address, a command.
        arguments: What the tool was called with, as JSON.
        chars: Characters that the digest may have.
    """

    type: ItemType = "custom"
    tool: str = ""
    source: str = ""
    arguments: str = ""
    chars: int = DIGEST_CHARS


@dataclass(frozen=True, slots=True)
class Group:
    """Parts of one kind, the most telling first."""

    parts: Iterable[str]
    label: str = ""


@dataclass(frozen=True, slots=True)
class Sketch:
    """What a text is, and groups of what is worth naming of it, the most telling first."""

    kind: str
    groups: tuple[Group, ...] = ()


Reader = Callable[[str, About], Sketch | None]
"""Draws a text of one form; None where the text has another form. It is never empty."""
Compact = Callable[[str, About], str]
"""What a compactor is: pure, and the same for the same text whenever it is called."""


def packed(sketch: Sketch, text: str, longest: int) -> str:
    """A sketch as one line; whole parts only, nothing is cut in a word."""
    hint = ""
    if longest >= LEAST_HINTED and text.count("\n", 0, SCANNED) >= MANY_LINES:
        hint = f"; {HINT}"
    told = one_line(sketch.kind)[: max(0, longest - len(hint))]
    seen: set[str] = set()
    for place, group in enumerate(sketch.groups):
        room = longest - len(hint) - len(told)
        last = place == len(sketch.groups) - 1
        opening = (": " if not place else "; ") + (f"{group.label} " if group.label else "")
        allowed = room if last else int(room * GROUP_SHARE)
        told += opening_with(opening, group.parts, allowed, seen)
    return told + hint


def opening_with(opening: str, parts: Iterable[str], room: int, seen: set[str]) -> str:
    """As many new parts as there is room for, after what opens them; empty where none fits."""
    told, before = "", opening
    for part in map(one_line, parts):
        if len(told) + LEAST_PART > room:
            break
        if part and part not in seen and len(told) + len(before) + len(part) <= room:
            told += before + part
            before = ", "
            seen.add(part)
    return told


def many(count: int, one: str, several: str = "") -> str:
    """A number with what is counted."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def lines_of(text: str) -> str:
    """How many lines a text has."""
    return many(text.count("\n") + 1, "line")


def at_lines(text: str, found: Iterable[tuple[str, int]]) -> Iterator[str]:
    """Each name with the line it stands in.

    Args:
        text: The text.
        found: Names with the character each begins at, in their order.
    """
    line, upto = 1, 0
    for name, start in found:
        line += text.count("\n", upto, start)
        upto = start
        yield f"{one_line(name)} ({line})"
