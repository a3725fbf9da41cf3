"""What SQL may ask of a text: its index words, in the database's own thread."""

from functools import lru_cache

from memory import words

RECENT = 64
"""Texts whose words are kept: a row asks for their count, and its search row for themselves."""


def index_words(text: str | None, first: int, last: int) -> str:
    """The index words of a part of a text, as the search table holds them."""
    return _words((text or "")[first:last])


def count_words(text: str | None, first: int, last: int) -> int:
    """How many index words a part of a text has."""
    return len(index_words(text, first, last).split())


@lru_cache(maxsize=RECENT)
def _words(text: str) -> str:
    return " ".join(words.index_words(text))
