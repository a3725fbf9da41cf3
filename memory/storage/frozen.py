"""A database on a medium that can't be written: read as a file that does not change (STORE-4)."""

import os
from pathlib import Path

from memory.storage.failures import NotWritable
from memory.storage.header import is_there
from memory.storage.places import FILE_NAME

COPY = "Copy the folder to where it can be written, and open the copy with --data DIR."


def only_readable(directory: Path) -> bool:
    """Whether a data directory has a database, and nothing can be written there."""
    return is_there(directory) and not all(
        os.access(path, os.W_OK) for path in (directory, directory / FILE_NAME)
    )


def frozen_uri(path: Path) -> str:
    """By what SQLite opens a database so that it needs nothing beside it.

    Raises:
        NotWritable: Beside it lies what was written last and is not part of it yet.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        raise NotWritable(
            f"{path} can't be read where it can't be written: what was said last still stands in "
            f"{log.name} beside it.",
            COPY,
        )
    return f"{path.absolute().as_uri()}?mode=ro&immutable=1"
