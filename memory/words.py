"""The words that a text is found by: what full-text search and ranking agree on. Pure."""

import re
import threading
import unicodedata
from functools import lru_cache
from itertools import chain

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
# Scripts that put no spaces between words: each pair of neighbouring characters is a word of them.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U0003ffff]+"
)
LONGEST = 64
"""Characters of a word that tell it from others: a key or a blob is no longer searched whole."""
KNOWN = 60_000
"""Words whose stems are kept, about 10 MB: nearly all those that a person ever uses."""
RULES = 1
"""Raised when a text gets other words than before: search tables are then made anew."""


class _Local(threading.local):
    """A stemmer for each thread: it keeps what it works on, and the database has a thread too."""

    def __init__(self) -> None:
        # All its languages come along: too long before the first paint. The same stems wherever
        # Strata runs, also where a faster library is installed that knows other exceptions.
        from snowballstemmer.english_stemmer import EnglishStemmer

        self.stemmer = EnglishStemmer()


_LOCAL = _Local()


def index_words(text: str) -> tuple[str, ...]:
    """The words of a text in their order, as they are indexed.

    Small letters without accents, English endings taken off (Porter's second algorithm); words of
    scripts without spaces are pairs of characters.
    """
    small = folded(text)
    found: list[str] = WORD.findall(small)
    if small.isascii() and max(map(len, found), default=0) <= LONGEST:
        return tuple(map(_stem, found))  # half the time, for nearly all English texts
    return tuple(chain.from_iterable(map(pieces, found)))


def folded(text: str) -> str:
    """Small letters without accents; `WORD` finds its words."""
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def pieces(word: str) -> list[str]:
    """The index words of a folded word: one, but for scripts without spaces."""
    if word.isascii():
        return [_stem(word[:LONGEST])]
    found: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(word):
        found += _spaced(word[end : run.start()])
        found += _pairs(run[0])
        end = run.end()
    return [*found, *_spaced(word[end:])]


def _spaced(word: str) -> list[str]:
    return [_stem(word[:LONGEST])] if word else []


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] if len(run) > 1 else [run]


@lru_cache(maxsize=KNOWN)
def _stem(word: str) -> str:
    word = word.replace("’", "'")
    stem: str = _LOCAL.stemmer.stemWord(word)
    return stem.replace("'", "")
