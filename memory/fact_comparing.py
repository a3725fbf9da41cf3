"""How near facts are in meaning: their vectors, each made once and kept while it may be used."""

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memory.errors import StrataError
from memory.loss.similarity import Vector
from memory.protocols import Embedder, embedded

if TYPE_CHECKING:
    from memory.facts.learning import Cosine

LOGGER = logging.getLogger("strata.memory")
KEPT = 512
"""Vectors that are kept, about 5 MB."""


class Comparing:
    """Compares facts by an embedder; without one, or where it fails, nobody can tell."""

    def __init__(self) -> None:
        self._embedder: Embedder | None = None
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    def use(self, embedder: Embedder) -> None:
        """From here on this model compares."""
        if self._embedder is None or self._embedder.name != embedder.name:
            self._vectors.clear()
        self._embedder = embedder

    async def cosines(self, new: Sequence[str], known: Iterable[str]) -> "Cosine":
        """Has these texts embedded, and compares any two of them.

        Args:
            new: Texts that are compared with each other and with the known ones.
            known: Texts that they may repeat; without any, there is nothing to compare.
        """
        texts = list(dict.fromkeys((*new, *known)))
        vectors = await self._embedded(texts) if len(texts) > 1 else {}

        def cosine(one: str, other: str) -> float | None:
            if one not in vectors or other not in vectors:
                return None
            return sum(a * b for a, b in zip(vectors[one], vectors[other], strict=True))

        return cosine

    async def _embedded(self, texts: Sequence[str]) -> dict[str, Vector]:
        embedder = self._embedder
        if embedder is None:
            return {}
        missing = [text for text in texts if text not in self._vectors]
        try:
            made = await embedded(embedder, missing) if missing else []
        except StrataError as error:
            LOGGER.warning("facts are compared by rule alone: %s", error)
            return {}
        found = {text: self._vectors[text] for text in texts if text in self._vectors}
        found |= zip(missing, made, strict=True)
        self._vectors.update(found)
        for text in found:
            self._vectors.move_to_end(text)
        while len(self._vectors) > KEPT:
            self._vectors.popitem(last=False)
        return found
