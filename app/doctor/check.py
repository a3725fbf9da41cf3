"""One thing that was looked at, and what came of it. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from memory.errors import StrataError

State = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """What one look found.

    Args:
        name: What was looked at, in a word or two.
        state: `problem` where something does not work, `note` where something is worth knowing.
        sentence: What was found.
        next_step: The way out; a problem always has one.
        unseen: Whether it could not be looked at, so that nobody knows.
    """

    name: str
    state: State
    sentence: str
    next_step: str = ""
    unseen: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Checks that belong together."""

    title: str
    checks: tuple[Check, ...]


def ok(name: str, sentence: str) -> Check:
    """Something is as it should be."""
    return Check(name, "ok", sentence)


def note(name: str, sentence: str, next_step: str = "") -> Check:
    """Something that the user may want to know."""
    return Check(name, "note", sentence, next_step)


def unseen(name: str, sentence: str, next_step: str = "") -> Check:
    """Something that could not be looked at."""
    return Check(name, "note", sentence, next_step, unseen=True)


def problem(name: str, sentence: str, next_step: str) -> Check:
    """Something that does not work."""
    return Check(name, "problem", sentence, next_step)


def failed(name: str, error: StrataError, otherwise: str) -> Check:
    """One of our own errors as a problem.

    Args:
        name: What was looked at.
        error: The error.
        otherwise: The way out where the error names none.
    """
    return problem(name, error.sentence, error.next_step or otherwise)


def has_problem(groups: Iterable[Group]) -> bool:
    """Whether anything does not work."""
    return any(check.state == "problem" for group in groups for check in group.checks)


def in_bytes(size: float) -> str:
    """A size for people: 812 bytes, 4 kB, 23 MB, 1.1 GB."""
    if size < 1_000:  # noqa: PLR2004 (the units themselves)
        return f"{size:.0f} bytes"
    if size < 1_000_000:  # noqa: PLR2004
        return f"{size / 1e3:.0f} kB"
    return f"{size / 1e6:.0f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"  # noqa: PLR2004
