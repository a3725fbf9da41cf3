"""Goals: set, ended, archived, corrected (GOAL-1, GOAL-4)."""

from pathlib import Path

import pytest

from memory.archiving import themes
from memory.goals import LONGEST_GOAL
from memory.memory import Memory
from memory.work_keeping import WorkError
from memory.work_parts import Task, Text
from tests.memory.doubles import kinds, opened

SECRET = "sk-ant-" + "a1B2" * 10


async def ran(memory: Memory, *, ok: bool = True, error: str = "Timeout") -> None:
    """One tool call."""
    await memory.execution.ran(
        tool="fetch_page", arguments='{"url": "x"}', result="A page.", ok=ok, error=error
    )


async def test_setting_a_goal_archives_the_one_before(tmp_path: Path) -> None:
    """GOAL-1: as completed, marked as replaced; its details leave the active state."""
    async with opened(tmp_path) as memory:
        first = await memory.goals.set("Find a flat")
        await memory.tasks.add("Look at Alvalade")
        await memory.notebook.note("No ground floor.")
        await ran(memory)
        second = await memory.goals.set("Move in April")

        work = memory.snapshot().work
    assert (first.id, first.ended) == ("g1", None)
    assert second.ended is not None
    assert (second.id, second.ended.id) == ("g2", "g1")
    assert work.goal is not None
    assert work.goal.text == "Move in April"
    assert (work.tasks, work.executions, work.context) == ((), (), "")
    (archive,) = work.archives
    assert (archive.status, archive.replaced) == ("completed", True)
    assert (archive.text, archive.executions, archive.tasks) == ("Find a flat", 1, 1)
    assert (work.completed, work.failed) == (1, 0)


async def test_the_same_goal_again_changes_nothing(tmp_path: Path) -> None:
    """GOAL-1: and says so; blanks at its ends make no difference."""
    async with opened(tmp_path) as memory:
        await memory.goals.set("Find a flat")
        before = memory.state
        change = await memory.goals.set("  Find a flat\n")
        assert not change.changed
        assert change.id == "g1"
        assert memory.state == before


async def test_a_goal_completed_and_one_failed(tmp_path: Path) -> None:
    """GOAL-1, GOAL-4: both are archived; why it failed is kept."""
    async with opened(tmp_path) as memory:
        await memory.goals.set("Find a flat")
        await ran(memory, ok=False)
        await ran(memory)
        await memory.goals.complete()
        await memory.goals.set("Buy a house")
        await memory.goals.fail("It is too dear.")

        work = memory.snapshot().work
        assert memory.goals.active is None
    newest, oldest = work.archives
    assert (newest.status, newest.why, newest.executions) == ("failed", "It is too dear.", 0)
    assert (oldest.status, oldest.success_rate, dict(oldest.errors)) == (
        "completed", 0.5, {"Timeout": 1},
    )  # fmt: skip
    assert (work.completed, work.failed) == (1, 1)


async def test_what_was_there_before_the_first_goal_becomes_its_own(tmp_path: Path) -> None:
    """GOAL-2: a task needs no goal; tool calls without one are counted in the statistics alone."""
    async with opened(tmp_path) as memory:
        await memory.tasks.add("Look at Alvalade")
        await ran(memory)
        await memory.goals.set("Find a flat")
        await ran(memory)
        await memory.goals.complete()
        work = memory.snapshot().work
    assert (work.archives[0].tasks, work.archives[0].executions) == (1, 1)
    assert work.tools.total == 2


async def test_a_goal_can_be_corrected(tmp_path: Path) -> None:
    """GOAL-8: edited, removed as if it had never been, an archived one removed as well."""
    async with opened(tmp_path) as memory:
        await memory.goals.set("Find a flad")
        await memory.goals.edit("Find a flat")
        assert memory.goals.active is not None
        assert memory.goals.active.text == "Find a flat"
        assert await memory.goals.remove() == "g1"
        assert memory.snapshot().work.completed == 0
        await memory.goals.set("Move")
        await memory.goals.complete()
        assert await memory.goals.remove("g2") == "g2"
        work = memory.snapshot().work
        assert (work.archives, work.completed) == ((), 0)
        with pytest.raises(WorkError, match="no goal g9"):
            await memory.goals.remove("g9")


async def test_an_archived_goal_is_active_again_with_all_it_had(tmp_path: Path) -> None:
    """GOAL-8: tasks, notes, calls and counts; the goal that took its place is archived."""
    async with opened(tmp_path) as memory:
        await memory.goals.set("Find a flat")
        await memory.tasks.add("Look at Alvalade")
        await memory.tasks.finish("t1")
        await memory.notebook.note("No ground floor.")
        await ran(memory)
        before = memory.state.work
        await memory.goals.set("Move in April")
    async with opened(tmp_path) as memory:
        change = await memory.goals.reopen()
        now = memory.state.work
        assert (change.id, change.text) == ("g1", "Find a flat")
        assert change.ended is not None
        assert change.ended.id == "g2"
        assert (now.tasks, now.notes, now.executions) == (
            before.tasks, before.notes, before.executions,
        )  # fmt: skip
        assert (now.counts, now.completed) == (before.counts, 1)
        with pytest.raises(WorkError, match="is the active one"):
            await memory.goals.reopen("g1")
        assert memory.snapshot().work.context == "No ground floor."


async def test_what_can_be_no_goal_is_refused(tmp_path: Path) -> None:
    """GOAL-1, COMPACT-14: nothing, what is too long for every prompt; nothing is changed."""
    async with opened(tmp_path) as memory:
        before = memory.state
        for text, words in ((" \n", "empty"), ("x" * (LONGEST_GOAL + 1), "4,001 characters")):
            with pytest.raises(WorkError, match=words):
                await memory.goals.set(text)
        for act in (memory.goals.complete, memory.goals.fail):
            with pytest.raises(WorkError, match="No goal is set"):
                await act()
        with pytest.raises(WorkError, match="No goal has ended"):
            await memory.goals.reopen()
        assert memory.state == before


async def test_ids_are_never_used_twice(tmp_path: Path) -> None:
    """GOAL-1: an id that was said once means the same for ever."""
    async with opened(tmp_path) as memory:
        await memory.goals.set("one")
        await memory.goals.remove()
        assert (await memory.goals.set("two")).id == "g2"
        first = await memory.tasks.add("one")
        await memory.tasks.remove(first.id)
        assert (await memory.tasks.add("two")).id == "t2"


async def test_a_secret_is_never_stored(tmp_path: Path) -> None:
    """RECALL-7: neither in goals nor in calls, their names included."""
    async with opened(tmp_path) as memory:
        await memory.goals.set(f"Use {SECRET}")
        await memory.tasks.add(f"Try {SECRET}")
        await memory.tasks.fail("t1", f"{SECRET} was refused")
        await memory.notebook.note(f"It is {SECRET}")
        await memory.notebook.set_value("key", SECRET)
        await memory.preferences.set("key", SECRET)
        await memory.execution.step("reasoning", SECRET, discovered={SECRET: SECRET})
        await memory.execution.ran(
            tool=SECRET, arguments=SECRET, result=SECRET, ok=False, error=SECRET
        )
        await memory.goals.complete()
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()


async def test_each_operation_is_one_write(tmp_path: Path) -> None:
    """GOAL-1: the end of the goal before and the new one come together."""
    async with opened(tmp_path) as memory:
        await memory.goals.set("one")
        await memory.goals.set("two")
        recorded = await memory.log()
    ended, begun = recorded[-2:]
    assert kinds(recorded)[-2:] == ["goal_ended", "goal_set"]
    assert ended.at == begun.at


def test_themes_are_words_that_most_of_a_group_share() -> None:
    """GOAL-4: plurals are singulars, small words name nothing, what is alone stands at the end."""
    texts = ["Count the doors of floor 1", "Count doors on floor 2", "Paint a door", "Call Ada"]
    tasks = [
        Task(f"t{n}", Text(f"b{n}", len(text)), "", "", status="done" if n else "failed")
        for n, text in enumerate(texts)
    ]
    found = themes(tasks, {f"b{n}": text for n, text in enumerate(texts)})

    assert [(t.words, t.tasks, t.done, t.failed) for t in found] == [
        (("door", "count", "floor"), 3, 2, 1),
        ((), 1, 1, 0),
    ]
