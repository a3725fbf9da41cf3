"""Files that are written whole or not at all. Everything here waits for the disk."""

import errno
import os
import secrets
from contextlib import suppress
from pathlib import Path

from memory.storage.folders import make_own

TEMPORARY = ".tmp"
NO_SUCH_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF)
"""What file systems of networks and other machines say that can't sync a folder."""


def write_whole(path: Path, data: bytes, *, instead: bool = True) -> None:
    """Puts a file in place, readable by its owner only; a kill leaves the old one.

    Args:
        path: The file.
        data: What it is to hold.
        instead: Whether it may take the place of another.

    Raises:
        FileExistsError: There is another, which stays.
        OSError: It can't be written; nothing was changed.
    """
    make_folder(path.parent)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{TEMPORARY}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if instead:
            os.replace(temporary, path)
        else:
            os.link(temporary, path)
            temporary.unlink()
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Makes a folder that only its owner may look into, and those above it."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    make_own(folder)
    with suppress(PermissionError):  # one may make a folder where one can't look
        sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Has the names in a folder written to the disk, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in NO_SUCH_SYNC:
            raise
    finally:
        os.close(descriptor)
