"""The README says what the program does: all of its keys, commands, settings and events."""

import argparse
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from app.chat.commands import COMMANDS
from app.cli import build_parser
from app.keys import ACTIONS
from app.schema import MCP, TABLES, McpServer
from memory import policy_names
from memory.config import MemoryConfig
from memory.memory import Memory
from memory.vocabulary import ALL_EVENTS
from themes.reading import COLOURS, HUES, read_theme
from themes.strata import DARK, LIGHT

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
ROWS = [line for line in README.splitlines() if line.startswith("| ")]
BLOCKS = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", README, re.DOTALL)]
POLICY, _, CONFIGURATION, THEME = BLOCKS


def subcommands() -> dict[str, argparse.ArgumentParser]:
    """The parser of each subcommand, by its name."""
    for action in build_parser()._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    raise LookupError("the command line has no subcommands")


def section(heading: str) -> str:
    """The text below a heading, up to the next one."""
    return README.split(f"{heading}\n", 1)[1].split("\n#", 1)[0]


@pytest.mark.parametrize("action", ACTIONS)
def test_every_key_is_listed_with_its_action(action: str) -> None:
    """CHAT-7: what `[ui.keys]` can change is told, with the keys that hold by default."""
    row = next(row for row in ROWS if f"`{action}`" in row)
    for key in ACTIONS[action].keys.split(","):
        assert f"`{key}`" in row


def test_no_action_is_listed_that_does_not_exist() -> None:
    """CHAT-7: the list of actions holds nothing else."""
    rows = [row for row in section("### Keys").splitlines() if row.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`(\w+\.\w+)`", row)]
    assert sorted(listed) == sorted(ACTIONS)


def test_every_command_of_the_composer_is_listed() -> None:
    """CHAT-7: the commands, and no others."""
    listed = re.findall(r"^\| `(@[^`]+)` \|", section("## Talking"), re.MULTILINE)
    assert sorted(listed) == sorted(command.usage for command in COMMANDS.values())


@pytest.mark.parametrize("name", subcommands())
def test_every_subcommand_is_told_with_its_options(name: str) -> None:
    """CHAT-8: what scripts can use is told."""
    assert re.search(rf"`strata {name}[` ]", README)
    options = [o for action in subcommands()[name]._actions for o in action.option_strings]
    missing = [o for o in options if o.startswith("--") and not re.search(rf"{o}\b", README)]
    assert missing == []


@pytest.mark.parametrize("table", TABLES)
def test_every_setting_stands_in_the_configuration(table: str) -> None:
    """ALL-1: all settings that there are, with values that are allowed."""
    shown: dict[str, Any] = CONFIGURATION.get(table, {})
    assert set(shown) == set(TABLES[table].model_fields)
    TABLES[table].model_validate(shown)


@pytest.mark.parametrize("table", TABLES)
def test_a_setting_is_shown_with_its_default(table: str) -> None:
    """ALL-1: what is no default is said to be an example."""
    for key, field in TABLES[table].model_fields.items():
        if isinstance(CONFIGURATION[table][key], dict):
            continue
        line = next(
            line
            for line in section("## Configuration").partition(f"[{table}]")[2].splitlines()
            if line.startswith(f"{key} = ")
        )
        assert ("# example" in line) == (CONFIGURATION[table][key] != field.default)


def test_the_configuration_names_no_other_table() -> None:
    """ALL-1: what is shown can be used as it stands."""
    assert set(CONFIGURATION) <= {*TABLES, MCP}


def test_every_setting_of_mcp_servers_is_shown() -> None:
    """CHAT-10: of a server that is started and one at an address together."""
    servers = CONFIGURATION[MCP].values()
    assert {key for server in servers for key in server} == set(McpServer.model_fields)
    for server in servers:
        McpServer.model_validate(server)


def test_every_kind_of_event_is_listed() -> None:
    """STORE-1: the names that `strata log` prints."""
    listed = re.findall(r"^\| `(\w+)` \|", section("### The log"), re.MULTILINE)
    assert sorted(listed) == sorted(event.KIND for event in ALL_EVENTS)


def test_the_theme_is_one() -> None:
    """VIEW-8: the example can be used, and everything that a theme may say is named."""
    text = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)[-1]
    theme = read_theme(text, "file", {True: DARK, False: LIGHT})
    assert (theme.name, theme.dark) == (THEME["name"], THEME["dark"])
    assert [n for n in (*COLOURS, *HUES) if n not in section("### Themes")] == []


def test_what_it_leads_to_is_in_the_readme() -> None:
    """ALL-6: a link inside it leads to a heading."""
    headings = {
        line.lstrip("# ").lower().replace(" ", "-")
        for line in README.splitlines()
        if line.startswith("#")
    }
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= headings


async def test_a_policy_of_ones_own_takes_a_file_and_an_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """COMPACT-8: what the README shows, installed as a package, folds a conversation."""
    (code,) = re.findall(r"```python\n(.*?)```", section("### Policies"), re.DOTALL)
    assert len(code.splitlines()) < 40
    ((group, entries),) = POLICY["project"]["entry-points"].items()
    ((name, target),) = entries.items()
    module, _ = target.split(":")
    folder = tmp_path / "site" / Path(*module.split(".")[:-1])
    folder.mkdir(parents=True)
    (folder / f"{module.split('.')[-1]}.py").write_text(code)
    info = tmp_path / "site" / "my_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {target}\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    policy_names.names.cache_clear()

    config = MemoryConfig.from_values({"policy": name, "compaction": "wait"})
    async with Memory.open(tmp_path / "data", config=config) as memory:
        for n in range(1, 83):
            await memory.add("user", f"Note {n}: the launch of Falcon moved to day {n} of March.")
            await memory.settled()
        records = await memory.compactions()

    policy_names.names.cache_clear()
    assert [(r.event.policy, r.event.message) for r in records] == [(name, 40), (name, 80)]
