"""The content store under random use: what was stored is there, whatever has happened since."""

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from memory.config import MemoryConfig
from memory.content.copying import ContentSnapshot
from memory.content.receipts import handles_in
from memory.memory import Memory
from memory.wish import Wish

Given = TypeVar("Given")
TEXTS = st.text(min_size=1, max_size=60)
TAGS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=2)
PICK = st.integers(0, 30)
CONFIG = MemoryConfig(vault=False, compaction="wait")


class Store(RuleBasedStateMachine):
    """A content store beside a plain model of it."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = Path(tempfile.mkdtemp())
        self.stack = AsyncExitStack()
        self.texts: dict[str, str] = {}
        self.listed: dict[str, set[str]] = {}
        """Tags by the ids of the listed items."""
        self.snapshots: list[tuple[ContentSnapshot, dict[str, set[str]]]] = []

    def wait(self, work: Coroutine[Any, Any, Given]) -> Given:
        return self.loop.run_until_complete(work)

    def pick(self, place: int) -> str:
        ids = list(self.listed)
        return ids[place % len(ids)]

    @initialize()
    def begin(self) -> None:
        self.memory = self.wait(self.enter(Wish(session="s")))

    async def enter(self, wish: Wish) -> Memory:
        opened = Memory.open(self.folder, config=CONFIG, wish=wish)
        return await self.stack.enter_async_context(opened)

    @rule(text=TEXTS, tags=TAGS)
    def store(self, text: str, tags: list[str]) -> None:
        item = self.wait(self.memory.content.store(text, "custom", "s", tags))
        assert item.id not in self.texts
        self.texts[item.id], self.listed[item.id] = text, set(tags)

    @rule(text=TEXTS)
    def attach(self, text: str) -> None:
        if text.strip():
            stored = self.wait(self.memory.attach("a file", text))
            assert stored.item is not None
            self.texts[stored.item], self.listed[stored.item] = text, {"attached"}

    @precondition(lambda self: self.listed)
    @rule(place=PICK, tags=TAGS, without=TAGS)
    def mark(self, place: int, tags: list[str], without: list[str]) -> None:
        id = self.pick(place)
        self.wait(self.memory.content.mark(id, tags=tags, without=without))
        self.listed[id] = (self.listed[id] | set(tags)) - set(without)

    @precondition(lambda self: self.listed)
    @rule(place=PICK)
    def clear_one(self, place: int) -> None:
        id = self.pick(place)
        assert self.wait(self.memory.content.clear([id])) == 1
        del self.listed[id]

    @rule()
    def clear(self) -> None:
        assert self.wait(self.memory.content.clear()) == len(self.listed)
        self.listed = {}

    @rule()
    def take(self) -> None:
        tags = {id: set(tags) for id, tags in self.listed.items()}
        self.snapshots.append((self.wait(self.memory.content.snapshot()), tags))

    @precondition(lambda self: self.snapshots)
    @rule(place=PICK)
    def restore(self, place: int) -> None:
        snapshot, tags = self.snapshots[place % len(self.snapshots)]
        ids = self.wait(self.memory.content.restore(snapshot))
        assert ids == {id: id for id in tags}
        self.listed = {id: set(own) for id, own in tags.items()}

    @rule()
    def open_again(self) -> None:
        self.wait(self.stack.aclose())
        self.stack = AsyncExitStack()
        self.memory = self.wait(self.enter(Wish(session="s")))

    @invariant()
    def it_is_as_it_should_be(self) -> None:
        """I10, CONT-1: every handle resolves; lists, counts, queries and panes agree."""
        memory = self.memory
        items = self.wait(memory.content.items())
        assert {item.id: set(item.tags) for item in items} == self.listed
        for tag in ("a", "attached"):
            found = self.wait(memory.content.query(tags=[tag], limit=99))
            assert {i.id for i in found} == {id for id, t in self.listed.items() if tag in t}
        view = memory.snapshot()
        assert (view.content_items, view.content_chars) == (
            len(self.listed), sum(len(self.texts[id]) for id in self.listed)
        )  # fmt: skip
        if len(self.texts) <= 50:
            assert [item.id for item in view.items] == [item.id for item in reversed(items)]
        for id, text in self.texts.items():
            assert self.wait(memory.content.retrieve(id)) == text
        for message in self.wait(memory.prompt("?")).messages:
            for handle in handles_in(str(message["content"])):
                self.wait(memory.content.retrieve(handle))

    def teardown(self) -> None:
        self.wait(self.stack.aclose())
        self.loop.close()
        shutil.rmtree(self.folder, ignore_errors=True)


Store.TestCase.settings = settings(
    max_examples=20,
    stateful_step_count=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestStore = Store.TestCase
