"""`strata bench recall`: questions with evidence, answered by Strata's own recall and by others.

Every talk goes into a database of its own in a temporary directory, through the same `Memory` that
the chat uses. What ranks is given the turns and the questions; the evidence only measures.
"""

import tempfile
import time
from array import array
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from app.backend.client import Backend
from app.lab.baselines import MOST, Ranker, Vector, plain_rankers, readable
from app.lab.questions import Evidence, Talk
from app.lab.recall_figures import Measured, by_category, measured
from memory.answer import NewMessage
from memory.clock import parse_time
from memory.config import MemoryConfig
from memory.memory import Memory
from memory.protocols import Embedder, IndexEntry
from memory.recall.packing import Entry

STRATA, CHROMA, CHROMA_5 = "strata", "Chroma", "Chroma, k = 5"
FIVE = 5
CL100K_MODEL = "gpt-4"
"""A model that counts with cl100k, which the budgets are told in."""
NO_LIMIT = 10**9
"""Tokens of a recall that is packed by the bench itself."""
Report = Callable[[str], None]
Rank = Callable[[str, Vector | None], Awaitable[list[str]]]


@dataclass(frozen=True, slots=True)
class RecallLab:
    """With what it is run: the backend counts and keeps vectors, the embedder makes them.

    Without an embedder everything is found by its words alone.
    """

    backend: Backend
    embedder: Embedder | None
    config: MemoryConfig


@dataclass(slots=True)
class System:
    """What one way to rank came to."""

    rows: list[Measured] = field(default_factory=list)
    inserting_s: float = 0.0
    asking_s: float = 0.0
    inserted: int = 0
    asked: int = 0

    def document(self, name: str) -> dict[str, Any]:
        """As JSON."""
        return {
            "name": name,
            "ms_per_insert": _ms(self.inserting_s, self.inserted),
            "ms_per_query": _ms(self.asking_s, self.asked),
            **by_category(self.rows),
        }


@dataclass(slots=True)
class Benched:
    """Everything that was measured, and Strata's rankings, a line a question."""

    systems: dict[str, System] = field(default_factory=dict)
    rankings: list[dict[str, Any]] = field(default_factory=list)


async def bench(
    talks: Sequence[Talk], evidence: Evidence, lab: RecallLab, report: Report
) -> Benched:
    """Asks every question of every talk.

    Args:
        talks: The talks with their questions.
        evidence: What answers them; it is looked at when a ranking is there.
        lab: With what to run it.
        report: Told what is being done.
    """
    done = Benched()
    for talk in talks:
        report(f"{talk.name}: {len(talk.turns):,} turns are stored and indexed")
        entries = await _entries(talk, lab.backend)
        vectors = await _vectors([turn.line for turn in talk.turns], lab.embedder)
        meant = await _vectors([question.text for question in talk.questions], lab.embedder)
        async with _rankers(talk, vectors, lab, done) as rankers:
            for place, question in enumerate(talk.questions):
                report(f"{talk.name}: question {place + 1} of {len(talk.questions)}")
                vector = None if meant is None else meant[place]
                rankings = await _ask(question.text, vector, rankers, done)
                ids = rankings[STRATA]
                line = {"conversation": talk.name, "question": question.index, "ids": ids}
                done.rankings.append(line)
                wanted = evidence.turns.get((talk.name, question.index))
                for name, ranking in rankings.items() if wanted else ():
                    row = measured(ranking, wanted or frozenset(), entries, question.category)
                    done.systems[name].rows.append(row)
    return done


def document(
    file: str, talks: Sequence[Talk], evidence: Evidence, embedder: Embedder | None, done: Benched
) -> dict[str, Any]:
    """The document of `bench recall --json`."""
    asked = sum(len(talk.questions) for talk in talks)
    return {
        "file": file,
        "conversations": len(talks),
        "messages": sum(len(talk.turns) for talk in talks),
        "questions": {"asked": asked, "measured": len(evidence.turns)},
        "evidence": {
            "ids": evidence.ids,
            "repaired": evidence.repaired,
            "skipped": evidence.skipped,
        },
        "embedder": None if embedder is None else embedder.name,
        "counted_by": "cl100k",
        "systems": [system.document(name) for name, system in done.systems.items()],
    }


async def _ask(
    text: str, vector: Vector | None, rankers: Mapping[str, Rank], done: Benched
) -> dict[str, list[str]]:
    """The rankings of one question by system; Strata embeds the question itself."""
    rankings: dict[str, list[str]] = {}
    for name, rank in rankers.items():
        started = time.perf_counter()
        rankings[name] = await rank(text, vector)
        system = done.systems[name]
        system.asking_s += time.perf_counter() - started
        system.asked += 1
    if CHROMA in rankings:
        rankings[CHROMA_5] = rankings[CHROMA][:FIVE]
        of_five, whole = done.systems[CHROMA_5], done.systems[CHROMA]
        of_five.inserting_s, of_five.inserted = whole.inserting_s, whole.inserted
        of_five.asking_s, of_five.asked = whole.asking_s, whole.asked
    return rankings


@asynccontextmanager
async def _rankers(
    talk: Talk, vectors: Sequence[Vector] | None, lab: RecallLab, done: Benched
) -> AsyncIterator[dict[str, Rank]]:
    """All ways to rank, with the talk in them."""
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as directory:
        async with _memory(Path(directory), lab) as memory:
            started = time.perf_counter()
            await memory.add_all([_said(turn.role, turn.line, turn.at) for turn in talk.turns])
            await memory.settled()
            _inserted(done, STRATA, talk, started)
            rankers: dict[str, Rank] = {STRATA: _by_strata(talk, memory)}
            if vectors is not None:
                started = time.perf_counter()
                rankers[CHROMA] = await _by_chroma(talk, vectors, lab.backend)
                done.systems.setdefault(CHROMA_5, System())
                _inserted(done, CHROMA, talk, started)
            started = time.perf_counter()
            for name, ranker in plain_rankers(talk.turns, vectors).items():
                rankers[name] = _waited_for(ranker)
                _inserted(done, name, talk, started)
            yield rankers


@asynccontextmanager
async def _memory(directory: Path, lab: RecallLab) -> AsyncIterator[Memory]:
    config = lab.config.model_copy(update={"policy": "none", "vault": False})
    index = lab.backend.vectors if lab.embedder is not None else None
    async with Memory.open(
        directory, "bench", config=config, embedder=lab.embedder, index=index
    ) as memory:
        yield memory


def _said(role: Any, line: str, at: str) -> NewMessage:
    return NewMessage(role, readable(line) or " ", "import", said_at=at or None)


def _by_strata(talk: Talk, memory: Memory) -> Rank:
    """Strata's own recall. The question is asked when the talk ended."""
    ids = {number: turn.id for number, turn in enumerate(talk.turns, start=1)}
    end = max((turn.at for turn in talk.turns), default="")
    now: datetime | None = parse_time(end) if end else None

    async def rank(text: str, vector: Vector | None) -> list[str]:
        found = await memory.recall(readable(text), MOST, NO_LIMIT, {"kind": "message"}, now=now)
        # A long turn is several passages.
        return list(dict.fromkeys(ids[each.number] for each in found))

    return rank


async def _by_chroma(talk: Talk, vectors: Sequence[Vector], backend: Backend) -> Rank:
    """Chroma with the same embeddings."""
    space = f"bench {talk.name}"
    await backend.vectors.known(space, len(vectors[0]))
    entries = [
        IndexEntry(place, "bench", array("f", vector).tobytes())
        for place, vector in enumerate(vectors)
    ]
    await backend.vectors.add(space, entries)

    async def rank(text: str, vector: Vector | None) -> list[str]:
        if vector is None:
            return []
        near = await backend.vectors.nearest(space, vector, MOST)
        return [talk.turns[place].id for place, _ in near]

    return rank


def _waited_for(ranker: Ranker) -> Rank:
    async def rank(text: str, vector: Vector | None) -> list[str]:
        return ranker(text, vector)

    return rank


def _inserted(done: Benched, name: str, talk: Talk, started: float) -> None:
    system = done.systems.setdefault(name, System())
    system.inserting_s += time.perf_counter() - started
    system.inserted += len(talk.turns)


async def _vectors(texts: Sequence[str], embedder: Embedder | None) -> Sequence[Vector] | None:
    return None if embedder is None else await embedder.embed([readable(text) for text in texts])


async def _entries(talk: Talk, backend: Backend) -> dict[str, Entry[str]]:
    """What each turn costs: its line, and once a session its header."""
    lines = [f"{readable(turn.line)}\n" for turn in talk.turns]
    heads = list(dict.fromkeys(f"{readable(turn.header)}\n" for turn in talk.turns))
    counted = (await backend.count(CL100K_MODEL, [*lines, *heads])).tokens
    of_head = dict(zip(heads, counted[len(lines) :], strict=True))
    return {
        turn.id: Entry(turn.id, tokens, turn.session, of_head[f"{readable(turn.header)}\n"])
        for turn, tokens in zip(talk.turns, counted, strict=False)
    }


def _ms(seconds: float, times: int) -> float | None:
    return round(1_000 * seconds / times, 3) if times else None
