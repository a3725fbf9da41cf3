"""STORE-3, GOAL-7: S1's file tells tasks, tool statistics, environment and preferences."""

import json
from pathlib import Path

import pytest

from memory.archiving import WHY_CHARS
from memory.goals import LONGEST_GOAL
from memory.vault_reading import read_context
from tests.memory.doubles import every_byte, opened

SECRET = "sk-ant-" + "a1B2" * 10


async def test_what_s1_keeps_is_in_the_file(tmp_path: Path) -> None:
    """STORE-3: in S1's names, with its words for how a task is."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Hello")
        await memory.preferences.set("tone", "dry")
        await memory.goals.set("Watch")
        await memory.tasks.add("Monitor system resources")
        await memory.tasks.add("Report", ["t1"])
        await memory.tasks.start("t1")
        await memory.tasks.progress("t1", 0.5)
        await memory.execution.ran(tool="echo", arguments="{}", result="x", ok=False, error="X")
        await memory.execution.seen(
            workspace="/home/ada", memory_used_mb=8_192, disk_used_percent=45.2
        )
    (path,) = (tmp_path / "vault" / "context").glob("*.json")
    kept = json.loads(path.read_text("utf-8"))
    assert kept["system_state"] == {"last_workspace": "/home/ada", "preferences": {"tone": "dry"}}
    tasks = [(t["id"], t["description"], t["status"], t["progress"]) for t in kept["active_tasks"]]
    assert tasks == [
        ("t1", "Monitor system resources", "Running", 0.5),
        ("t2", "Report", "Pending", 0.0),
    ]
    assert kept["active_tasks"][1]["after"] == ["t1"]
    assert kept["tool_stats"] == {"total_calls": 1, "by_tool": {"echo": 1}, "failures": 1}
    environment = kept["last_known_environment"]
    assert environment["workspace"] == "/home/ada"
    assert environment["system_snapshot"] == {
        "memory_usage_mb": 8_192,
        "disk_usage_percent": 45.2,
    }


async def test_a_restored_session_goes_on_with_its_work(tmp_path: Path) -> None:
    """STORE-3: goals, tasks, notes and values; ids begin anew, a circle in the file is undone."""
    async with opened(tmp_path / "a") as memory:
        await memory.add("user", "Hello")
        await memory.goals.set("Find a flat")
        await memory.goals.complete()
        await memory.goals.set("Move")
        for n in range(4):
            await memory.tasks.add(f"task {n}")
        await memory.tasks.remove("t1")
        await memory.tasks.depend("t2", ["t3"])
        await memory.tasks.finish("t3")
        await memory.tasks.fail("t4", "No time.")
        await memory.notebook.note("No ground floor.")
        await memory.notebook.set_value("boxes", 12)
        before = memory.snapshot().work
    (path,) = (tmp_path / "a" / "vault" / "context").glob("*.json")
    document = json.loads(path.read_text("utf-8"))
    async with opened(tmp_path / "b") as memory:
        await memory.restore(read_context(document, path.name))
        now = memory.snapshot().work
    assert now.goal is not None
    assert (now.goal.text, now.completed) == ("Move", 1)
    assert [(t.text, t.status, t.after, t.error, t.ready) for t in now.tasks] == [
        ("task 1", "open", ("t2",), "", True),
        ("task 2", "done", (), "", False),
        ("task 3", "failed", (), "No time.", False),
    ]
    assert (now.context, now.values) == (before.context, before.values)
    assert [a.text for a in now.archives] == ["Find a flat"]

    document["active_tasks"][1]["after"] = ["t2", "nobody"]
    async with opened(tmp_path / "c") as memory:
        await memory.restore(read_context(document, path.name))
        assert [task.after for task in memory.state.work.tasks] == [("t2",), (), ()]


@pytest.mark.parametrize(
    "record",
    [
        "no JSON",
        "[]",
        '{"themes": 5}',
        '{"success_rate": "x"}',
        '{"by_tool": {"a": -1}}',
        "{" * 9_999,
    ],
)
async def test_a_broken_record_is_left_out(tmp_path: Path, record: str) -> None:
    """ALL-8, STORE-3: whatever the file says of a goal, the session can be looked at."""
    async with opened(tmp_path / "a") as memory:
        await memory.add("user", "Hello")
        await memory.goals.set("Find a flat")
        await memory.goals.complete()
    (path,) = (tmp_path / "a" / "vault" / "context").glob("*.json")
    document = json.loads(path.read_text("utf-8"))
    document["strata"]["work"]["archives"][0]["record"] = record
    async with opened(tmp_path / "b") as memory:
        await memory.restore(read_context(document, path.name))
        (archive,) = memory.snapshot().work.archives
        assert (archive.text, archive.executions, archive.themes) == ("Find a flat", 0, ())
        assert (await memory.prompt()).tokens


async def test_no_secret_comes_in_by_halves(tmp_path: Path) -> None:
    """RECALL-7: what is too long is cut only once it has passed the door."""
    async with opened(tmp_path / "a") as memory:
        await memory.add("user", "Hello")
        await memory.goals.set("Find a flat")
        await memory.goals.fail("x" * (WHY_CHARS - 12) + " " + SECRET)
        await memory.goals.set("Move")
        await memory.notebook.set_value("boxes", 12)
    (path,) = (tmp_path / "a" / "vault" / "context").glob("*.json")
    document = json.loads(path.read_text("utf-8"))
    document["strata"]["work"]["goal"] = "x" * (LONGEST_GOAL - 12) + " " + SECRET
    document["strata"]["work"]["values"].append({"name": SECRET[:40], "type": "text", "text": "x"})
    path.unlink()
    async with opened(tmp_path / "b") as memory:
        await memory.restore(read_context(document, path.name))
        assert len(memory.snapshot().work.values) == 1
    assert SECRET[:10].encode() not in every_byte(tmp_path)
