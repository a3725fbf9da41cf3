"""Titles of sessions by rule: the first clause of the user that says something. Pure."""

import re
from collections.abc import Sequence

from widgets.plain import printable

LONGEST = 48
"""Characters of a title that lists have room for."""
FEWEST_WORDS, MOST_WORDS = 2, 6
UNSPACED = 16
"""Characters of a title in a script without spaces."""
LONGEST_WORD = 28
"""Characters: longer words of Latin letters are keys, hashes or paths."""
FEWEST_LETTERS = 3
LOOKED_AT = 2_400
"""Characters at the beginning of a message in which it says what it is about."""

UNSPACED_SCRIPT = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_REDACTED = re.compile(r"\[redacted: [^\]]*\]")
_ADDRESS = re.compile(r"https?://(?:www\.)?([^\s/?#]+)\S*")
_PATH = re.compile(r"(?<!\S)[\w~.@-]*(?:[/\\][\w.@-]+){2,}[/\\]([\w.@-]+)")
_AROUND = "()[]{}<>\"'`*_#|“”‘’«»,"
_CLAUSE = re.compile(r"[.!?;:…]+(?:\s|$)|[。！？；：]|\s[-–]\s|[\n\r]+|,\s")


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


SMALL = _words_of(
    "a about also am an and are as at be been but by can could did do does for from get give go "
    "good have has hello help here hey hi how i i'd i'll i'm i've if in into is it its it's just "
    "know let let's like me my need now of ok okay on or our please should show so some tell than "
    "thank thanks that the their them then there these they think this those to us want was we "
    "well were what what's when where which who why will with would you your "
    "don't doesn't didn't can't isn't won't "
    "hallo bitte danke bonjour salut merci hola gracias ciao"
)
"""Words that neither begin nor end a title by rule."""
_LEADING_ON = SMALL | _words_of(
    "mit und oder für von zum zur im am auf der die das den dem ein eine einen einer "
    "et ou avec pour de du des le les un une y o con para por del el los las una et и в на с для "
    "e di da il lo per"
)
"""Words that don't end one, of a few languages."""


def title_by_rule(messages: Sequence[str]) -> str | None:
    """The words of the first clause that says something, or None where none does.

    Args:
        messages: What the user said, oldest first.
    """
    titles = [title for text in messages for clause in _clauses(text) if (title := _words(clause))]
    return next(filter(_says_something, titles), next(iter(titles), None))


def _clauses(text: str) -> list[str]:
    text = _REDACTED.sub(" ", _FENCED.sub("\n", printable(text[:LOOKED_AT])))
    return _CLAUSE.split(_PATH.sub(r"\1", _ADDRESS.sub(r"\1", text)))


def _says_something(title: str) -> bool:
    return (
        bool(UNSPACED_SCRIPT.search(title)) or sum(map(str.isalpha, title.split())) >= FEWEST_WORDS
    )


def _words(clause: str) -> str:
    """The clause from its first to its last word that says something, as far as there is room."""
    words = [word for part in clause.split() if (word := part.strip(_AROUND))]
    words = [word for word in words if any(map(str.isalnum, word))]
    words = [word for word in words if len(word) <= LONGEST_WORD or not word.isascii()]
    while words and _known(words[0]) in SMALL:
        words.pop(0)
    del words[MOST_WORDS:]
    while len(words) > 1 and len(" ".join(words)) > LONGEST:
        words.pop()
    while words and _known(words[-1]) in _LEADING_ON:
        words.pop()
    return _fitting(" ".join(words))


def _known(word: str) -> str:
    return word.casefold().replace("’", "'")


def _fitting(title: str) -> str:
    """The title clipped where it is one long word, or nothing where it says too little."""
    unspaced = bool(UNSPACED_SCRIPT.search(title))
    room, least = (UNSPACED, 2) if unspaced else (LONGEST, FEWEST_LETTERS)
    if len(title) > room:
        title = f"{title[: room - 1].rstrip()}…"
    return _capital(title) if sum(map(str.isalpha, title)) >= least else ""


def _capital(title: str) -> str:
    first = title.split(" ", 1)[0]
    return title[:1].upper() + title[1:] if first.isalpha() and first.islower() else title
