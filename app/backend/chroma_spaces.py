"""The spaces that the index's own process holds open: folders of this disk, or of a server."""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from app.backend.chroma_door import ChromaFailure, Collection, Damaged, Server, open_folder
from app.backend.index_folder import (
    DATABASE,
    FOLDER,
    REFILLING,
    Label,
    collection_name,
    kept_aside,
    read_label,
    remove,
    set_aside,
    space_folder,
    write_label,
)
from app.backend.safelog import LOGGER
from app.backend.vector_exact import ExactVectors
from app.backend.vector_protocol import ADD_AT_ONCE, Entries, Query
from memory.storage.folders import make_own


class Lost(Exception):
    """The space is not there any more; it has to be opened again."""


class Space(Protocol):
    """A space that is open."""

    made: str
    note: str
    label: Label

    def present(self) -> bool:
        """Whether what was opened is still there."""
        ...

    def ids(self) -> list[int]:
        """The ids it holds."""
        ...

    def add(self, entries: Entries) -> None:
        """Adds vectors."""
        ...

    def nearest(self, query: Query) -> list[tuple[int, float]]:
        """Ids with their cosine, nearest first."""
        ...

    def remove(self, ids: Sequence[int]) -> None:
        """Removes vectors."""
        ...

    def refill(self) -> bool:
        """Does a little of what a removal left to do; whether more is left."""
        ...

    def close(self) -> None:
        """Lets go of it."""
        ...


class FolderSpace:
    """A space in a folder of its own.

    Chroma leaves what is removed in its files. So after a removal the folder is deleted and filled
    anew with the rest, which meanwhile is searched in memory.

    Args:
        data: The data directory.
        label: Whose vectors they are.
        suspect: Opening what is there has ended the process before.

    Raises:
        ChromaFailure: Not even an empty one can be opened.
        OSError: The folder can't be used.
    """

    def __init__(self, data: Path, label: Label, *, suspect: bool) -> None:
        self._data = data
        self.label = label
        self._folder = space_folder(data, label.space)
        self._exact: ExactVectors | None = None
        self._pending: list[int] = []
        self._inode = 0
        self.note = ""
        self._collection = self._sound(suspect=suspect)
        self.made = self._collection.made

    def present(self) -> bool:
        """Whether the folder is still the one that was opened."""
        with suppress(OSError):
            return (self._folder / DATABASE).stat().st_ino == self._inode
        return False

    def ids(self) -> list[int]:
        """The ids it holds.

        Raises:
            ChromaFailure: Chroma could not tell.
        """
        return self._collection.ids() if self._exact is None else self._exact.ids()

    def add(self, entries: Entries) -> None:
        """Adds vectors; one whose id is there takes its place.

        Raises:
            ChromaFailure: Chroma could not do it.
            Lost: Somebody has removed the folder.
        """
        self._look()
        if self._exact is not None:
            self._exact.add(entries)
        self._collection.add(entries)

    def nearest(self, query: Query) -> list[tuple[int, float]]:
        """Ids with their cosine, nearest first.

        Raises:
            ChromaFailure: Chroma could not search.
            Lost: Somebody has removed the folder.
        """
        if self._exact is not None:
            return self._exact.nearest(query)
        self._look()
        return self._collection.nearest(query)

    def remove(self, ids: Sequence[int]) -> None:
        """Removes vectors from the disk, those of folders that were kept aside included.

        Raises:
            ChromaFailure: Chroma could not read the others.
            OSError: The folder can't be removed.
            Lost: Somebody has removed it.
        """
        self._look()
        for path in kept_aside(self._data, self.label.space):
            remove(path)
        kept = self._exact or self._all_in_memory()
        if not set(ids).intersection(kept.ids()):
            return
        kept.remove(ids)
        self._collection.close()
        remove(self._folder)
        self._exact, self._pending = kept, kept.ids()
        self._collection = self._begun(self.made)

    def refill(self) -> bool:
        """Puts back a few of the vectors that a removal left in memory only.

        Raises:
            ChromaFailure: Chroma could not do it.
            OSError: The folder can't be written.
        """
        if self._exact is None:
            return False
        portion, self._pending = self._pending[:ADD_AT_ONCE], self._pending[ADD_AT_ONCE:]
        self._collection.add(self._exact.entries(portion))
        if not self._pending:
            (self._folder / REFILLING).unlink(missing_ok=True)
            self._exact = None
        return bool(self._pending)

    def close(self) -> None:
        """Lets go of all files."""
        self._collection.close()

    def _sound(self, *, suspect: bool) -> Collection:
        """The collection, after what is damaged was put aside."""
        if not suspect:
            try:
                return self._opened()
            except (ChromaFailure, OSError) as error:
                LOGGER.warning("the vector index can't be used", exc_info=error)
        self._put_aside()
        return self._opened()

    def _opened(self) -> Collection:
        known = read_label(self._folder)
        if (self._folder / REFILLING).exists():
            remove(self._folder)
            known = None
        elif known is None and self._folder.exists() and any(self._folder.iterdir()):
            raise Damaged("a folder that does not say what it holds")
        if known is None:
            return self._begun(uuid.uuid4().hex)
        if known != self.label:
            raise Damaged("vectors of another space")
        made = uuid.uuid4().hex
        collection = self._collection_in_folder(made)
        try:
            if collection.made == made:
                raise Damaged("a folder without its database")
            collection.check(self.label.dimensions)
        except ChromaFailure:
            collection.close()
            raise
        return collection

    def _begun(self, made: str) -> Collection:
        """A new collection, in a folder that says at once whose it is."""
        make_own(self._folder)
        if self._pending:
            (self._folder / REFILLING).touch()
        collection = self._collection_in_folder(made)
        write_label(self._folder, self.label)
        return collection

    def _collection_in_folder(self, made: str) -> Collection:
        name = collection_name(self.label.space)
        collection = open_folder(self._folder, name, _metadata(self.label, made))
        self._inode = (self._folder / DATABASE).stat().st_ino
        return collection

    def _put_aside(self) -> None:
        root = self._data / FOLDER
        usable = root.is_dir() and os.access(root, os.R_OK | os.W_OK | os.X_OK)
        damaged = self._folder if usable else root
        if os.path.lexists(damaged):
            kept = set_aside(damaged, datetime.now(UTC))
            self.note = f"The vector index {damaged} is damaged. It is kept as {kept.name}."

    def _look(self) -> None:
        if not self.present():
            raise Lost

    def _all_in_memory(self) -> ExactVectors:
        exact = ExactVectors(self.label.dimensions)
        for page in self._collection.everything():
            exact.add(page)
        return exact


class ServerSpace:
    """A space on a server, which also keeps those of other machines; of them nothing is seen.

    Args:
        server: Who has it.
        home: Names this data directory.
        label: Whose vectors they are.

    Raises:
        ChromaFailure: The server can't be asked.
        Damaged: What it has under this name is another space.
    """

    note = ""

    def __init__(self, server: Server, home: str, label: Label) -> None:
        self.label = label
        metadata = _metadata(label, uuid.uuid4().hex)
        self._collection = server.collection(collection_name(label.space), home, metadata)
        self.made = self._collection.made
        if self._collection.dimensions not in {None, label.dimensions}:
            raise Damaged("vectors of another size")

    def present(self) -> bool:
        """Whether it is there shows when it is used."""
        return True

    def ids(self) -> list[int]:
        """The ids of this data directory.

        Raises:
            ChromaFailure: The server can't be asked.
        """
        return self._collection.ids()

    def add(self, entries: Entries) -> None:
        """Adds vectors; one whose id is there takes its place.

        Raises:
            ChromaFailure: The server can't be asked.
        """
        self._collection.add(entries)

    def nearest(self, query: Query) -> list[tuple[int, float]]:
        """Ids with their cosine, nearest first.

        Raises:
            ChromaFailure: The server can't be asked.
        """
        return self._collection.nearest(query)

    def remove(self, ids: Sequence[int]) -> None:
        """Removes vectors from what the server finds; its files are its own affair.

        Raises:
            ChromaFailure: The server can't be asked.
        """
        self._collection.remove(ids)

    def refill(self) -> bool:
        """Nothing is ever left to do."""
        return False

    def close(self) -> None:
        """Nothing is held open."""


def _metadata(label: Label, made: str) -> dict[str, str | int]:
    return {"space": label.space, "dimensions": label.dimensions, "made": made}
