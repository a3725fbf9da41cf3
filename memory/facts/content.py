"""A fact taken apart: its words, numbers and names, in one form each. Pure."""

from functools import lru_cache

from memory.facts.figures import NUMBER, in_digits
from memory.facts.phrasing import in_one_way, in_plain_words
from memory.facts.vocabulary import STOP, SYNONYMS
from memory.loss.names import names
from memory.words import index_words


@lru_cache(maxsize=4_096)
def plain(text: str) -> str:
    """A text in plainer words: "I" is the user, nothing is drawn together, numbers are digits."""
    return in_digits(in_plain_words(text))


@lru_cache(maxsize=4_096)
def reworded(fact: str) -> str:
    """A fact in plainer words, and in the one way in which Strata says it."""
    return in_one_way(plain(fact))


def words_of(text: str) -> tuple[str, ...]:
    """The words of a plain fact without numbers, synonyms as one."""
    bare = NUMBER.sub(" ", text)
    return tuple(SYNONYMS.get(word, word) for word in index_words(bare))


def content_words(text: str) -> tuple[str, ...]:
    """The words of a fact that say something."""
    return tuple(word for word in words_of(plain(text)) if word not in STOP and word != "user")


def numbers_in(text: str) -> frozenset[str]:
    """The numbers and dates of a text, each in one form."""
    return frozenset(match[0].strip(".") for match in NUMBER.finditer(plain(text)))


def names_in(text: str) -> frozenset[str]:
    """The names in a text."""
    found = {name.text for name in names(text)}
    return frozenset(name for name in found if name.casefold() not in ("the user", "user"))
