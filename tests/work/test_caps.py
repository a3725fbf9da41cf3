"""Caps of working memory: they hold after every operation (GOAL-5, COMPACT-14)."""

from pathlib import Path

import pytest

from memory.events import Recorded
from memory.memory import Memory
from memory.work_caps import session_tokens
from memory.work_events import WorkCompacted
from memory.work_keeping import NoRoom
from tests.memory.doubles import chat_model, opened
from tests.work.three_goals import assert_caps


def compactions(log: list[Recorded]) -> list[WorkCompacted]:
    """What left because a cap was passed."""
    return [entry.event for entry in log if isinstance(entry.event, WorkCompacted)]


async def fill(memory: Memory, count: int) -> None:
    """So many calls, as long as they are kept."""
    for n in range(count):
        await memory.execution.ran(
            tool="read_file", arguments="a" * 400, result=f"{n} " + "r" * 300, ok=True
        )


async def add_all_that_fit(memory: Memory, refused: str) -> int:
    """Adds tasks until one is refused; returns how many were taken."""
    for added in range(100):
        try:
            await memory.tasks.add(f"{added} " + "x" * 300)
        except NoRoom as error:
            assert refused in error.sentence  # noqa: PT017 (which one is refused is not known)
            return added
        assert_caps(memory)
    raise AssertionError("there is no end to tasks")


async def test_old_executions_become_counts(tmp_path: Path) -> None:
    """GOAL-5: the newest twenty in detail, all of them counted; each goes in the write after it."""
    async with opened(tmp_path) as memory:
        await memory.goals.set("Read")
        await fill(memory, 23)
        view = memory.snapshot().work
        assert [e.id for e in view.executions] == [f"e{n}" for n in range(23, 3, -1)]
        assert view.goal is not None
        assert view.goal.executions == 23
        gone = compactions(await memory.log())
    assert [event.executions for event in gone] == [("e1",), ("e2",), ("e3",)]
    assert all(event.tokens_after < event.tokens_before for event in gone)


async def test_the_newest_failed_tasks_are_kept(tmp_path: Path) -> None:
    """GOAL-5: five of them; the others are counted."""
    async with opened(tmp_path) as memory:
        for n in range(7):
            await memory.tasks.add(f"try {n}")
        await memory.tasks.add("go on", ["t1"])
        for n in range(7):
            await memory.tasks.fail(f"t{n + 1}")
        view = memory.snapshot().work
        assert [t.id for t in view.tasks] == ["t3", "t4", "t5", "t6", "t7", "t8"]
        assert view.tasks_failed == 7
        assert not view.tasks[-1].ready


async def test_goal_and_tasks_to_do_never_leave(tmp_path: Path) -> None:
    """COMPACT-14: the rest makes way for them; what does not fit any more is refused."""
    async with opened(tmp_path, session_token_cap=1_500) as memory:
        await memory.goals.set("Read " * 20)
        await fill(memory, 6)
        await memory.notebook.note("n" * 1_500)
        for n in range(3):
            await memory.tasks.add(f"{n} done")
            await memory.tasks.finish(f"t{n + 1}")
        added = await add_all_that_fit(memory, "may have 1,500")
        view = memory.snapshot().work
        to_do = [task for task in view.tasks if task.status == "open"]
        assert len(to_do) == added > 5
        assert (view.executions, view.context, view.tasks_done) == ((), "", 3)
        assert view.goal is not None
        assert view.goal.executions == 6


async def test_goal_and_tasks_leave_room_for_the_conversation(tmp_path: Path) -> None:
    """COMPACT-14, PROMPT-3: at most a quarter of the prompt, since they stand in it whole."""
    async with opened(tmp_path, chat=chat_model(2_048)) as memory:
        await memory.goals.set("Read")
        await add_all_that_fit(memory, "a quarter")
        assert (await memory.prompt("Hello")).tokens < 2_048


async def test_archives_have_caps_of_their_own(tmp_path: Path) -> None:
    """GOAL-5: the newest ten, and so many tokens; older ones are counted."""
    async with opened(tmp_path) as memory:
        for n in range(13):
            await memory.goals.set(f"Goal number {n}")
        view = memory.snapshot().work
        assert (len(view.archives), view.completed) == (10, 12)
        assert view.archives[0].text == "Goal number 11"
    async with opened(tmp_path / "b", archived_goals_token_cap=400) as memory:
        for n in range(6):
            await memory.goals.set(f"{n} " + "words " * 100)
            assert_caps(memory)
        assert 0 < len(memory.snapshot().work.archives) < 5


async def test_a_lowered_cap_holds_from_the_next_start_on(tmp_path: Path) -> None:
    """GOAL-5: what passes it leaves when the session is opened."""
    async with opened(tmp_path) as memory:
        await memory.goals.set("Read")
        await fill(memory, 20)
    async with opened(tmp_path, keep_executions=3, session_token_cap=500) as memory:
        assert len(memory.state.work.executions) <= 3
        assert session_tokens(memory.state.work) <= 500


async def test_the_warning_level_is_told(tmp_path: Path) -> None:
    """GOAL-5, VIEW-6: where it is, and what is used."""
    async with opened(tmp_path, session_token_warning=100) as memory:
        await memory.goals.set("Read")
        await fill(memory, 3)
        view = memory.snapshot().work
    assert (view.cap, view.warning, view.archived_cap) == (12_000, 100, 6_000)
    assert view.tokens > view.warning


@pytest.mark.parametrize(("after", "done"), [("never", (0, 0)), ("goal", (0, 1)), ("task", (1, 2))])
async def test_the_end_of_a_goal_or_a_task_can_compact(
    tmp_path: Path, after: str, done: tuple[int, int]
) -> None:
    """COMPACT-6: optionally (S1), beside the conversation and as a manual one."""
    async with opened(
        tmp_path, compact_after=after, immediate_window=4, recent_window=64
    ) as memory:

        async def talk() -> None:
            for n in range(12):
                await memory.add("user", f"Note {n}: Ada moved the launch to Lisbon. " * 4)
            await memory.settled()

        await talk()
        await memory.goals.set("Read")
        await memory.tasks.add("one")
        await memory.tasks.finish("t1")
        await memory.settled()
        assert memory.state.compactions == done[0]
        await talk()
        await memory.goals.complete()
        await memory.settled()
        assert memory.state.compactions == done[1]
