"""What is near in meaning: asked of the vector index, or else compared one by one."""

import asyncio
import heapq
import sys
from array import array
from collections.abc import Iterable, Sequence
from operator import mul

from memory import telemetry
from memory.errors import StrataError
from memory.protocols import IndexEntry, VectorIndex
from memory.storage import finding, vectors
from memory.storage.database import Database
from memory.storage.finding import Wanted
from memory.storage.vectors import Space

EXACT_MOST = 3_000
"""Vectors, the newest ones, that are compared one by one where there is no index: about 40 ms."""
ASKED_MOST = 2_000
"""Neighbours that the index is asked for at most, where few of them are what is wanted."""
STEP = 5_000
"""Ids of passages gone through at once: about 5 ms of the database's thread."""
FED_AT_ONCE = 250
"""Vectors given to the index at once: half a megabyte on its way."""


class Neighbours:
    """Vectors of one agent's passages by one embedder, in the tables and in an index.

    Without an index they are compared one by one.

    Args:
        database: Where they stand.
        agent: Whose passages.
    """

    def __init__(self, database: Database, agent: str) -> None:
        self._database = database
        self._agent = agent
        self._index: VectorIndex | None = None
        self._dimensions = 0
        self._name = ""
        self._seen = 0
        """The newest vector in the tables that has been looked at."""
        self._held: set[int] | None = None
        """What the index holds; None while it is not open."""
        self._lacking: list[int] = []
        self.embedder = ""
        self.problem = ""
        """Why the index is not used, as a sentence; empty while it is."""

    @property
    def space(self) -> Space:
        """Which vectors they are."""
        return Space(self._agent, self.embedder)

    @property
    def waits(self) -> bool:
        """Whether there is an index that is not open."""
        return self._index is not None and self._held is None

    def use(self, embedder: str, dimensions: int) -> None:
        """From here on the vectors of this embedder are asked for."""
        self.embedder, self._dimensions = embedder, dimensions
        self._held, self._lacking = None, []

    def use_index(self, index: VectorIndex) -> None:
        """From here on this index finds near vectors, once it is open."""
        self._index, self._held, self._lacking = index, None, []

    # -- the index

    async def open(self) -> None:
        """Opens the index, takes out what it has too much, and notes what it lacks.

        Raises:
            StrataError: It can't be used now.
        """
        if self._index is None or not self.waits or not self.embedder:
            return
        try:
            self._name = await vectors.name_of(self._database, self.space)
            held = set(await self._index.known(self._name, self._dimensions))
            newest = await vectors.newest(self._database)
            stored: list[int] = []
            for low in range(1, newest.passage + 1, STEP):
                high = low + STEP - 1
                stored += await vectors.stored(self._database, self.space, low, high)
            surplus = held.difference(stored)
            for part in _parts(sorted(surplus)):
                await self._index.remove(self._name, part)
        except StrataError as error:
            self._lost(error)
            raise
        self._lacking = [id for id in stored if id not in held]
        self._held, self._seen, self.problem = held - surplus, newest.vector, ""

    async def feed(self) -> bool:
        """Gives the index some of what it lacks; whether there was anything.

        Raises:
            StrataError: It can't be used now.
        """
        if self._index is None or self._held is None:
            return False
        await self._look()
        if not self._lacking:
            return False
        part = self._lacking[:FED_AT_ONCE]
        rows = await vectors.entries(self._database, self.embedder, part)
        try:
            with telemetry.span("memory.index.add", passages=len(rows)):
                await self._index.add(self._name, [IndexEntry(*row) for row in rows])
        except StrataError as error:
            self._lost(error)
            raise
        if self._held is not None:
            self._held.update(part)
            del self._lacking[: len(part)]
        return True

    async def forget(self, ids: Iterable[int]) -> bool:
        """Takes passages out of the index that have gone; False where none is open here.

        Raises:
            StrataError: It can't be used now; it is put right when it is opened again.
        """
        gone = sorted(ids)
        if self._index is None or self._held is None:
            return False
        if not gone:
            return True
        try:
            await self._index.remove(self._name, gone)
        except StrataError as error:
            self._lost(error)
            raise
        self._held.difference_update(gone)
        return True

    async def _look(self) -> None:
        """Notes what was stored since, here or by another process."""
        newest = await vectors.newest(self._database)
        if self._held is not None and newest.vector > self._seen:
            fresh = await vectors.stored_since(self._database, self.space, self._seen)
            known = (self._held, set(self._lacking))
            self._lacking += [id for id in fresh if not any(id in ids for ids in known)]
            self._seen = newest.vector

    def _lost(self, error: StrataError) -> None:
        self._held, self._lacking, self.problem = None, [], error.sentence

    # -- searching

    async def nearest(
        self, vector: Sequence[float], wanted: Wanted, most: int
    ) -> Sequence[tuple[int, float]]:
        """Ids of passages with their cosine, nearest first.

        Raises:
            StorageError: The database refused.
        """
        if not self.embedder or len(vector) != self._dimensions or most <= 0:
            return ()
        if self._index is not None and self._held is not None:
            try:
                found = await self._asked(self._index, vector, wanted, most)
            except StrataError as error:
                self._lost(error)
            else:
                return await self._with_lacking(vector, wanted, found, most)
        rows = await vectors.all_of(self._database, self.embedder, wanted, EXACT_MOST)
        return await asyncio.to_thread(nearest_of, vector, rows, most)

    async def _asked(
        self, index: VectorIndex, vector: Sequence[float], wanted: Wanted, most: int
    ) -> list[tuple[int, float]]:
        sessions = None if wanted.streams is None else list(wanted.streams)
        ask = most + 20 if wanted.only_by_stream else 4 * most
        while True:
            found = await index.nearest(self._name, vector, ask, sessions)
            allowed = set(await finding.within(self._database, [id for id, _ in found], wanted))
            fitting = [(id, cosine) for id, cosine in found if id in allowed]
            if len(fitting) >= most or len(found) < ask or ask >= ASKED_MOST:
                return fitting[:most]
            ask = min(4 * ask, ASKED_MOST)

    async def _with_lacking(
        self, vector: Sequence[float], wanted: Wanted, found: list[tuple[int, float]], most: int
    ) -> list[tuple[int, float]]:
        """What was found, with what the index does not hold yet."""
        await self._look()
        lacking = self._lacking[-EXACT_MOST:]
        if not lacking:
            return found
        allowed = await finding.within(self._database, lacking, wanted)
        rows = await vectors.entries(self._database, self.embedder, allowed)
        pairs = [(id, data) for id, _, data in rows]
        more = await asyncio.to_thread(nearest_of, vector, pairs, most)
        best = {**dict(found), **dict(more)}
        return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:most]


def nearest_of(
    vector: Sequence[float], rows: Sequence[tuple[int, bytes]], most: int
) -> list[tuple[int, float]]:
    """The nearest of some vectors of length one with their cosine, nearest first. Pure."""
    asked = tuple(vector)
    cosines = ((id, sum(map(mul, asked, unpacked(data)))) for id, data in rows)
    return heapq.nsmallest(most, cosines, key=lambda pair: (-pair[1], pair[0]))


def packed(vector: Sequence[float]) -> bytes:
    """A vector as it is stored: 4-byte floats, little-endian."""
    numbers = array("f", vector)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def unpacked(data: bytes) -> "array[float]":
    """A stored vector."""
    numbers = array("f", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def _parts(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    return (ids[start : start + FED_AT_ONCE] for start in range(0, len(ids), FED_AT_ONCE))
