"""Looks at a database without changing it, sound or not (ALL-5, STORE-4).

Where no write-ahead log lies beside it, nobody is writing, and it is opened as a file that does not
change: SQLite then leaves nothing of its own behind and also works on a read-only disk.
"""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from memory.storage import keys
from memory.storage.database import Row
from memory.storage.drivers import DataKey, connect, driver_errors
from memory.storage.failures import PRIMARY_CODE, StorageError, explain
from memory.storage.header import PLAIN, hold, let_go
from memory.storage.leases import living_holder
from memory.storage.lineage import lineage

WAIT_S = 0.5
"""For another process that holds the whole database."""
MOST_FINDINGS = 20
_REFUSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)


@dataclass(frozen=True, slots=True)
class SessionRow:
    """What the tables say of a branch of a session, before its log is read."""

    stream: str
    branch: str
    id: str
    title: str | None
    agent: str
    messages: int
    head: int
    held: bool
    """Whether a living process writes to the branch."""
    parent_n: int = 0
    """The last event it shares with the branch it comes from; 0 for a session's first one."""

    @property
    def name(self) -> str:
        """What a person calls it."""
        return self.title or self.id


def newest_of_each(rows: Sequence[SessionRow]) -> list[SessionRow]:
    """One row a session, that of the branch used last; held where any of its branches is.

    Args:
        rows: The one used last first.
    """
    newest: dict[str, SessionRow] = {}
    for row in rows:
        there = newest.setdefault(row.stream, row)
        if row.held:
            newest[row.stream] = replace(there, held=True)
    return list(newest.values())


@dataclass(frozen=True, slots=True)
class Pages:
    """What SQLite found in the pages.

    Args:
        finished: Whether it came to the end in time.
        damage: What it found, in its own words.
        dangling: Rows that name another row that is not there.
    """

    finished: bool
    damage: tuple[str, ...] = ()
    dangling: int = 0


class Inspection:
    """A database that is only looked at."""

    def __init__(self, path: Path, connection: sqlite3.Connection, frozen: bool) -> None:
        self.path = path
        self.frozen = frozen
        """Whether it was taken for a file that does not change."""
        self._connection = connection

    def rows(self, sql: str, *values: object) -> list[Row]:
        """Every row of a query.

        Raises:
            StorageError: They can't be read.
        """
        try:
            return self._connection.execute(sql, values).fetchall()
        except driver_errors() as error:
            raise explain(error, self.path) from error

    def version(self) -> int:
        """How many migrations it has seen.

        Raises:
            StorageError: It is no database, or damaged.
        """
        return int(self.rows("PRAGMA user_version")[0][0])

    def sessions(self) -> list[SessionRow]:
        """Every session, the one used last first, a row for each of its branches.

        Raises:
            StorageError: They can't be read.
        """
        found = self.rows(
            "SELECT s.id, b.id, s.name, s.title, s.agent, b.messages, b.head, "
            "ifnull(b.parent_n, 0), l.label, l.host, l.pid, l.epoch, l.expires_at "
            "FROM branch b JOIN stream s ON s.id = b.stream LEFT JOIN lease l ON l.branch = b.id "
            "WHERE s.kind = 'session' AND NOT b.hidden ORDER BY b.updated_at DESC, b.id DESC"
        )
        return [
            SessionRow(*(*row[:7], living_holder(row[8:]) is not None, row[7])) for row in found
        ]

    def lineage(self, branch: str) -> list[tuple[str, int, int]]:
        """The branches whose events a branch sees as its own, oldest first, each with a range.

        Raises:
            StorageError: They can't be read.
        """
        try:
            return lineage(self._connection, branch)
        except driver_errors() as error:
            raise explain(error, self.path) from error

    def events(self, branch: str, after: int = 0) -> Iterator[Row]:
        """The rows `n, at, kind, version, data` of a branch and its ancestors, oldest first.

        Args:
            branch: Whose events.
            after: The event after which they begin.

        Raises:
            StorageError: A page can't be read; what came before could be.
        """
        try:
            for source, low, high in self.lineage(branch):
                yield from self._connection.execute(
                    "SELECT n, at, kind, version, data FROM event "
                    "WHERE branch = ? AND n BETWEEN ? AND ? ORDER BY n",
                    (source, max(low, after + 1), high),
                )
        except driver_errors() as error:
            raise explain(error, self.path) from error

    def drafts(self) -> list[str]:
        """The sessions with an answer that was cut off, which no living process writes."""
        found = self.rows(
            "SELECT ifnull(s.title, s.name), l.label, l.host, l.pid, l.epoch, l.expires_at "
            "FROM draft d JOIN branch b ON b.id = d.branch JOIN stream s ON s.id = b.stream "
            "LEFT JOIN lease l ON l.branch = d.branch"
        )
        return [row[0] for row in found if living_holder(row[1:]) is None]

    def dead_leases(self) -> int:
        """How many sessions were left by a process that ended without giving them back."""
        found = self.rows(
            "SELECT label, host, pid, epoch, expires_at FROM lease WHERE expires_at <> ''"
        )
        return sum(living_holder(row) is None for row in found)


@contextmanager
def inspect(path: Path) -> Iterator[Inspection]:
    """Opens a database to look at it.

    Raises:
        StorageError: It can't be opened, or its key was not given.
    """
    header = hold(path, lambda: PLAIN)
    try:
        connection, frozen = _opened(path, keys.key_for(path.parent, header))
        try:
            yield Inspection(path, connection, frozen)
        finally:
            connection.close()
    finally:
        let_go(path)


def _opened(path: Path, key: DataKey | None) -> tuple[sqlite3.Connection, bool]:
    """A connection, and whether the file was taken for one that does not change.

    Raises:
        StorageError: It can't be opened.
    """
    frozen = not has_wal(path)
    try:
        return _connected(path, key, frozen), frozen
    except driver_errors() as error:
        if frozen or getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE not in _REFUSED:
            raise explain(error, path) from error
        # On a read-only disk a write-ahead log can't be read along: what it holds is not seen.
        return _connected(path, key, frozen=True), True


def look_at_pages(path: Path, seconds: float | None, *, thoroughly: bool) -> Pages:
    """Has SQLite check every page, for so many seconds at most.

    Args:
        path: The database.
        seconds: The longest time, or None. SQLite can't be interrupted everywhere, so it may be
            left behind in its thread.
        thoroughly: Compare the indexes with the tables as well.
    """
    found: list[Pages] = []

    def look() -> None:
        try:
            with inspect(path) as database:
                found.append(_pages(database, thoroughly))
        except StorageError as error:
            found.append(Pages(True, (error.sentence,)))

    thread = threading.Thread(target=look, name="strata pages", daemon=True)
    thread.start()
    thread.join(seconds)
    return found[0] if found else Pages(finished=False)


def known_version() -> int:
    """How many migrations this program knows."""
    folder = resources.files("memory.storage") / "migrations"
    return sum(entry.name.endswith(".sql") for entry in folder.iterdir())


def has_wal(path: Path) -> bool:
    """Whether a write-ahead log lies beside the database: somebody writes, or was killed."""
    return wal_of(path).exists()


def wal_of(path: Path) -> Path:
    """The write-ahead log of a database."""
    return path.with_name(f"{path.name}-wal")


def _connected(path: Path, key: DataKey | None, frozen: bool) -> sqlite3.Connection:
    mode = "mode=ro&immutable=1" if frozen else "mode=ro"
    uri = f"{path.absolute().as_uri()}?{mode}"
    connection = connect(uri, key, uri=True, timeout=WAIT_S)
    # Damage can make texts that are none; they are looked at all the same.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _pages(database: Inspection, thoroughly: bool) -> Pages:
    pragma = "integrity_check" if thoroughly else "quick_check"
    findings = [str(row[0]) for row in database.rows(f"PRAGMA {pragma}({MOST_FINDINGS})")]
    damage = tuple(finding for finding in findings if finding != "ok")
    dangling = 0 if damage else len(database.rows("PRAGMA foreign_key_check"))
    return Pages(True, damage, dangling)
