"""The door that every text passes before it is stored."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from memory.privacy import columns, contacts, keys, logins, named, names, national, numbers, tokens
from memory.privacy.growing import settled
from memory.privacy.kinds import ALWAYS, KINDS, Kind, Span, marker
from memory.privacy.looked import Looked
from memory.privacy.preparing import prepare
from memory.privacy.windows import BIG, in_windows

if TYPE_CHECKING:
    from memory.config import PrivacyConfig

NAMED: frozenset[Kind] = frozenset(("private_keys", "api_keys", "passwords"))
"""Kinds that are known by a name before them."""
MOST_AHEAD = 4
"""Big texts that are kept until they are asked for."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHORTEST = 6
"""Characters of the shortest text in which anything can be found: `pin:1…` has more."""
Finder = Callable[[Looked], Iterable[Span]]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text that may be stored, and what was replaced in it.

    Only `Door` makes it: what takes a `Cleaned` can't be given a text that has not passed.
    """

    text: str
    kinds: Mapping[Kind, int] = field(default_factory=dict)
    """How many of which kind were replaced."""

    @property
    def redacted(self) -> int:
        """How many were replaced in all."""
        return sum(self.kinds.values())


class Door:
    """Replaces secrets, personal data, and what no database or model takes (lone surrogates).

    An open database has one, through which everything goes that is written there.

    Args:
        kinds: What is replaced, by the names of the switches.
        region: Country whose phone numbers are known as they are written there.
    """

    def __init__(self, kinds: Collection[Kind] = ALWAYS, region: str = "") -> None:
        self._kinds = frozenset(kinds)
        self._region = region
        self._passed: dict[str, Cleaned] = {}
        """Big texts that were looked at ahead of being stored."""

    @classmethod
    def of(cls, privacy: "PrivacyConfig") -> "Door":
        """The door that a configuration asks for."""
        on: list[Kind] = [kind for kind in KINDS if getattr(privacy, kind)]
        return cls(on, privacy.phone_region)

    def prepare(self) -> None:
        """Loads what it checks numbers with, in small steps: for a thread."""
        prepare(self._kinds, self._region)

    async def ahead(self, *values: object) -> None:
        """Looks at big texts in a thread: `clean` has the answer at hand then, once.

        Args:
            values: Texts, and what JSON can say with texts in it.
        """
        for text in filter(self._is_big, chain.from_iterable(map(_texts_in, values))):
            self._passed[text] = await asyncio.to_thread(self.clean, text)
            while len(self._passed) > MOST_AHEAD:
                del self._passed[next(iter(self._passed))]

    def around(self, whole: str, passed: Cleaned) -> None:
        """Has `clean` look at what stands around a big text alone, which has passed before.

        Args:
            whole: A text with that one in it, between marks.
            passed: The one that has passed.
        """
        before, inside, after = whole.partition(passed.text)
        if not (inside and self._is_big(inside)):
            return
        if not (self.clean(before).redacted or self.clean(after).redacted):
            self._passed[whole] = Cleaned(whole)

    def _is_big(self, text: str) -> bool:
        return len(text) > BIG and text not in self._passed

    def clean(self, text: str) -> Cleaned:
        """The text as it may be stored, with what was replaced."""
        if len(text) > BIG and (passed := self._passed.pop(text, None)) is not None:
            return passed
        text = encodable(text)
        if len(text) < _SHORTEST:
            return Cleaned(text)
        looked = Looked(text)
        return _replaced(looked, self._spans(looked), len(looked.text))

    def clean_named(self, name: str, text: str) -> Cleaned:
        """A value as it may be stored of which the name tells what it is."""
        kind = names.is_name(name)
        if kind is None or kind not in self._kinds or not text or text.startswith("[redacted: "):
            return self.clean(text)
        whole = self.clean(f"{name}={text}" if "\n" in text else f'"{name}": "{text}"')
        return Cleaned(marker(kind), {kind: 1}) if whole.redacted else self.clean(text)

    def clean_json(self, value: object) -> Cleaned:
        """A value as JSON of which every text has passed; its structure stays whole."""
        kinds: Counter[Kind] = Counter()
        return Cleaned(json.dumps(self._walked(value, kinds), ensure_ascii=False), dict(kinds))

    def clean_growing(self, text: str) -> str:
        """A text that is still arriving, without what may become a secret at its end."""
        text = encodable(text)
        looked = Looked(text)
        spans = self._spans(looked)
        return _replaced(looked, spans, settled(looked, spans, self._kinds)).text

    def _walked(self, part: object, kinds: Counter[Kind], name: str = "") -> object:
        if isinstance(part, str):
            return self._text_in_json(part, kinds, name)
        if isinstance(part, Mapping):
            return {
                self._counted(self.clean(str(key)), kinds): self._walked(entry, kinds, str(key))
                for key, entry in part.items()
            }
        if isinstance(part, Sequence):
            return [self._walked(entry, kinds, name) for entry in part]
        if isinstance(part, int | float) and not isinstance(part, bool):
            cleaned = self.clean_named(name, str(part))
            return self._counted(cleaned, kinds) if cleaned.redacted else part
        return part

    def _text_in_json(self, text: str, kinds: Counter[Kind], name: str) -> str:
        cleaned = self.clean_named(name, text)
        if not cleaned.redacted or text[:1] not in ("{", "["):
            return self._counted(cleaned, kinds)
        # Arguments of calls are JSON in a text: a model's server refuses them where they are not.
        try:
            inner = json.loads(text)
        except (ValueError, RecursionError):
            return self._counted(cleaned, kinds)
        within: Counter[Kind] = Counter()
        walked = json.dumps(self._walked(inner, within), ensure_ascii=False)
        if (again := self.clean(walked)).redacted:
            # What only the whole tells: the text is kept as one value.
            return json.dumps({"text": self._counted(cleaned, kinds)}, ensure_ascii=False)
        kinds.update(within)
        return again.text

    @staticmethod
    def _counted(cleaned: Cleaned, kinds: Counter[Kind]) -> str:
        kinds.update(cleaned.kinds)
        return cleaned.text

    def _spans(self, looked: Looked) -> list[Span]:
        on = self._kinds
        found = [*in_windows(looked, self._found)]
        if on & NAMED:
            # A heading may stand far above what it names.
            found += columns.find(looked)
        return _merged(span for span in found if span.kind in on)

    def _found(self, looked: Looked) -> Iterator[Span]:
        return (span for finder in self._finders(looked) for span in finder(looked))

    def _finders(self, looked: Looked) -> Iterator[Finder]:
        on = self._kinds
        if "private_keys" in on:
            yield keys.find
        if "api_keys" in on:
            yield tokens.find
        if on & NAMED:
            yield named.find
            yield logins.find
        if "emails" in on:
            yield contacts.find_emails
        if "ip_addresses" in on:
            yield contacts.find_addresses
        if not looked.digits:
            return
        numbered: tuple[tuple[Kind, Finder], ...] = (
            ("ibans", numbers.find_ibans),
            ("cards", numbers.find_cards),
            ("national_ids", national.find),
            ("phones", partial(contacts.find_phones, region=self._region)),
        )
        yield from (finder for kind, finder in numbered if kind in on)


def replaced_in(texts: Iterable[Cleaned]) -> tuple[tuple[str, int], ...]:
    """How many of which kind were replaced in several texts, as events say it."""
    kinds: Counter[str] = Counter()
    for cleaned in texts:
        kinds.update(cleaned.kinds)
    return tuple(kinds.items())


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from chain.from_iterable(map(_texts_in, value.values()))
    elif isinstance(value, Sequence):
        yield from chain.from_iterable(map(_texts_in, value))


def encodable(text: str) -> str:
    """The text without what no database or model takes: lone surrogates."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in their order; those that overlap are one, of the kind that begins first."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = last._replace(end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


def _replaced(looked: Looked, spans: Sequence[Span], upto: int) -> Cleaned:
    """The original up to a place, with markers for the spans before it."""
    text, at = looked.original, 0
    parts: list[str] = []
    kinds: Counter[Kind] = Counter()
    for span in spans:
        if span.end > upto:
            break
        parts += (text[at : looked.start(span.start)], marker(span.kind))
        kinds[span.kind] += 1
        at = looked.end(span.end)
    stop = len(text) if upto == len(looked.text) else looked.start(upto)
    return Cleaned("".join([*parts, text[at : max(at, stop)]]), dict(kinds))
