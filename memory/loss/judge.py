"""Whether an item still stands in a text, however it is written there."""

import re
from collections import defaultdict
from functools import cached_property

from memory.loss.figures import date_keys, dates, number_key, numbers
from memory.loss.found import Found
from memory.loss.wording import DENIALS, EMPTY_WORDS, NO_ABBREVIATION

SOFT_HYPHEN = "\u00ad"
_VARIANTS = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—−", "-"),
        **dict.fromkeys("‘’‛′", "'"),
        **dict.fromkeys("“”„″«»", '"'),
        **dict.fromkeys("\u00a0\u2007\u2009\u202f", " "),
        "…": "...",
        SOFT_HYPHEN: "",
    }
)
_BREAK = re.compile(rf"[.!?;。！？]{NO_ABBREVIATION}[\"')]*\s+|\n+")
_WORD = re.compile(r"[^\W_]+(?:['.@/_-][^\W_]+)*")
SHORTEST_PLURAL = 4
"""Letters from which a word's last s is taken for the plural."""


def normalised(text: str) -> str:
    """The text in one spelling: case, spaces, hyphens and quotation marks don't count."""
    return " ".join(text.translate(_VARIANTS).casefold().split())


def stands_in(item: Found, text: str) -> bool:
    """Whether the item stands in the text; for many items, make one `Standing` and ask that."""
    return Standing(text).holds(item)


class Standing:
    """A text in which many items are looked for: what is needed is made once, and only then.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, item: Found) -> bool:
        """Whether the item stands in the text.

        A date stands in one that states all of it, a number in an equal one with the same unit,
        a condition or task in a sentence that has all its content words; the rest word for word.
        """
        if not self._text:
            return False
        match item.kind:
            case "constraint" | "task":
                return self._holds_words(item.text) or self._holds_sentence(item.text)
            case "date":
                return self._holds_date(item.text)
            case "number":
                return self._holds_number(item.text)
            case _:
                return self._holds_words(item.text)

    @cached_property
    def _plain(self) -> str:
        plain = normalised(self._text)
        if SOFT_HYPHEN not in self._text:
            return plain
        # Whoever looks for names takes the parts of such a word for words of their own.
        return f"{plain}\n{normalised(self._text.replace(SOFT_HYPHEN, ' '))}"

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w+", self._plain))

    @cached_property
    def _dates(self) -> frozenset[frozenset[str]]:
        return frozenset(date_keys(found.text) for found in dates(self._text))

    @cached_property
    def _numbers(self) -> frozenset[tuple[str, str]]:
        keys = {number_key(found.text) for found in numbers(self._text)}
        return frozenset(keys | {(value, "") for value, _ in keys})

    @cached_property
    def _sentences(self) -> dict[str, set[int]]:
        """The numbers of the sentences that a content word stands in."""
        found: dict[str, set[int]] = defaultdict(set)
        for place, sentence in enumerate(_BREAK.split(self._text)):
            for word in content_words(sentence):
                found[word].add(place)
        return found

    def _holds_words(self, text: str) -> bool:
        wanted = normalised(text)
        if not wanted or not self._words.issuperset(re.findall(r"\w+", wanted)):
            return False
        start = self._plain.find(wanted)
        while start >= 0:
            if _is_whole(self._plain, start, start + len(wanted)):
                return True
            start = self._plain.find(wanted, start + 1)
        return False

    def _holds_date(self, text: str) -> bool:
        wanted = date_keys(text)
        return any(wanted <= keys for keys in self._dates) or self._holds_words(text)

    def _holds_number(self, text: str) -> bool:
        return number_key(text) in self._numbers or self._holds_words(text)

    def _holds_sentence(self, text: str) -> bool:
        wanted = content_words(text)
        places = [self._sentences.get(word) for word in wanted]
        known = [place for place in places if place]
        return bool(known) and len(known) == len(places) and bool(set.intersection(*known))


def content_words(sentence: str) -> frozenset[str]:
    """The words and figures of a sentence that carry its meaning; every denial is the same."""
    found = set()
    for word in _WORD.findall(normalised(sentence)):
        if word in DENIALS:
            found.add("not")
        elif word not in EMPTY_WORDS:
            found.add(word[:-1] if len(word) >= SHORTEST_PLURAL and word.endswith("s") else word)
    return frozenset(found)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether what stands there is no part of a longer word or figure."""
    before, after = text[start - 1 : start], text[end : end + 1]
    joined_before = before.isalnum() and text[start].isalnum()
    joined_after = after.isalnum() and text[end - 1].isalnum()
    return not joined_before and not joined_after
