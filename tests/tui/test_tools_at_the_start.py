"""CHAT-10: what keeps tools from working is told when the chat is entered, once."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.backend.client import Backend
from app.backend.mcp_protocol import McpSettings
from app.backend.protocol import BackendSettings
from tests.support.misbehaving_server import MisbehavingServer
from tests.tui.conftest import OpenChat

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def backend(
    server: MisbehavingServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Backend]:
    """A backend with a server of tools that can't start."""
    root = tmp_path_factory.mktemp("backend")
    servers = {"flats": McpSettings(command="there-is-no-\x1b[31msuch-program")}
    backend = await Backend.start(
        BackendSettings(root, root / "models", server.api_base, mcp=servers)
    )
    yield backend
    await backend.close()


async def test_a_server_that_can_not_start_is_told_once(open_chat: OpenChat) -> None:
    """CHAT-10, ALL-8: with what to do; another session does not tell it again."""
    async with open_chat(size=(98, 30)) as chat:
        await chat.until(lambda: "MCP server flats: failed." in chat.notices)
        assert "then @mcp restart flats." in chat.notices
        assert "\x1b" not in "".join(chat.seen)
        await chat.ready()
        await chat.say("@new")
        await chat.until(lambda: "MCP server" not in chat.notices)
        await chat.ready()
        await chat.say("@sessions")
        await chat.until(lambda: "@session NAME opens one" in chat.notices)
        assert "MCP server" not in chat.notices


async def test_a_workspace_that_is_not_there_is_told(open_chat: OpenChat, tmp_path: Path) -> None:
    """CHAT-10: before a model finds nothing in it."""
    missing = tmp_path / "no" / "such"
    async with open_chat(size=(98, 30), tools__workspace=str(missing)) as chat:
        await chat.until(lambda: f"The workspace {missing} is not there." in chat.notices)
    async with open_chat(size=(98, 30), tools__workspace=str(missing), tools__offer="none") as chat:
        await chat.ready()
        assert "The workspace" not in chat.notices
