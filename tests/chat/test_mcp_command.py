"""CHAT-10: conversations whose configuration names MCP servers: `@mcp`, and calls by the model."""

import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from app.chat.commands import say
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, PermissionWanted, Reported, ToolEnded, Waiting
from app.schema import McpServer, ToolsSettings
from app.settings import Settings
from app.tools.mcp_tools import mcp_tools
from memory.wish import Wish
from tests.support.processes import until
from tests.support.tool_server import Says, ToolServer, call

pytestmark = pytest.mark.asyncio(loop_scope="session")

SUPPORT = Path(__file__).parents[1] / "support"


@pytest_asyncio.fixture(loop_scope="session")
async def conversation(settings: Settings) -> AsyncIterator[Conversation]:
    odd = (str(SUPPORT / "mcp_oddities.py"),)
    servers = {
        "old": McpServer(command=sys.executable, args=(*odd, "old")),
        "broken": McpServer(command="there-is-no-\x1b[31msuch-program"),
        "off": McpServer(command=sys.executable, enabled=False),
    }
    with_servers = replace(settings, mcp=servers)
    async with Conversation.open(with_servers, Wish(fresh=True)) as conversation:
        yield conversation


async def reported(conversation: Conversation, text: str) -> Reported:
    [report] = [happening async for happening in say(conversation, text)]
    assert isinstance(report, Reported)
    return report


async def test_that_a_model_is_not_offered_them_is_told(settings: Settings) -> None:
    """CHAT-10: `ready` would say that they can be called."""
    old = McpServer(command=sys.executable, args=(str(SUPPORT / "mcp_oddities.py"), "old"))
    few = replace(settings, mcp={"old": old}, tools=ToolsSettings(offer="few"))
    async with Conversation.open(few, Wish(fresh=True)) as conversation:
        await conversation.ready()
        await conversation.backend.mcp.settled(60)
        first, *_, last = (await reported(conversation, "@mcp")).text.splitlines()
    assert first == "old: ready, 1 tool, not offered to this model: old"
    assert last.startswith('offer = "all" under [tools]')


async def test_the_servers_are_listed_and_started_again(conversation: Conversation) -> None:
    """CHAT-10, ALL-8: each with its state, its tools, and what to do; nothing waits for them."""
    assert "old: connecting" in (await reported(conversation, "@mcp")).text
    assert await mcp_tools(conversation.backend) == ()
    await conversation.backend.mcp.settled(60)
    lines = (await reported(conversation, "@mcp")).text.splitlines()
    assert lines[0] == "old: ready, 1 tool: old"
    assert lines[1].startswith("old: The tool huge is left out")
    assert lines[2].startswith("broken: failed. There is no program there-is-no-")
    assert lines[2].endswith("then @mcp restart broken.")
    assert "\x1b" not in lines[2]
    assert lines[3] == "off: off. It is turned off. mcp.off.enabled does it."
    [tool] = await mcp_tools(conversation.backend)
    assert tool.name == "old__old"

    again = await reported(conversation, "@mcp restart old")
    assert again.text.startswith("old: ready, 1 tool: old")
    broken = await reported(conversation, "@mcp restart broken")
    assert (broken.tone, "Install it" in broken.text) == ("problem", True)
    unknown = await reported(conversation, "@mcp restart no\x1b[31mbody")
    assert unknown.text == "There is no MCP server nobody. There are old, broken, off."
    assert (await reported(conversation, "@mcp stop old")).tone == "note"


async def test_no_server_is_started_where_no_tool_is_offered(settings: Settings) -> None:
    """CHAT-10: `tools.offer = "none"`; and a configuration without servers says how to name one."""
    none = replace(
        settings, tools=ToolsSettings(offer="none"), mcp={"a": McpServer(command="there-is-none")}
    )
    async with Conversation.open(none, Wish(fresh=True)) as conversation:
        assert "tools.offer is none" in (await reported(conversation, "@mcp")).text
        assert conversation.backend.mcp.states() == ()
    async with Conversation.open(settings, Wish(fresh=True)) as conversation:
        assert "[mcp.NAME] in config.toml" in (await reported(conversation, "@mcp")).text


async def test_a_model_calls_a_tool_of_a_server(settings: Settings, scripted: ToolServer) -> None:
    """CHAT-10: the user allows it, the server answers, the model reads that."""
    odd = (str(SUPPORT / "mcp_oddities.py"),)
    with_servers = replace(
        settings,
        model=settings.model.model_copy(
            update={"name": "openai/scripted", "api_base": scripted.api_base, "timeout_s": 20}
        ),
        tools=ToolsSettings(offer="all"),
        mcp={
            "old": McpServer(command=sys.executable, args=(*odd, "old")),
            "silent": McpServer(command=sys.executable, args=(*odd, "silent")),
        },
    )
    scripted.script = [Says("", [call("old__old", {"word": "b"}, "c1")]), Says("Done.")]
    async with Conversation.open(with_servers, Wish(fresh=True), tools=[]) as conversation:
        servers = conversation.backend.mcp
        await until(lambda: servers.states()[0].state == "ready", 60)
        happened: list[Happening] = []
        async for happening in conversation.turn("Do it."):
            happened.append(happening)
            if isinstance(happening, PermissionWanted):
                assert happening.permission.subject == 'old__old {"word": "b"}'
                happening.answer.set_result("once")
        [ended] = [happening for happening in happened if isinstance(happening, ToolEnded)]
        assert (ended.ok, ended.message.content) == (True, '{"word": "b"}')
        assert [tool["function"]["name"] for tool in scripted.seen[0]["tools"]] == ["old__old"]

        # The one that never answers has had its time: later turns do not wait for it.
        scripted.script = [Says("And again.")]
        happened = [happening async for happening in conversation.turn("Again.")]
        assert not [happening for happening in happened if isinstance(happening, Waiting)]
        assert servers.states()[1].state == "connecting"
