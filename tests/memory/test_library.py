"""The library as contracts.md shows it, by whoever knows nothing else of it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory import Memory, MemoryConfig
from memory.codec import UnwritableEvent
from memory.content.handles import UnknownItem
from memory.content.moments import NoMoment
from memory.content.transforms import NoTransform
from memory.errors import StrataError

LINES = [f"line {number} about {'Porto' if number % 10 else 'Faro'}" for number in range(1, 101)]
TEXT = "\n".join(LINES)


async def test_a_goal_is_set_completed_and_failed(tmp_path: Path) -> None:
    """GOAL-1, GOAL-4: what is returned says what became of it, in words and figures."""
    async with Memory.open(tmp_path, session="move", config=MemoryConfig(vault=False)) as memory:
        assert memory.snapshot().work.goal is None
        await memory.goals.set("Find a flat")
        active = memory.goals.active
        assert active is not None
        assert active.text == "Find a flat"
        done = await memory.goals.complete()
        assert (done.text, done.status, done.executions) == ("Find a flat", "completed", 0)
        await memory.goals.set("Buy a house")
        failed = await memory.goals.fail("Too dear")
        assert (failed.status, failed.why) == ("failed", "Too dear")
        assert [goal.status for goal in memory.goals.archived] == ["completed", "failed"]
        for end in (memory.goals.complete, memory.goals.fail):
            with pytest.raises(StrataError, match="No goal is set"):
                await end()
        work = memory.snapshot().work
        assert (work.goal, work.completed, work.failed) == (None, 1, 1)


async def test_tasks_wait_for_each_other(tmp_path: Path) -> None:
    """GOAL-2: by themselves or by their ids; one or several."""
    async with Memory.open(tmp_path, session="move", config=MemoryConfig(vault=False)) as memory:
        tasks = memory.tasks
        look = await tasks.add("Look at it")
        measure = await tasks.add("Measure it", after=[look])
        rent = await tasks.add("Rent it", after=[look.id, measure])
        move = await tasks.add("Move", after=rent)
        assert (rent.after, move.after) == ((look.id, measure.id), (rent.id,))
        assert [task.text for task in tasks.ready()] == ["Look at it"]
        assert (await tasks.start(look)).status == "running"
        assert (await tasks.finish(look.id)).progress == 1
        assert [task.text for task in tasks.ready()] == ["Measure it"]
        failed = await tasks.fail(measure, "No door was open.")
        assert (failed.status, failed.error) == ("failed", "No door was open.")
        with pytest.raises(StrataError, match="waits for"):
            await tasks.start(rent)
        with pytest.raises(StrataError, match=f"{look.id} → {move.id} → {rent.id} → {look.id}"):
            await tasks.depend(look, after=move)
        assert [task.status for task in tasks.all()] == ["done", "failed", "open", "open"]
        assert (await tasks.remove(move)).text == "Move"


async def test_what_leaves_at_once_is_still_returned(tmp_path: Path) -> None:
    """GOAL-5: a cap may take a task or an archive away in the very write that made it."""
    config = MemoryConfig(vault=False, archived_goals_token_cap=1)
    async with Memory.open(tmp_path, session="move", config=config) as memory:
        await memory.goals.set("Find a flat")
        assert (await memory.goals.complete()).text == "Find a flat"
        assert memory.goals.archived == ()


async def test_content_is_stored_and_retrieved_in_every_way(tmp_path: Path) -> None:
    """CONT-1, CONT-2: full, excerpt (500 characters), summary, first, last, filtered."""
    async with Memory.open(tmp_path, session="move", config=MemoryConfig(vault=False)) as memory:
        content = memory.content
        item = await content.store(TEXT, type="web_content", source="porto.example", tags=["a"])
        assert (item.type, item.source, item.tags, item.chars) == (
            "web_content", "porto.example", ("a",), len(TEXT),
        )  # fmt: skip
        assert item.at
        assert await content.retrieve(item) == await content.retrieve(item.id) == TEXT
        assert await content.retrieve(item.id, "excerpt") == f"{TEXT[:500]}…"
        assert 0 < len(await content.retrieve(item.id, "summary")) < len(TEXT)
        for first, last in (("first", "last"), ("first_n", "last_n")):
            assert await content.retrieve(item.id, first, n=2) == "\n".join(LINES[:2])
            assert await content.retrieve(item.id, transform=last, n=2) == "\n".join(LINES[-2:])
        faro = "\n".join(LINES[9::10])
        for words in ("faro", ["faro", "Lisbon"], "/about F.+/"):
            assert await content.retrieve(item.id, "filtered", words=words) == faro
        with pytest.raises(NoTransform, match="'sideways'"):
            await content.retrieve(item.id, "sideways")
        with pytest.raises(UnknownItem):
            await content.retrieve("c99")


async def test_content_is_queried_by_type_source_tags_time_and_limit(tmp_path: Path) -> None:
    """CONT-1: newest first; ten where nobody says how many."""
    async with Memory.open(tmp_path, session="move", config=MemoryConfig(vault=False)) as memory:
        content = memory.content
        page = await content.store("page", type="web_content", source="a.example", tags=["x", "y"])
        rows = await content.store("rows", type="database_result", source="sql", tags="x")
        more = [await content.store(f"text {number}", related=page) for number in range(12)]
        assert more[0].related == (page.id,)

        async def found(**wanted: object) -> list[str]:
            return [item.id for item in await content.query(**wanted)]  # type: ignore[arg-type]

        assert await found(type="web_content") == await found(source="A.EXAMPLE") == [page.id]
        assert await found(tags=["x"]) == await found(tags="x") == [rows.id, page.id]
        assert await found(tags=["x", "y"], limit=5) == [page.id]
        assert await found() == [item.id for item in more[:1:-1]]
        assert await found(limit=2) == [more[-1].id, more[-2].id]
        assert await found(limit=0) == []
        hour, now = timedelta(hours=1), datetime.now(UTC)
        assert len(await found(time_range=(now - hour, now + hour), limit=99)) == 14
        assert await found(time_range=(None, now - hour)) == []
        assert len(await found(time_range=("1h", ""), limit=99)) == 14
        assert await found(time_range=(now + hour, None)) == []
        with pytest.raises(NoMoment):
            await found(time_range=("whenever", None))


async def test_content_is_cleared_and_restored(tmp_path: Path) -> None:
    """CONT-1, S3: one, some or all; a snapshot brings the lists back, here and elsewhere."""
    config = MemoryConfig(vault=False)
    async with Memory.open(tmp_path, session="move", config=config) as memory:
        content = memory.content
        one, two, three = [await content.store(text) for text in ("one", "two", "three")]
        snapshot = await content.snapshot()
        assert [await content.clear(one), await content.clear([two.id])] == [1, 1]
        assert await content.query() == [three]
        assert await content.clear() == 1
        assert memory.snapshot().content_items == 0
        await content.restore(snapshot)
        assert memory.snapshot().content_items == 3
    async with Memory.open(tmp_path, session="other", config=config) as other:
        ids = await other.content.restore(snapshot)
        assert [await other.content.retrieve(ids[item.id]) for item in (one, two, three)] == [
            "one", "two", "three",
        ]  # fmt: skip


async def test_a_wrong_word_changes_nothing(tmp_path: Path) -> None:
    """STORE-2: what the log can't hold is refused, and the session goes on."""
    config = MemoryConfig(vault=False)
    async with Memory.open(tmp_path, session="move", config=config) as memory:
        n = memory.state.n
        with pytest.raises(UnwritableEvent, match="'action_result'"):
            await memory.content.store("x", type="weird")  # type: ignore[arg-type]
        with pytest.raises(UnwritableEvent, match="role"):
            await memory.add("robot", "x")  # type: ignore[arg-type]
        with pytest.raises(UnwritableEvent, match="reasoning"):
            await memory.execution.step("dreaming", "x")  # type: ignore[arg-type]
        with pytest.raises(StrataError, match="JSON"):
            await memory.notebook.set_value("x", object())
        assert memory.state.n == n
        await memory.add("user", "Hello")
    async with Memory.open(tmp_path, session="move", config=config) as memory:
        assert memory.state.messages == 1
