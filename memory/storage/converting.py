"""Writes a database anew: encrypted, under another key, or plain (RECALL-7).

The copy is whole and checked before it takes the other's place by one rename, so a kill leaves the
old way or the new one. Until then nobody else can have the database open, and who waited to open
the old file finds zeros in it and looks again.
"""

import logging
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memory.storage.drivers import DataKey, connect, connect_cipher, driver_errors, file_errors
from memory.storage.failures import (
    DatabaseBusy,
    DatabaseDamaged,
    DiskFull,
    explain,
)
from memory.storage.header import PLAIN, hold, let_go
from memory.storage.leases import living_holder
from memory.storage.places import FILE_NAME, NEW_FILE_NAME
from memory.storage.whole_files import sync_folder

LOGGER = logging.getLogger("strata.memory")
WAIT_S = 2.0
"""For another process that has the database open: it may be a command that ends at once."""
SPARE_BYTES = 10_000_000
"""Room that is left on the disk besides the copy."""
AT_ONCE = 1_000_000
BESIDE = ("-wal", "-shm", "-journal")
_TABLES = (
    "SELECT name FROM {}.sqlite_schema WHERE type = 'table' "
    "AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'sqlite_%' ORDER BY name"
)


class InUse(DatabaseBusy):
    """Somebody has the database open."""


def convert(
    directory: Path, old: DataKey | None, new: DataKey | None, last: Callable[[], None]
) -> None:
    """Puts a copy of the database under another key in its place. Takes seconds per gigabyte.

    Args:
        directory: The data directory; its database must be open nowhere, this process included.
        old: Its key; None where it is plain.
        new: The key of the copy; None for a plain one.
        last: What has to be done before the copy takes its place, once it is whole.

    Raises:
        InUse: Somebody has it open.
        StorageError: It was left as it was.
    """
    path = directory / FILE_NAME
    fresh = directory / NEW_FILE_NAME
    need_room(path)
    hold(path, lambda: PLAIN)
    try:
        with _old_file(path) as descriptor, _alone(path, old) as connection:
            _copy(connection, fresh, new)
            _check(connection, fresh, new)
            last()
            for suffix in BESIDE:
                path.with_name(path.name + suffix).unlink(missing_ok=True)
            os.replace(fresh, path)
            _clear_away(directory, descriptor, whole=old is None)
    except file_errors() as error:
        raise explain(error, path) from error
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        let_go(path)


def need_room(path: Path) -> None:
    """Refuses where a copy of the database would fill the disk.

    Raises:
        DiskFull: It would.
    """
    files = [path, path.with_name(f"{path.name}-wal")]
    needed = sum(file.stat().st_size for file in files if file.exists()) + SPARE_BYTES
    if shutil.disk_usage(path.parent).free < needed:
        raise DiskFull(
            f"The disk that holds {path} has no room for a second copy of it "
            f"({needed // 1_000_000:,} MB).",
            "Nothing was changed. Free some space, then try again.",
        )


@contextmanager
def _old_file(path: Path) -> Iterator[int]:
    """The file that has the name now; closed last, since closing it undoes SQLite's locks."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _alone(path: Path, key: DataKey | None) -> Iterator[sqlite3.Connection]:
    """The database with nobody else in it, and nobody able to come in; no file lies beside it.

    Raises:
        InUse: Somebody is in it.
    """
    connection = connect_cipher(path, key, timeout=WAIT_S)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_size_limit = 0")
        try:
            connection.execute("PRAGMA journal_mode = TRUNCATE")
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
            connection.execute("PRAGMA journal_mode = MEMORY")
        except driver_errors() as error:
            if not isinstance(explain(error, path), DatabaseBusy):
                raise
            connection.close()
            raise _in_use(path, key) from error
        yield connection
    finally:
        connection.close()


def _in_use(path: Path, key: DataKey | None) -> InUse:
    """Says who has it open, where that can be read."""
    labels: list[str] = []
    with suppress(*driver_errors()):
        connection = connect_cipher(path, key, timeout=WAIT_S)
        try:
            rows = connection.execute("SELECT label, host, pid, epoch, expires_at FROM lease")
            labels = [label for row in rows if (label := living_holder(row)) is not None]
        finally:
            connection.close()
    where = labels[0] if labels else "another program"
    return InUse(f"{path} is open in {where}.", "Close it there, then try again.")


def _copy(connection: sqlite3.Connection, fresh: Path, key: DataKey | None) -> None:
    """Writes all of it into a new file."""
    fresh.unlink(missing_ok=True)
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    literal = "" if key is None else key.literal
    connection.execute("ATTACH DATABASE ? AS fresh KEY ?", (str(fresh), literal))
    # A copy that was cut off is thrown away: it needs no journal.
    connection.execute("PRAGMA fresh.journal_mode = OFF")
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("SELECT sqlcipher_export('fresh')")
    (version,) = connection.execute("PRAGMA main.user_version").fetchone()
    connection.execute(f"PRAGMA fresh.user_version = {int(version)}")
    connection.execute("COMMIT")
    connection.execute("DETACH DATABASE fresh")


def _check(connection: sqlite3.Connection, fresh: Path, key: DataKey | None) -> None:
    """Looks whether the copy is sound and has every row, by the library that will read it.

    Raises:
        DatabaseDamaged: It is not; the database itself may have been damaged before.
    """
    copy = connect(fresh, key)
    try:
        findings = copy.execute("PRAGMA quick_check(1)").fetchall()
        if findings != [("ok",)] or _counts(copy) != _counts(connection):
            raise DatabaseDamaged(
                "The copy of the database is not what it should be.",
                "Nothing was changed. `strata doctor --full` looks for damage.",
            )
        # So that its first reader need not write into it.
        copy.execute("PRAGMA journal_mode = WAL")
    finally:
        copy.close()


def _counts(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    names = [row[0] for row in connection.execute(_TABLES.format("main"))]
    return [
        (name, connection.execute(f'SELECT count(*) FROM main."{name}"').fetchone()[0])
        for name in names
    ]


def _clear_away(directory: Path, descriptor: int, *, whole: bool) -> None:
    """Does what is left once the copy has taken the old file's place: no failure undoes that."""
    try:
        sync_folder(directory)
        _blank(descriptor, whole=whole)
    except OSError as error:
        LOGGER.warning("the old database could not be written over: %s", error.strerror)


def _blank(descriptor: int, *, whole: bool) -> None:
    """Fills the old file with zeros: its beginning, or all of it where it was plain."""
    size = os.fstat(descriptor).st_size
    for at in range(0, size if whole else min(size, AT_ONCE), AT_ONCE):
        os.pwrite(descriptor, bytes(min(AT_ONCE, size - at)), at)
    os.fsync(descriptor)
