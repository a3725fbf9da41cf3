"""What a question asks for, read from its words alone. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory.recall.languages import Language, language_of
from memory.recall.times import Span, spans_in
from memory.words import index_words

MOST_CHARACTERS = 8_000
"""Of a longer message (a paste) the beginning says what it is about."""
MOST_WORDS = 120
"""Words of a question that are looked up; of a paste the first ones."""

_REQUEST = re.compile(
    r"\b(?:(?:can|could|would|will) you(?: please)?|do you (?:know|remember|recall|think)"
    r"|(?:tell|remind|show|give|help|write|make|draw|find|send|bring|teach|explain to) me"
    r"|i (?:was|am|'m) (?:wondering|curious)"
    r"|i (?:want|need|wanted|would like|'d like) to (?:know|ask|check)"
    r"|i(?:'m| am) (?:trying|looking) to|i (?:think|remember|believe|was going|was looking))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Query:
    """A question, as the ranking understands it."""

    text: str
    words: tuple[str, ...]
    """As they are indexed, each once, in their order; without those that every text has."""
    all_words: frozenset[str]
    """With them."""
    telling: bool = True
    """Whether any of them says what it is about."""
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
    language = language_of(frozenset(every))
    telling = [word for word in every if word not in language.stop]
    return Query(
        text=text,
        words=tuple(telling or every)[:MOST_WORDS],
        all_words=frozenset(every),
        telling=bool(telling),
        vector=None if vector is None else tuple(vector),
        now=now,
        spans=spans_in(text, now),
        asks_when=language.asks("when", text),
        asks_number=language.asks("number", text),
        asks_latest=language.asks("latest", text),
        about=_about(text.replace("’", "'"), language),
    )


def _about(text: str, language: Language) -> Literal["user", "assistant"] | None:
    rest = _REQUEST.sub(" ", text)
    if language.asks("assistant", rest):
        return "assistant"
    return "user" if language.asks("user", rest) else None
