"""A fact taken apart: its words, numbers and names, in one form each. Pure."""

import re
from functools import lru_cache, partial

from memory.facts.vocabulary import NUMBERS, ORDINALS, STOP, SYNONYMS
from memory.loss.names import names
from memory.loss.wording import MONTHS
from memory.words import index_words

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DATES = tuple(
    (re.compile(rf"\b{form}\b", re.IGNORECASE), order)
    for form, order in (
        (rf"{_DAY}(?: of)? ({_MONTH})\.?,? (\d{{4}})", "dmy"),
        (rf"({_MONTH})\.? {_DAY},? (\d{{4}})", "mdy"),
        (rf"({_MONTH})\.? (\d{{4}})", "my"),
        (rf"{_DAY} ({_MONTH})", "dm"),
        (rf"({_MONTH}) {_DAY}(?!\d)", "md"),
    )
)
_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
_SPELLED = re.compile(rf"\b({'|'.join([*NUMBERS, *ORDINALS])})\b", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_REWRITTEN = (
    (re.compile(r"\b(?:I'm|I am)\b"), "the user is"),
    (re.compile(r"\bI've\b"), "the user has"),
    (re.compile(r"\bI'll\b"), "the user will"),
    (re.compile(r"\b(?:I|me)\b"), "the user"),
    (re.compile(r"\b(?:my|our)\b", re.IGNORECASE), "the user's"),
    (re.compile(r"\bwe\b", re.IGNORECASE), "the user"),
    (re.compile(r"\bcan't stand\b|\bcannot stand\b", re.IGNORECASE), "dislikes"),
    (re.compile(r"\bcan't\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b"), " not"),
    (re.compile(r"\b(?:no longer)\b", re.IGNORECASE), "not now"),
    (re.compile(r"\bnot (.+?) any ?more\b", re.IGNORECASE), r"not now \1"),
    (re.compile(r"\bhas to\b|\bhave to\b", re.IGNORECASE), "must"),
    (re.compile(r"\b(?:gave|give|given) up\b", re.IGNORECASE), "stopped"),
    (re.compile(r"\bbrok(?:e|en) up with\b", re.IGNORECASE), "left"),
    (re.compile(r"\b(left|right)-handed\b", re.IGNORECASE), r"\1handed"),
    (re.compile(r"\bnon-(?=[a-z])", re.IGNORECASE), "not "),
    (re.compile(r"\b(has|have|needs?|takes?|owns?) one (?=[a-z])", re.IGNORECASE), r"\1 1 "),
    (re.compile(r"\bdaily\b", re.IGNORECASE), "every day"),
    (re.compile(r"\be-mail\b", re.IGNORECASE), "email"),
    (re.compile(r"€"), " euros "),
)


@lru_cache(maxsize=4_096)
def plain(text: str) -> str:
    """A fact in plainer words: "I" is the user, nothing is drawn together, numbers are digits."""
    text = text.replace("’", "'")
    for pattern, form in _REWRITTEN:
        text = pattern.sub(form, text)
    for pattern, order in _DATES:
        text = pattern.sub(partial(_date, order), text)
    text = _THOUSANDS.sub("", text)
    return _SPELLED.sub(_digits, text)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a plain fact without numbers, synonyms as one."""
    bare = _NUMBER.sub(" ", text)
    return tuple(SYNONYMS.get(word, word) for word in index_words(bare))


def content_words(text: str) -> tuple[str, ...]:
    """The words of a fact that say something."""
    return tuple(word for word in words_of(plain(text)) if word not in STOP and word != "user")


def numbers_in(text: str) -> frozenset[str]:
    """The numbers and dates of a text, each in one form."""
    return frozenset(match[0].strip(".") for match in _NUMBER.finditer(plain(text)))


def names_in(text: str) -> frozenset[str]:
    """The names in a text."""
    found = {name.text for name in names(text)}
    return frozenset(name for name in found if name.casefold() not in ("the user", "user"))


def _digits(match: re.Match[str]) -> str:
    word = match[0].lower()
    if word == "one":
        return match[0]  # mostly a pronoun
    return NUMBERS.get(word) or f"{ORDINALS[word]}"


def _date(order: str, match: re.Match[str]) -> str:
    parts = dict(zip(order, match.groups(), strict=True))
    month = f"{MONTHS[parts['m'].lower()]:02}"
    day = f"-{int(parts['d']):02}" if "d" in parts else ""
    year = parts.get("y")
    return f"{year}-{month}{day}" if year else f"{month}{day}"
