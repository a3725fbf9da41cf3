"""Passages in memory, searched plainly: for tuning and testing rankings without a database."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from memory.recall.corpus import Frequencies, Passage, Scope
from memory.recall.searching import in_scope
from memory.recall.signals import cosine_of

FTS5_K1, FTS5_B = 1.2, 0.75
"""What SQLite's bm25() uses."""


class PlainCorpus:
    """A `memory.recall.corpus.Corpus` of some passages.

    Args:
        passages: In the order in which they were said.
    """

    def __init__(self, passages: Iterable[Passage]) -> None:
        self._passages = {passage.id: passage for passage in passages}
        self._sessions: dict[str, list[int]] = {}
        for passage in self._passages.values():
            if passage.kind == "message":
                self._sessions.setdefault(passage.session, []).append(passage.id)
        self._places = {id: at for ids in self._sessions.values() for at, id in enumerate(ids)}
        self._counts = {id: Counter(passage.words) for id, passage in self._passages.items()}
        self._having: dict[str, list[int]] = {}
        for id, counts in self._counts.items():
            for word in counts:
                self._having.setdefault(word, []).append(id)
        self._words = sum(passage.length for passage in self._passages.values())

    async def frequencies(self, words: Sequence[str]) -> Frequencies:
        """How common these words are."""
        count = len(self._passages)
        having = {word: len(self._having.get(word, ())) for word in words}
        return Frequencies(count, self._words / count if count else 0.0, having)

    async def with_words(self, words: Sequence[str], scope: Scope, most: int) -> Sequence[int]:
        """Ids of passages that have at least one of the words, by BM25 as FTS5 has it."""
        scores: Counter[int] = Counter()
        for word in words:
            for id in self._having.get(word, ()):
                scores[id] += self._weight(word, self._passages[id])  # type: ignore[assignment]
        ranked = sorted(scores, key=lambda id: (-scores[id], id))
        return [id for id in ranked if in_scope(self._passages[id], scope)][:most]

    async def near(
        self, vector: Sequence[float], scope: Scope, most: int
    ) -> Sequence[tuple[int, float]]:
        """Ids of the passages nearest in meaning with their cosine, nearest first."""
        cosines = {
            id: cosine
            for id, passage in self._passages.items()
            if in_scope(passage, scope)
            and (cosine := cosine_of(vector, passage.vector)) is not None
        }
        return sorted(cosines.items(), key=lambda item: (-item[1], item[0]))[:most]

    async def passages(self, ids: Sequence[int]) -> Mapping[int, Passage]:
        """Passages by id; one that is not there is left out."""
        return {id: self._passages[id] for id in ids if id in self._passages}

    async def around(self, ids: Sequence[int], reach: int) -> Mapping[int, tuple[int, ...]]:
        """For each message, the ids of those at most `reach` before and after it, in order."""
        near: dict[int, tuple[int, ...]] = {}
        for id in ids:
            if id in self._places:
                session, place = self._sessions[self._passages[id].session], self._places[id]
                beside = session[max(place - reach, 0) : place + reach + 1]
                near[id] = tuple(other for other in beside if other != id)
        return near

    def _weight(self, word: str, passage: Passage) -> float:
        count = self._counts[passage.id][word]
        having = len(self._having[word])
        idf = max(math.log((len(self._passages) - having + 0.5) / (having + 0.5)), 1e-6)
        mean = self._words / len(self._passages)
        norm = FTS5_K1 * (1 - FTS5_B + FTS5_B * passage.length / mean)
        return idf * count * (FTS5_K1 + 1) / (count + norm)
