"""What Strata's recall is compared with: simple ways to rank the turns of a talk (LAB-3).

None of them holds the evidence; each is given turns and a question's text and vector, and no more.
"""

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from operator import mul

from app.lab.questions import Turn

RRF_K = 60
"""The constant of the paper on reciprocal rank fusion (Cormack et al., 2009)."""
MOST = 200
"""Turns in a ranking."""
Vector = Sequence[float]
Ranker = Callable[[str, Vector | None], list[str]]


def newest(turns: Sequence[Turn]) -> Ranker:
    """What was said last comes first, whatever is asked: what a plain window has."""
    ids = [turn.id for turn in reversed(turns)][:MOST]
    return lambda text, vector: ids


def full_text(turns: Sequence[Turn]) -> Ranker:
    """SQLite's FTS5 with its own stemmer and its own bm25()."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE turn USING fts5(line, tokenize = 'porter unicode61')")
    database.executemany("INSERT INTO turn VALUES (?)", [(readable(t.line),) for t in turns])

    def rank(text: str, vector: Vector | None) -> list[str]:
        words = dict.fromkeys(re.findall(r"\w+", readable(text)))
        if not words:
            return []
        rows = database.execute(
            "SELECT rowid FROM turn WHERE turn MATCH ? ORDER BY bm25(turn), rowid LIMIT ?",
            (" OR ".join(f'"{word}"' for word in words), MOST),
        )
        return [turns[row - 1].id for (row,) in rows]

    return rank


def exact(turns: Sequence[Turn], vectors: Sequence[Vector]) -> Ranker:
    """Every turn's cosine with the question."""

    def rank(text: str, vector: Vector | None) -> list[str]:
        if vector is None:
            return []
        cosines = [sum(map(mul, vector, own)) for own in vectors]
        order = sorted(range(len(turns)), key=lambda place: (-cosines[place], place))
        return [turns[place].id for place in order[:MOST]]

    return rank


def fused(rankings: Sequence[Sequence[str]]) -> list[str]:
    """Reciprocal rank fusion."""
    scores: dict[str, float] = {}
    for ranking in rankings:
        for place, id in enumerate(ranking, start=1):
            scores[id] = scores.get(id, 0.0) + 1 / (RRF_K + place)
    order = {id: place for place, id in enumerate(scores)}
    return sorted(scores, key=lambda id: (-scores[id], order[id]))[:MOST]


def readable(text: str) -> str:
    """The text without what UTF-8 can't hold."""
    return text.encode("utf-8", "replace").decode()


def plain_rankers(turns: Sequence[Turn], vectors: Sequence[Vector] | None) -> Mapping[str, Ranker]:
    """All ways that need nothing else, by name.

    Args:
        turns: The talk.
        vectors: Embeddings of the turns; without them what needs them is left out.
    """
    words = full_text(turns)
    rankers: dict[str, Ranker] = {"newest turns": newest(turns), "FTS5": words}
    if vectors is not None:
        meaning = exact(turns, vectors)
        rankers["MiniLM, exact"] = meaning
        rankers["rank fusion"] = lambda text, vector: fused(
            (words(text, vector), meaning(text, vector))
        )
    return rankers
