"""Whether a database is plain or encrypted, known from the file itself (RECALL-7).

A process that closes a file loses every lock it has on it, SQLite's too, and could then be in
another process's way. So a database that is open here is never looked into: what it was when it
was opened still holds, since a file in use is not replaced.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from memory.storage.places import FILE_NAME

PLAIN = b"SQLite format 3\0"
SALT_BYTES = 16
"""The beginning of an encrypted file, and all of it that is not encrypted."""

PAGES_END = 32
"""Where the number of pages ends, in the header of a plain file (SQLite's file format, 1.3)."""
LARGEST_PAGE = 65_536
"""Bytes; a 1 stands for it."""

_held: dict[str, list[bytes]] = {}
_guard = threading.Lock()


def is_encrypted(directory: Path) -> bool:
    """Whether the database of a data directory is there and encrypted (or no database at all).

    Beside an encrypted one nothing may write what was said into another file.
    """
    return seems_encrypted(beginning(directory / FILE_NAME))


def is_there(directory: Path) -> bool:
    """Whether a data directory has a database; an empty file is none yet."""
    try:
        return (directory / FILE_NAME).stat().st_size > 0
    except OSError:
        return False


def seems_encrypted(header: bytes) -> bool:
    """Whether a database that begins so is encrypted; an empty one is not."""
    return header not in (b"", PLAIN)


def beginning(path: Path) -> bytes:
    """The first bytes of a database; empty where there is none yet, or it can't be read."""
    with _guard:
        return _beginning(path)


def pages_of(path: Path) -> tuple[int, int]:
    """Bytes of a page, and how many pages a plain database says it has.

    Zeros where it is not plain, or is open here.
    """
    with _guard:
        if _held.get(os.path.realpath(path)):
            return 0, 0
        try:
            with path.open("rb") as file:
                header = file.read(PAGES_END)
        except OSError:
            return 0, 0  # opening it properly tells what is wrong
    if len(header) < PAGES_END or not header.startswith(PLAIN):
        return 0, 0
    size = int.from_bytes(header[16:18], "big")
    return (LARGEST_PAGE if size == 1 else size), int.from_bytes(header[28:PAGES_END], "big")


def hold(path: Path, new: Callable[[], bytes]) -> bytes:
    """Says that this process is about to open a database; `let_go` takes it back.

    Args:
        path: The database.
        new: Asked how one begins that is made now, where there is none.

    Returns:
        How it begins.
    """
    with _guard:
        header = _beginning(path) or new()
        _held.setdefault(os.path.realpath(path), []).append(header)
        return header


def let_go(path: Path) -> None:
    """Says that this process has closed a database that it held."""
    with _guard:
        name = os.path.realpath(path)
        _held[name].pop()
        if not _held[name]:
            del _held[name]


def _beginning(path: Path) -> bytes:
    held = _held.get(os.path.realpath(path))
    if held:
        return held[-1]
    try:
        with path.open("rb") as file:
            return file.read(SALT_BYTES)
    except OSError:
        return b""  # opening it properly tells what is wrong
