"""Encrypts a data directory, changes its key, decrypts it: all of it or nothing (RECALL-7).

Which key a database has is known from the file. So the new way is kept beside the old one before
the new file takes its place, and the old way is dropped after it.
"""

import logging
import shutil
from pathlib import Path

from memory.storage import keys
from memory.storage.converting import convert
from memory.storage.failures import NotWritable
from memory.storage.key_file import KeyFileDamaged, Slot, read_slots, write_slots
from memory.storage.keys import Fresh
from memory.storage.places import READABLE

LOGGER = logging.getLogger("strata.memory")


def encrypt(directory: Path, new: Fresh) -> None:
    """Encrypts a plain database, and removes the readable files beside it.

    Raises:
        StorageError: It was left as it was.
    """

    def last() -> None:
        remove_readable(directory)
        write_slots(directory, [*_slots(directory), new.slot])

    convert(directory, None, new.data, last)
    keys.give(directory, new.data)
    _keep_only(directory, new.slot)


def renew(directory: Path, new: Fresh) -> None:
    """Encrypts an encrypted database under another key; the old one opens nothing any more.

    Raises:
        StorageError: It was left as it was.
    """
    old = keys.given_key(directory)
    convert(
        directory,
        old,
        new.data,
        lambda: write_slots(directory, [*_slots(directory), new.slot]),
    )
    keys.give(directory, new.data)
    _keep_only(directory, new.slot)


def rewrap(directory: Path, new: Fresh) -> None:
    """Lets another passphrase, or the keyring, lead to the key that the database has.

    The database is not written: this takes no time, and others may have it open.

    Raises:
        NotWritable: The old way holds.
        ValueError: The new way leads to another key.
    """
    if new.data != keys.given_key(directory):
        raise ValueError("a way to another key would lose the database")
    write_slots(directory, [new.slot])


def decrypt(directory: Path) -> None:
    """Makes an encrypted database plain.

    Raises:
        StorageError: It was left as it was.
    """
    convert(directory, keys.given_key(directory), None, lambda: None)
    keys.give_up_key(directory)
    _keep_only(directory)


def readable_files(directory: Path) -> list[Path]:
    """What stands beside the database in words that anybody can read, and is there."""
    return [path for pattern in READABLE for path in sorted(directory.glob(pattern))]


def remove_readable(directory: Path) -> None:
    """Removes it.

    Raises:
        NotWritable: Something of it is still there.
    """
    for path in readable_files(directory):
        try:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise NotWritable(
                f"{error.filename or path} can't be removed: {error.strerror}.",
                "Nothing was encrypted. Remove it, then try again.",
            ) from error


def _keep_only(directory: Path, *slots: Slot) -> None:
    """Drops the old way: it leads to no database any more, so that it may as well stay."""
    try:
        write_slots(directory, slots)
    except NotWritable as error:
        LOGGER.warning("the old way to the key stays: %s", error.sentence)


def _slots(directory: Path) -> tuple[Slot, ...]:
    try:
        return read_slots(directory)
    except KeyFileDamaged:
        return ()  # the key at hand is enough to write it anew
