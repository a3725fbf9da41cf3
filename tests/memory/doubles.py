"""Doubles at the edge of memory, a model and a counter, and short ways to open a session."""

import asyncio
import math
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.config import MemoryConfig
from memory.errors import StrataError
from memory.events import ModelChosen, Recorded
from memory.memory import Memory
from memory.opening import thresholds_of
from memory.parts import CountedBy, MessageRef, Role, Thresholds
from memory.pieces import ChatMessage
from memory.protocols import Completion, Embedder, IndexEntry, LanguageModel, VectorIndex
from memory.recall.nearness import nearest_of
from memory.state import State
from memory.storage import checkpoints
from memory.storage.database import Database
from memory.tokens import TokenCounter
from memory.wish import Wish
from memory.words import index_words

SESSION = "a session"


class Unwilling(StrataError):
    """The model of a test does not answer."""


Reply = str | Completion | Exception
Script = Sequence[Reply] | Callable[[Sequence[ChatMessage]], Reply]


@dataclass
class ScriptedModel:
    """Answers with what the test says, and remembers what it was asked.

    With a `gate` every answer waits until the gate is opened: a stall without any real waiting.
    """

    script: Script = ("The team chose Lisbon.",)
    context_window: int | None = 8_192
    name: str = "scripted"
    gate: asyncio.Event | None = None
    requests: list[list[ChatMessage]] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)
    temperature: float | None = None

    async def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, temperature: float
    ) -> Completion:
        """The next answer of the script; its last one again and again."""
        self.temperature = temperature
        place = len(self.requests)
        self.requests.append(list(messages))
        self.limits.append(max_tokens)
        if self.gate is not None:
            await self.gate.wait()
        if callable(self.script):
            reply = self.script(messages)
        else:
            reply = self.script[min(place, len(self.script) - 1)]
        if isinstance(reply, Exception):
            raise reply
        return Completion(reply) if isinstance(reply, str) else reply


@dataclass
class DenseCounter:
    """Counts as byte-level tokenizers do: scripts other than Latin are dense."""

    tokenizer: str = "dense"
    counted_by: CountedBy = "model"
    failing: bool = False
    counted: int = 0
    gate: asyncio.Event | None = None

    async def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text."""
        self.counted += len(texts)
        if self.gate is not None:
            await self.gate.wait()
        if self.failing:
            raise Unwilling("counting failed")
        return [dense_tokens(text) for text in texts]


def dense_tokens(text: str) -> int:
    """A quarter token for an ASCII character, one for any other."""
    plain = sum(character.isascii() for character in text)
    return -(-plain // 4) + len(text) - plain


def chat_model(window: int | None = 8_192, **changes: Any) -> ModelChosen:
    """The model that answers."""
    values: dict[str, Any] = {
        "name": "answering",
        "window": window,
        "tokenizer": "dense",
        "counted_by": "model",
        "message_overhead": 4,
        "request_overhead": 3,
    }
    return ModelChosen(**{**values, **changes})


def rules(**changes: Any) -> Thresholds:
    """Thresholds, the defaults but for what is given by the configuration's names."""
    return thresholds_of(MemoryConfig(**changes))


def ref(number: int, role: Role = "user", **changes: Any) -> MessageRef:
    """A message by reference."""
    values: dict[str, Any] = {"number": number, "role": role, "body": f"b{number}", "chars": 40}
    return MessageRef(**{**values, **changes})


@asynccontextmanager
async def opened(  # noqa: PLR0913 (what a test needs of it, by keywords)
    directory: Path,
    *,
    model: LanguageModel | None = None,
    counter: TokenCounter | None = None,
    chat: ModelChosen | None = None,
    wish: Wish | None = None,
    session: str | None = SESSION,
    embedder: Embedder | None = None,
    index: VectorIndex | None = None,
    **settings: Any,
) -> AsyncIterator[Memory]:
    """A session in `directory`; settings are keys of `MemoryConfig`.

    No facts are read, since models are scripted for summaries.
    """
    settings = {"extract_facts": False, **settings}
    async with Memory.open(
        directory,
        session,
        config=MemoryConfig.from_values(settings),
        model=model,
        counter=counter,
        chat_model=chat,
        wish=wish,
        embedder=embedder,
        index=index,
    ) as memory:
        yield memory


@asynccontextmanager
async def database_at(directory: Path) -> AsyncIterator[Database]:
    """A second connection to the database of a data directory."""
    database = await Database.open(directory)
    try:
        yield database
    finally:
        await database.close()


def words(number: int, length: int = 120) -> str:
    """A message with something to say, different for every number."""
    text = f"Note {number}: Ada moved the launch of project Falcon-{number} to Lisbon. "
    return (text * (length // len(text) + 1))[:length]


async def say(memory: Memory, count: int, length: int = 120) -> None:
    """Adds so many messages in turns, and waits for what they make due."""
    for _ in range(count):
        number = memory.state.messages + 1
        await memory.add("user" if number % 2 else "assistant", words(number, length))
        await memory.settled()


def kinds(events: Sequence[Recorded]) -> list[str]:
    """The kinds of events in their order."""
    return [recorded.event.KIND for recorded in events]


def every_byte(directory: Path) -> bytes:
    """All files below a directory, one after the other."""
    return b"\0".join(path.read_bytes() for path in directory.rglob("*") if path.is_file())


async def until(holds: Callable[[], bool]) -> None:
    """Waits for a predicate."""
    async with asyncio.timeout(120):
        while not holds():  # noqa: ASYNC110 (what it waits for sets no event)
            await asyncio.sleep(0)


async def state_at(memory: Memory, n: int) -> State:
    """The state after event `n`."""
    return await checkpoints.state_at(memory._journal.database, memory._journal.log, n)


class WordEmbedder:
    """Texts that have words in common are near: each word is a direction of its own by chance."""

    def __init__(self, name: str = "words", dimensions: int = 32) -> None:
        self.name, self.dimensions = name, dimensions
        self.embedded: list[str] = []
        self.failing = False
        self.gate: asyncio.Event | None = None

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vector of each text."""
        if self.gate is not None:
            await self.gate.wait()
        if self.failing:
            raise Unwilling("The embedder does not answer.")
        self.embedded += texts
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        total = [0.0] * self.dimensions
        for word in index_words(text) or ("",):
            source = random.Random(f"{self.name} {word}")
            total = [value + source.gauss(0, 1) for value in total]
        length = math.sqrt(sum(value * value for value in total))
        return [value / length for value in total]


class PlainIndex:
    """A vector index in memory, which can be lost, damaged or away."""

    def __init__(self) -> None:
        self.spaces: dict[str, dict[int, IndexEntry]] = {}
        self.away = False
        self.asked = 0

    async def known(self, space: str, dimensions: int) -> frozenset[int]:
        """The ids of a space."""
        assert dimensions
        self._assert_there()
        return frozenset(self.spaces.setdefault(space, {}))

    async def add(self, space: str, entries: Sequence[IndexEntry]) -> None:
        """Adds vectors."""
        self._assert_there()
        self.spaces[space].update((entry.id, entry) for entry in entries)

    async def nearest(
        self, space: str, vector: Sequence[float], most: int, sessions: Sequence[str] | None = None
    ) -> Sequence[tuple[int, float]]:
        """The nearest of them all."""
        self._assert_there()
        self.asked += 1
        held = self.spaces[space].values()
        rows = [(e.id, e.vector) for e in held if sessions is None or e.session in sessions]
        return nearest_of(vector, rows, most)

    async def remove(self, space: str, ids: Sequence[int]) -> None:
        """Removes vectors."""
        self._assert_there()
        for id in ids:
            self.spaces[space].pop(id, None)

    @property
    def ids(self) -> set[int]:
        """All that it holds."""
        return {id for space in self.spaces.values() for id in space}

    def _assert_there(self) -> None:
        if self.away:
            raise Unwilling("The index does not answer.")


def crash(memory: Memory) -> None:
    """Leaves a session as a killed process does: nothing is closed, nothing given back."""
    background = (memory._upkeep, memory._vault, memory._measuring, memory._reporting)
    letting_go = memory._forgetting._letting_go
    workers = (*background, memory._keeping_up, memory._indexing, letting_go)
    behind = [worker._background._task for worker in workers]
    answer = memory._requests.answering
    for task in (*behind, answer._writing if answer else None):
        if task is not None:
            task.cancel()
