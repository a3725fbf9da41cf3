"""COMPACT-5: a provider that takes less than its window says is asked once more, with less."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from app.backend.client import Backend
from app.chat.asking import Asking
from app.chat.conversation import Conversation
from app.chat.happenings import AnswerAdded, Failed, Happening, Waiting
from app.chat.turn import respond
from app.settings import Settings
from memory.events import Compacted, RequestEnded, RequestPrepared, RequestRefused
from memory.memory import Memory
from memory.wish import Wish
from tests.memory.doubles import words
from tests.support.misbehaving_server import MisbehavingServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

TAKES = 24_000
"""Characters that the server takes."""
HOW = ["figures", "llama", "413", "overflow-silent"]


@asynccontextmanager
async def talking(settings: Settings, backend: Backend, model: str) -> AsyncIterator[Conversation]:
    """A conversation with a model whose summaries another one writes."""
    chosen = settings.model.model_copy(update={"summary_model": "openai/good"})
    wish = Wish(fresh=True)
    async with Conversation.open(replace(settings, model=chosen), wish, backend) as conversation:
        await conversation.use_model(f"openai/{model}")
        yield conversation


async def say(memory: Memory, count: int) -> None:
    """So many messages of 700 characters."""
    for _ in range(count):
        number = memory.state.messages + 1
        await memory.add("user" if number % 2 else "assistant", words(number, 700))
    await memory.settled()


def counted(messages: list[dict[str, Any]]) -> int:
    """Characters as the server counts them."""
    return sum(len(str(message["content"])) for message in messages)


async def kinds(memory: Memory, kind: type) -> list[Any]:
    """The events of a kind."""
    return [entry.event for entry in await memory.log() if isinstance(entry.event, kind)]


@pytest.mark.parametrize("how", HOW)
async def test_a_refused_prompt_is_sent_again_smaller_and_only_once(
    settings: Settings, backend: Backend, server: MisbehavingServer, how: str
) -> None:
    """COMPACT-5: two requests and an answer; what was learned holds for the turns that follow."""
    model = f"takes-{TAKES}-{how}"
    async with talking(settings, backend, model) as conversation:
        memory = conversation.memory
        await say(memory, 40)
        before = len(server.requests(model))
        happened = [happening async for happening in conversation.turn("And what about Porto?")]

        first, second = [seen.body["messages"] for seen in server.requests(model)[before:]]
        assert counted(first) > TAKES >= counted(second)
        assert "And what about Porto?" in str(second[-1]["content"])
        assert isinstance(happened[-1], AnswerAdded)
        assert sum(isinstance(happening, Waiting) for happening in happened) == 1
        (refused,) = await kinds(memory, RequestRefused)
        (done,) = await kinds(memory, Compacted)
        assert done.trigger == "overflow"
        assert done.stages[-1].name == "reactive"
        assert [a.outcome for a in await kinds(memory, RequestEnded)] == ["failed", "ok"]
        learned = refused.limit_tokens or round(0.9 * refused.counted)
        assert memory.snapshot().context.window == learned

        for number in range(12):
            turn = [h async for h in conversation.turn(words(number, 1_500))]
            assert isinstance(turn[-1], AnswerAdded)
            await memory.settled()
        assert len(await kinds(memory, RequestRefused)) == 1
        assert len(server.requests(model)) == before + 2 + 12


@pytest.mark.parametrize("how", HOW)
async def test_it_helps_within_a_tool_loop_too(
    settings: Settings, backend: Backend, server: MisbehavingServer, how: str
) -> None:
    """COMPACT-5, I3: where the newest message is a tool's result; each stands after its call."""
    model = f"takes-{TAKES - 1}-{how}"
    async with talking(settings, backend, model) as conversation:
        memory = conversation.memory
        await say(memory, 20)
        await memory.add("user", "Which of the files mentions Porto?")
        for n in range(8):
            function = {"name": "read_file", "arguments": json.dumps({"path": f"{n}.txt"})}
            calls = [{"id": f"c{n}", "type": "function", "function": function}]
            await memory.add("assistant", "", tool_calls=calls)
            await memory.add("tool", words(n, 2_400), tool_call_id=f"c{n}")
        await memory.settled()
        asking = Asking(f"openai/{model}", timeout_s=10, stall_s=5)
        happened: list[Happening] = [
            happening async for happening in respond(memory, backend, asking, asyncio.Event())
        ]

        first, second = [seen.body["messages"] for seen in server.requests(model)]
        assert counted(first) > TAKES - 1 >= counted(second)
        assert isinstance(happened[-1], AnswerAdded)
        called: set[str] = set()
        for message in second:
            called.update(call["id"] for call in message.get("tool_calls") or ())
            assert message["role"] != "tool" or message["tool_call_id"] in called
        assert second[-1]["tool_call_id"] == "c7"
        assert len(await kinds(memory, RequestPrepared)) == 2


async def test_a_provider_that_refuses_everything_is_not_asked_for_ever(
    settings: Settings, backend: Backend, server: MisbehavingServer
) -> None:
    """COMPACT-5: once more, and then it is told in a sentence."""
    async with talking(settings, backend, "takes-0-413") as conversation:
        await say(conversation.memory, 40)
        happened = [happening async for happening in conversation.turn("And Porto?")]

        assert isinstance(happened[-1], Failed)
        assert happened[-1].kind == "too_large"
        assert len(server.requests("takes-0-413")) == 2
