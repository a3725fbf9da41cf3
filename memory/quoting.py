"""What quotes a text that is to be forgotten, and what is left of it without the quotes. Pure.

A text quotes another one where it has a word of it that no text that stays has, three words in a
row that stand together nowhere else, or the very words that somebody wants forgotten.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from memory.words import index_words

FLAG = "[parts were forgotten]"
"""What stands where quotes were cut out."""
MASK = "···"
"""What stands for a word where the rest of a line has to stay, as in receipts."""
UNTITLED = "untitled"
RUN = 3
"""Words in a row that tell whose they are, as rare words do alone."""
LONG = 6
"""Letters of a word that is looked for inside longer ones too, such as names in identifiers."""
MOST_INSIDE = 1_000
"""So many words are looked for inside longer ones; for more it would take too long."""
SHORTEST = 3
"""Letters of a word that can tell anything by itself; numbers always do."""
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|(?<=;)\s+")
_WAY_BACK = re.compile(r"(\bretrieve \S+ …\])")
_BLANKS = re.compile(r"\s+")
_EVERYDAY = (
    "a about after all also an and any are as at be been but by can could did do does for from get "
    "go had has have he her here him his how i if in into is it its just like make may me message "
    "messages more my no not now of on one or our out over said say says she should so some than "
    "that the their them then there these they this to too tool up us use used user very want "
    "wants was we were what when where which who why will with would yes you your"
)


@cache
def _plain() -> frozenset[str]:
    """Words that everybody uses: one of them tells nothing, and every summary has some."""
    return frozenset(index_words(_EVERYDAY))


@dataclass(frozen=True, slots=True)
class Telling:
    """Words of texts, and words in a row, by which one may know them."""

    words: frozenset[str] = frozenset()
    runs: frozenset[str] = frozenset()
    """Index words with spaces between them."""


def telling(texts: Iterable[str]) -> Telling:
    """What texts could be known by, whoever else has it."""
    words: set[str] = set()
    runs: set[str] = set()
    for text in texts:
        found = index_words(text)
        words.update(word for word in found if _tells(word))
        for start in range(len(found) - RUN + 1):
            run = found[start : start + RUN]
            if sum(word not in _plain() for word in run) > 1:
                runs.add(" ".join(run))
    return Telling(frozenset(words), frozenset(runs))


def _tells(word: str) -> bool:
    if word in _plain():
        return False
    return len(word) >= SHORTEST or not word.isascii() or any(c.isdigit() for c in word)


class Quotes:
    """Finds quotes, and cuts them out.

    Args:
        own: What only the texts have that are forgotten.
        needles: Words that are forgotten wherever they stand.
    """

    def __init__(self, own: Telling, needles: Sequence[str] = ()) -> None:
        self._words = own.words
        self._runs = own.runs
        self._parts = {word for run in own.runs for word in run.split()}
        self._needles = [flat(needle) for needle in needles if needle.strip()]
        long = sorted(word for word in own.words if len(word) >= LONG)
        few = 0 < len(long) <= MOST_INSIDE
        self._inside = re.compile("|".join(map(re.escape, long))) if few else None

    def __bool__(self) -> bool:
        return bool(self._words or self._runs or self._needles)

    def stand_in(self, text: str) -> bool:
        """Whether a text has a quote."""
        folded = flat(text)
        if any(needle in folded for needle in self._needles):
            return True
        if self._inside is not None and self._inside.search(folded):
            return True
        words = index_words(text)
        if not self._words.isdisjoint(words):
            return True
        return any(" ".join(words[i : i + RUN]) in self._runs for i in range(len(words) - RUN + 1))

    def without(self, text: str) -> str | None:
        """The text without the sentences that quote; None where none does.

        JSON stays JSON: only the texts in it are cut.
        """
        if not self.stand_in(text):
            return None
        if (document := _document(text)) is not None:
            return json.dumps(self._walked(document), ensure_ascii=False)
        kept = [line for line in map(self._line, text.splitlines()) if line is not None]
        rest = "\n".join(kept).strip()
        if not rest or self.stand_in(rest):
            return FLAG
        return f"{rest} {FLAG}" if FLAG not in rest else rest

    def masked(self, text: str) -> str | None:
        """The text with signs for the words that quote, or None; what else it says stays."""
        if not self.stand_in(text):
            return None
        # What leads back to the text itself stays (I10): a handle tells nothing.
        parts = _WAY_BACK.split(text)
        return "".join(
            part if place % 2 else self._masked(part) for place, part in enumerate(parts)
        )

    def title(self, title: str) -> str | None:
        """A title without the words that quote; None where none does."""
        masked = self.masked(title)
        if masked is None:
            return None
        left = _BLANKS.sub(" ", masked.replace(MASK, " ")).strip(" -,.:;")
        return left if any(map(str.isalnum, left)) else UNTITLED

    def _line(self, line: str) -> str | None:
        """What is left of a line; None where nothing is."""
        if not self.stand_in(line):
            return line
        left = " ".join(part for part in _SENTENCE.split(line) if not self.stand_in(part)).strip()
        return left if any(map(str.isalnum, left)) else None

    def _masked(self, text: str) -> str:
        masked = _WORD.sub(self._mask, text)
        if self._needles:
            masked = unicodedata.normalize("NFC", masked)
        for needle in self._needles:
            masked = _loosely(needle).sub(MASK, masked)
        return masked

    def _mask(self, match: re.Match[str]) -> str:
        words = set(index_words(match[0]))
        inside = self._inside is not None and self._inside.search(flat(match[0]))
        return MASK if inside or words & (self._words | self._parts) - _plain() else match[0]

    def _walked(self, part: Any) -> Any:
        if isinstance(part, str):
            left = self.without(part)
            return part if left is None else left
        if isinstance(part, Mapping):
            return {self._walked(key): self._walked(value) for key, value in part.items()}
        if isinstance(part, list):
            return [self._walked(value) for value in part]
        if isinstance(part, int | float) and not isinstance(part, bool):
            return 0 if self.stand_in(str(part)) else part
        return part


def flat(text: str) -> str:
    """A text as it is compared: small letters, one space between words, letters in one form."""
    return _BLANKS.sub(" ", unicodedata.normalize("NFC", text)).casefold().strip()


def without_arguments(calls: str) -> str:
    """Recorded tool calls of which only ids and names are left, so that results still fit them."""
    kept = []
    for call in json.loads(calls):
        function = call.get("function") or {}
        kept.append({**_named(call), "function": {"name": function.get("name"), "arguments": "{}"}})
    return json.dumps(kept, ensure_ascii=False)


def said_in_calls(calls: str) -> str:
    """What recorded tool calls say: their arguments."""
    return "\n".join(
        leaf
        for call in json.loads(calls)
        for leaf in _leaves((call.get("function") or {}).get("arguments"))
    )


def _named(call: Mapping[str, Any]) -> dict[str, Any]:
    return {key: call[key] for key in ("id", "type", "index") if key in call}


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        document = _document(value)
        yield from (value,) if document is None else _leaves(document)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in value:
            yield from _leaves(part)
    elif value is not None:
        yield str(value)


def _document(text: str) -> Any:
    """What a text says as JSON, if it is an object or a list; else None."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _loosely(needle: str) -> re.Pattern[str]:
    """A text wherever its words stand in this order with blanks between them."""
    return re.compile(r"\s+".join(map(re.escape, needle.split())), re.IGNORECASE)
