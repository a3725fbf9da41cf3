"""How kept content can be shown: in full or as the part of it that is wanted (CONT-2)."""

from collections.abc import Sequence
from typing import Literal

from memory.content.digests import digest
from memory.parts import ItemType

How = Literal["full", "excerpt", "summary", "first", "last", "filtered"]

EXCERPT_CHARS = 500
"""Characters of an excerpt (S3)."""
FIRST_LINES = 20
"""Lines shown where nobody says how many: a screen's worth."""


def transform(
    text: str,
    how: How = "full",
    *,
    n: int = FIRST_LINES,
    words: Sequence[str] = (),
    type: ItemType = "custom",
) -> str:
    """A text as it was asked for.

    Args:
        text: The text.
        how: In full, its first 500 characters, its digest, its first or last lines, or the lines
            that hold one of the words.
        n: Lines, for `first` and `last`.
        words: What to look for, for `filtered`; upper and lower case are the same.
        type: What the text is, for its digest.
    """
    match how:
        case "full":
            return text
        case "excerpt":
            return text if len(text) <= EXCERPT_CHARS else f"{text[:EXCERPT_CHARS]}…"
        case "summary":
            return digest(text, type)
        case "first":
            return "\n".join(text.splitlines()[: max(0, n)])
        case "last":
            return "\n".join(text.splitlines()[-n:] if n > 0 else [])
        case "filtered":
            return _filtered(text, words)


def _filtered(text: str, words: Sequence[str]) -> str:
    wanted = [word.casefold() for word in words if word]
    lines = [line for line in text.splitlines() if _holds(line.casefold(), wanted)]
    return "\n".join(lines)


def _holds(line: str, words: Sequence[str]) -> bool:
    return any(word in line for word in words)
