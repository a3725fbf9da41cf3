"""A file that arrives in pieces and survives being interrupted at any instant.

The bytes grow in `NAME.partial`; a journal beside it says how many of them are safely on disk.
After an interruption the file is cut back to what the journal says.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from app.host.store import PARTIAL_SUFFIX, file_hash, write_stamp


@dataclass(frozen=True, slots=True)
class Journal:
    """How far a file has come: bytes on disk, from which source, and how many of its pieces."""

    offset: int = 0
    source: str = ""
    pieces: int = 0


class PartialFile:
    """The growing file.

    Args:
        target: Where the complete file belongs.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(target.name + PARTIAL_SUFFIX)
        self._journal = self.path.with_name(self.path.name + ".json")
        self._unfinished_journal = self.path.with_name(self.path.name + ".json.tmp")

    def journal(self) -> Journal:
        """How far it has come; nothing where the journal or the bytes are missing."""
        try:
            journal = Journal(**json.loads(self._journal.read_text(encoding="utf-8")))
            return journal if self.path.stat().st_size >= journal.offset else Journal()
        except (OSError, ValueError, TypeError):
            return Journal()

    def append(self, chunks: Iterable[bytes], journal: Journal) -> Journal:
        """Writes one piece where the journal ends, and notes it once it is on disk.

        Returns:
            The journal after the piece.
        """
        with self.path.open("r+b" if self.path.exists() else "wb") as file:
            file.truncate(journal.offset)
            file.seek(journal.offset)
            for chunk in chunks:
                file.write(chunk)
            file.flush()
            os.fsync(file.fileno())
            after = Journal(file.tell(), journal.source, journal.pieces + 1)
        self._write(after)
        return after

    def _write(self, journal: Journal) -> None:
        with self._unfinished_journal.open("w", encoding="utf-8") as file:
            json.dump(asdict(journal), file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self._unfinished_journal, self._journal)

    def finish(self, sha256: str) -> bool:
        """Puts the file in its place if its hash is right; deletes it if not."""
        right = file_hash(self.path) == sha256
        if right:
            os.replace(self.path, self.target)
            sync_folder(self.target.parent)
            write_stamp(self.target, sha256)
        self.discard()
        return right

    def discard(self) -> None:
        """Deletes what there is."""
        for path in (self._journal, self._unfinished_journal, self.path):
            path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Makes a rename in the folder survive a power cut, where the system knows how."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
