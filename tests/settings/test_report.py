"""ALL-1: `strata config` shows each effective value and where it comes from; secrets never."""

import json
from pathlib import Path

from app.commands import config
from app.settings import load_settings

SECRETS = """\
[model]
api_base = "https://user:hunter2@example.org/v1?api_key=hunter3&v=1"
[mcp.web]
command = "web"
args = ["--key", "sk-proj-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
env = { ANYTHING = "hunter4" }
[mcp.far]
url = "https://example.org/mcp"
headers = { Anything = "hunter5" }
"""


def test_the_document_has_every_setting(tmp_path: Path) -> None:
    """Contracts: `{"settings": [{"key", "value", "origin"}], "file": …}`."""
    settings = load_settings({"model.name": "light"}, data=str(tmp_path), environment={})
    document = json.loads(config.run(settings, as_json=True))
    rows = {row["key"]: row for row in document["settings"]}
    assert rows["model.name"] == {"key": "model.name", "value": "light", "origin": "command line"}
    assert rows["memory.immediate_window"]["value"] == 64
    assert rows["model.api_base"]["value"] is None
    assert document["file"] == str(tmp_path / "config.toml")
    assert document["file_exists"] is False


def test_the_table_is_aligned(tmp_path: Path) -> None:
    """ALL-1: one line a setting, the columns in line, no line longer for a long text."""
    settings = load_settings({"model.name": "light"}, data=str(tmp_path), environment={})
    lines = config.run(settings, as_json=False).splitlines()
    assert len(lines) == len(list(settings))
    named = next(line for line in lines if line.startswith("model.name"))
    other = next(line for line in lines if line.startswith("memory.policy"))
    assert named.split() == ["model.name", '"light"', "command", "line"]
    assert named.index('"light"') == other.index('"cascade"')
    assert any("not set" in line for line in lines)


def test_paths_are_shown_as_a_whole(tmp_path: Path) -> None:
    """ALL-1: a path is there to be copied."""
    directory = tmp_path / ("long" * 40)
    settings = load_settings(data=str(directory), environment={})
    assert str(directory / "models") in config.run(settings, as_json=False)


def test_secrets_are_never_shown(tmp_path: Path) -> None:
    """CHAT-2: in no form of the report, whatever part of the value they are."""
    (tmp_path / "config.toml").write_text(SECRETS, encoding="utf-8")
    settings = load_settings(data=str(tmp_path), environment={})
    for as_json in (True, False):
        report = config.run(settings, as_json=as_json)
        assert "hunter" not in report
        assert "aaaaaaaa" not in report
        assert "example.org" in report
