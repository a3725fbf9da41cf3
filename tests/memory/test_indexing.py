"""RECALL-2: vectors and the index are made behind the conversation, and come back when lost."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory import Memory
from memory.answer import NewMessage
from memory.storage.sessions import Sessions
from memory.trouble import LONGEST_RETRY_S, Trouble
from memory.wish import Wish
from tests.memory import doubles
from tests.memory.doubles import PlainIndex, WordEmbedder, crash, database_at, opened, until


async def stored(memory: Memory, embedder: str = "words") -> set[int]:
    """Passages that have a vector."""
    rows = await memory._journal.database.all(
        "SELECT passage FROM vector WHERE embedder = ?", (embedder,)
    )
    return {row[0] for row in rows}


async def passages(memory: Memory) -> set[int]:
    rows = await memory._journal.database.all("SELECT id FROM passage")
    return {row[0] for row in rows}


def notes(count: int) -> list[NewMessage]:
    return [NewMessage("user", f"note {n} of the owl", "user") for n in range(count)]


async def test_everything_gets_a_vector_and_the_index_has_it(tmp_path: Path) -> None:
    """RECALL-2: what was there before and what comes; the pane's figures say so."""
    index = PlainIndex()
    async with opened(tmp_path) as memory:
        await memory.add_all(notes(40))
        await memory.settled()
        assert memory.snapshot().index.state == "off"
        assert memory.snapshot().index.passages == 40
    async with opened(tmp_path, embedder=WordEmbedder(), index=index) as memory:
        await memory.settled()
        await memory.add("user", "one more owl")
        await memory.settled()
        assert await stored(memory) == await passages(memory) == index.ids
        view = memory.snapshot().index
        assert (view.passages, view.indexed, view.backlog, view.state) == (41, 41, 0, "ready")


async def test_what_is_new_comes_before_what_is_old(tmp_path: Path) -> None:
    """RECALL-2: a long backlog does not keep a new message waiting."""
    embedder = WordEmbedder()
    async with opened(tmp_path) as memory:
        await memory.add_all(notes(80))
    embedder.gate = asyncio.Event()
    async with opened(tmp_path, embedder=embedder) as memory:
        await until(lambda: memory.snapshot().index.state == "indexing")
        await memory.add("user", "the newest")
        embedder.gate.set()
        await memory.settled()
        assert "the newest" in embedder.embedded[: 2 * 16 + 1]
        assert embedder.embedded[0] == "note 0 of the owl"


class SlowEmbedder(WordEmbedder):
    """Takes its time for each request."""

    SECONDS = 0.05

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vector of each text, after a while."""
        await asyncio.sleep(self.SECONDS)
        return await super().embed(texts)


async def test_an_answer_that_streams_has_half_of_the_time(tmp_path: Path) -> None:
    """RECALL-2: indexing rests beside it, and comes to its end all the same."""
    async with opened(tmp_path) as memory:
        await memory.add_all(notes(40))
    async with opened(tmp_path, chat=doubles.chat_model()) as memory:
        answer = memory.answer("a request")
        answer.grow("It is")
        began = time.monotonic()
        memory.indexing.use(SlowEmbedder())
        await memory.settled()
        # Three requests, and a rest as long after each.
        assert time.monotonic() - began >= 6 * SlowEmbedder.SECONDS
        assert len(await stored(memory)) == 40
        await answer.close()


async def test_a_long_backlog_does_not_delay_closing(tmp_path: Path) -> None:
    """RECALL-2: it goes on at the next start."""
    embedder = WordEmbedder()
    embedder.gate = asyncio.Event()
    async with opened(tmp_path, embedder=embedder, policy="none") as memory:
        await memory.add_all(notes(200))
        await until(lambda: memory.snapshot().index.backlog == 200)
    embedder.gate = None
    async with opened(tmp_path, embedder=embedder, policy="none") as memory:
        await memory.settled()
        assert len(await stored(memory)) == 200


async def test_an_index_that_was_lost_comes_back(tmp_path: Path) -> None:
    """RECALL-2: from the stored vectors; nothing is embedded anew."""
    embedder, index = WordEmbedder(), PlainIndex()
    async with opened(tmp_path, embedder=embedder, index=index) as memory:
        await memory.add_all(notes(600))
        await memory.settled()
        embedded = len(embedder.embedded)
    index.spaces.clear()
    async with opened(tmp_path, embedder=embedder, index=index) as memory:
        await memory.settled()
        assert index.ids == await passages(memory)
        assert len(embedder.embedded) == embedded


async def test_what_the_index_has_too_much_is_removed(tmp_path: Path) -> None:
    """RECALL-2, RECALL-7: a session deleted elsewhere leaves nothing in it."""
    embedder, index = WordEmbedder(), PlainIndex()
    async with opened(tmp_path, session="gone", embedder=embedder, index=index) as memory:
        await memory.add_all(notes(30))
        await memory.settled()
    async with database_at(tmp_path) as database:
        await Sessions(database).delete("gone")
    async with opened(tmp_path, session="kept", embedder=embedder, index=index) as memory:
        await memory.add("user", "kept")
        await memory.settled()
        assert index.ids == await passages(memory)
        assert len(index.ids) == 1


async def test_an_index_that_is_away_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STORE-4: meanwhile vectors are compared one by one."""
    monkeypatch.setattr("memory.trouble.FIRST_RETRY_S", 0.01)
    monkeypatch.setattr("memory.indexing.LOOK_SECONDS", 0.01)
    index = PlainIndex()
    index.away = True
    async with opened(tmp_path, embedder=WordEmbedder(), index=index) as memory:
        await memory.add_all(notes(20))
        await memory.add("user", "the harbour of Lisbon")
        await memory.settled()
        view = memory.snapshot().index
        assert (view.state, view.backlog) == ("waiting", 0)
        assert view.problem == "The index does not answer."
        assert (await memory.recall("harbour Lisbon"))[0].text == "the harbour of Lisbon"
        index.away = False
        await until(lambda: memory.snapshot().index.state == "ready")
        assert index.ids == await passages(memory)
        assert memory.snapshot().index.problem == ""


async def test_an_index_that_fails_in_a_search_does_not_fail_it(tmp_path: Path) -> None:
    """STORE-4: the search goes on with the stored vectors."""
    index = PlainIndex()
    async with opened(tmp_path, embedder=WordEmbedder(), index=index) as memory:
        await memory.add("user", "the harbour of Lisbon")
        await memory.settled()
        index.away = True
        assert await memory.recall("harbour")


async def test_an_embedder_that_fails_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RECALL-2: waiting for it ends, and nothing is lost."""
    monkeypatch.setattr("memory.trouble.FIRST_RETRY_S", 0.01)
    monkeypatch.setattr("memory.indexing.LOOK_SECONDS", 0.01)
    embedder = WordEmbedder()
    embedder.failing = True
    async with opened(tmp_path, embedder=embedder) as memory:
        await memory.add("user", "an owl")
        await memory.settled()
        view = memory.snapshot().index
        assert (view.state, view.backlog) == ("waiting", 1)
        embedder.failing = False
        await until(lambda: memory.snapshot().index.state == "ready")
        assert len(await stored(memory)) == 1


async def test_another_embedder_takes_over_once_it_is_complete(tmp_path: Path) -> None:
    """RECALL-2: until then the old vectors are kept; then they go."""
    one, other, index = WordEmbedder("one"), WordEmbedder("other", 16), PlainIndex()
    async with opened(tmp_path, embedder=one, index=index) as memory:
        await memory.add_all(notes(60))
        await memory.settled()
        other.gate = asyncio.Event()
        memory.indexing.use(other)
        await until(lambda: memory.snapshot().index.backlog == 60)
        assert len(await stored(memory, "one")) == 60
        other.gate.set()
        await memory.settled()
        assert await stored(memory, "one") == set()
        assert await stored(memory, "other") == await passages(memory)
        assert await memory.recall("owl")


async def test_an_embedder_may_be_replaced_at_any_moment(tmp_path: Path) -> None:
    """RECALL-2: also while the one before is asked; nothing more is asked of that one."""
    one, other = WordEmbedder("one"), WordEmbedder("other", 16)
    one.gate = asyncio.Event()
    async with opened(tmp_path, embedder=one) as memory:
        await memory.add_all(notes(40))
        await until(lambda: memory.snapshot().index.state == "indexing")
        memory.indexing.use(other)
        one.gate.set()
        await memory.settled()
        assert await stored(memory, "other") == await passages(memory)
        assert await stored(memory, "one") == set()
        assert len(one.embedded) <= 16


async def test_what_another_process_embeds_is_seen(tmp_path: Path) -> None:
    """STORE-5: each feeds its own index with what the other has stored."""
    mine, theirs = PlainIndex(), PlainIndex()
    embedder = WordEmbedder()
    async with (
        opened(tmp_path, session="mine", embedder=embedder, index=mine) as memory,
        opened(tmp_path, session="theirs", embedder=WordEmbedder(), index=theirs) as other,
    ):
        await memory.add("user", "the owl of mine")
        await memory.settled()
        await other.settled()
        assert theirs.ids == await passages(memory)
        await other.add("user", "the owl of theirs")
        await other.settled()
        await memory.settled()
        assert mine.ids == theirs.ids == await passages(memory) == await stored(memory)
        assert len(await memory.recall("owl")) == 2


async def test_a_watching_process_searches_too(tmp_path: Path) -> None:
    """STORE-5: it writes nothing, and finds what is stored."""
    async with opened(tmp_path, embedder=WordEmbedder()) as memory:
        await memory.add("user", "the harbour of Lisbon")
        await memory.settled()
        index, wish = PlainIndex(), Wish(read_only=True)
        async with opened(tmp_path, embedder=WordEmbedder(), index=index, wish=wish) as watching:
            await watching.settled()
            assert index.ids == await passages(memory)
            assert await watching.recall("harbour")


async def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    """STORE-2, RECALL-2: the next start goes on where it ended."""
    embedder = WordEmbedder()
    opening = opened(tmp_path, embedder=embedder)
    memory = await opening.__aenter__()
    await memory.add_all(notes(100))
    await until(lambda: memory.snapshot().index.indexed >= 16)
    crash(memory)
    await memory._journal.database.close()
    async with opened(tmp_path, embedder=embedder, wish=Wish(take_over=True)) as again:
        await again.settled()
        assert len(await stored(again)) == 100
        view = again.snapshot().index
        assert (view.passages, view.indexed) == (100, 100)


async def test_a_superseded_summary_is_no_longer_counted(tmp_path: Path) -> None:
    """RECALL-2: what has gone is no backlog."""
    async with opened(tmp_path, embedder=WordEmbedder(), profile="stress") as memory:
        await doubles.say(memory, 30)
        await memory.settled()
        view = memory.snapshot().index
        assert (view.backlog, view.state) == (0, "ready")
        assert view.passages == len(await passages(memory))


async def test_what_is_stored_is_told_without_an_embedder(tmp_path: Path) -> None:
    """VIEW-6: `strata status` has none; it says what is indexed, whoever did it."""
    async with opened(tmp_path, embedder=WordEmbedder(), index=PlainIndex()) as memory:
        await memory.add_all(notes(5))
        await memory.settled()
    async with opened(tmp_path) as memory:
        seen = await memory.indexing.look()
        assert (seen.passages, seen.indexed, seen.backlog, seen.state) == (5, 5, 0, "ready")
        await memory.add("user", "one more owl")
        seen = await memory.indexing.look()
        assert (seen.indexed, seen.backlog, seen.state) == (5, 1, "waiting")


def test_what_fails_for_days_is_still_tried() -> None:
    """RECALL-2: after two minutes at most, however often it has failed."""
    trouble = Trouble("indexing")
    for _ in range(2_000):
        trouble.note(doubles.Unwilling("No."))
    assert trouble.rests
    assert trouble.retry_at <= time.monotonic() + LONGEST_RETRY_S
    trouble.over()
    assert not trouble.rests
