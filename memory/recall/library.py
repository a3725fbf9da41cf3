"""The passages of a data directory: full text and stored vectors in SQLite, nearness by an index.

The index may be away or behind: what it lacks is compared one by one while that is little, and is
found by its words in any case.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from memory.parts import Origin
from memory.recall.corpus import Frequencies, Passage, PassageKind, Scope
from memory.storage import finding
from memory.storage.database import Database
from memory.storage.failures import DatabaseDamaged
from memory.storage.finding import PassageRow, Wanted

LOGGER = logging.getLogger("strata.memory")

KNOWN_WORDS = 20_000
"""Words whose numbers are kept, about 2 MB: nearly all that anybody asks with."""
DRIFT = 0.1
"""Share by which the passages may have become more before words are counted again."""


class Nearness(Protocol):
    """What compares vectors."""

    @property
    def embedder(self) -> str:
        """The embedder whose vectors they are; empty where there is none."""
        ...

    async def nearest(
        self, vector: Sequence[float], wanted: Wanted, most: int
    ) -> Sequence[tuple[int, float]]:
        """Ids of passages with their cosine, nearest first."""
        ...


class Library:
    """A `memory.recall.corpus.Corpus` of a data directory.

    Args:
        database: Where the passages are.
        nearness: Finds those near in meaning; without it none are.
    """

    def __init__(self, database: Database, nearness: Nearness | None = None) -> None:
        self._database = database
        self._nearness = nearness
        self._having: dict[str, int] = {}
        self._counted_at = 0
        self.damaged = False
        """Whether the search table could not be read; it is made anew in the background."""

    async def frequencies(self, words: Sequence[str]) -> Frequencies:
        """How common these words are."""
        # Noted before anything is awaited: another search may have the numbers counted anew.
        known = {word: self._having[word] for word in words if word in self._having}
        unknown = [word for word in dict.fromkeys(words) if word not in known]
        try:
            counts = await finding.counts(self._database, unknown)
        except (DatabaseDamaged, MemoryError) as error:
            self._note(error)
            return Frequencies(0, 0.0)
        if counts.passages > self._counted_at * (1 + DRIFT) or len(self._having) > KNOWN_WORDS:
            self._having.clear()
            self._counted_at = counts.passages
            if known:
                return await self.frequencies(words)
        fresh = {word: counts.having.get(word, 0) for word in unknown}
        self._having.update(fresh)
        known |= fresh
        mean = counts.words / counts.passages if counts.passages else 0.0
        having = {word: found for word in words if (found := known[word])}
        return Frequencies(counts.passages, mean, having)

    async def with_words(self, words: Sequence[str], scope: Scope, most: int) -> Sequence[int]:
        """Ids of passages that have at least one of the words, likeliest first."""
        try:
            return await finding.matched(self._database, words, wanted_of(scope), most)
        except (DatabaseDamaged, MemoryError) as error:
            self._note(error)
            return ()

    async def near(
        self, vector: Sequence[float], scope: Scope, most: int
    ) -> Sequence[tuple[int, float]]:
        """Ids of the passages nearest in meaning with their cosine, nearest first."""
        if self._nearness is None or not vector:
            return ()
        return await self._nearness.nearest(vector, wanted_of(scope), most)

    async def passages(self, ids: Sequence[int]) -> Mapping[int, Passage]:
        """Passages by id; one that has gone is left out."""
        embedder = self._nearness.embedder if self._nearness is not None else ""
        rows = await finding.read(self._database, ids, embedder)
        return {row.id: passage_of(row) for row in rows}

    async def around(self, ids: Sequence[int], reach: int) -> Mapping[int, tuple[int, ...]]:
        """For each message, the ids of those at most `reach` before and after it, in order."""
        return await finding.beside(self._database, ids, reach) if ids and reach else {}

    def _note(self, error: Exception) -> None:
        if not self.damaged:
            LOGGER.warning("the search table can't be read: %r", error)
        self.damaged = True


def wanted_of(scope: Scope) -> Wanted:
    """What the tables are asked for."""
    return Wanted(
        agent=scope.agent,
        streams=scope.sessions,
        kinds=scope.kinds,
        roles=scope.roles,
        origins=scope.origins,
        tags=scope.tags,
        since=scope.since,
        until=scope.until,
    )


def passage_of(row: PassageRow) -> Passage:
    """A passage as the ranking sees it."""
    return Passage(
        id=row.id,
        kind=cast(PassageKind, row.kind),
        body=row.body,
        text=row.text,
        length=row.words,
        role=row.role,
        at=row.at,
        session=row.stream,
        episode=row.episode,
        number=row.number,
        origin=cast(Origin, row.origin),
        importance=row.importance,
        pinned=bool(row.pinned),
        tags=() if row.tags == "[]" else tuple(json.loads(row.tags)),
        vector=row.vector,
        start=row.first,
    )
