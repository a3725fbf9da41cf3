"""What two versions of a text have in common, word by word. Pure."""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import NamedTuple

_UNSPACED = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_JOINED = "[.,:'\u2019/-]"
WORD = re.compile(
    rf"[{_UNSPACED}]\s*|[^\W{_UNSPACED}]+(?:{_JOINED}[^\W{_UNSPACED}]+)*\s*|[^\w\s]\s*|\s+"
)
"""A word or a sign with the blanks after it; of scripts without blanks between words, a letter."""
SHORT = 3
"""Letters of a word that, alike by itself between two changes, tells nothing."""


class Part(NamedTuple):
    """A stretch of one version."""

    text: str
    changed: bool
    """Whether the other version has it not, or not here."""


def difference(before: str, after: str) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """The parts of both versions, marked where they differ; the parts of each join to its text."""
    old, new = WORD.findall(before), WORD.findall(after)
    kept_old, kept_new = [False] * len(old), [False] * len(new)
    for start_old, start_new, size in _alike([w.strip() for w in old], [w.strip() for w in new]):
        for offset in range(size):
            kept_old[start_old + offset] = kept_new[start_new + offset] = True
    return _joined(old, kept_old), _joined(new, kept_new)


def _alike(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The runs that both have, in order: where they begin in each, and how long they are."""
    # Words that come again and again are left out where texts are long: else it takes seconds.
    blocks = SequenceMatcher(None, old, new, autojunk=True).get_matching_blocks()
    for start_old, start_new, size in blocks:
        alone = size == 1 and len(old[start_old]) <= SHORT
        at_end = start_old in (0, len(old) - 1) and start_new in (0, len(new) - 1)
        if size and (at_end or not alone):
            yield start_old, start_new, size


def _joined(words: Sequence[str], kept: Sequence[bool]) -> tuple[Part, ...]:
    pairs = zip(words, kept, strict=True)
    return tuple(
        Part("".join(word for word, _ in run), not alike)
        for alike, run in groupby(pairs, key=lambda pair: pair[1])
    )
