"""How a client tells the model host that it still lives."""

import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from app.host.address import HostAddress
from memory.processes import process_lives

TOUCH_SECONDS = 20.0
# Three touches may fail before a client counts as gone.
ALIVE_SECONDS = 60.0


class HostLease:
    """Keeps a host from ending while a client lives.

    A thread touches a file every 20 seconds; it survives a blocked event loop, and a killed
    process leaves a file that soon counts for nothing.

    Args:
        address: The host to hold.
    """

    def __init__(self, address: HostAddress) -> None:
        self._path = address.clients / f"{os.getpid()}-{secrets.token_hex(4)}"
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="host-lease", daemon=True)
        self._touch()
        self._thread.start()

    def _touch(self) -> None:
        # A full or read-only disk must not end the conversation; the host then only ends early.
        with suppress(OSError):
            self._path.touch()

    def _keep(self) -> None:
        while not self._closed.wait(TOUCH_SECONDS):
            self._touch()

    def close(self) -> None:
        """Lets the host go; may be called twice."""
        self._closed.set()
        self._thread.join()
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def living_clients(folder: Path, now: float) -> int:
    """Counts the clients that live, and removes the files of those that don't.

    Args:
        folder: The host's folder of clients.
        now: The time, in seconds since the epoch.
    """
    return sum(_lives(path, now) for path in _files(folder))


def _files(folder: Path) -> Iterator[Path]:
    try:
        yield from list(folder.iterdir())
    except OSError:
        return


def _lives(path: Path, now: float) -> bool:
    try:
        young = now - path.stat().st_mtime < ALIVE_SECONDS
    except OSError:
        return False
    pid = path.name.partition("-")[0]
    if young and (not pid.isdigit() or process_lives(int(pid))):
        return True
    with suppress(OSError):
        path.unlink(missing_ok=True)
    return False
