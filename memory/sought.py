"""Index words looked for in many texts, without making the index words of every text. Pure.

A stem is the beginning of its words but for its last letter. So a text that lacks a stem's root
lacks its words, and only words that begin like a stem need one. That was found to hold for half a
million words of talk, documentation and code, but for those in `_CHANGED`.
"""

from collections.abc import Iterable, Iterator

from memory.words import WORD, folded, pieces

_CHANGED = {"die": "dying", "lie": "lying", "tie": "tying"}
"""Stems that do not begin as all of their words do."""
_SHORT = 3
"""Letters of a stem that may lose none of them."""


class Sought:
    """Words that are looked for.

    Args:
        words: As they are indexed.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        alike = {*self._words, *(_CHANGED[word] for word in self._words & _CHANGED.keys())}
        self._roots = frozenset(word[:2] if len(word) <= _SHORT else word[:-1] for word in alike)
        self._starts = frozenset(s for word in alike for s in (word[:2], f"{word[0]}'"))

    def counts(self, text: str) -> dict[str, int]:
        """How often each of them that stands in a text does."""
        found: dict[str, int] = {}
        for word in self._of(text):
            found[word] = found.get(word, 0) + 1
        return found

    def any_in(self, text: str) -> bool:
        """Whether one of them stands in a text."""
        return next(self._of(text), None) is not None

    def _of(self, text: str) -> Iterator[str]:
        small = folded(text)
        bare = small.replace("'", "")
        roots = tuple(root for root in self._roots if root in bare)
        if not roots:
            return
        yield from (
            piece
            for word in WORD.findall(small)
            if self._may_be(word, roots)
            for piece in pieces(word)
            if piece in self._words
        )

    def _may_be(self, word: str, roots: tuple[str, ...]) -> bool:
        if word[:2] in self._starts:  # the cheap test: most words end here
            return word.startswith(roots) or "'" in word or not word.isascii()
        return not word.isascii()
