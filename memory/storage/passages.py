"""Passages: what a search finds, written in the transaction of the events that bring it.

Each text stands once, in the body table; a passage is a stretch of it with what it may be asked
for by, and the search table holds its words alone.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from memory.clock import format_time, parse_time
from memory.events import Recorded
from memory.parts import SummaryRef
from memory.storage.cutting import LONGEST, spans
from memory.storage.database import Transaction
from memory.storage.sources import (
    STANDING_KINDS,
    SUMMARY,
    Listed,
    PassageKind,
    Replaced,
    Said,
    Source,
    Standing,
    Tagged,
    changes,
    summary_name,
    summary_sources,
)

PAUSE = timedelta(hours=6)
"""After a longer silence what is said belongs to another episode: a night, or a day's work."""
AT_ONCE = 100_000
"""Characters whose words are found in the transaction itself, some 50 ms in the database's thread;
those of a longer text follow in the background."""
UNLISTED, ABANDONED = 1, 2
"""Why a passage is not found for now, as bits of `passage.hidden`."""

_EPISODE = (
    "ifnull((SELECT CASE WHEN o.at >= :since THEN o.episode END FROM passage o "
    "WHERE o.stream = s.id AND o.number BETWEEN 1 AND :number "
    "ORDER BY o.number DESC, o.id DESC LIMIT 1), :number)"
)
_INSERT = (
    "INSERT INTO passage (kind, name, body, first, last, stream, branch, n, number, episode, "
    "agent, role, origin, at, importance, pinned, tags, words) "
    "SELECT :kind, :name, b.id, :first, :last, s.id, :branch, :n, :number, "
    f"CASE WHEN :number THEN {_EPISODE} ELSE 0 END, "
    "s.agent, :role, :origin, :at, :importance, :pinned, :tags, "
    "CASE WHEN :now THEN count_words(b.text, :first, :last) END "
    "FROM stream s JOIN body b ON b.id = :body "
    # What a helper says is for the session that it works for, which is told of it.
    "WHERE s.id = :stream AND s.owner IS NULL "
    "AND trim(b.text, char(9, 10, 11, 12, 13, 32)) <> '' "
    # Content that is part of a message is found by the message.
    "AND (:kind <> 'content' OR NOT EXISTS "
    "(SELECT 1 FROM passage m WHERE m.body = b.id AND m.kind = 'message'))"
)
_STANDS_LATER = (
    "SELECT 1 FROM event INDEXED BY event_kind WHERE branch = ? AND n > ? "
    f"AND kind IN ({', '.join(repr(kind) for kind in STANDING_KINDS)}) "
    "AND kind NOT IN ('message', 'request', 'attempt') LIMIT 1"
)
# A damaged search table is left alone until it is made anew: it must keep nobody from talking.
_SOUND = "(SELECT rules FROM search) <> 0"
_ADD_WORDS = (
    "INSERT INTO passage_words (rowid, words) "
    "SELECT p.id, index_words(b.text, p.first, p.last) FROM passage p JOIN body b ON b.id = p.body "
    f"WHERE p.words IS NOT NULL AND {_SOUND} AND {{}}"
)
_TAKE_WORDS = (
    "INSERT INTO passage_words (passage_words, rowid, words) "
    "SELECT 'delete', p.id, index_words(b.text, p.first, p.last) "
    "FROM passage p JOIN body b ON b.id = p.body "
    f"WHERE p.words IS NOT NULL AND {_SOUND} AND {{}}"
)

_RENEW = "UPDATE search SET rules = 0"


@dataclass(frozen=True, slots=True)
class Place:
    """Where passages come from."""

    stream: str
    branch: str
    n: int
    """The event that brings them."""
    at: str


async def keep_findable(
    transaction: Transaction,
    place: tuple[str, str],
    recorded: Sequence[Recorded],
    texts: Mapping[str, str],
) -> None:
    """Writes what events of a session make findable, and takes out what no longer is.

    Args:
        transaction: In which the events are written.
        place: Stream and branch of the events.
        recorded: The events.
        texts: Texts that come with them, by body.
    """
    stream, branch = place
    rows: list[dict[str, object]] = []
    for change in changes(recorded):
        if isinstance(change, Said):
            said = Place(stream, branch, change.n, change.at)
            rows += await _rows(transaction, said, change.source, texts)
        else:
            await _write(transaction, branch, rows)
            rows = []
            await _change(transaction, place, change, texts)
    await _write(transaction, branch, rows)


async def add(transaction: Transaction, place: Place, source: Source) -> None:
    """Makes a text findable; it stands in the body table already.

    Several of one event need different names.
    """
    rows = await _rows(transaction, place, source, {})
    await transaction.many(_INSERT, rows)
    await _add_words(
        transaction,
        "p.branch = ? AND p.n = ? AND p.kind = ? AND p.name = ?",
        (place.branch, place.n, source.kind, source.name),
    )


async def alter(
    transaction: Transaction, stream: str, kind: PassageKind, name: str, **values: object
) -> None:
    """Changes what a passage may be asked for by: importance, pinned, tags, at.

    Args:
        transaction: The transaction.
        stream: Its stream.
        kind: Its kind.
        name: Its name.
        values: The new values, by column.
    """
    if "tags" in values:
        values["tags"] = json.dumps(values["tags"])
    columns = ", ".join(f"{column} = ?" for column in values)
    await transaction.run(
        f"UPDATE passage SET {columns} WHERE stream = ? AND kind = ? AND name = ? AND name <> ''",
        (*values.values(), stream, kind, name),
    )


async def remove_named(
    transaction: Transaction, stream: str, kind: PassageKind, name: str
) -> list[int]:
    """Takes out the passages of a name; their ids."""
    return await remove(
        transaction, "p.stream = ? AND p.kind = ? AND p.name = ? AND p.name <> ''",
        (stream, kind, name),
    )  # fmt: skip


async def remove_stream(transaction: Transaction, stream: str) -> None:
    """Takes out the passages of a stream and of those that work for it, before it is deleted."""
    mine = "p.stream IN (SELECT id FROM stream WHERE id = ?1 OR owner = ?1)"
    await remove(transaction, mine, (stream,))


async def remove(transaction: Transaction, which: str, values: Sequence[object]) -> list[int]:
    """Takes passages out, with words and vectors; their ids.

    Args:
        transaction: The transaction.
        which: The condition, of a passage `p`.
        values: Its values.
    """
    gone = [
        row[0] for row in await transaction.all(f"SELECT id FROM passage p WHERE {which}", values)
    ]
    if gone:
        if not await transaction.attempt(_TAKE_WORDS.format(which), values):
            await transaction.run(_RENEW)
        await transaction.run(f"DELETE FROM passage AS p WHERE {which}", values)
    return gone


async def _add_words(transaction: Transaction, which: str, values: Sequence[object]) -> None:
    if not await transaction.attempt(_ADD_WORDS.format(which), values):
        await transaction.run(_RENEW)


async def _write(
    transaction: Transaction, branch: str, rows: Sequence[Mapping[str, object]]
) -> None:
    """Writes passages of events that have none yet, with their words."""
    if rows:
        await transaction.many(_INSERT, rows)
        numbers = [int(str(row["n"])) for row in rows]
        await _add_words(
            transaction,
            "p.branch = ? AND p.n BETWEEN ? AND ?",
            (branch, min(numbers), max(numbers)),
        )


async def _rows(
    transaction: Transaction, place: Place, source: Source, texts: Mapping[str, str]
) -> list[dict[str, object]]:
    """The passages of a text as rows to be written."""
    end = source.end
    if end is None or end - source.start > LONGEST:
        text = await _text(transaction, source.body, texts)
        whole = text[source.start : end]
        parts = [(source.start + low, source.start + high) for low, high in spans(whole)]
        length = len(whole)
    else:
        parts, length = [(source.start, end)], end - source.start
    at = source.at or place.at
    return [
        {
            "kind": source.kind,
            "name": source.name,
            "body": source.body,
            "first": first,
            "last": last,
            "stream": place.stream,
            "branch": place.branch,
            "n": place.n,
            "number": source.number,
            "since": format_time(parse_time(at) - PAUSE),
            "role": source.role,
            "origin": source.origin,
            "at": at,
            "importance": source.importance,
            "pinned": int(source.pinned),
            "tags": json.dumps(source.tags),
            "now": int(length <= AT_ONCE),
        }
        for first, last in parts
        if last > first
    ]


async def _text(transaction: Transaction, body: str, texts: Mapping[str, str]) -> str:
    if body in texts:
        return texts[body]
    row = await transaction.one("SELECT text FROM body WHERE id = ?", (body,))
    return str(row[0]) if row and row[0] is not None else ""


async def _change(
    transaction: Transaction,
    place: tuple[str, str],
    change: Standing | Replaced | Tagged | Listed,
    texts: Mapping[str, str],
) -> None:
    stream, branch = place
    match change:
        case Standing(n, at, summaries):
            # What is gone through later than it was written may have been superseded since.
            if await transaction.one(_STANDS_LATER, (branch, n)) is None:
                await _stand(transaction, Place(stream, branch, n, at), summaries, texts)
        case Replaced(n, at, body, summary):
            name = summary_name(body)
            if name in await _summaries(transaction, stream, branch):
                await _take_summary(transaction, place, name)
                await _add_summary(transaction, Place(stream, branch, n, at), summary, texts)
        case Tagged(item, tags):
            await alter(transaction, stream, "content", item, tags=tags)
        case Listed(items, listed):
            bits = f"hidden & ~{UNLISTED}" if listed else f"hidden | {UNLISTED}"
            await transaction.many(
                f"UPDATE passage SET hidden = {bits} "
                "WHERE stream = ? AND kind = 'content' AND name = ? AND name <> ''",
                [(stream, item) for item in items],
            )


async def _stand(
    transaction: Transaction,
    place: Place,
    summaries: Sequence[SummaryRef],
    texts: Mapping[str, str],
) -> None:
    there = await _summaries(transaction, place.stream, place.branch)
    standing = {summary_name(summary.body): summary for summary in summaries}
    for name in there - standing.keys():
        await _take_summary(transaction, (place.stream, place.branch), name)
    for name, summary in standing.items():
        if name not in there:
            await _add_summary(transaction, place, summary, texts)


async def _summaries(transaction: Transaction, stream: str, branch: str) -> set[str]:
    """The names of the summaries that are found in a branch."""
    rows = await transaction.all(
        "SELECT DISTINCT name FROM passage WHERE stream = ? AND name <> '' AND name >= ? "
        "AND name < ? AND kind = 'summary' AND branch = ?",
        (stream, SUMMARY, f"{SUMMARY}~", branch),
    )
    return {row[0] for row in rows}


_OF_SUMMARY = "p.stream = ? AND p.name = ? AND p.name <> '' AND p.kind = 'summary' AND p.branch = ?"


async def _take_summary(transaction: Transaction, place: tuple[str, str], name: str) -> None:
    stream, branch = place
    await remove(transaction, _OF_SUMMARY, (stream, name, branch))


async def _add_summary(
    transaction: Transaction, place: Place, summary: SummaryRef, texts: Mapping[str, str]
) -> None:
    for source in summary_sources(summary):
        await transaction.many(_INSERT, await _rows(transaction, place, source, texts))
    which = (place.stream, summary_name(summary.body), place.branch)
    await _add_words(transaction, _OF_SUMMARY, which)
