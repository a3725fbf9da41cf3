"""What MCP servers print as errors, kept in a file that stays small and holds no secret of ours."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from memory.storage.folders import make_own

LIMIT_BYTES = 500_000
"""Of one file; the one before it is kept as well."""

PER_MINUTE_BYTES = 1_000_000
"""What a server prints beyond this is dropped: it must not keep the disk busy."""

MINUTE_S = 60.0
HIDDEN = b"(hidden)"

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")


def log_name(server: str) -> str:
    """The name of a server's log file; nothing in the server's name leads elsewhere."""
    return f"mcp-{_UNSAFE.sub('_', server)[:60]}.log"


class ServerLog:
    """The log of one server.

    Args:
        folder: Where logs lie; None where nothing that was said may be written: what a server
            prints may be about it.
        server: The server's name.
        secrets: What must not stand in it.
    """

    def __init__(self, folder: Path | None, server: str, secrets: Iterable[str]) -> None:
        self._path = None if folder is None else folder / log_name(server)
        self._secrets = [secret.encode() for secret in secrets]
        self._file: BinaryIO | None = None
        self._size = 0
        self._minute = time.monotonic()
        self._in_minute = 0

    def write(self, line: bytes) -> None:
        """Adds lines; begins another file where this one is full.

        Raises:
            OSError: The disk is full or the folder can't be written.
        """
        if self._path is None:
            return
        now = time.monotonic()
        if now - self._minute > MINUTE_S:
            self._minute, self._in_minute = now, 0
        self._in_minute += len(line)
        if self._in_minute > PER_MINUTE_BYTES:
            return
        for secret in self._secrets:
            line = line.replace(secret, HIDDEN)
        file = self._file or self._open(self._path)
        if self._size + len(line) > LIMIT_BYTES:
            self.close()
            self._path.replace(self._path.with_suffix(".log.1"))
            file = self._open(self._path)
        self._size += file.write(line)
        file.flush()

    def close(self) -> None:
        """Closes the file; writing opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self, path: Path) -> BinaryIO:
        make_own(path.parent)
        self._file = file = path.open("ab")
        path.chmod(0o600)
        self._size = file.tell()
        return file
