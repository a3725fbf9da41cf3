"""Cleans the file of what was taken away, together with whoever else has it open (RECALL-6).

What is deleted stands on in pages of the file, in the search table's older parts and in the log of
writes, until the table was merged, the file written anew, and the log cut.
"""

import asyncio
import json
import logging
import os
import platform
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memory.clock import utc_now
from memory.errors import StrataError
from memory.processes import process_lives
from memory.storage.before import kept_copies
from memory.storage.catching_up import renew_words
from memory.storage.database import Database, Transaction
from memory.storage.failures import explain
from memory.storage.forgetting import Doomed, from_json, to_json

LOGGER = logging.getLogger("strata.memory")
INDEX = ("index", "index.damaged-*")
"""Where a vector index may lie beside the database. It is made again from there."""
RUNNING: set[tuple[Path, int]] = set()
"""What this process is at, by database: nobody else in it finishes that."""
_LIVES = "SELECT id, label, host, pid, seen FROM reader"


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A forgetting that ended in the middle."""

    id: int
    doomed: Doomed
    """What is to go."""
    gone: bool
    """Whether it has gone, and only the files are to be cleaned."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A process, or a part of one, that has the database open and holds texts."""

    id: str
    label: str


async def begin(database: Database, doomed: Doomed) -> int:
    """Writes down what is to go, so that the next start finishes what is killed from here on."""
    return await database.write(lambda transaction: _note(transaction, "begun", doomed))


async def mark_gone(transaction: Transaction, id: int, doomed: Doomed) -> int:
    """Notes in the same transaction that the texts have gone; only from where they went is left.

    Returns:
        The number that it has from now on: who has let go of what went before has a lower one,
        in whatever order several began to forget.
    """
    await transaction.run("DELETE FROM forgetting WHERE id = ?", (id,))
    return await _note(transaction, "gone", Doomed(doomed.streams))


async def begin_cleaning(transaction: Transaction) -> int:
    """Notes that texts go in this transaction, and the file is to be cleaned after it."""
    return await _note(transaction, "gone", None)


async def _note(transaction: Transaction, stage: str, doomed: Doomed | None) -> int:
    wish = None if doomed is None else to_json(doomed)
    await transaction.run(
        "INSERT INTO forgetting (at, host, pid, stage, wish) VALUES (?, ?, ?, ?, ?)",
        (utc_now(), platform.node(), os.getpid(), stage, wish),
    )
    row = await transaction.one("SELECT max(id) FROM forgetting")
    return int(row[0]) if row else 0


@contextmanager
def at_work(database: Database, id: int) -> Iterator[None]:
    """Has nobody else in this process finish what is being done."""
    running = (database.path, id)
    RUNNING.add(running)
    try:
        yield
    finally:
        RUNNING.discard(running)


async def unfinished(database: Database) -> list[Unfinished]:
    """What processes that no longer live began to forget, oldest first."""
    rows = await database.all(
        "SELECT id, host, pid, wish, stage = 'gone' FROM forgetting WHERE stage <> 'done' "
        "ORDER BY id"
    )
    return [
        Unfinished(id, from_json(wish) if wish is not None else Doomed(()), bool(gone))
        for id, host, pid, wish, gone in rows
        if not _is_at_work(database, id, (host, pid))
    ]


def _is_at_work(database: Database, id: int, process: tuple[str, int]) -> bool:
    host, pid = process
    if host != platform.node() or pid == os.getpid():
        return (database.path, id) in RUNNING
    return process_lives(pid)


async def clean(database: Database, id: int) -> bool:
    """Makes the file of the database hold nothing but what the tables hold.

    Args:
        database: The database.
        id: The forgetting after which this is done.

    Returns:
        Whether it is done; False where somebody reads from the old pages still. The next start
        tries again.

    Raises:
        StorageError: It can't be done now, as on a full disk; the next start tries again.
    """
    row = await database.one("SELECT rules FROM search")
    if row is not None and not row[0]:
        # It was found damaged, so that words could not be taken out one by one.
        await renew_words(database)

    await asyncio.to_thread(_remove_copies, database.path)
    await database.write(_merge_words)
    await database.all("VACUUM")
    rows = await database.all("PRAGMA wal_checkpoint(TRUNCATE)")
    if not rows or rows[0][0] != 0:
        return False

    # Only now: a kill before this has the next start begin again.
    async def note(transaction: Transaction) -> None:
        await transaction.run(
            "UPDATE forgetting SET stage = 'done', wish = NULL WHERE id = ?", (id,)
        )
        await transaction.run(
            "DELETE FROM forgetting WHERE stage = 'done' AND id < (SELECT max(id) FROM forgetting)"
        )

    await database.write(note)
    return True


async def _merge_words(transaction: Transaction) -> None:
    await transaction.attempt("INSERT INTO passage_words (passage_words) VALUES ('optimize')")


def _remove_copies(path: Path) -> None:
    try:
        for copy in kept_copies(path.parent):
            copy.unlink(missing_ok=True)
    except OSError as error:
        raise explain(error, path) from error


async def clean_up(database: Database, id: int) -> None:
    """Cleans the file after a whole stream has gone, and removes its vectors.

    Where that fails, the next start of a session tries again; the stream itself is gone.
    """
    try:
        with at_work(database, id):
            await asyncio.to_thread(remove_index, database.path.parent)
            await clean(database, id)
    except (OSError, StrataError) as error:
        LOGGER.warning("the database could not be cleaned: %s", error)


def remove_index(directory: Path) -> None:
    """Removes every vector that lies beside the database; whoever uses them fills a new index.

    Raises:
        OSError: Something can't be removed.
    """
    for pattern in INDEX:
        for path in directory.glob(pattern):
            shutil.rmtree(path, ignore_errors=False)


# -- who else has it open


async def newest(database: Database) -> int:
    """The number of the newest forgetting; 0 before the first."""
    row = await database.one("SELECT ifnull(max(id), 0) FROM forgetting WHERE stage <> 'begun'")
    return int(row[0]) if row else 0


async def enter(database: Database, reader: Reader) -> int:
    """Notes that texts are held here from now on; returns the newest forgetting of before."""

    async def write(transaction: Transaction) -> int:
        row = await transaction.one(
            "SELECT ifnull(max(id), 0) FROM forgetting WHERE stage <> 'begun'"
        )
        seen = int(row[0]) if row else 0
        await transaction.run(
            "INSERT OR REPLACE INTO reader VALUES (?, ?, ?, ?, ?)",
            (reader.id, reader.label, platform.node(), os.getpid(), seen),
        )
        return seen

    return await database.write(write)


async def answer(database: Database, reader: str, seen: int) -> None:
    """Tells that nothing of what was forgotten is held here any more."""

    async def write(transaction: Transaction) -> None:
        await transaction.run("UPDATE reader SET seen = ? WHERE id = ?", (seen, reader))

    await database.write(write)


async def leave(database: Database, reader: str) -> None:
    """Notes that nothing is held here any more."""

    async def write(transaction: Transaction) -> None:
        await transaction.run("DELETE FROM reader WHERE id = ?", (reader,))

    await database.write(write)


async def holding_on(database: Database, id: int, own: str) -> Sequence[Reader]:
    """Who lives and has not let go yet of what a forgetting took away."""
    rows = await database.all(f"{_LIVES} WHERE seen < ? AND id <> ?", (id, own))
    return [
        Reader(reader, label)
        for reader, label, host, pid, _ in rows
        if host != platform.node() or process_lives(pid)
    ]


async def drop_dead(database: Database) -> None:
    """Drops readers that ended without a word."""
    rows = await database.all(_LIVES)
    dead = [
        (reader,)
        for reader, _, host, pid, _ in rows
        if host == platform.node() and not process_lives(pid)
    ]
    if dead:

        async def write(transaction: Transaction) -> None:
            await transaction.many("DELETE FROM reader WHERE id = ?", dead)

        await database.write(write)


async def tombstones(database: Database, branch: str) -> list[tuple[int, str]]:
    """Tombstones that wait for whoever writes to a branch."""
    rows = await database.all(
        "SELECT id, data FROM tombstone WHERE branch = ? ORDER BY id", (branch,)
    )
    return [(id, data) for id, data in rows]


async def drop_tombstones(database: Database, ids: Sequence[int]) -> None:
    """Drops tombstones that stand in their branch now."""

    async def write(transaction: Transaction) -> None:
        await transaction.run(
            "DELETE FROM tombstone WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(ids)),),
        )

    await database.write(write)
