"""SQLite's errors in plain words. The only place that knows them."""

import errno
import sqlite3
from collections.abc import Mapping
from pathlib import Path

from memory.errors import StrataError

PRIMARY_CODE = 0xFF
"""The part of an extended result code that names the kind of failure."""


class StorageError(StrataError):
    """The database could not do what was asked; what was acknowledged before is safe."""


class DiskFull(StorageError):
    """No room to write."""


class DiskFailed(StorageError):
    """The disk could not be read or written, for whatever reason."""


class NotWritable(StorageError):
    """The data directory or its database can't be written."""


class DatabaseDamaged(StorageError):
    """The file is not a sound SQLite database."""


class Locked(StorageError):
    """The data directory is encrypted, and its key was not given."""

    def __init__(self, directory: Path) -> None:
        super().__init__(
            f"{directory} is encrypted, and its key was not given.",
            "Run the command in a terminal, which asks for the passphrase, or give it in "
            "STRATA_PASSPHRASE.",
        )


class WrongKey(StorageError):
    """Another key than the one that the data directory was encrypted with."""


class NotEncrypted(StorageError):
    """A key was given for a data directory that is not encrypted."""


class DatabaseTooNew(StorageError):
    """The database was written by a newer Strata."""


class DatabaseBusy(StorageError):
    """Another program held the database for longer than we wait."""


class Conflict(StorageError):
    """Another process appended to the session first, or took it over."""


_Explained = tuple[type[StorageError], str, str]

_FULL: _Explained = (
    DiskFull,
    "The disk that holds {path} is full.",
    "Free some space, then try again.",
)
_NOT_WRITABLE: _Explained = (
    NotWritable,
    "{path} can't be written.",
    "Check the folder's permissions, or choose another with --data DIR.",
)
_HELD = (DatabaseBusy, "{path} is held by another program.", "Try again in a moment.")
_DAMAGED = (
    DatabaseDamaged,
    "{path} is damaged.",
    "Nothing was changed. Move it aside to start anew, or restore a copy of it.",
)
_FAILED = (
    DiskFailed,
    "The disk that holds {path} reports an error.",
    "Check that it has room and is in order, then try again.",
)
_BY_CODE: Mapping[int, _Explained] = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_READONLY: _NOT_WRITABLE,
    sqlite3.SQLITE_CANTOPEN: _NOT_WRITABLE,
    sqlite3.SQLITE_PERM: _NOT_WRITABLE,
    sqlite3.SQLITE_BUSY: _HELD,
    sqlite3.SQLITE_LOCKED: _HELD,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_IOERR: _FAILED,
}


def tells_damage(error: Exception) -> bool:
    """Whether an error says that what was asked for is damaged.

    SQLite finds no memory where damage makes it ask for absurd amounts.
    """
    code = getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE
    return isinstance(error, MemoryError) or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def damaged(path: Path) -> StorageError:
    """What is said of a database that is damaged and was left as it is."""
    kind, sentence, way_out = _DAMAGED
    return kind(sentence.replace("{path}", str(path)), way_out)


def explain(error: Exception, path: Path) -> StorageError:
    """The failure as one of our own, with the file's name and the way out."""
    if isinstance(error, OSError):
        known = _FULL if error.errno in (errno.ENOSPC, errno.EDQUOT) else _NOT_WRITABLE
    else:
        code = getattr(error, "sqlite_errorcode", 0) & PRIMARY_CODE
        known = _BY_CODE.get(code, (StorageError, f"The database {{path}} failed: {error}.", ""))
    kind, sentence, way_out = known
    return kind(sentence.replace("{path}", str(path)), way_out)
