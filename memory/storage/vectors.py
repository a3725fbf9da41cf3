"""Vectors of passages, kept beside the texts: the index can be lost at any time (RECALL-2)."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from memory.storage.database import Database, Row, Transaction
from memory.storage.finding import Wanted

DROPPED_AT_ONCE = 500
"""Vectors of an embedder no longer in use that go in one transaction."""

_TEXTS = (
    "SELECT p.id, b.text, p.first, p.last FROM passage p JOIN body b ON b.id = p.body "
    "WHERE p.agent = ? AND NOT p.hidden AND b.text IS NOT NULL AND p.id BETWEEN ? AND ? "
    "AND NOT EXISTS (SELECT 1 FROM vector v WHERE v.passage = p.id AND v.embedder = ?) "
    "ORDER BY p.id {} LIMIT ?"
)


@dataclass(frozen=True, slots=True)
class Space:
    """Vectors that can be compared: those of one agent by one embedder."""

    agent: str
    embedder: str


@dataclass(frozen=True, slots=True)
class Newest:
    """How far the tables have got."""

    passage: int
    vector: int


@dataclass(frozen=True, slots=True)
class Part:
    """How many of a stretch of passages can be found, and how many of them have a vector."""

    passages: int
    vectors: int


async def name_of(database: Database, space: Space) -> str:
    """What a space is called outside: it tells nothing, and is of this database alone.

    Raises:
        StorageError: The database refused.
    """
    row = await database.one("SELECT id FROM search")
    parts = (str(row[0]) if row else "", space.agent, space.embedder)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:40]


async def newest(database: Database) -> Newest:
    """The newest passage and the newest vector, whoever wrote them."""
    row = await database.one(
        "SELECT (SELECT ifnull(max(id), 0) FROM passage), (SELECT ifnull(max(id), 0) FROM vector)"
    )
    return Newest(*row) if row else Newest(0, 0)


async def count(database: Database, space: Space, low: int, high: int) -> Part:
    """Counts the passages with ids `low` to `high` (inclusive)."""
    row = await database.one(
        "SELECT count(*), count(v.id) FROM passage p "
        "LEFT JOIN vector v ON v.passage = p.id AND v.embedder = ? "
        "WHERE p.id BETWEEN ? AND ? AND p.agent = ? AND NOT p.hidden",
        (space.embedder, low, high, space.agent),
    )
    return Part(*row) if row else Part(0, 0)


async def last_embedder(database: Database) -> str:
    """Which embedder made the newest vector; empty where there is none."""
    row = await database.one("SELECT embedder FROM vector ORDER BY id DESC LIMIT 1")
    return str(row[0]) if row else ""


async def without(
    database: Database, space: Space, low: int, high: int, most: int, *, newest_first: bool
) -> list[tuple[int, str]]:
    """Passages of a stretch of ids that have no vector yet, with their texts."""
    rows = await database.all(
        _TEXTS.format("DESC" if newest_first else "ASC"),
        (space.agent, low, high, space.embedder, most),
    )
    return [(id, text[first:last]) for id, text, first, last in rows]


async def keep(database: Database, embedder: str, vectors: Sequence[tuple[int, bytes]]) -> None:
    """Stores vectors; those of passages that have gone meanwhile are left out.

    Raises:
        StorageError: The database refused; nothing was kept.
    """

    async def write(transaction: Transaction) -> None:
        await transaction.many(
            "INSERT OR IGNORE INTO vector (passage, embedder, data) "
            "SELECT id, ?2, ?3 FROM passage WHERE id = ?1",
            [(id, embedder, data) for id, data in vectors],
        )

    await database.write(write)


async def stored(database: Database, space: Space, low: int, high: int) -> list[int]:
    """The passages of a stretch of ids that have a vector and can be found."""
    rows = await database.all(
        "SELECT p.id FROM passage p JOIN vector v ON v.passage = p.id AND v.embedder = ? "
        "WHERE p.id BETWEEN ? AND ? AND p.agent = ? AND NOT p.hidden",
        (space.embedder, low, high, space.agent),
    )
    return [row[0] for row in rows]


async def stored_since(database: Database, space: Space, after: int) -> list[int]:
    """The passages whose vectors are newer than the vector of this number."""
    rows = await database.all(
        "SELECT v.passage FROM vector v JOIN passage p ON p.id = v.passage "
        "WHERE v.id > ? AND v.embedder = ? AND p.agent = ? AND NOT p.hidden ORDER BY v.id",
        (after, space.embedder, space.agent),
    )
    return [row[0] for row in rows]


async def entries(
    database: Database, embedder: str, ids: Sequence[int]
) -> list[tuple[int, str, bytes]]:
    """Passages with their sessions and vectors."""
    rows: list[Row] = await database.all(
        "SELECT p.id, p.stream, v.data FROM json_each(?) w JOIN passage p ON p.id = w.value "
        "JOIN vector v ON v.passage = p.id AND v.embedder = ?",
        (json.dumps(list(ids)), embedder),
    )
    return [(id, stream, data) for id, stream, data in rows]


async def all_of(
    database: Database, embedder: str, wanted: Wanted, most: int
) -> list[tuple[int, bytes]]:
    """The vectors of the newest passages that are all that is asked for."""
    condition = wanted.filter()
    rows = await database.all(
        "SELECT p.id, v.data FROM passage p JOIN vector v ON v.passage = p.id AND v.embedder = ? "
        f"WHERE {condition.sql} ORDER BY p.id DESC LIMIT ?",
        (embedder, *condition.values, most),
    )
    return [(id, data) for id, data in rows]


async def drop_others(database: Database, space: Space) -> bool:
    """Removes some vectors of other embedders; whether there were any."""
    others = (
        "SELECT v.id FROM vector v JOIN passage p ON p.id = v.passage "
        "WHERE v.embedder <> ? AND p.agent = ? LIMIT ?"
    )
    if await database.one(others, (space.embedder, space.agent, 1)) is None:
        return False

    async def write(transaction: Transaction) -> int:
        return await transaction.run(
            f"DELETE FROM vector WHERE id IN ({others})",
            (space.embedder, space.agent, DROPPED_AT_ONCE),
        )

    return bool(await database.write(write))
