"""The vector index as memory uses it, in the screen's process: a `VectorIndex` of the backend."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from app.backend.errors import ModelFailure
from app.backend.protocol import JsonObject
from app.backend.vector_protocol import ADD_AT_ONCE, CHANGED, Entries, IndexKind, Opened, Query
from memory.errors import StrataError
from memory.protocols import IndexEntry

OPEN_S = 120.0
"""The backend gives up before; Chroma may have to be loaded and all vectors to be read."""

ADD_S = 90.0
REMOVE_S = 90.0
NEAREST_S = 20.0
"""Somebody waits for it; it takes a few milliseconds, but after an addition or a removal."""


class IndexUnavailable(StrataError):
    """The index can't be used now. `known` opens the space again, and tells what it holds then."""


@dataclass(frozen=True, slots=True)
class _Space:
    dimensions: int
    made: str


class VectorClient:
    """Asks the backend. A space is opened by `known`, and again after each failure.

    Args:
        ask: Sends a request to the backend and returns the result.
    """

    def __init__(self, ask: Callable[[JsonObject, float], Awaitable[JsonObject]]) -> None:
        self._ask = ask
        self._spaces: dict[str, _Space] = {}
        self.kind: IndexKind | None = None
        """Where the space that was opened last is; None before."""

        self.on_note: Callable[[str], None] | None = None
        """Given a sentence when the user should know of damage or of a server that is away."""

    async def known(self, space: str, dimensions: int) -> frozenset[int]:
        """Opens a space, makes it where there is none, and tells the ids it holds.

        Raises:
            IndexUnavailable: The backend can't be asked now.
        """
        body = {"op": "index_open", "space": space, "dimensions": dimensions}
        opened = Opened(**await self._asked(body, OPEN_S))
        self._spaces[space] = _Space(dimensions, opened.made)
        self.kind = opened.kind
        if opened.note and self.on_note is not None:
            self.on_note(opened.note)
        return frozenset(opened.ids)

    async def add(self, space: str, entries: Sequence[IndexEntry]) -> None:
        """Adds vectors; one whose id is there takes its place.

        Raises:
            IndexUnavailable: The index can't be used now, or was begun anew.
        """
        for start in range(0, len(entries), ADD_AT_ONCE):
            portion = entries[start : start + ADD_AT_ONCE]
            packed = Entries(
                [entry.id for entry in portion],
                [entry.session for entry in portion],
                b"".join(entry.vector for entry in portion),
            )
            await self._of("index_add", space, {"entries": packed.to_json()}, ADD_S)

    async def nearest(
        self, space: str, vector: Sequence[float], most: int, sessions: Sequence[str] | None = None
    ) -> Sequence[tuple[int, float]]:
        """Ids with their cosine, nearest first; of some sessions, or of all.

        Raises:
            IndexUnavailable: The index can't be used now, or was begun anew.
        """
        query = Query(_packed(vector), most, sessions).to_json()
        result = await self._of("index_nearest", space, {"query": query}, NEAREST_S)
        return [(number, cosine) for number, cosine in result["found"]]

    async def remove(self, space: str, ids: Sequence[int]) -> None:
        """Removes vectors for good; ids that are not there are passed over.

        Raises:
            IndexUnavailable: The index can't be used now, or was begun anew.
        """
        await self._of("index_remove", space, {"ids": list(ids)}, REMOVE_S)

    async def _of(self, op: str, name: str, body: JsonObject, longest_s: float) -> JsonObject:
        """The result of a request about a space that is open."""
        space = self._spaces.get(name)
        if space is None:
            raise IndexUnavailable("The vector index is not open.", "Open it first.")
        expected = {"space": name, "dimensions": space.dimensions, "made": space.made}
        result = await self._asked({"op": op, **expected, **body}, longest_s)
        if CHANGED in result:
            raise IndexUnavailable(
                "The vector index was begun anew.", "It is filled again from the database."
            )
        return result

    async def _asked(self, body: JsonObject, longest_s: float) -> JsonObject:
        try:
            return await self._ask(body, longest_s)
        except ModelFailure as error:
            told = error.sentence if error.kind == "index" else "The vector index can't be asked."
            raise IndexUnavailable(told, error.next_step) from error


def _packed(vector: Sequence[float]) -> bytes:
    numbers = array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()
