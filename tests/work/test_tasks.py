"""Tasks: a graph without circles, in an order, pruned after a day (GOAL-2)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.clock import format_time
from memory.task_graph import cycle, old_tasks, ready_ids
from memory.work_keeping import WorkError
from memory.work_parts import Task, Text
from memory.work_views import TaskStatus
from tests.memory.doubles import opened

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def task(
    id: str, *after: str, status: TaskStatus = "open", hours: float = 0, error: Text | None = None
) -> Task:
    """A task, last changed so many hours ago."""
    at = format_time(NOW - timedelta(hours=hours))
    return Task(id, Text(id, 4), at, at, status=status, after=after, error=error)


async def test_the_way_of_a_task(tmp_path: Path) -> None:
    """GOAL-2: ready once what it waits for is done, and not before; progress from 0 to 1."""
    async with opened(tmp_path) as memory:
        tasks = memory.tasks
        await tasks.add("Dig")
        await tasks.add("Plant", ["t1"])
        assert {task.id for task in tasks.ready()} == {"t1"}
        for act in (tasks.start, tasks.finish):
            with pytest.raises(WorkError, match="t2 waits for t1"):
                await act("t2")
        assert (await tasks.start("t1")).status == "running"
        assert (await tasks.progress("t1", 0.5)).progress == 0.5
        done = await tasks.finish("t1")
        assert (done.status, done.progress) == ("done", 1.0)
        assert {task.id for task in tasks.ready()} == {"t2"}
        failed = await tasks.fail("t2", "No rain.")
        assert failed.status == "failed"
        view = memory.snapshot().work
        assert [(t.status, t.error) for t in view.tasks] == [("done", ""), ("failed", "No rain.")]
        assert (view.tasks_done, view.tasks_failed) == (1, 1)


@pytest.mark.parametrize(
    ("id", "after", "way"),
    [
        ("t1", ["t3"], "t1 → t3 → t1"),
        ("t1", ["t4"], "t1 → t4 → t3 → t1"),
        ("t2", ["t2"], "t2 → t2"),
    ],
)
async def test_a_circle_is_refused_and_named(
    tmp_path: Path, id: str, after: list[str], way: str
) -> None:
    """GOAL-2: nothing is changed."""
    async with opened(tmp_path) as memory:
        await memory.tasks.add("one")
        await memory.tasks.add("two")
        await memory.tasks.add("three", ["t1"])
        await memory.tasks.add("four", ["t3", "t2"])
        before = memory.state
        with pytest.raises(WorkError, match=way):
            await memory.tasks.depend(id, after)
        assert memory.state == before


async def test_a_task_can_be_corrected(tmp_path: Path) -> None:
    """GOAL-8: its text, what it waits for, its state; what waited for a removed one is free."""
    async with opened(tmp_path) as memory:
        tasks = memory.tasks
        await tasks.add("Digg")
        await tasks.add("Plant", ["t1"])
        assert (await tasks.edit("t1", "Dig")).text == "Dig"
        await tasks.depend("t2", [])
        assert {task.id for task in tasks.ready()} == {"t1", "t2"}
        await tasks.depend("t2", ["t1", "t1"])
        assert tasks.all()[1].after == ("t1",)
        await tasks.finish("t1")
        assert (await tasks.reopen("t1")).progress == 0.0
        assert {task.id for task in tasks.ready()} == {"t1"}
        await tasks.remove("t1")
        assert [t.after for t in tasks.all()] == [()]
        for act in (tasks.start, tasks.finish, tasks.fail, tasks.reopen, tasks.remove):
            with pytest.raises(WorkError, match="no task t1"):
                await act("t1")
        with pytest.raises(WorkError, match="no task t9"):
            await tasks.add("Water", ["t9"])
        with pytest.raises(WorkError, match="from 0 to 1"):
            await tasks.progress("t2", 1.5)


def test_done_tasks_leave_after_a_day_unless_another_waits_for_them() -> None:
    """GOAL-2: by their last update; a chain of old ones leaves together, from its end."""
    tasks = [
        task("t1", status="done", hours=30),
        task("t2", "t1", status="done", hours=30),
        task("t3", status="done", hours=30),
        task("t4", "t3", hours=30),
        task("t5", status="done", hours=24),
        task("t6", status="failed", hours=99),
        task("t7", status="running", hours=99),
    ]
    assert old_tasks(tasks, NOW) == ("t1", "t2")
    assert old_tasks(tasks, NOW + timedelta(seconds=1)) == ("t1", "t2", "t5")


async def test_old_tasks_are_pruned_when_the_session_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GOAL-2: an event of its own; counters and archives stay as they were."""
    async with opened(tmp_path) as memory:
        await memory.goals.set("Garden")
        await memory.tasks.add("Dig")
        await memory.tasks.finish("t1")
    later = datetime.now(UTC) + timedelta(hours=25)
    monkeypatch.setattr("memory.work_keeping.datetime", _Later(later))
    async with opened(tmp_path) as memory:
        view = memory.snapshot().work
        assert (view.tasks, view.tasks_done) == ((), 1)
        assert (await memory.log())[-1].event.KIND == "tasks_pruned"
        await memory.goals.complete()
        assert memory.snapshot().work.archives[0].done == 1


class _Later:
    """A clock that stands."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self, _zone: object) -> datetime:
        return self._moment


def test_a_failed_task_holds_up_what_waits_for_it() -> None:
    """GOAL-2, GOAL-5: also once its details have left."""
    assert ready_ids([task("t1", status="failed"), task("t2", "t1")]) == frozenset()
    assert ready_ids([task("t2", "t1")]) == frozenset()


def test_a_way_round_many_tasks_is_named() -> None:
    """GOAL-2: whatever else waits for what."""
    chain = [task(f"t{n}", f"t{n - 1}") for n in range(2, 2_000)]
    way = cycle("t1", ["t1999"], [task("t1"), *chain])
    assert way is not None
    assert (way[0], way[-1], len(way)) == ("t1", "t1", 2_000)
    assert cycle("t1", ["t5000"], [task("t1"), *chain]) is None
