"""What was executed, steps, patterns, statistics, environment, preferences (GOAL-3, 6, 7)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.memory import Memory
from memory.wish import Wish
from memory.work_keeping import WorkError
from tests.memory.doubles import kinds, opened


async def ran(memory: Memory, tool: str, arguments: str, *, ok: bool, error: str = "") -> None:
    """One tool call."""
    await memory.execution.ran(
        tool=tool, arguments=arguments, result="It said so.", ok=ok, error=error, duration_s=0.5
    )


async def test_an_execution_is_recorded_under_the_goal(tmp_path: Path) -> None:
    """GOAL-3: name, arguments, result in one line, success, error, time, duration, message."""
    async with opened(tmp_path) as memory:
        await memory.goals.set("Find it")
        await memory.execution.ran(
            tool="read_file",
            arguments='{"path": "a.txt"}',
            result="first line\n" + "word " * 1_000,
            ok=False,
            error="FileNotFound",
            duration_s=0.25,
            number=7,
        )
        (seen,) = memory.snapshot().work.executions
    assert (seen.id, seen.tool, seen.arguments) == ("e1", "read_file", '{"path": "a.txt"}')
    assert seen.result.startswith("first line word")
    assert len(seen.result) == 200
    assert (seen.ok, seen.error, seen.duration_s, seen.number) == (False, "FileNotFound", 0.25, 7)


async def test_statistics_count_with_and_without_a_goal(tmp_path: Path) -> None:
    """GOAL-7: in all, by tool, failures, seconds; they outlast goals."""
    async with opened(tmp_path) as memory:
        await ran(memory, "read_file", "{}", ok=True)
        await memory.goals.set("Find it")
        await ran(memory, "read_file", "{}", ok=False, error="X")
        await ran(memory, "run_command", "{}", ok=True)
        await memory.goals.complete()
        tools = memory.snapshot().work.tools
    assert (tools.total, tools.failures) == (3, 1)
    assert dict(tools.by_tool) == {"read_file": 2, "run_command": 1}
    assert dict(tools.failures_by_tool) == {"read_file": 1}
    assert dict(tools.seconds_by_tool) == {"read_file": 1.0, "run_command": 0.5}


async def test_steps_are_let_go_of_with_each_task(tmp_path: Path) -> None:
    """GOAL-6: reset when a task is started; the hundred newest are kept; each call is one."""
    async with opened(tmp_path) as memory:
        await memory.tasks.add("one")
        await memory.tasks.add("two")
        await memory.tasks.start("t1")
        for _ in range(103):
            await ran(memory, "read_file", "{}", ok=True)
        await memory.execution.step("validation", "It holds.", confidence=0.9)
        view = memory.snapshot().work
        assert (len(view.steps), view.current_task, view.task_text) == (100, "t1", "one")
        assert (view.steps[0].id, view.steps[-1].id) == ("s5", "s104")
        assert (view.steps[-1].type, view.steps[-1].confidence) == ("validation", 0.9)
        assert (view.steps[0].type, view.steps[0].task) == ("tool_execution", "t1")
        await memory.tasks.finish("t1")
        assert memory.snapshot().work.current_task is None
        await memory.tasks.start("t2")
        assert memory.snapshot().work.steps == ()


async def test_equal_context_is_kept_once(tmp_path: Path) -> None:
    """GOAL-6: by name and value; insights are counted; a new task forgets what was found."""
    async with opened(tmp_path) as memory:
        step = memory.execution.step
        await memory.tasks.add("one")
        await memory.tasks.start("t1")
        await step("reasoning", "a", discovered={"floors": 3, "owner": "Ada"})
        await step("reasoning", "b", discovered={"floors": 3, "owner": "Ben"})
        await step("replanning", "c")
        view = memory.snapshot().work
        assert [dict(s.discovered) for s in view.steps] == [
            {"floors": "3", "owner": "Ada"}, {"owner": "Ben"}, {},
        ]  # fmt: skip
        assert (dict(view.discovered), view.insights) == ({"floors": "3", "owner": "Ben"}, 3)
        assert view.plan_changes == 1
        await memory.tasks.start("t1")
        assert memory.snapshot().work.steps
        await memory.tasks.add("two")
        await memory.tasks.start("t2")
        view = memory.snapshot().work
        assert (dict(view.discovered), view.insights) == ({}, 3)


async def test_patterns(tmp_path: Path) -> None:
    """GOAL-6: what went well under which task, and what solved a failure under the same task."""
    async with opened(tmp_path) as memory:
        for text in ("one", "two"):
            await memory.tasks.add(text)
        await memory.tasks.start("t1")
        await ran(memory, "read_file", '{"path": "a"}', ok=False, error="FileNotFound")
        await memory.tasks.start("t2")
        await ran(memory, "read_file", '{"path": "other"}', ok=True)
        view = memory.snapshot().work
        assert dict(view.error_patterns) == {"read_file: FileNotFound": ""}
        await memory.tasks.start("t1")
        await ran(memory, "read_file", '{"path": "b"}', ok=False, error="FileNotFound")
        await ran(memory, "read_file", '{"path": "src/a"}', ok=True)
        view = memory.snapshot().work
    assert dict(view.error_patterns) == {"read_file: FileNotFound": 'read_file {"path": "src/a"}'}
    assert dict(view.success_patterns) == {"read_file t2": 1, "read_file t1": 1}


async def test_the_environment_is_recorded_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GOAL-7: another folder at once, figures of the same one at most every ten minutes."""
    async with opened(tmp_path) as memory:

        async def see(folder: str, used: int) -> int:
            await memory.execution.seen(
                workspace=folder, memory_used_mb=used, disk_used_percent=41.5
            )
            return kinds(await memory.log()).count("environment")

        assert await see("/home/ada", 900) == 1
        assert await see("/home/ada", 950) == 1
        assert await see("/home/ben", 950) == 2
        later = datetime.now(UTC) + timedelta(minutes=11)
        monkeypatch.setattr("memory.execution.datetime", _Standing(later))
        assert await see("/home/ben", 950) == 2
        assert await see("/home/ben", 990) == 3
        seen = memory.snapshot().work.environment
    assert seen is not None
    assert (seen.workspace, seen.memory_used_mb, seen.disk_used_percent) == ("/home/ben", 990, 41.5)


class _Standing:
    """A clock that stands."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment

    def now(self, _zone: object) -> datetime:
        return self._moment


async def test_preferences_are_known_in_every_session_of_the_agent(tmp_path: Path) -> None:
    """GOAL-7: and in none of another; the session sees them by an event of its own."""
    async with opened(tmp_path, session="one") as memory:
        await memory.preferences.set("language", "German")
        await memory.preferences.set("tone", "dry")
        await memory.preferences.set("tone", "warm")
        await memory.preferences.used("/home/ada")
        await memory.preferences.used("/home/ada")
        assert dict(memory.snapshot().work.preferences) == {"language": "German", "tone": "warm"}
    async with opened(tmp_path, session="two") as memory:
        assert dict(memory.snapshot().work.preferences) == {"language": "German", "tone": "warm"}
        prompt = await memory.prompt("Hello")
        assert "- language: German" in str(prompt.messages[-1]["content"])
        await memory.preferences.remove("tone")
        assert (await memory.preferences.known()).workspace == "/home/ada"
    other = Wish(agent="critic")
    async with opened(tmp_path, session="three", wish=other) as memory:
        assert dict(memory.snapshot().work.preferences) == {}
    async with opened(tmp_path, session="one") as memory:
        assert dict(memory.snapshot().work.preferences) == {"language": "German"}
        assert [info.title for info in await memory.sessions.list()] == ["one", "three", "two"]


async def test_what_can_be_no_preference_is_refused(tmp_path: Path) -> None:
    """GOAL-7: names are names, and there is an end to them."""
    async with opened(tmp_path) as memory:
        with pytest.raises(WorkError, match="can't be the name"):
            await memory.preferences.set("a b", "x")
        with pytest.raises(WorkError, match="no preference tone"):
            await memory.preferences.remove("tone")
        for n in range(30):
            await memory.preferences.set(f"like{n}", "x")
        with pytest.raises(WorkError, match="30 preferences already"):
            await memory.preferences.set("more", "x")
