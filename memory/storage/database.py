"""One connection to the database, its transactions and its migrations."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite

from memory.finishing import finish
from memory.privacy import Door
from memory.storage import keys
from memory.storage.before import look_before_opening
from memory.storage.drivers import DataKey, connect, driver_errors, file_errors, table_errors
from memory.storage.failures import DatabaseTooNew, NotWritable, StorageError, explain, tells_damage
from memory.storage.folders import make_own
from memory.storage.frozen import COPY, frozen_uri, only_readable
from memory.storage.header import hold, let_go
from memory.storage.places import FILE_NAME, NEW_FILE_NAME

BUSY_MS = 10_000
"""Milliseconds to wait for another process's transaction; ours take a few."""
CACHE_KB = 8_192
AT_ONCE = 64
"""Rows that are fetched together; all that this program reads, it reads at once."""

Row = tuple[Any, ...]
Result = TypeVar("Result")


class Database:
    """The SQLite database of a data directory, in WAL mode, written with full sync."""

    def __init__(
        self, path: Path, connection: aiosqlite.Connection, door: Door, *, encrypted: bool
    ) -> None:
        self.path = path
        self.door = door
        """What every text passes that is written here."""
        self.encrypted = encrypted
        """Whether nothing of what it holds may be written beside it."""
        self.frozen = False
        """Whether it is on a medium that can't be written."""
        self.opened_version = 0
        """What `data_version` was when it was opened, before anything was read."""
        self._connection = connection
        self._lock = asyncio.Lock()
        self._closed = False

    @classmethod
    async def open(cls, directory: Path, door: Door | None = None) -> "Database":
        """Opens the database below `directory`, created and migrated where needed.

        Args:
            directory: The data directory.
            door: What every text passes that is written here; one as by default without it.

        Raises:
            StorageError: The directory can't be written, the file is damaged or too new, or its
                key was not given (`memory.storage.keys.unlock`).
        """
        path = directory / FILE_NAME
        try:
            make_own(directory)
        except OSError as error:
            raise explain(error, path) from error
        if only_readable(directory):
            return await cls._connect(path, door or Door(), frozen=True)
        await asyncio.to_thread(_look, path)
        while True:
            file = _file(path)
            try:
                database = await cls._connect(path, door or Door())
            except StorageError:
                if file is not None and _file(path) not in (None, file):
                    continue  # it was encrypted or decrypted just now, and is another file
                raise
            if file is None or _file(path) == file:
                _clear(path)
                return database
            await database.close()

    @classmethod
    async def _connect(cls, path: Path, door: Door, *, frozen: bool = False) -> "Database":
        """One try; what was opened may be a file in whose place another has been put.

        Raises:
            StorageError: It can't be opened.
        """
        header = hold(path, lambda: keys.new_beginning(path.parent))
        try:
            key = keys.key_for(path.parent, header)
            connection = await (_frozen if frozen else _connection)(path, key)
            database = cls(path, connection, door, encrypted=key is not None)
            database.frozen = frozen
            try:
                await (database._assert_present() if frozen else database._prepare())
                database.opened_version = await database.data_version()
            except BaseException:
                await connection.close()
                raise
        except BaseException:
            let_go(path)
            raise
        return database

    async def close(self) -> None:
        """Closes the connection; pending writes are done first."""
        async with self._lock:
            await self._connection.close()
            if not self._closed:
                self._closed = True
                let_go(self.path)

    async def all(self, sql: str, values: Sequence[object] = ()) -> list[Row]:
        """Every row of a query, which sees all of a transaction or nothing of it."""
        async with self._lock:
            try:
                return list(await self._connection.execute_fetchall(sql, values))  # type: ignore[arg-type]
            except driver_errors() as error:
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
                try:
                    return await self._once(work)
                except table_errors() as error:
                    if not tells_damage(error) or not await self._once(_set_search_aside):
                        raise
                    return await self._once(work)
            except table_errors() as error:
                raise explain(error, self.path) from error

    async def _once(self, work: Callable[["Transaction"], Awaitable[Result]]) -> Result:
        try:
            await self._connection.execute("BEGIN IMMEDIATE")
            result = await work(Transaction(self._connection))
            await self._connection.execute("COMMIT")
        except BaseException:
            await self._rollback()
            raise
        return result

    async def _rollback(self) -> None:
        if self._connection.in_transaction:
            await self._connection.execute("ROLLBACK")

    async def _prepare(self) -> None:
        try:
            for pragma in (
                f"busy_timeout = {BUSY_MS}",
                "journal_mode = WAL",
                "synchronous = FULL",
                "foreign_keys = ON",
                f"cache_size = -{CACHE_KB}",
                "secure_delete = ON",
            ):
                await self._connection.execute(f"PRAGMA {pragma}")
        except driver_errors() as error:
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

    async def _assert_present(self) -> None:
        """Refuses a database that can't be migrated, since it can't be written.

        Raises:
            StorageError: It is older than this program, or newer.
        """
        if await self._version() < len(_migrations()):
            raise NotWritable(
                f"{self.path} was written by an older Strata, and can't be brought up to date "
                "where it can't be written.",
                COPY,
            )
        await self._migrate()

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

    async def attempt(self, sql: str, values: Sequence[object] = ()) -> bool:
        """Runs one statement; False, and nothing done, where what it touches is damaged."""
        try:
            await self._connection.execute(sql, values)
        except table_errors() as error:
            if tells_damage(error):
                return False
            raise
        return True

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


async def _connection(path: Path, key: DataKey | None) -> aiosqlite.Connection:
    try:
        # SQLite would make a file that others may read, and those beside it in its likeness.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        # aiosqlite leaves a thread behind that complains later where it can't connect.
        connect(path, key).close()
        return await aiosqlite.Connection(partial(connect, path, key), AT_ONCE)
    except file_errors() as error:
        raise explain(error, path) from error


async def _frozen(path: Path, key: DataKey | None) -> aiosqlite.Connection:
    """The same for a file that can't be written, and is not."""
    uri = frozen_uri(path)
    try:
        connect(uri, key, uri=True).close()
        return await aiosqlite.Connection(partial(connect, uri, key, uri=True), AT_ONCE)
    except file_errors() as error:
        raise explain(error, path) from error


def _look(path: Path) -> None:
    try:
        look_before_opening(path)
    except OSError as error:
        raise explain(error, path) from error


def _file(path: Path) -> int | None:
    """Which file has the name now; None where there is none, or it can't be told."""
    try:
        return path.stat().st_ino or None
    except OSError:
        return None


def _clear(path: Path) -> None:
    """Removes what a killed change of the key had begun: nobody changes it while it is open."""
    new = path.with_name(NEW_FILE_NAME)
    if new.exists():
        new.unlink(missing_ok=True)


async def _set_search_aside(transaction: Transaction) -> bool:
    """Leaves the search table alone from here on, which is then made anew in the background.

    Damage of it shows when a transaction ends, and must not keep anybody from talking.
    """
    if await transaction.one("SELECT 1 FROM sqlite_schema WHERE name = 'search'") is None:
        return False
    return bool(await transaction.run("UPDATE search SET rules = 0 WHERE rules <> 0"))


def _migrations() -> list[str]:
    folder = resources.files("memory.storage") / "migrations"
    files = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".sql"))
    return [(folder / name).read_text(encoding="utf-8") for name in files]
