"""How kept content can be shown: in full or as the part of it that is wanted (CONT-2). Pure."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, get_args

from memory.content.compactors import digest_of
from memory.content.patterns import compiled
from memory.errors import StrataError
from memory.parts import ItemType

How = Literal["full", "excerpt", "summary", "first", "last", "lines", "filtered"]

SPELLINGS = {"first_n": "first", "last_n": "last"}
"""S3's names, where ours are others."""
EXCERPT_CHARS = 500
"""Characters of an excerpt (S3)."""
FIRST_LINES = 20
"""Lines shown where nobody says how many: a screen's worth."""
Line = tuple[int, str]
"""A line with its number, counted from 1."""


class NoTransform(StrataError):
    """A name that no way of showing a text has."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"A text can't be shown as {name[:40]!r}.", f"There are {', '.join(get_args(How))}."
        )


def transform(
    text: str,
    how: How | str = "full",
    *,
    n: int = FIRST_LINES,
    words: str | Sequence[str] = (),
    lines: tuple[int, int] | None = None,
    numbered: bool = False,
    type: ItemType = "custom",
) -> str:
    """A text as it was asked for; never longer than the text but for numbers and an ellipsis.

    Args:
        text: The text.
        how: In full, its first 500 characters, its digest, its first or last lines, a range of
            lines, or the lines that hold one of the words.
        n: Lines, for `first` and `last`.
        words: What to look for, for `filtered`; upper and lower case are the same. What stands
            between two slashes is a pattern.
        lines: First and last line, for `lines`; without it all of them.
        numbered: Whether each line begins with its number.
        type: What the text is, for its digest.

    Raises:
        BadPattern: A pattern can't be used.
        NoTransform: There is no such way.
    """
    how = SPELLINGS.get(how, how)
    if how not in get_args(How):
        raise NoTransform(how)
    match how:
        case "excerpt":
            return text if len(text) <= EXCERPT_CHARS else f"{text[:EXCERPT_CHARS]}…"
        case "summary":
            return digest_of(text, type)
        case "full" if not numbered:
            return text
    every = list(enumerate(text.splitlines(), start=1))
    return "\n".join(_written(_chosen(every, how, n, words, lines), numbered))


def _chosen(
    every: list[Line], how: str, n: int, words: str | Sequence[str], lines: tuple[int, int] | None
) -> Iterable[Line]:
    match how:
        case "first":
            return every[: max(0, n)]
        case "last":
            return every[-n:] if n > 0 else []
        case "lines" if lines is not None:
            first, last = sorted(lines)
            return every[max(0, first - 1) : max(0, last)]
        case "filtered":
            wanted = [_matcher(word) for word in several(words) if word]
            return (line for line in every if any(matches(line[1]) for matches in wanted))
    return every


def _written(lines: Iterable[Line], numbered: bool) -> Iterable[str]:
    return (f"{number}: {line}" if numbered else line for number, line in lines)


def several(texts: str | Iterable[str]) -> tuple[str, ...]:
    """Texts, also where somebody gave one."""
    return (texts,) if isinstance(texts, str) else tuple(texts)


def _matcher(word: str) -> Callable[[str], bool]:
    if len(word) > 2 and word[0] == word[-1] == "/":  # noqa: PLR2004 (something between slashes)
        return compiled(word[1:-1])
    folded = word.casefold()
    return lambda line: folded in line.casefold()
