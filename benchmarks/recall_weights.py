"""How recall's weights were found: learned on LoCoMo's conversations, measured on those left out.

For each question the candidates of `memory.recall.searching` with their features; the weights are
those under which a softmax over the candidates gives most to the turns that answer it (with an L2
penalty, each weight on the side of zero that makes sense for it). The first rows leave one
conversation out in turn: learned on the others, measured on that one. `words alone` has no vectors.
What is learned on all of it are the weights for talks among people in `memory/recall/weights.py`.

Those for talks with an assistant are learned on the same talk as a user would have it with one
(`roles`: names taken out, questions in the first and second person), and on the chats of
`assistant_learned` (`benchmarks/chat_talks.py`), whose questions count twice. Of the other chats
nothing is learned; each stands below the simpler ways to rank it.

    python benchmarks/recall_weights.py locomo-dev.json --models DIR [--penalty 30]
"""

import argparse
import asyncio
import json
import re
import sys
import tempfile
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.backend.client import Backend
from app.backend.protocol import BackendSettings
from app.lab.baselines import plain_rankers
from app.lab.questions import Evidence, Question, Talk, Turn, read_questions
from app.lab.recall_figures import BUDGETS, JUDGED, Measured, figures, measured
from benchmarks.chat_talks import FORMS, made
from benchmarks.plain_corpus import PlainCorpus
from memory.clock import parse_time
from memory.recall.asking import understand
from memory.recall.corpus import Passage, Scope
from memory.recall.packing import Entry
from memory.recall.searching import candidates_of
from memory.recall.weights import AMONG_PEOPLE_FOUND, CHOSEN, WITH_ASSISTANT, WITH_ASSISTANT_FOUND
from memory.storage.cutting import spans
from memory.words import index_words

Matrix = Any
Vectors = Sequence[Sequence[float]]
AGAINST = frozenset({"question", "asks", "wordy"})
"""Features that may only speak against a passage; all others only for it."""
STEPS, PACE = 300, 0.1
"""Of Adam, which lands within a tenth of a point of where 1,000 steps do."""
PENALTY = 30.0
CL100K = "gpt-4"
"""A model whose tokenizer is cl100k."""


@dataclass(frozen=True)
class Asked:
    """A question with its candidates, and what it is measured by."""

    category: int
    ids: list[str]
    matrix: Matrix
    """A row of features for each candidate."""
    given: Matrix
    """What each candidate's score has besides."""
    answers: Matrix
    """For each candidate, whether it answers."""
    evidence: frozenset[str]
    entries: Mapping[str, Entry[str]]

    def measured(self, weights: Matrix) -> Measured:
        """What a ranking by these weights finds."""
        order = np.argsort(-(self.matrix @ weights + self.given), kind="stable")
        # A long turn is several passages.
        ranking = list(dict.fromkeys(self.ids[at] for at in order))
        return measured(ranking, self.evidence, self.entries, self.category)


Set = list[list[Asked]]
"""Questions by conversation."""
PEOPLE, ASSISTANT = tuple(AMONG_PEOPLE_FOUND), tuple(WITH_ASSISTANT_FOUND)
GIVEN = ("recency", "latest", "length")
"""Of talks with an assistant what is weighed as it is chosen."""
CHAT_TIMES = 2
"""How often a question of the chats counts against one of LoCoMo."""


def learned(asked: Iterable[Asked], penalty: float, names: Sequence[str] = PEOPLE) -> Matrix:
    """The weights under which the turns that answer get most of the softmax."""
    asked = [each for each in asked if each.answers.any()]
    rows = np.concatenate([each.matrix for each in asked])
    spread = rows.std(axis=0) + 1e-9
    rows = rows / spread
    sizes = [len(each.ids) for each in asked]
    starts = np.cumsum([0, *sizes[:-1]])
    owner = np.repeat(np.arange(len(sizes)), sizes)
    wanted = np.concatenate([each.answers / each.answers.sum() for each in asked])
    besides = np.concatenate([each.given for each in asked])
    signs = np.array([-1.0 if name in AGAINST else 1.0 for name in names])
    weights, mean, square = (np.zeros(rows.shape[1]) for _ in range(3))
    for step in range(STEPS):
        scores = rows @ weights + besides
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        given = raised / np.add.reduceat(raised, starts)[owner]
        slope = (rows.T @ (given - wanted) + penalty * weights) / len(sizes)
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope**2
        scaled = mean / (1 - 0.9 ** (step + 1))
        scaled /= np.sqrt(square / (1 - 0.99 ** (step + 1))) + 1e-8
        weights -= PACE * (1 - step / STEPS) * scaled
        weights[weights * signs < 0] = 0.0
    return weights / spread


def left_out(asked: Set, penalty: float, on: Sequence[Set]) -> tuple[list[list[Measured]], Matrix]:
    """Each conversation measured by the weights of the others, on several forms of it."""
    rows: list[list[Measured]] = [[] for _ in on]
    folds = []
    for out in range(len(asked)):
        others = [each for place, talk in enumerate(asked) if place != out for each in talk]
        weights = learned(others, penalty)
        folds.append(weights)
        for into, form in zip(rows, on, strict=True):
            into += [each.measured(weights) for each in form[out]]
    return rows, np.array(folds)


def in_roles(talk: Talk) -> Talk:
    """The talk as one of a user with an assistant: no names, first and second person."""
    names: dict[str, str] = {turn.role: turn.speaker for turn in talk.turns}
    turns = tuple(replace(turn, speaker="") for turn in talk.turns)
    questions = []
    for asked in talk.questions:
        text = asked.text
        for role, (one, whose) in (("user", ("I", "my")), ("assistant", ("you", "your"))):
            name = re.escape(names.get(role, "?"))
            text = re.sub(rf"\b{name}['’]s\b", whose, text)
            text = re.sub(rf"\b{name}\b", one, text)
        questions.append(replace(asked, text=text))
    return Talk(talk.name, turns, tuple(questions))


def passages_of(talk: Talk, vectors: Vectors | None) -> list[Passage]:
    """The turns as memory holds them."""
    passages: list[Passage] = []
    for number, (turn, first, last) in enumerate(parts_of(talk), start=1):
        text = told(turn)[first:last]
        packed = None if vectors is None else array("f", vectors[number - 1]).tobytes()
        plain = Passage(
            number, "message", turn.id, text, len(index_words(text)), turn.role, turn.at, "talk",
            turn.session, number, vector=packed, start=first,
        )  # fmt: skip
        passages.append(plain)
    return passages


def parts_of(talk: Talk) -> list[tuple[Turn, int, int]]:
    """The turns, cut where memory cuts long ones."""
    return [(turn, *span) for turn in talk.turns for span in spans(told(turn))]


def given_to(features: Mapping[str, float], names: Sequence[str]) -> float:
    """What a candidate's score has besides what is learned."""
    if names is PEOPLE:
        return 0.0
    return sum(WITH_ASSISTANT[name] * features.get(name, 0.0) for name in GIVEN)


def told(turn: Turn) -> str:
    """A turn's text: with its speaker's name where it has one."""
    return turn.line if turn.speaker else turn.text


class Workshop:
    """Makes vectors and counts.

    Args:
        backend: Does it.
        evidence: What answers each question.
    """

    def __init__(self, backend: Backend, evidence: Evidence) -> None:
        self._backend = backend
        self._evidence = evidence

    async def prepared(
        self, talks: Sequence[Talk], names: Sequence[str] = PEOPLE, *, vectors: bool = True
    ) -> Set:
        """The candidates of every question with evidence, by conversation."""
        return [await self._prepared(talk, names, vectors=vectors) for talk in talks]

    async def baselines(self, talks: Sequence[Talk]) -> dict[str, list[Measured]]:
        """What simple ways to rank come to."""
        rows: dict[str, list[Measured]] = {}
        for talk in talks:
            entries = await self._entries(talk)
            rankers = plain_rankers(talk.turns, await self._vectors(map(told, talk.turns)))
            judged = self._judged(talk)
            for question, vector in zip(judged, await self._asked(judged), strict=True):
                evidence = self._evidence.turns[talk.name, question.index]
                for name, rank in rankers.items():
                    ranking = rank(question.text, vector)
                    row = measured(ranking, evidence, entries, question.category)
                    rows.setdefault(name, []).append(row)
                    if name == "MiniLM, exact":
                        five = measured(ranking[:5], evidence, entries, question.category)
                        rows.setdefault("its first 5", []).append(five)
        return rows

    async def _prepared(self, talk: Talk, names: Sequence[str], *, vectors: bool) -> list[Asked]:
        parts = [told(turn)[first:last] for turn, first, last in parts_of(talk)]
        turned = await self._vectors(parts) if vectors else None
        corpus = PlainCorpus(passages_of(talk, turned))
        entries = await self._entries(talk)
        judged = self._judged(talk)
        meant = await self._asked(judged) if vectors else [None] * len(judged)
        now = _end(talk)
        prepared = []
        for question, vector in zip(judged, meant, strict=True):
            query = understand(question.text, now=now, vector=vector)
            found = (await candidates_of(corpus, query, Scope("bench"))).features
            ids = [passage.body for passage, _ in found]
            evidence = self._evidence.turns[talk.name, question.index]
            matrix = np.array([[each.get(name, 0.0) for name in names] for _, each in found])
            given = np.array([given_to(each, names) for _, each in found])
            answers = np.array([float(id in evidence) for id in ids])
            prepared.append(
                Asked(question.category, ids, matrix, given, answers, evidence, entries)
            )
        return prepared

    def _judged(self, talk: Talk) -> list[Question]:
        return [
            question
            for question in talk.questions
            if question.category in JUDGED and (talk.name, question.index) in self._evidence.turns
        ]

    async def _asked(self, questions: Sequence[Question]) -> Vectors:
        return await self._vectors(question.text for question in questions)

    async def _vectors(self, texts: Iterable[str]) -> Vectors:
        return await self._backend.embed(list(texts))

    async def _entries(self, talk: Talk) -> dict[str, Entry[str]]:
        lines = [f"{turn.speaker or turn.role}: {turn.text}\n" for turn in talk.turns]
        heads = list(dict.fromkeys(f"{turn.header}\n" for turn in talk.turns))
        counted = (await self._backend.count(CL100K, [*lines, *heads])).tokens
        of_head = dict(zip(heads, counted[len(lines) :], strict=True))
        return {
            turn.id: Entry(turn.id, tokens, turn.session, of_head[f"{turn.header}\n"])
            for turn, tokens in zip(talk.turns, counted, strict=False)
        }


def _end(talk: Talk) -> datetime | None:
    at = max((turn.at for turn in talk.turns), default="")
    return parse_time(at) if at else None


def show(name: str, rows: Sequence[Measured]) -> None:
    """Prints one row of the table, in percent."""
    found = figures(rows)
    cells = [*found["recall_at"].values(), *found["recall_within"].values()]
    cells.append(found["all_evidence_within"][str(BUDGETS[1])])
    print(f"{name:32}" + "".join(f"{100 * cell:8.1f}" for cell in cells), flush=True)


def show_weights(names: Iterable[str], weights: Matrix, folds: Matrix | None = None) -> None:
    """Prints weights, with how far they move between conversations where that is known."""
    spreads = [None] * len(weights) if folds is None else folds.std(axis=0)
    for name, weight, spread in zip(names, weights, spreads, strict=True):
        moved = "" if spread is None else f"# ± {spread:.2f}"
        print(f'    "{name}": {weight:.2f},'.ljust(28) + moved)


async def among_people(workshop: Workshop, talks: Sequence[Talk], penalty: float) -> None:
    """Prints how talks among people are ranked."""
    plain = await workshop.prepared(talks)
    words = await workshop.prepared(talks, vectors=False)
    for name, rows in (await workshop.baselines(talks)).items():
        show(name, rows)
    forms = {"one left out": plain, "the same, words alone": words}
    measures, folds = left_out(plain, penalty, list(forms.values()))
    for name, rows in zip(forms, measures, strict=True):
        show(name, rows)
    weights = learned([each for talk in plain for each in talk], penalty)
    show("learned on all", [each.measured(weights) for talk in plain for each in talk])
    kept = np.array(list(AMONG_PEOPLE_FOUND.values()))
    for name, form in (("as kept", plain), ("as kept, words alone", words)):
        show(name, [each.measured(kept) for talk in form for each in talk])
    show_weights(PEOPLE, weights, folds)


async def with_assistant(
    backend: Backend, roles: Workshop, talks: Sequence[Talk], penalty: float
) -> None:
    """Prints how talks with an assistant are ranked."""
    asked = await roles.prepared([in_roles(talk) for talk in talks], ASSISTANT)
    prepared: dict[str, Set] = {"roles": asked}
    simple: dict[str, dict[str, list[Measured]]] = {}
    for file in FORMS:
        chats, evidence = chats_of(file)
        workshop = Workshop(backend, evidence)
        names = PEOPLE if FORMS[file].speakers else ASSISTANT
        prepared[file] = await workshop.prepared(chats, names)
        simple[file] = await workshop.baselines(chats)
    learned_on = [*asked, *(prepared["assistant_learned"] * CHAT_TIMES)]
    weights = learned([each for talk in learned_on for each in talk], penalty, ASSISTANT)
    people, kept = (np.array(list(w.values())) for w in (AMONG_PEOPLE_FOUND, WITH_ASSISTANT_FOUND))
    for name, form in prepared.items():
        for way, rows in simple.get(name, {}).items():
            show(f"{name}: {way}", rows)
        every = [each for talk in form for each in talk]
        if name in FORMS and FORMS[name].speakers:
            show(f"{name}: as kept", [each.measured(people) for each in every])
            continue
        show(f"{name}: learned", [each.measured(weights) for each in every])
        show(f"{name}: as kept", [each.measured(kept) for each in every])
    show_weights(ASSISTANT, weights)


def chats_of(file: str) -> tuple[list[Talk], Evidence]:
    """The talks of a file of `benchmarks/chats`, without the names of user and assistant."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "chats.json"
        path.write_text(json.dumps(made([file])), encoding="utf-8")
        talks, evidence = read_questions(path)
    if FORMS[file].speakers:
        return talks, evidence
    return [
        replace(talk, turns=tuple(replace(turn, speaker="") for turn in talk.turns))
        for talk in talks
    ], evidence


async def run(options: argparse.Namespace) -> None:
    """Prints the tables and the weights."""
    talks, evidence = read_questions(options.data)
    with tempfile.TemporaryDirectory() as data:
        settings = BackendSettings(data_dir=Path(data), models_dir=options.models)
        backend = await Backend.start(settings)
        print(f"{'recall, %':32}     at 5   at 10   at 20  in 1000 in 2000 in 4000  all in 2000")
        try:
            workshop = Workshop(backend, evidence)
            await among_people(workshop, talks, options.penalty)
            await with_assistant(backend, workshop, talks, options.penalty)
        finally:
            await backend.close()
    print(f"chosen, not learned: {CHOSEN}")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("data", type=Path, help="a file in LoCoMo's format")
    parser.add_argument("--models", type=Path, required=True, help="where the models are installed")
    parser.add_argument("--penalty", type=float, default=PENALTY)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
