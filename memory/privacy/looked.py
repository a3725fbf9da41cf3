"""A text as it is looked at: what is invisible left out, wide and foreign digits as plain ones.

People paste numbers with no-break spaces, full-width digits and zero-width characters inside; who
looks at the text sees a number all the same.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache, cached_property

from memory.unseen import UNSEEN

_INVISIBLE = re.compile(f"[{UNSEEN}]+")
_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63"
_ZEROS = (0x0660, 0x06F0, 0x0966, 0x09E6, 0x0E50)
"""Arabic, Persian, Devanagari, Bengali and Thai digits begin here."""
_PLAIN = {
    **dict.fromkeys(map(ord, _SPACES), " "),
    **dict.fromkeys(map(ord, _DASHES), "-"),
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **{zero + digit: str(digit) for zero in _ZEROS for digit in range(10)},
    # The only letter whose small form has two characters: places would shift.
    ord("İ"): "I",
}
_TRANSLATED = re.compile("[" + "".join(map(re.escape, map(chr, _PLAIN))) + "]")


class Looked:
    """A text and where its characters stand in the original.

    Args:
        original: The text.
    """

    def __init__(self, original: str) -> None:
        self.original = original
        self._gaps: list[tuple[int, int]] = []
        """Places in `text` from which on so many characters were left out before."""
        text = original
        if not text.isascii():
            if _INVISIBLE.search(text):
                text = self._without_gaps(text)
            if _TRANSLATED.search(text):
                text = text.translate(_PLAIN)
        self.text = text

    @cached_property
    def low(self) -> str:
        """The text in small letters, place for place."""
        low = self.text.lower()
        return low if len(low) == len(self.text) else self.text

    @cached_property
    def digits(self) -> bool:
        """Whether there are as many digits as the shortest number has that is looked for."""
        return _SOME_DIGITS.search(self.text) is not None

    def start(self, place: int) -> int:
        """Where the character at a place begins in the original."""
        if not self._gaps:
            return place
        before = bisect_right(self._gaps, (place, len(self.original)))
        return place + (self._gaps[before - 1][1] if before else 0)

    def end(self, place: int) -> int:
        """Where what ends before a place ends in the original."""
        return self.start(place - 1) + 1 if place else 0

    def _without_gaps(self, text: str) -> str:
        parts: list[str] = []
        length, left_out, at = 0, 0, 0
        for gap in _INVISIBLE.finditer(text):
            parts.append(text[at : gap.start()])
            length += gap.start() - at
            left_out += gap.end() - gap.start()
            self._gaps.append((length, left_out))
            at = gap.end()
        return "".join([*parts, text[at:]])


_SOME_DIGITS = re.compile(r"\d(?:[^\d\n]{0,3}\n?\d){3}")


def by_stem(words: Iterable[str], stems: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Words by a part of them that several have: a text without it has none of these words.

    Args:
        words: What is looked for.
        stems: The parts; a word that has none of them is its own.
    """
    found: dict[str, list[str]] = {}
    for word in words:
        found.setdefault(next((stem for stem in stems if stem in word), word), []).append(word)
    return {stem: tuple(several) for stem, several in found.items()}


@cache
def compiled(form: str) -> re.Pattern[str]:
    """A form that is needed once a word of it was found: all together take long at the start."""
    return re.compile(form)


def places(text: str, needle: str, begin: int = 0) -> list[int]:
    """Every place where a word begins in a text, from a place on."""
    found: list[int] = []
    at = text.find(needle, begin)
    while at >= 0:
        found.append(at)
        at = text.find(needle, at + len(needle))
    return found
