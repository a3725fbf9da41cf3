"""Exclusive locks between processes, held through an open file and freed by the system at death."""

import os
import sys
from pathlib import Path
from typing import Self

# Windows hides the locked byte from other readers, so it lies beyond any content.
_LOCKED_BYTE = 1 << 30

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class FileLock:
    """A lock that one process at a time can hold; the file may carry a short text of the holder.

    Args:
        path: The lock's file; it stays behind when the lock is released, since deleting it would
            let two processes lock two different files of the same name.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    def try_acquire(self, text: str = "") -> bool:
        """Takes the lock if it is free, and leaves a text in its file; never waits."""
        descriptor = self._take()
        if descriptor is None:
            return False
        self._descriptor = descriptor
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, text.encode())
        return True

    def _take(self) -> int | None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
        except OSError:
            os.close(descriptor)
            return None
        return descriptor

    def held_by_other(self) -> bool:
        """Whether another process holds the lock; takes it for an instant to find out."""
        if not self.path.exists():
            return False
        descriptor = self._take()
        if descriptor is None:
            return True
        os.close(descriptor)
        return False

    def text(self) -> str:
        """What the present or last holder left in the file."""
        try:
            return self.path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    def release(self) -> None:
        """Gives the lock back; closing the file does it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
