"""CHAT-10, ALL-5: what the doctor says of the tools."""

from pathlib import Path

import pytest

from app.doctor.tools import tool_checks
from app.schema import ToolsSettings


@pytest.mark.parametrize(
    ("settings", "name", "state", "part"),
    [
        ({}, "workspace", "ok", "Tools work below"),
        ({"workspace": "nowhere"}, "workspace", "problem", "is not there"),
        ({"workspace": "file\x1b[31m"}, "workspace", "problem", "is no folder"),
        ({"without": ["read_file", "far__away"]}, "workspace", "ok", "Tools work below"),
        ({"without": ["readfile"]}, "without", "note", "No tool is called readfile."),
        ({"allowed_commands": ["make", "ls"]}, "commands", "ok", "2 commands run without"),
        ({"offer": "none", "workspace": "nowhere"}, "offer", "ok", "No tools are offered"),
    ],
)
def test_each_finding_says_what_to_do(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, object],
    name: str,
    state: str,
    part: str,
) -> None:
    """CHAT-10: a missing workspace, names that nobody has, and what is allowed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file\x1b[31m").write_text("x")
    checks = tool_checks(ToolsSettings.model_validate(settings))
    check = checks[-1]
    assert (check.name, check.state) == (name, state)
    assert part in check.sentence
    assert "\x1b" not in check.sentence
    assert bool(check.next_step) == (state != "ok")
