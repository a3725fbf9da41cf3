"""COMPACT-13: how well folded messages are still represented, measured behind the conversation."""

import asyncio
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory.answer import NewMessage
from memory.events import LossMeasured
from memory.loss.similarity import evenly, mean, nearest, passages_of
from memory.measuring import MOST_MESSAGES
from memory.memory import Memory
from memory.wish import Wish
from tests.memory.doubles import (
    ScriptedModel,
    Unwilling,
    chat_model,
    kinds,
    opened,
    say,
    until,
    words,
)

SMALL: dict[str, Any] = {"immediate_window": 4, "recent_window": 3}


@dataclass
class WordEmbedder:
    """Compares texts by the words they share; with a gate it waits until that is opened."""

    name: str = "words"
    dimensions: int = 64
    failing: bool = False
    gate: asyncio.Event | None = None
    embedded: int = 0

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector with a place for the words of each length and first letter."""
        if self.gate is not None:
            await self.gate.wait()
        if self.failing:
            raise Unwilling("nothing can be compared")
        self.embedded += len(texts)
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimensions
        for word in text.lower().split():
            vector[sum(map(ord, word)) % self.dimensions] += 1.0
        length = math.sqrt(sum(x * x for x in vector)) or 1.0
        return [x / length for x in vector]


async def measured(memory: Memory) -> list[LossMeasured]:
    await memory.settled()
    return [e.event for e in await memory.log() if isinstance(e.event, LossMeasured)]


def test_sentences_and_bullets_stand_for_messages() -> None:
    """COMPACT-13: one by one, since each may represent another message."""
    texts = ["Ada chose Lisbon. Ben agreed!\n- the budget is 4.5 million; due in May", "…", ""]
    assert passages_of(texts) == [
        "Ada chose Lisbon.",
        "Ben agreed!",
        "the budget is 4.5 million",
        "due in May",
    ]


def test_many_are_sampled_evenly() -> None:
    """COMPACT-13: a huge compaction costs no more than a large one."""
    assert evenly(range(10), 20) == list(range(10))
    assert evenly(range(1_000), 4) == [0, 250, 500, 750]


def test_the_nearest_counts_and_nothing_is_below_zero() -> None:
    """COMPACT-13: a message is as well represented as by its best sentence."""
    assert nearest((1.0, 0.0), [(0.0, 1.0), (0.6, 0.8)]) == pytest.approx(0.6)
    assert nearest((1.0, 0.0), [(-1.0, 0.0)]) == 0.0
    assert mean([0.5, 0.25]) == 0.375


async def test_a_folded_message_is_compared_with_what_stands_for_it(tmp_path: Path) -> None:
    """COMPACT-13: what the summary repeats is near, what it left out is not."""
    model = ScriptedModel(["The launch moved to Lisbon."])
    async with opened(tmp_path, chat=chat_model(), model=model, **SMALL) as memory:
        await memory.use_model(chat_model(), None, model, embedder=WordEmbedder())
        await memory.add("user", "The launch moved to Lisbon. " * 3)
        for word in ("Coffee", "Tea", "Milk"):
            await memory.add("assistant", f"{word} costs seven crowns at the harbour kiosk. " * 3)
            await memory.add("user", "   \n ok, and what about the quiet northern villages? " * 3)
        await memory.add("assistant", "Good.")

        (loss,) = await measured(memory)

        compaction = (await memory.compactions())[-1]
        assert (loss.compaction, loss.embedder) == (compaction.event.id, "words")
        assert loss.numbers == tuple(range(1, compaction.event.verbatim_from))
        assert loss.percents[0] == 100
        assert max(loss.percents[1:]) < 80
        assert loss.similarity == pytest.approx(
            sum(loss.percents) / 100 / len(loss.percents), abs=0.01
        )
        assert compaction.similarity == loss.similarity
        assert memory.snapshot().recent_compactions[-1].similarity == loss.similarity


async def test_each_folding_is_measured_by_itself(tmp_path: Path) -> None:
    """COMPACT-13: only what left the window with it, and once."""
    async with opened(tmp_path, **SMALL) as memory:
        await memory.use_model(chat_model(), None, None, embedder=WordEmbedder())
        await say(memory, 11)
        first, second = await measured(memory)
        assert first.numbers == (1, 2, 3, 4)
        assert second.numbers == (5, 6, 7)
        assert kinds(await memory.log()).count("loss_measured") == 2


async def test_without_an_embedder_nothing_is_measured_until_there_is_one(tmp_path: Path) -> None:
    """COMPACT-13: the newest compaction is made up for, also after a restart."""
    async with opened(tmp_path, **SMALL) as memory:
        await say(memory, 11)
        assert await measured(memory) == []
    embedder = WordEmbedder()
    async with opened(tmp_path, wish=Wish(read_only=True), **SMALL) as memory:
        memory._measuring.use(embedder)
        assert await measured(memory) == []
    async with opened(tmp_path, **SMALL) as memory:
        await memory.use_model(chat_model(), None, None, embedder=embedder)
        (loss,) = await measured(memory)
        assert loss.numbers == (5, 6, 7)
        assert (await memory.compactions())[0].similarity is None
    async with opened(tmp_path, **SMALL) as memory:
        await memory.use_model(chat_model(), None, None, embedder=embedder)
        assert len(await measured(memory)) == 1


async def test_leaving_does_not_wait_and_the_next_start_makes_up_for_it(tmp_path: Path) -> None:
    """COMPACT-13, I5: what was not measured at the end is no harm."""
    embedder = WordEmbedder(gate=asyncio.Event())

    async def leave() -> None:
        async with opened(tmp_path, **SMALL) as memory:
            await memory.use_model(chat_model(), None, None, embedder=embedder)
            for _ in range(8):
                await memory.add("user", "Something to be folded. " * 6)
            await until(lambda: memory.state.compactions == 1)
            raise LookupError

    with pytest.raises(LookupError):
        await asyncio.wait_for(leave(), 10)
    async with opened(tmp_path, **SMALL) as memory:
        await memory.use_model(chat_model(), None, None, embedder=WordEmbedder())
        assert len(await measured(memory)) == 1


async def test_an_embedder_that_fails_costs_only_the_figure(tmp_path: Path) -> None:
    """ALL-2, COMPACT-9: the conversation goes on."""
    async with opened(tmp_path, **SMALL) as memory:
        await memory.use_model(chat_model(), None, None, embedder=WordEmbedder(failing=True))
        await say(memory, 8)
        assert await measured(memory) == []
        assert memory.state.compactions == 1


async def test_a_turn_does_not_wait_for_it(tmp_path: Path) -> None:
    """COMPACT-9: messages are taken and prompts made while it runs."""
    embedder = WordEmbedder(gate=asyncio.Event())
    async with opened(tmp_path, **SMALL) as memory:
        await memory.use_model(chat_model(), None, None, embedder=embedder)
        for _ in range(8):
            await memory.add("user", "Something to be folded. " * 6)
        await until(lambda: memory.state.compactions == 1)
        await memory.add("user", "And on it goes.")
        assert (await memory.prompt()).messages[-1]["content"] == "And on it goes."
        assert embedder.gate is not None
        embedder.gate.set()
        assert len(await measured(memory)) == 1


@dataclass
class QuickEmbedder(WordEmbedder):
    """Has its vectors ready, as a process of its own does."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Vectors of the real size."""
        return [[1 / math.sqrt(self.dimensions)] * self.dimensions] * len(texts)


async def test_a_large_compaction_never_holds_the_loop(tmp_path: Path) -> None:
    """ALL-7: of many messages 400 are compared, a few at a time."""
    longest = 0.0

    async def watch() -> None:
        nonlocal longest
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            longest = max(longest, time.thread_time() - before)

    many = [NewMessage("user", words(n), "library") for n in range(600)]
    async with opened(tmp_path, immediate_window=10, recent_window=10_000) as memory:
        await memory.add_all(many)
        await memory.compact()
        await memory.settled()
        watcher = asyncio.create_task(watch())
        await memory.use_model(chat_model(), None, None, embedder=QuickEmbedder(dimensions=384))
        (loss,) = await measured(memory)
        watcher.cancel()
    assert len(loss.numbers) == MOST_MESSAGES
    assert longest < 0.1
