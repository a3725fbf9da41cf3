"""CHAT-10, I3, COMPACT-5: memory within the loop, and calls that no result came for."""

import json
from typing import Any

import pytest

from app.chat.commands import say
from app.chat.happenings import AnswerAdded, ToolEnded
from app.tools.tool import Desk, ToolResult
from memory.config import MemoryConfig
from memory.events import Compacted, RequestRefused
from memory.memory import Memory
from tests.memory.doubles import words
from tests.support.own_tools import Word, tool
from tests.support.tool_server import Says, call
from tests.support.tool_talk import Talking, assert_paired, of, said, turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

TAKES = 18_000
"""Characters that the server takes."""


async def large(asked: Word, desk: Desk) -> ToolResult:
    """A result of some thousand characters, another for each word."""
    return ToolResult(words(len(asked.word), 6_000))


def counted(body: dict[str, Any]) -> int:
    return sum(len(str(message["content"])) for message in body["messages"])


async def events(memory: Memory, kind: type) -> list[Any]:
    return [entry.event for entry in await memory.log() if isinstance(entry.event, kind)]


async def test_a_refusal_for_size_inside_the_loop_is_mended(talking: Talking) -> None:
    """COMPACT-5: the request after a result is refused, made smaller and sent once more."""
    rounds = 0

    def script(n: int, body: dict[str, Any]) -> Says:
        nonlocal rounds
        assert_paired(body["messages"])
        if counted(body) > TAKES:
            return Says("Request Entity Too Large", status=413)
        if not body.get("tools"):
            return Says("They talked of boats.")
        rounds += 1
        if rounds < 6:
            return Says("", [call("large", {"word": "a" * rounds})])
        return Says("Read them all.")

    async with talking(script, [tool("large", large)]) as conversation:
        for number in range(1, 21):
            role = "user" if number % 2 else "assistant"
            await conversation.memory.add(role, words(number, 700))  # type: ignore[arg-type]
        happened = await turn(conversation)
        assert happened[-1].message.content == "Read them all."
        assert len(of(ToolEnded, happened)) == 5
        assert await events(conversation.memory, RequestRefused)
        last = [c.trigger for c in await events(conversation.memory, Compacted)]
        assert "overflow" in last


async def test_compaction_inside_the_loop_keeps_pairs_and_the_question(talking: Talking) -> None:
    """COMPACT-6, I3: many rounds in a small window; every request is valid and fits."""
    asked = "Which of the 30 files mentions Porto?"
    limit = 8_000

    def script(n: int, body: dict[str, Any]) -> Says:
        if not body.get("tools"):
            return Says("They read files about boats.")
        assert_paired(body["messages"])
        assert asked in str(body["messages"])
        assert counted(body) / 4 < limit
        done = sum(message["role"] == "tool" for message in body["messages"])
        number = next(numbers)
        assert done or number == 0
        if number < 30:
            return Says("", [call("large", {"word": "a" * number}) for _ in range(2)])
        return Says("None of them.")

    numbers = iter(range(100))
    config = MemoryConfig.from_values({"immediate_window": 16})
    chosen = {"context_window": limit}
    async with talking(
        script, [tool("large", large)], memory=config, model=chosen, max_rounds=100
    ) as conversation:
        happened = await turn(conversation, asked)
        assert happened[-1].message.content == "None of them."
        assert len(of(ToolEnded, happened)) == 60
        await conversation.memory.settled()
        assert await events(conversation.memory, Compacted)


CALLS = [
    {"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": '{"word": "a"}'}}
    for n in range(3)
]


async def test_calls_at_the_end_get_a_result_before_the_user_speaks(talking: Talking) -> None:
    """I3: what a killed process left open is answered in the log, in the order of the calls."""
    async with talking([Says("Well.")], [tool("look")]) as conversation:
        memory = conversation.memory
        await memory.add("user", "Look.")
        await memory.add("assistant", "", tool_calls=CALLS)
        await memory.add("tool", "seen", tool_call_id="c0")
        await turn(conversation, "Well?")
        assert [text for role, text in await said(memory)] == [
            "Look.",
            "",
            "seen",
            "Not run: it was interrupted.",
            "Not run: it was interrupted.",
            "Well?",
            "Well.",
        ]
    assert_paired(talking.server.seen[-1]["messages"])


async def test_retry_goes_on_where_a_call_was_interrupted(talking: Talking) -> None:
    """I3: the call gets its sentence, and the model is asked again."""
    async with talking([Says("Well.")], [tool("look")]) as conversation:
        memory = conversation.memory
        await memory.add("user", "Look.")
        await memory.add("assistant", "", tool_calls=CALLS[:1])
        happened = [happening async for happening in say(conversation, "@retry")]
        assert isinstance(happened[-1], AnswerAdded)
        roles = [role for role, _ in await said(memory)]
        assert roles == ["user", "assistant", "tool", "assistant"]
    assert_paired(talking.server.seen[-1]["messages"])


async def test_calls_that_were_spoken_over_get_a_sentence_in_the_prompt(talking: Talking) -> None:
    """I3, I2: the log stays as it is; what is sent is valid, counted, and the same once more."""
    async with talking([Says("Well.")], [tool("look")]) as conversation:
        memory = conversation.memory
        await memory.add("user", "Look.")
        before = (await memory.prompt()).tokens
        await memory.add("assistant", "", tool_calls=CALLS[:1])
        await memory.add("user", "Never mind.")
        await memory.add("tool", "too late", tool_call_id="c0")
        await memory.add("tool", "of nothing", tool_call_id="c9")
        happened = await turn(conversation, "Well?")
        (sent,) = [body["messages"] for body in talking.server.seen]
        assert_paired(sent)
        assert "Not run: it was interrupted." in str(sent)
        assert "too late" in str(sent)
        assert "of nothing" in str(sent)
        assert isinstance(happened[-1], AnswerAdded)
        prompt = await memory.prompt()
        assert prompt.tokens > before
        assert sum(prompt.sections.values()) == prompt.tokens
        assert json.dumps(prompt.messages) == json.dumps((await memory.prompt()).messages)
