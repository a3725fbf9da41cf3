"""One connection to the database, its transactions and its migrations."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from memory.finishing import finish
from memory.privacy import Door
from memory.storage.failures import DatabaseTooNew, StorageError, explain
from memory.storage.places import FILE_NAME
from memory.storage.text_words import count_words, index_words

BUSY_MS = 10_000
"""Milliseconds to wait for another process's transaction; ours take a few."""
CACHE_KB = 8_192

Row = tuple[Any, ...]
Result = TypeVar("Result")


class Database:
    """The SQLite database of a data directory, in WAL mode, written with full sync."""

    def __init__(self, path: Path, connection: aiosqlite.Connection, door: Door) -> None:
        self.path = path
        self.door = door
        """What every text passes that is written here."""
        self._connection = connection
        self._lock = asyncio.Lock()

    @classmethod
    async def open(cls, directory: Path, door: Door | None = None) -> "Database":
        """Opens the database below `directory`, created and migrated where needed.

        Args:
            directory: The data directory.
            door: What every text passes that is written here; one as by default without it.

        Raises:
            StorageError: The directory can't be written, or the file is damaged or too new.
        """
        path = directory / FILE_NAME
        try:
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            # aiosqlite leaves a thread behind that complains later where it can't connect.
            sqlite3.connect(path).close()
            connection = await aiosqlite.connect(path, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise explain(error, path) from error
        database = cls(path, connection, door or Door())
        try:
            await database._prepare()
        except BaseException:
            await connection.close()
            raise
        return database

    async def close(self) -> None:
        """Closes the connection; pending writes are done first."""
        async with self._lock:
            await self._connection.close()

    async def all(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Every row of a query, which sees all of a transaction or nothing of it."""
        async with self._lock:
            try:
                return list(await self._connection.execute_fetchall(sql, values))  # type: ignore[arg-type]
            except sqlite3.Error as error:
                raise explain(error, self.path) from error

    async def one(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """The first row of a query, or None."""
        rows = await self.all(sql, values)
        return rows[0] if rows else None

    async def data_version(self) -> int:
        """A figure that changes when another connection has written."""
        row = await self.one("PRAGMA data_version")
        return int(row[0]) if row else 0

    async def write(self, work: Callable[["Transaction"], Awaitable[Result]]) -> Result:
        """Runs `work` as one write transaction: all of it is on disk at the end, or nothing.

        `work` reads and writes by its transaction alone: the database waits for it to end.

        A cancelled caller does not cut it in two: the transaction ends first.

        Raises:
            StorageError: SQLite refused; nothing was kept.
        """
        return await finish(self._transact(work))

    async def _transact(self, work: Callable[["Transaction"], Awaitable[Result]]) -> Result:
        async with self._lock:
            try:
                await self._connection.execute("BEGIN IMMEDIATE")
                result = await work(Transaction(self._connection))
                await self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                await self._rollback()
                raise explain(error, self.path) from error
            except BaseException:
                await self._rollback()
                raise
            return result

    async def _rollback(self) -> None:
        if self._connection.in_transaction:
            await self._connection.execute("ROLLBACK")

    async def _prepare(self) -> None:
        try:
            for function in (index_words, count_words):
                await self._connection.create_function(
                    function.__name__, 3, function, deterministic=True
                )
            for pragma in (
                f"busy_timeout = {BUSY_MS}",
                "journal_mode = WAL",
                "synchronous = FULL",
                "foreign_keys = ON",
                f"cache_size = -{CACHE_KB}",
                "secure_delete = ON",
            ):
                await self._connection.execute(f"PRAGMA {pragma}")
        except sqlite3.Error as error:
            raise explain(error, self.path) from error
        await self._migrate()

    async def _migrate(self) -> None:
        steps = _migrations()
        if await self._version() > len(steps):
            raise DatabaseTooNew(
                f"{self.path} was written by a newer Strata.",
                "Update Strata, or choose another folder with --data DIR.",
            )
        if await self._version() == len(steps):
            return

        async def apply(transaction: Transaction) -> None:
            # Asked again: another process may have migrated since.
            row = await transaction.one("PRAGMA user_version")
            done = int(row[0]) if row else 0
            for number, script in enumerate(steps[done:], start=done + 1):
                await transaction.script(script)
                await transaction.run(f"PRAGMA user_version = {number}")

        await self.write(apply)

    async def _version(self) -> int:
        row = await self.one("PRAGMA user_version")
        if row is None:
            raise StorageError(f"{self.path} does not tell its version.", "Restore a copy of it.")
        return int(row[0])


class Transaction:
    """Writes that belong together."""

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def run(self, sql: str, values: Sequence[object] = ()) -> int:
        """Runs one statement; returns how many rows it changed."""
        cursor = await self._connection.execute(sql, values)
        return cursor.rowcount

    async def many(self, sql: str, rows: Iterable[Sequence[object] | Mapping[str, object]]) -> None:
        """Runs one statement for each of the rows."""
        await self._connection.executemany(sql, rows)

    async def one(self, sql: str, values: Sequence[object] = ()) -> Row | None:
        """The first row of a query inside the transaction, or None."""
        cursor = await self._connection.execute(sql, values)
        return await cursor.fetchone()  # type: ignore[return-value]

    async def all(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Every row of a query inside the transaction."""
        cursor = await self._connection.execute(sql, values)
        return list(await cursor.fetchall())  # type: ignore[arg-type]

    async def script(self, script: str) -> None:
        """Runs the statements of a migration, one after the other."""
        for statement in script.split(";"):
            if statement.strip():
                await self._connection.execute(statement)


def _migrations() -> list[str]:
    folder = resources.files("memory.storage") / "migrations"
    files = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(folder / name).read_text(encoding="utf-8") for name in files]
