"""STORE-3, GOAL-7: S1's file tells tasks, tool statistics, environment and preferences."""

import json
from pathlib import Path

from tests.memory.doubles import opened


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
