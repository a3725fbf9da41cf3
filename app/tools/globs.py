"""Patterns for paths, such as `src/**/*.py`, matched in time that grows with their length only."""

import os
import re
from collections.abc import Iterable, Sequence
from fnmatch import translate

MOST = 64
"""Patterns that one with braces may stand for."""
LONGEST = 1_000
"""Characters of a pattern."""

_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_FLAGS = re.IGNORECASE if os.name == "nt" else 0
_WILD = re.compile(r"[*?\[]")

Segment = re.Pattern[str] | None
"""What one name has to look like; None stands for `**`, any number of names."""


class Glob:
    """A pattern: `*` and `?` stay within a name, `**` goes through folders, `{a,b}` is either.

    A pattern without a slash is about the last name, wherever it stands.

    Args:
        text: The pattern.
        anywhere: Whether a pattern without a slash may be about a name in any folder.
    """

    def __init__(self, text: str, anywhere: bool = True) -> None:
        self._ways = [_segments(one, anywhere) for one in _alternatives(text[:LONGEST])]

    @property
    def last_names(self) -> list[str]:
        """Expressions for the last name of what it matches; `.*` where that may be any."""
        return [way[-1].pattern if way and way[-1] else ".*" for way in self._ways]

    def matches(self, parts: Sequence[str]) -> bool:
        """Whether a path, given by its names, is one that the pattern means."""
        return any(_matches(way, parts) for way in self._ways)


def any_of(expressions: Iterable[str]) -> re.Pattern[str]:
    """One expression for what any of these matches."""
    return re.compile("|".join(f"(?:{one})" for one in expressions), _FLAGS | re.DOTALL)


def _alternatives(text: str) -> list[str]:
    """The patterns that one with braces stands for."""
    done: list[str] = []
    waiting = [text]
    while waiting and len(done) + len(waiting) <= MOST:
        one = waiting.pop()
        if found := _BRACES.search(one):
            head, tail = one[: found.start()], one[found.end() :]
            waiting.extend(head + choice + tail for choice in found[1].split(","))
        else:
            done.append(one)
    return done + waiting


def _segments(text: str, anywhere: bool) -> list[Segment]:
    while text.startswith("./"):
        text = text[2:]
    names = [name for name in text.split("/") if name]
    if anywhere and "/" not in text.rstrip("/"):
        names.insert(0, "**")
    if text.endswith("/"):
        names.append("**")
    if names and names[-1] == "**":
        names.insert(-1, "*")  # what stands in a folder, not the folder itself
    return [None if name == "**" else _compiled(name) for name in names]


def _compiled(name: str) -> re.Pattern[str]:
    if not _WILD.search(name):
        return re.compile(re.escape(name), _FLAGS)
    return re.compile(translate(name), _FLAGS)


def _matches(way: Sequence[Segment], parts: Sequence[str]) -> bool:
    """Follows all readings of the pattern at once, so that no pattern takes long."""
    at = _past_stars(way, {0})
    for part in parts:
        reached: set[int] = set()
        for index in at:
            if index == len(way):
                continue
            segment = way[index]
            if segment is None:
                reached.add(index)
            elif segment.fullmatch(part):
                reached.add(index + 1)
        at = _past_stars(way, reached)
        if not at:
            return False
    return len(way) in at


def _past_stars(way: Sequence[Segment], at: set[int]) -> set[int]:
    """The same positions, and those behind a `**` that stands for no name."""
    reached = set(at)
    for index in at:
        past = index
        while past < len(way) and way[past] is None:
            past += 1
            reached.add(past)
    return reached
