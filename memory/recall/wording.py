"""What was found in long-term memory, in words: where it is from, then what it says. Pure."""

from collections.abc import Iterable

from memory.recall.corpus import PassageKind

LONGEST = 500
"""Characters of a passage in a list; the message it is part of has the rest."""
NAMES: dict[PassageKind, str] = {
    "message": "",
    "fact": "fact",
    "summary": "summary",
    "content": "stored",
}


def source(kind: PassageKind, role: str, number: int, session: str | None, at: str) -> str:
    """Where something was found, in one line.

    Args:
        kind: What it is.
        role: Who said or made it.
        number: Its message's number; 0 for none.
        session: The title or id of another session; None for the present one.
        at: When (UTC, ISO 8601).
    """
    parts = [at[:10], NAMES[kind], role, f"message {number}" if number else ""]
    if session:
        parts.append(f"in {' '.join(session.split())}")
    return " · ".join(part for part in parts if part)


def entry(head: str, text: str, most: int = LONGEST) -> str:
    """A passage below the line that says where it is from; every line of it is set in."""
    shown = text.strip()
    if len(shown) > most:
        shown = f"{shown[: most - 1].rstrip()}…"
    return "\n".join((head, *(f"  {line}" for line in shown.splitlines())))


def shares(parts: Iterable[tuple[str, float]]) -> str:
    """What a score consists of, the largest part first; what adds nothing is left out."""
    told = sorted(
        ((round(part, 1), name) for name, part in parts), key=lambda p: (-abs(p[0]), p[1])
    )
    return ", ".join(f"{name} {part:+.1f}" for part, name in told if part)
