"""The plainest order of what was found by words and by meaning: each counts by its place."""

from collections.abc import Mapping, Sequence

from memory.recall.corpus import Corpus, Passage, Scope
from memory.words import index_words

CANDIDATES = 200
"""Passages asked for of each way of looking."""
FLAT = 60.0
"""Added to each place, so that the first ones do not outweigh all others."""


async def fused(
    corpus: Corpus, text: str, vector: Sequence[float] | None, scope: Scope, most: int
) -> list[tuple[Passage, float, Mapping[str, float]]]:
    """Passages with their score and what it consists of, best first."""
    words = tuple(dict.fromkeys(index_words(text)))
    by_words = await corpus.with_words(words, scope, CANDIDATES)
    near = await corpus.near(vector, scope, CANDIDATES) if vector is not None else ()
    parts: dict[int, dict[str, float]] = {}
    for name, ids in (("words", by_words), ("meaning", [id for id, _ in near])):
        for place, id in enumerate(ids, start=1):
            parts.setdefault(id, {})[name] = 1.0 / (FLAT + place)
    best = sorted(parts, key=lambda id: (-sum(parts[id].values()), id))[:most]
    passages = await corpus.passages(best)
    return [(passages[id], sum(parts[id].values()), parts[id]) for id in best if id in passages]
