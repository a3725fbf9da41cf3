"""Looks at a database before it is opened (STORE-4).

SQLite drops without a word what it can't use of a write-ahead log. Everything here waits
for the disk.
"""

import logging
import shutil
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from memory.storage.failures import DatabaseDamaged, NotWritable, damaged
from memory.storage.header import pages_of
from memory.storage.places import KEPT_LOG

LOGGER = logging.getLogger("strata.memory")

MAGIC = (0x377F0682, 0x377F0683)
"""How a write-ahead log begins (SQLite's file format, 4.1)."""
LOG_HEADER, FRAME_HEADER = 32, 24
"""Bytes before the frames of a write-ahead log, and before the page of each."""
SETTLES_S = 0.3
"""A frame that another process is writing is whole after that."""


def look_before_opening(path: Path) -> None:
    """Sees to it that opening a database loses nothing that stands beside it.

    A write-ahead log that is damaged is copied: SQLite passes over what follows the damage, and
    writes over it. A file cut short is left as it is: SQLite would write the log into it.

    Raises:
        NotWritable: One of its files is a folder.
        DatabaseDamaged: Opening it would change what is damaged.
    """
    log = _beside(path, "-wal")
    for file in (path, log, _beside(path, "-shm")):
        if file.is_dir():
            raise NotWritable(
                f"{file} is a folder, where a file of the database should be.",
                "Move it away, or choose another folder with --data DIR.",
            )
    if not _size(log):
        return
    if not path.exists():
        raise DatabaseDamaged(
            f"{path} is missing, but {log.name} beside it holds what was written last.",
            f"Restore {path.name}, or move {log.name} away to start anew.",
        )
    if _is_cut_short(path) and _is_damaged(path):
        raise damaged(path)
    if _is_torn(log):
        _keep_copy(log)


def kept_copies(directory: Path) -> list[Path]:
    """The damaged write-ahead logs that were kept aside, oldest first."""
    return sorted(directory.glob(KEPT_LOG))


def _is_cut_short(path: Path) -> bool:
    """Whether it is shorter than it says: damage, or a kill while the log was written back."""
    page_bytes, pages = pages_of(path)
    return page_bytes * pages > _size(path)


def _is_damaged(path: Path) -> bool:
    """Whether pages are damaged, with what the log holds of them."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as looking:
            return bool(looking.execute("PRAGMA quick_check(1)").fetchone() != ("ok",))
    except sqlite3.DatabaseError as error:
        return not isinstance(error, sqlite3.OperationalError)


def _is_torn(log: Path) -> bool:
    """Whether a write-ahead log can't be read to its end, and nobody is writing to it."""
    size = _size(log)
    if not _looks_torn(log, size):
        return False
    time.sleep(SETTLES_S)
    return _size(log) == size and _looks_torn(log, size)


def _looks_torn(log: Path, size: int) -> bool:
    with log.open("rb") as file:
        header = file.read(LOG_HEADER)
    if int.from_bytes(header[:4], "big") not in MAGIC:
        return True
    frame = FRAME_HEADER + int.from_bytes(header[8:12], "big")
    # A process that was killed may have written no more than the beginning of a frame.
    return (size - LOG_HEADER) % frame not in (0, FRAME_HEADER)


def _keep_copy(log: Path) -> None:
    """Copies a log, unless that was done: the damaged end may stay for a while."""
    if any(_size(copy) == _size(log) for copy in kept_copies(log.parent)):
        return
    copy = log.with_name(f"{log.name}.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S}")
    copy.touch(mode=0o600)
    shutil.copyfile(log, copy)
    LOGGER.warning("%s was damaged; a copy is kept as %s", log, copy.name)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(f"{path.name}{suffix}")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
