"""Digests of JSON: its keys, what stands under each, and how long its lists are."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from memory.content.compactors.sketch import SCANNED, About, Group, Sketch, many
from memory.content.telling import MOST_NAMES, READ, names, one_line

SHORT_TEXT = 24
"""Characters of a text that is quoted; a longer one is told by its length."""
LONGEST_NOTE = 300
"""Characters of a line that a tool adds to what it read."""
INNER_KEYS = 6
LEAST_KEYS = 3
"""Keys in what can't be parsed that make it JSON all the same."""
_KEY = re.compile(r'"([^"\\\n]{1,60})"\s*:')


def _whole(text: str) -> Any:
    """The value that a text is, perhaps with a line behind it that tells where it comes from.

    Raises:
        ValueError: It is no JSON, or there is more.
    """
    value, end = json.JSONDecoder().raw_decode(text)
    rest = text[end:].strip()
    if rest and not (rest.startswith("(") and len(rest) <= LONGEST_NOTE):
        raise ValueError(rest[:LONGEST_NOTE])
    return value


def read_json(text: str, about: About) -> Sketch | None:
    """JSON, also where it is too long to be parsed or breaks off."""
    if text.lstrip()[0] not in "{[":
        return None
    keys = list(dict.fromkeys(islice(_KEY.findall(text[:READ]), MOST_NAMES)))
    if len(text) > SCANNED:
        return Sketch(f"JSON of {len(text):,} characters", (Group(keys),)) if keys else None
    try:
        value = _whole(text.lstrip())
    except (ValueError, RecursionError):
        return Sketch("JSON, not complete", (Group(keys),)) if len(keys) >= LEAST_KEYS else None
    if isinstance(value, list):
        return _of_list(value, keys or names(text))
    inner = keys if len(value) < INNER_KEYS else []
    told = (f"{key} {_said(part)}" for key, part in value.items())
    return Sketch(
        f"JSON object with {many(len(value), 'key')}", (Group(told), Group(inner, "keys"))
    )


def _of_list(value: list[object], keys: list[str]) -> Sketch:
    kind = f"JSON list of {many(len(value), 'entry', 'entries')}"
    samples = [entry for entry in (value[:1] + value[-1:]) if isinstance(entry, dict)]
    labels = ("first", "last")[: len(samples)] if len(value) > 1 else ("first",)[: len(samples)]
    told = zip(labels, samples, strict=False)
    return Sketch(kind, (Group(keys), *(Group(_entries(entry), label) for label, entry in told)))


def _entries(entry: Mapping[str, object]) -> Iterator[str]:
    return (f"{key} {_said(part)}" for key, part in entry.items())


def _said(value: object) -> str:
    """A value in a few words: itself where it is short, else what it is and how long."""
    match value:
        case str() if len(value) <= SHORT_TEXT:
            return f'"{one_line(value)}"'
        case str():
            return f"text of {len(value):,}"
        case dict():
            return f"{{{_some(list(value))}}}"
        case list() if value and isinstance(value[0], dict):
            return f"list of {len(value):,} {{{_some(list(value[0]))}}}"
        case list():
            return f"list of {len(value):,}"
        case _:
            return json.dumps(value)[:SHORT_TEXT]


def _some(keys: list[str]) -> str:
    return ", ".join(keys[:INNER_KEYS]) + (" …" if len(keys) > INNER_KEYS else "")
