"""CHAT-10, ALL-5: what the doctor says of MCP servers, without starting or asking any."""

import socket
import sys
from pathlib import Path

import pytest

from app.doctor.check import Check
from app.doctor.mcp import mcp_checks
from app.settings import load_settings


async def checks(folder: Path, table: str, **environment: str) -> list[Check]:
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text(table)
    environment = {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring", **environment}
    settings = load_settings(data=str(folder), environment=environment)
    return await mcp_checks(settings, environment)


async def test_no_server_needs_nothing(tmp_path: Path) -> None:
    """CHAT-10: none is configured."""
    (check,) = await checks(tmp_path, "")
    assert (check.state, check.sentence) == ("ok", "None is configured.")


@pytest.mark.parametrize(
    ("table", "state", "part"),
    [
        (f"[mcp.x]\ncommand = '{sys.executable}'", "ok", "Its program is"),
        ("[mcp.x]\ncommand = 'no-such-program'", "problem", "no program no-such-program"),
        ("[mcp.x]\ncommand = 'no-such-program'\nenabled = false", "ok", "turned off"),
        ("[mcp.x]\nurl = 'http://127.0.0.1:9/mcp'", "problem", "Nothing listens at 127.0.0.1:9"),
        ("[mcp.x]\nurl = 'https://mcp.example.org/mcp'", "ok", "mcp.example.org:443 is on another"),
    ],
)
async def test_each_server_is_looked_at(tmp_path: Path, table: str, state: str, part: str) -> None:
    """CHAT-10: its program or its address; a problem has a way out."""
    (check,) = await checks(tmp_path, table)
    assert (check.name, check.state) == ("x", state)
    assert part in check.sentence
    assert bool(check.next_step) == (state == "problem")


async def test_somebody_listens(tmp_path: Path) -> None:
    """CHAT-10: at an address on this machine."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        (check,) = await checks(tmp_path, f"[mcp.x]\nurl = 'http://127.0.0.1:{port}/mcp'")
    assert (check.state, check.sentence) == ("ok", f"Something listens at 127.0.0.1:{port}.")


async def test_a_missing_key_is_named(tmp_path: Path) -> None:
    """CHAT-10: where it is looked for, and how to keep it."""
    table = f"[mcp.x]\ncommand = '{sys.executable}'\nenv = {{ A = 'x ${{MY_SERVER_KEY}}' }}"
    _, missing = await checks(tmp_path, table)
    assert (missing.state, "MY_SERVER_KEY" in missing.sentence) == ("problem", True)
    assert "keyring set strata MY_SERVER_KEY" in missing.next_step
    (there,) = await checks(tmp_path, table, MY_SERVER_KEY="1")
    assert there.state == "ok"


async def test_servers_are_not_started_where_no_tool_is_offered(tmp_path: Path) -> None:
    """CHAT-10: `tools.offer`."""
    table = f"[mcp.x]\ncommand = '{sys.executable}'\n[tools]\noffer = 'none'"
    assert "tools.offer is none" in (await checks(tmp_path, table))[-1].sentence
