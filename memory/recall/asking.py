"""What a question asks for, read from its words alone. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Literal

from memory.recall.times import Span, spans_in
from memory.words import index_words

MOST_CHARACTERS = 8_000
"""Of a longer message (a paste) the beginning says what it is about."""
MOST_WORDS = 120
"""Words of a question that are looked up; of a paste the first ones."""

_STOP_WORDS = """
a about again all also am an and any are as at be because been before being both but by can could
did do does doing don't down each for from further had has have having he her here hers him his how
however i i'd i'll i'm i've if in into is isn't it it's its itself just let like may me might more
most must my myself no nor not of off on once only or other our ours out over own please same shall
she should so some such than that that's the their theirs them then there these they this those
through to too under until up us very was wasn't we were what what's when where which while who whom
whose why will with would you your yours yourself
tell remind remember know could think likely ever
"""

_WHEN = re.compile(
    r"\bwhen\b|\bhow long ago\b"
    r"|\b(?:what|which) (?:date|day|month|year|time|season|week|weekend)\b",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"\bhow (?:many|much|long|old|often|far|big|tall)\b|\b(?:number|amount|total|percentage) of\b",
    re.IGNORECASE,
)
_LATEST = re.compile(
    r"\b(?:currently|current|now|nowadays|latest|newest|recent|recently|lately|last time"
    r"|most recent|these days|at the moment|still|updated?)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:(?:can|could|would|will) you(?: please)?|do you (?:know|remember|recall|think)"
    r"|(?:tell|remind|show|give|help) me|i (?:was|am|'m) (?:wondering|curious)"
    r"|i (?:want|need|wanted|would like|'d like) to (?:know|ask|check)"
    r"|i(?:'m| am) (?:trying|looking) to|i (?:think|remember|believe|was going|was looking))\b",
    re.IGNORECASE,
)
_OF_ASSISTANT = re.compile(
    r"\byou(?:'d|'ve| had| have)?\b|\byours?\b|\bour (?:last|previous|earlier) \w+"
    r"|\b(?:previous|last|earlier) (?:chat|conversation|discussion)",
    re.IGNORECASE,
)
_OF_USER = re.compile(r"\b(?:i|me|my|mine|myself|i'm|i've|i'd|we|our|us)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Query:
    """A question, as the ranking understands it."""

    text: str
    words: tuple[str, ...]
    """As they are indexed, each once, in their order; without those that every text has."""
    all_words: frozenset[str]
    """With them."""
    vector: tuple[float, ...] | None = None
    """Its embedding of length one, where there is an embedder."""
    now: datetime | None = None
    spans: tuple[Span, ...] = ()
    """Days it names."""
    asks_when: bool = False
    asks_number: bool = False
    asks_latest: bool = False
    about: Literal["user", "assistant"] | None = None
    """Whose words are asked for: "I" and "my" are the user, "you" is the assistant."""


def understand(
    text: str, *, now: datetime | None = None, vector: Sequence[float] | None = None
) -> Query:
    """Reads a question or any other message that memories are looked for with.

    Args:
        text: What was asked.
        now: When (with a time zone); what "last week" and the age of a memory are relative to.
        vector: Its embedding, where there is one.
    """
    text = text[:MOST_CHARACTERS]
    every = tuple(dict.fromkeys(index_words(text)))
    telling = [word for word in every if word not in stop_words()]
    return Query(
        text=text,
        words=tuple(telling or every)[:MOST_WORDS],
        all_words=frozenset(every),
        vector=None if vector is None else tuple(vector),
        now=now,
        spans=spans_in(text, now),
        asks_when=bool(_WHEN.search(text)),
        asks_number=bool(_HOW_MANY.search(text)),
        asks_latest=bool(_LATEST.search(text)),
        about=_about(text.replace("’", "'")),
    )


@cache
def stop_words() -> frozenset[str]:
    """Words that say nothing of what a text is about, as they are indexed."""
    return frozenset(index_words(_STOP_WORDS))


def _about(text: str) -> Literal["user", "assistant"] | None:
    rest = _REQUEST.sub(" ", text)
    if _OF_ASSISTANT.search(rest):
        return "assistant"
    return "user" if _OF_USER.search(rest) else None
