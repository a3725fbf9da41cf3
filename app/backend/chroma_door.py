"""The only place that knows Chroma: a collection of vectors, on this disk or on a server.

Chroma is given ids, vectors and the names of sessions, never text. It is loaded with the first
use, and runs in the index's own process alone: it can crash, hang, and hold Python's lock.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from app.backend.vector_protocol import Entries, Query

HNSW = {"space": "cosine", "ef_construction": 200, "ef_search": 400, "max_neighbors": 16}
"""Found by `benchmarks/index_recall.py`: of the nearest of 2,760 turns in MiniLM's vectors, these
find all of 50 and 99.95 % of 200; a width of 100, Chroma's own, finds 99.6 and 99.1 %."""

PAGE = 2_000
"""Vectors read from Chroma at once: 6 MB as it hands them out."""

SAMPLES = 32
"""Vectors that have to find themselves before a collection is trusted."""

NEARLY = 1e-3
"""How far the length of a vector, or its cosine with itself, may be from one."""


class ChromaFailure(Exception):
    """Chroma could not do it; whatever it raised is the cause."""


class Damaged(ChromaFailure):
    """The collection holds what nobody put there, or lacks what somebody did."""


@contextmanager
def _in_one_type() -> Iterator[None]:
    try:
        yield
    except ChromaFailure:
        raise
    except Exception as error:  # The rim: Chroma, httpx and the native part share no type.
        raise ChromaFailure(type(error).__name__) from error


class Collection:
    """The vectors of one space in Chroma.

    Args:
        collection: Chroma's own object.
        home: Names this data directory where a server has vectors of several; else None.
        close: Lets go of whatever Chroma holds open.
    """

    def __init__(self, collection: Any, home: str | None, close: Callable[[], None]) -> None:
        self._collection = collection
        self._home = home
        self._close = close
        self._numpy: Any = importlib.import_module("numpy")

    @property
    def made(self) -> str:
        """Names what it holds: a collection begun anew has another one."""
        return str((self._collection.metadata or {}).get("made") or self._collection.id)

    @property
    def dimensions(self) -> int | None:
        """Numbers in each vector, as it was begun with."""
        found = (self._collection.metadata or {}).get("dimensions")
        return found if isinstance(found, int) else None

    def ids(self) -> list[int]:
        """The ids of this data directory.

        Raises:
            ChromaFailure: Chroma could not tell.
        """
        return [number for page in self._pages([]) for number in self._numbers(page["ids"])]

    def add(self, entries: Entries) -> None:
        """Adds vectors; one whose id is there takes its place.

        Raises:
            ChromaFailure: Chroma could not do it.
        """
        if not entries.ids:
            return
        rows = self._numpy.frombuffer(entries.vectors, "<f4").reshape(len(entries.ids), -1)
        own = {} if self._home is None else {"home": self._home}
        with _in_one_type():
            self._collection.upsert(
                ids=self._names(entries.ids),
                embeddings=rows,
                metadatas=[{"session": session, **own} for session in entries.sessions],
            )

    def nearest(self, query: Query) -> list[tuple[int, float]]:
        """Ids with their cosine, nearest first.

        Raises:
            ChromaFailure: Chroma could not search.
            Damaged: It found what can't be.
        """
        if query.most < 1 or (query.sessions is not None and not query.sessions):
            return []
        with _in_one_type():
            found = self._collection.query(
                query_embeddings=self._numpy.frombuffer(query.vector, "<f4").reshape(1, -1),
                n_results=query.most,
                where=self._where(query.sessions),
                include=["distances"],
            )
        cosines = [1.0 - float(distance) for distance in found["distances"][0]]
        if any(not -1 - NEARLY <= cosine <= 1 + NEARLY for cosine in cosines):
            raise Damaged("a cosine beyond one")
        return list(zip(self._numbers(found["ids"][0]), cosines, strict=True))

    def remove(self, ids: Sequence[int]) -> None:
        """Takes vectors out of what is searched; Chroma leaves their bytes in its files.

        Raises:
            ChromaFailure: Chroma could not do it.
        """
        if not ids:
            return
        with _in_one_type():
            self._collection.delete(ids=self._names(ids))

    def everything(self) -> Iterator[Entries]:
        """All vectors of this data directory.

        Raises:
            ChromaFailure: Chroma could not read them.
        """
        for page in self._pages(["embeddings", "metadatas"]):
            rows = self._numpy.asarray(page["embeddings"], "<f4")
            sessions = [str(metadata["session"]) for metadata in page["metadatas"]]
            yield Entries(self._numbers(page["ids"]), sessions, rows.tobytes())

    def check(self, dimensions: int) -> None:
        """Makes sure that the vectors are vectors, and can be found.

        Raises:
            ChromaFailure: Chroma could not read them.
            Damaged: Some are not what was put there.
        """
        numpy, samples = self._numpy, []
        for page in self.everything():
            rows = numpy.frombuffer(page.vectors, "<f4").reshape(len(page.ids), -1)
            lengths = numpy.linalg.norm(rows, axis=1)
            if rows.shape[1] != dimensions or not (abs(lengths - 1) < NEARLY).all():
                raise Damaged("a vector of another length")
            samples.append(rows[:: max(1, len(rows) // SAMPLES)])
        if not samples:
            return
        chosen = numpy.concatenate(samples)
        for row in chosen[:: max(1, len(chosen) // SAMPLES)]:
            found = self.nearest(Query(row.tobytes(), 1))
            if not found or found[0][1] < 1 - NEARLY:
                raise Damaged("a vector does not find itself")

    def close(self) -> None:
        """Lets go of all files; what fails now is of no use any more."""
        with suppress(Exception):
            self._close()

    def _pages(self, include: Sequence[str]) -> Iterator[Any]:
        offset = 0
        while True:
            with _in_one_type():
                page = self._collection.get(
                    include=include, limit=PAGE, offset=offset, where=self._where(None)
                )
            if not page["ids"]:
                return
            yield page
            offset += len(page["ids"])

    def _where(self, sessions: Sequence[str] | None) -> Mapping[str, Any] | None:
        own = [] if self._home is None else [{"home": self._home}]
        wanted = [] if sessions is None else [{"session": {"$in": list(sessions)}}]
        conditions: list[Mapping[str, Any]] = [*own, *wanted]
        return {"$and": conditions} if len(conditions) > 1 else next(iter(conditions), None)

    def _names(self, ids: Sequence[int]) -> list[str]:
        prefix = "" if self._home is None else f"{self._home}-"
        return [f"{prefix}{number}" for number in ids]

    def _numbers(self, names: Sequence[str]) -> list[int]:
        try:
            return [int(name.rpartition("-")[2]) for name in names]
        except ValueError as error:
            raise Damaged("an id that is no number") from error


def open_folder(path: Path, name: str, metadata: Mapping[str, Any]) -> Collection:
    """Opens a collection on this disk, or begins one.

    Args:
        path: The folder of this collection alone.
        name: The collection's name.
        metadata: What one that is begun says of itself.

    Raises:
        ChromaFailure: It can't be opened.
    """
    with _in_one_type():
        chroma = importlib.import_module("chromadb")
        try:
            client = chroma.PersistentClient(str(path), settings=_quiet())
        except Exception:
            _forget(path)
            raise
        try:
            return Collection(_collection(client, name, metadata), None, client.close)
        except Exception:
            client.close()
            raise


def _forget(path: Path) -> None:
    """Chroma remembers a client that it could not make, and would hand it out for the same path."""
    shared: Any = importlib.import_module("chromadb.api.shared_system_client").SharedSystemClient
    shared._identifier_to_system.pop(str(path), None)  # noqa: SLF001 (there is no other way)


class Server:
    """A Chroma server.

    Args:
        url: Its address.
        token: What lets us in, or None.

    Raises:
        ChromaFailure: It does not answer.
    """

    def __init__(self, url: str, token: str | None) -> None:
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        with _in_one_type():
            chroma = importlib.import_module("chromadb")
            self._client = chroma.HttpClient(
                host=host if parts.path in {"", "/"} else url,
                port=parts.port or (443 if secure else 80),
                ssl=secure,
                headers=_headers(token),
                settings=_quiet(),
            )

    def collection(self, name: str, home: str, metadata: Mapping[str, Any]) -> Collection:
        """Opens a collection, or begins one.

        Args:
            name: The collection's name.
            home: Names this data directory among others.
            metadata: What one that is begun says of itself.

        Raises:
            ChromaFailure: The server did not do it.
        """
        with _in_one_type():
            return Collection(_collection(self._client, name, metadata), home, lambda: None)


def _collection(client: Any, name: str, metadata: Mapping[str, Any]) -> Any:
    # Without the word that there is no embedding function Chroma fetches one.
    return client.get_or_create_collection(
        name,
        metadata=dict(metadata),
        configuration={"hnsw": dict(HNSW)},
        embedding_function=None,
    )


def _headers(token: str | None) -> dict[str, str]:
    """The token as a proxy expects it, and as Chroma itself does."""
    return {} if token is None else {"Authorization": f"Bearer {token}", "X-Chroma-Token": token}


def _quiet() -> Any:
    settings: Any = importlib.import_module("chromadb.config").Settings
    return settings(anonymized_telemetry=False)
