"""CHAT-11, CHAT-1: Esc ends a helper that the user sent, at whatever moment it comes."""

import asyncio
import time
from typing import Any

import pytest

from app.chat.commands import say
from app.chat.happenings import Happening, HelperAnswered, Reported, ToolEnded
from app.tools.content_tools import CONTENT_TOOLS
from app.tools.delegate import DELEGATE_TOOLS
from app.tools.tool import Desk, ToolResult
from tests.support.own_tools import Word, tool
from tests.support.tool_server import Says, call
from tests.support.tool_talk import Talking, of

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOMENTS = 14
STEP_S = 0.08
MOST = 60
"""So many moments are tried on a machine that is slow to reach the last answer."""


def works_slowly(n: int, body: dict[str, Any]) -> Says:
    """Thinks a while, calls twice, and then speaks and goes on."""
    time.sleep(0.04)
    done = sum(message["role"] == "tool" for message in body["messages"])
    if done < 2:
        return Says("I look around. " * 20, [call("look", {"word": "door"}, f"l{done}")])
    return Says("It is, as far as I can see, " * 200, hold=True)


async def soon(asked: Word, desk: Desk) -> ToolResult:
    await asyncio.sleep(0.03)
    return ToolResult("A door.")


def spoke(reached: set[str]) -> bool:
    """Whether a helper was stopped in its last answer."""
    return any("as far as I can see" in text for text in reached)


async def test_esc_at_any_moment_ends_it_and_the_next_one_begins(talking: Talking) -> None:
    """CHAT-11: nothing is said in the conversation, and nothing goes wrong."""
    tools = (*DELEGATE_TOOLS, *CONTENT_TOOLS, tool("look", soon))
    async with talking(works_slowly, tools) as conversation:
        await conversation.ready()
        reached = set[str]()
        for moment in range(MOST):
            if moment >= MOMENTS and spoke(reached):
                break
            loop = asyncio.get_running_loop()
            timer = loop.call_later(STEP_S * moment, conversation.stop)
            told: list[Happening] = [
                happening async for happening in say(conversation, "@delegate Count the doors.")
            ]
            timer.cancel()
            talking.server.let_go.set()
            talking.server.let_go.clear()
            assert not of(HelperAnswered, told)
            assert not conversation.busy
            ended = of(ToolEnded, told)
            assert [one.error for one in ended] in ([], ["Stopped"]), moment
            if ended:
                assert isinstance(told[-1], Reported)
                reached.add(ended[0].message.content)
    assert spoke(reached), reached
