"""What a search of long-term memory costs by itself, against the number of messages (RECALL-3).

Messages of common and rare words as people use them, in sessions of 300; questions of words that
were said together. The vectors are drawn by chance and the index answers at once, since both are
another process's work; their way through the database and the ranking is in the figures.

CPU time of this process, all threads, besides embedding the question.

    python benchmarks/recall_query.py [--sizes 1000 10000 100000] [--queries 200]
"""

import argparse
import asyncio
import itertools
import math
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory import Memory, MemoryConfig
from memory.answer import NewMessage
from memory.protocols import IndexEntry
from memory.recall.nearness import packed

SIZES = (1_000, 10_000, 100_000)
QUERIES = 200
ALLOWED_MS = 60.0
DIMENSIONS = 384
SESSION = 300
"""Messages of a session."""
VOCABULARY = 40_000
COMMON_WORDS = """
the to and a of in i it is that you for on was with my we be have this at but not are so
he they as do what me can from or she about one if there your go out all just get like will
when how up know an would more time some think good them make see want really day then
"""
COMMON = COMMON_WORDS.split()
ZIPF = 1.05


class Words:
    """Draws words as they are spread in talk: few very often, most of them seldom."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        syllables = [c + v for c in "bcdfghklmnprstvz" for v in "aeiou"]
        made = {
            "".join(self._random.choices(syllables, k=n % 3 + 2)) for n in range(2 * VOCABULARY)
        }
        self._words = [*COMMON, *sorted(made)[: VOCABULARY - len(COMMON)]]
        weights = (1 / (place + 2.7) ** ZIPF for place in range(len(self._words)))
        self._weights = list(itertools.accumulate(weights))

    def text(self, low: int, high: int, topic: Sequence[str] = ()) -> str:
        """A message; some of its words belong to what the session is about."""
        words = self._random.choices(
            self._words, cum_weights=self._weights, k=self._random.randint(low, high)
        )
        told = [
            self._random.choice(topic) if topic and self._random.random() < 0.15 else w
            for w in words
        ]
        return " ".join(told).capitalize() + "."

    def topic(self) -> list[str]:
        """Words of what a session is about."""
        return self._random.choices(self._words[300:], k=25)


class ChanceEmbedder:
    """Vectors by chance."""

    name, dimensions = "chance", DIMENSIONS

    def __init__(self) -> None:
        self._random = random.Random(5)
        self._pool = [self._vector() for _ in range(64)]

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Any vectors."""
        return [self._random.choice(self._pool) for _ in texts]

    def _vector(self) -> list[float]:
        drawn = [self._random.gauss(0, 1) for _ in range(DIMENSIONS)]
        length = math.sqrt(sum(value * value for value in drawn))
        return [value / length for value in drawn]


class InstantIndex:
    """An index that answers at once with any of what it holds."""

    def __init__(self) -> None:
        self._ids: list[int] = []
        self._random = random.Random(6)

    async def known(self, space: str, dimensions: int) -> frozenset[int]:  # noqa: ARG002
        """What was added."""
        return frozenset(self._ids)

    async def add(self, space: str, entries: Sequence[IndexEntry]) -> None:  # noqa: ARG002
        """Keeps their numbers."""
        self._ids += [entry.id for entry in entries]

    async def nearest(
        self,
        space: str,  # noqa: ARG002
        vector: Sequence[float],  # noqa: ARG002
        most: int,
        sessions: Sequence[str] | None = None,  # noqa: ARG002
    ) -> Sequence[tuple[int, float]]:
        """Any of them."""
        chosen = self._random.sample(self._ids, min(most, len(self._ids)))
        return [(id, 0.8 - 0.002 * place) for place, id in enumerate(chosen)]

    async def remove(self, space: str, ids: Sequence[int]) -> None:
        """Nothing is removed here."""


async def measure(directory: Path, sizes: Sequence[int], queries: int) -> list[list[float]]:
    """Grows one data directory to each size and asks there; milliseconds of each question."""
    words, embedder = Words(3), ChanceEmbedder()
    config = MemoryConfig(policy="none", vault=False)
    rows, index = [], InstantIndex()
    said = 0
    for size in sizes:
        while said < size:
            async with Memory.open(directory, f"session {said}", config=config) as memory:
                await memory._journal.database.all("PRAGMA synchronous = OFF")
                topic = words.topic()
                texts = [words.text(5, 60, topic) for _ in range(min(SESSION, size - said))]
                await memory.add_all([NewMessage("user", text, "library") for text in texts])
                said += len(texts)
        async with Memory.open(
            directory, "asking", config=config, embedder=embedder, index=index
        ) as memory:
            await fill(memory, embedder)
            await memory.settled()
            row = await ask(memory, words, queries)
            print_row(size, row)
            rows.append(row)
    return rows


async def fill(memory: Memory, embedder: ChanceEmbedder) -> None:
    """Stores a vector for every passage, quicker than one by one."""
    pool = [packed(vector) for vector in embedder._pool]
    database = memory._journal.database
    missing = await database.all(
        "SELECT id FROM passage WHERE id NOT IN (SELECT passage FROM vector)"
    )
    for start in range(0, len(missing), 5_000):
        part = missing[start : start + 5_000]
        rows = [(id, embedder.name, pool[id % len(pool)]) for (id,) in part]

        async def write(transaction: object, rows: list[tuple[int, str, bytes]] = rows) -> None:
            await transaction.many(  # type: ignore[attr-defined]
                "INSERT OR IGNORE INTO vector (passage, embedder, data) VALUES (?, ?, ?)", rows
            )

        await database.write(write)


async def ask(memory: Memory, words: Words, queries: int) -> list[float]:
    """Milliseconds of CPU of each question."""
    found = await memory._journal.database.all(
        "SELECT text FROM body WHERE text <> '' ORDER BY random() LIMIT ?", (queries + 5,)
    )
    taken = []
    chance = random.Random(9)
    for (text,) in found:
        said = text.lower().rstrip(".").split()
        question = " ".join((*chance.sample(COMMON, 5), *chance.choices(said, k=5))) + "?"
        began = time.process_time()
        await memory.recall(question, k=20, budget=2_000)
        taken.append(1e3 * (time.process_time() - began))
    return taken[5:]


def print_row(size: int, row: Sequence[float]) -> None:
    """Prints one line of the table."""
    p95 = statistics.quantiles(row, n=20)[-1]
    print(f"{size:>9,}  {statistics.median(row):>9.1f}  {p95:>7.1f}  {max(row):>8.1f}", flush=True)


def main() -> int:
    """Runs the benchmark; fails where the largest size costs too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--queries", type=int, default=QUERIES)
    options = parser.parse_args()
    print(" messages  median ms   p95 ms   most ms   (CPU of a search)")
    with tempfile.TemporaryDirectory() as directory:
        rows = asyncio.run(measure(Path(directory), options.sizes, options.queries))
    first, last = (statistics.quantiles(row, n=20)[-1] for row in (rows[0], rows[-1]))
    print(f"growth of p95 from first to last: {last / first:.2f} x; allowed: {ALLOWED_MS:.0f} ms")
    return int(last > ALLOWED_MS)


if __name__ == "__main__":
    sys.exit(main())
