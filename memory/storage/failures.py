"""SQLite's errors in plain words. The only place that knows them."""

import errno
import sqlite3
from pathlib import Path

from memory.errors import StrataError


class StorageError(StrataError):
    """The database could not do what was asked; what was acknowledged before is safe."""


class DiskFull(StorageError):
    """No room to write."""


class NotWritable(StorageError):
    """The data directory or its database can't be written."""


class DatabaseDamaged(StorageError):
    """The file is not a sound SQLite database."""


class DatabaseTooNew(StorageError):
    """The database was written by a newer Strata."""


class DatabaseBusy(StorageError):
    """Another program held the database for longer than we wait."""


class Conflict(StorageError):
    """Another process appended to the session first, or took it over."""


def explain(error: sqlite3.Error | OSError, path: Path) -> StorageError:
    """The failure as one of our own, with the file's name and the way out."""
    text = str(error).lower()
    if "full" in text or getattr(error, "errno", None) == errno.ENOSPC:
        return DiskFull(f"The disk that holds {path} is full.", "Free some space, then try again.")
    if "readonly" in text or "unable to open" in text or isinstance(error, OSError):
        return NotWritable(
            f"{path} can't be written.",
            "Check the folder's permissions, or choose another with --data DIR.",
        )
    if "locked" in text or "busy" in text:
        return DatabaseBusy(f"{path} is held by another program.", "Try again in a moment.")
    if "malformed" in text or "not a database" in text or "corrupt" in text:
        return DatabaseDamaged(
            f"{path} is damaged.",
            "Nothing was changed. Move it aside to start anew, or restore a copy of it.",
        )
    return StorageError(f"The database {path} failed: {error}.", "Try again.")
