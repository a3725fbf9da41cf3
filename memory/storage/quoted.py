"""Which texts of sessions were made of others: summaries, receipts, notes, records of calls.

Messages, stored content and what the configuration brings are sources: they stay what they are.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.fact_events import FACT_EVENTS
from memory.quoting import Quotes, Telling, said_in_calls, telling
from memory.storage.database import Database, Transaction
from memory.storage.failures import StorageError
from memory.storage.log import FREQUENT

SOURCES = ("system_prompt", "tools", "memory_files", "agent", "content_stored", "recalled")
"""Kinds of events whose texts are nobody's quotes. What was recalled stands where it is from."""
FOLDINGS = ("compaction", "undo", "redo", "receipts", "restored", "summary_rewritten")
REFERRED = ("pinned", "restored")
"""What foldings say of messages, which stand in the log themselves."""
MOST_RUNS = 5_000
"""Words in a row that are looked up, two seconds; where years expire at once, rare words tell."""
AT_ONCE = 200
"""Words looked up before others may use the database: 0.4 ms each among 20,000 messages."""
ID = 26
"""Characters of a body's id."""
_RARE = (
    "SELECT e.kind, e.data FROM branch b CROSS JOIN event e INDEXED BY event_kind "
    "ON e.branch = b.id AND e.kind NOT IN ({frequent}) "
    "WHERE b.stream IN (SELECT value FROM json_each(?))"
)
_OF_MESSAGES = (
    "SELECT DISTINCT w.value FROM json_each(?1) w CROSS JOIN branch b "
    "CROSS JOIN event e INDEXED BY event_body ON e.branch = b.id AND e.kind = 'message' "
    "AND json_extract(e.data, '$.ref.body') = w.value "
    "WHERE b.stream IN (SELECT value FROM json_each(?2))"
)
_OF_HELPERS = (
    "SELECT x.value FROM stream s JOIN branch b ON b.stream = s.id "
    "JOIN event e ON e.branch = b.id AND e.kind = 'message', "
    "json_each(json_array(json_extract(e.data, '$.ref.body'), json_extract(e.data, '$.ref.calls'), "
    "json_extract(e.data, '$.ref.reasoning'))) x "
    "WHERE x.value IS NOT NULL AND s.owner IN (SELECT value FROM json_each(?))"
)
_STAYING = (
    "SELECT w.value FROM json_each(?1) w WHERE EXISTS (SELECT 1 FROM passage_words f "
    "CROSS JOIN passage p ON p.id = f.rowid WHERE f.passage_words MATCH '\"' || w.value || '\"' "
    "AND p.kind IN ('message', 'content') AND p.stream IN (SELECT value FROM json_each(?2)) "
    "AND p.body NOT IN (SELECT value FROM json_each(?3)))"
)
_TEXTS = (
    "SELECT b.id, b.text FROM json_each(?1) w JOIN body b ON b.id = w.value "
    "WHERE b.text IS NOT NULL AND b.stream IN (SELECT value FROM json_each(?2))"
)
Reader = Database | Transaction


@dataclass(frozen=True, slots=True)
class Made:
    """The texts of sessions that were made of others, by id."""

    kinds: Mapping[str, str]
    """The kind of the event that names each."""
    receipts: frozenset[str]
    """Those that stand in the place of messages: what they cite has to stay."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text that quotes, without the quotes."""

    body: str
    kind: str
    before: str
    after: str


async def with_helpers(reader: Reader, streams: Collection[str]) -> tuple[str, ...]:
    """The streams with those of their helpers."""
    rows = await reader.all(
        "SELECT id FROM stream WHERE owner IN (SELECT value FROM json_each(?1)) "
        "AND id NOT IN (SELECT value FROM json_each(?1))",
        (_json(streams),),
    )
    return (*streams, *(row[0] for row in rows))


async def made_texts(reader: Reader, streams: Collection[str]) -> Made:
    """The texts of some sessions and of their helpers that were made of others."""
    within = await with_helpers(reader, streams)
    frequent = ", ".join(f"'{kind}'" for kind in FREQUENT)
    rows = await reader.all(_RARE.format(frequent=frequent), (_json(within),))
    kinds: dict[str, str] = {}
    receipts: set[str] = set()
    left = {*SOURCES, *(event.KIND for event in FACT_EVENTS)}
    for kind, data in rows:
        if kind in left:
            continue
        fields = json.loads(data)
        for key, value in fields.items():
            if kind in FOLDINGS and key in REFERRED and kind != "restored":
                continue
            found = list(_ids(value))
            kinds.update((id, kind) for id in found if id not in kinds)
            if key == "edits":
                receipts.update(found)
    said = await reader.all(_OF_MESSAGES, (_json(kinds), _json(within)))
    for (body,) in said:
        kinds.pop(body, None)
    for (body,) in await reader.all(_OF_HELPERS, (_json(streams),)):
        kinds[body] = "helping"
    return Made(kinds, frozenset(receipts & kinds.keys()))


async def quotes_of(
    database: Database, streams: Collection[str], gone: Collection[str], needles: Sequence[str]
) -> Quotes:
    """By what one may know texts that are to go, and none that stay in their sessions.

    Args:
        database: Where they are.
        streams: The sessions.
        gone: The bodies of the texts; calls among them count by their arguments.
        needles: Words that are to go wherever they stand.
    """
    rows = await database.all(
        _TEXTS.replace("AND b.stream IN (SELECT value FROM json_each(?2))", ""), (_json(gone),)
    )
    has = telling([_said(text) for _, text in rows])
    if not has.words and not has.runs:
        return Quotes(has, needles)
    made = await made_texts(database, streams)
    within = await with_helpers(database, streams)
    values = (_json(within), _json([*gone, *made.kinds]))
    try:
        words = has.words - await _staying(database, has.words, values)
        # What has one of these words is a quote already.
        runs = {run for run in has.runs if words.isdisjoint(run.split())}
        if len(runs) > MOST_RUNS:
            return Quotes(Telling(words), needles)
        runs -= await _staying(database, runs, values)
    except StorageError:
        # The search table is damaged: rather too much is cut than too little.
        return Quotes(has, needles)
    return Quotes(Telling(words, frozenset(runs)), needles)


async def _staying(
    database: Database, terms: Collection[str], values: tuple[str, str]
) -> frozenset[str]:
    """Those of some words, or words in a row, that a text has which stays."""
    found: set[str] = set()
    ordered = sorted(terms)
    for start in range(0, len(ordered), AT_ONCE):
        part = _json(ordered[start : start + AT_ONCE])
        found.update(row[0] for row in await database.all(_STAYING, (part, *values)))
    return frozenset(found)


async def cuts(
    reader: Reader, streams: Collection[str], quotes: Quotes, gone: Collection[str]
) -> list[Cut]:
    """The texts that quote what is to go, without the quotes."""
    if not quotes:
        return []
    made = await made_texts(reader, streams)
    within = await with_helpers(reader, streams)
    wanted = made.kinds.keys() - set(gone)
    found: list[Cut] = []
    for body, text in await reader.all(_TEXTS, (_json(wanted), _json(within))):
        after = quotes.masked(text) if body in made.receipts else quotes.without(text)
        if after is not None and after != text:
            found.append(Cut(body, made.kinds[body], text, after))
    return found


def _said(text: str) -> str:
    """What a text says; of recorded calls only what they were called with."""
    if not text.startswith('[{"') or '"function"' not in text:
        return text
    try:
        return said_in_calls(text)
    except (ValueError, AttributeError, TypeError):
        return text


def _ids(value: Any) -> Iterator[str]:
    """What may be ids of bodies in the fields of an event."""
    if isinstance(value, str):
        if len(value) == ID and value.isalnum() and value.isupper():
            yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _ids(part)
    elif isinstance(value, list):
        for part in value:
            yield from _ids(part)


def _json(values: Collection[str] | Mapping[str, str]) -> str:
    return json.dumps(list(values))
