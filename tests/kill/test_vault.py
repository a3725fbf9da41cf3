"""SIGKILL while the vault is written: each of its files is the old one or the whole new one."""

import json
import re
from pathlib import Path

import pytest

from memory.config import MemoryConfig
from tests.kill.checks import reopen
from tests.kill.conftest import PREPARED, SESSION, Killer

CONFIG = MemoryConfig.from_values({"profile": "stress"})
COMPACT = ("--session", SESSION, "--model", "openai/summary", "compact")


def files_in(data: Path) -> dict[str, str]:
    root = data / "vault"
    return {path.name: path.read_text("utf-8") for path in root.rglob("*") if path.is_file()}


def temporary(files: dict[str, str]) -> list[str]:
    return [name for name in files if name.endswith(".tmp")]


def check_whole(files: dict[str, str]) -> None:
    """What stands under its own name is whole."""
    for name, text in files.items():
        if name.endswith(".json"):
            assert json.loads(text)["strata"]["messages"] == PREPARED
        if name.endswith(".md"):
            assert re.fullmatch(r"---\n(\w+: .+\n)+---\n\n[^\n](.|\n)*\n", text), text


@pytest.mark.parametrize(
    ("point", "times"), [*(("rename", n) for n in (1, 2, 3)), *(("sync", n) for n in (1, 5, 7, 9))]
)
async def test_a_compaction_killed_while_its_files_are_written(
    point: str, times: int, killer: Killer
) -> None:
    """STORE-2, STORE-3: the next start clears up, and ends with the files the database gives."""
    data = killer.program.data
    before = files_in(data)
    assert temporary(before) == []
    killer.kill(point, times, *COMPACT).assert_killed()

    left = files_in(data)
    check_whole(left)
    assert point == "sync" or temporary(left) == []

    reopened = await reopen(data, SESSION, CONFIG)
    assert "compaction" in reopened.kinds
    after = files_in(data)
    check_whole(after)
    assert temporary(after) == []
    assert len(after) == 3
    (context,) = [json.loads(text) for name, text in after.items() if name.endswith(".json")]
    assert context["strata"]["short_term"]["from"] == 1
    assert [entry["number"] for entry in context["recent_history"]] == [7, 8, 9, 10]
    summary = context["strata"]["short_term"]["text"]
    assert all(summary in text for text in after.values())


async def test_a_restore_killed_after_its_commits(killer: Killer) -> None:
    """STORE-2, STORE-3: a session is restored whole or not at all, and can be restored again."""
    program = killer.program
    program.works(*COMPACT, **killer.environment, STRATA_MEMORY__PROFILE="stress")
    (context,) = (program.data / "vault" / "context").iterdir()
    for point, there in (("inside:restored", False), ("event:restored", True)):
        importing = ("import", str(context), "--session", point)
        killer.kill(point, 1, *importing).assert_killed()
        reopened = await reopen(program.data, point, CONFIG)
        assert reopened.state.messages == (PREPARED if there else 0)
        if not there:
            program.works(*importing)
    sessions = program.document("sessions")["sessions"]
    assert [session["messages"] for session in sessions] == [PREPARED] * 3


async def test_a_deletion_killed_inside(killer: Killer) -> None:
    """STORE-3: no file outlives the session it belongs to."""
    program = killer.program
    assert files_in(program.data)
    delete = ("sessions", "delete", SESSION, "--yes")
    killer.kill("vault:remove", 1, *delete).assert_killed()
    assert files_in(program.data) == {}
    assert len(program.document("sessions")["sessions"]) == 1

    await reopen(program.data, SESSION, CONFIG)
    assert len(files_in(program.data)) == 1
    program.works(*delete)
    assert files_in(program.data) == {}
    assert program.document("sessions")["sessions"] == []
