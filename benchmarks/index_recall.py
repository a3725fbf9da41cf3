"""How much of what exact search finds the vector index finds, and how fast (RECALL-2).

The texts of a file in LoCoMo's format, or random vectors, which are harder, are searched by its
questions in Chroma with several widths of search (`ef_search`) and one by one.

    python benchmarks/index_recall.py FILE --models DIRECTORY [--random 20000]
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from app.backend import chroma_door
from app.backend.client import Backend
from app.backend.protocol import DIMENSIONS, BackendSettings
from app.backend.vector_exact import ExactVectors
from app.backend.vector_protocol import ADD_AT_ONCE, Entries, Query

WIDTHS = (50, 100, 200, 400)
NEAREST = (10, 50, 200)
QUESTIONS = 300


def read(path: Path) -> tuple[list[str], list[str]]:
    """The turns and the questions of a file."""
    turns, questions = [], []
    for sample in json.loads(path.read_text("utf-8")):
        for name, session in sample["conversation"].items():
            if name.startswith("session_") and isinstance(session, list):
                turns += [f"{turn['speaker']}: {turn['text']}" for turn in session]
        questions += [question["question"] for question in sample["qa"]]
    return turns, questions[:: max(1, len(questions) // QUESTIONS)][:QUESTIONS]


async def embedded(texts: Sequence[str], models: Path) -> Any:
    """The vectors of some texts by the installed embedding model."""
    with tempfile.TemporaryDirectory() as folder:
        backend = await Backend.start(BackendSettings(Path(folder), models))
        try:
            return np.array(await backend.embed(texts), "<f4")
        finally:
            await backend.close()


def random_vectors(count: int, seed: int) -> Any:
    """Directions without any order."""
    rows = np.random.default_rng(seed).normal(size=(count, DIMENSIONS)).astype("<f4")
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def measure(rows: Any, asked: Any, width: int, exact: ExactVectors) -> list[str]:
    """A row of the table: one width of search."""
    chroma_door.HNSW["ef_search"] = width
    with tempfile.TemporaryDirectory() as folder:
        collection = chroma_door.open_folder(Path(folder), "benchmark", {"made": "now"})
        began = time.perf_counter()
        for portion in portions(rows):
            collection.add(portion)
        speed = len(rows) / (time.perf_counter() - began)
        shares, times = [], []
        for most in NEAREST:
            found = []
            for vector in asked:
                query = Query(vector.tobytes(), most)
                began = time.perf_counter()
                ids = {number for number, _ in collection.nearest(query)}
                times.append(time.perf_counter() - began)
                found.append(len(ids & {number for number, _ in exact.nearest(query)}) / most)
            shares.append(f"{statistics.mean(found):.4f}")
        collection.close()
    return [str(width), *shares, f"{statistics.median(times) * 1e3:.1f}", f"{speed:.0f}"]


def portions(rows: Any) -> list[Entries]:
    """Vectors as the index is given them."""
    starts = range(0, len(rows), ADD_AT_ONCE)
    ids = [range(start, min(start + ADD_AT_ONCE, len(rows))) for start in starts]
    return [Entries(list(each), [""] * len(each), rows[list(each)].tobytes()) for each in ids]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--random", type=int, default=0)
    options = parser.parse_args()
    turns, questions = read(options.file)
    asked = asyncio.run(embedded(questions, options.models))
    if options.random:
        rows = random_vectors(options.random, 1)
    else:
        rows = asyncio.run(embedded(turns, options.models))
    exact = ExactVectors(DIMENSIONS)
    for portion in portions(rows):
        exact.add(portion)
    titles = ["ef", *(f"recall@{most}" for most in NEAREST), "ms a search", "added a second"]
    print(f"{len(rows)} vectors, {len(asked)} questions")
    print("| " + " | ".join(titles) + " |")
    print("|---" * len(titles) + "|")
    for width in WIDTHS:
        print("| " + " | ".join(measure(rows, asked, width, exact)) + " |", flush=True)


if __name__ == "__main__":
    main()
