"""I3, CHAT-10: whatever is called, fails, is stopped or closed, calls and results stay together."""

import asyncio
import random
from contextlib import aclosing
from typing import Any

import pytest

from app.chat.conversation import Conversation
from app.chat.happenings import AnswerAdded, AnswerGrew, ToolCalled, ToolEnded
from app.tools.tool import Desk, ToolResult
from memory.errors import StrataError
from memory.events import Message
from tests.support.own_tools import Word, tool
from tests.support.tool_server import Says, call
from tests.support.tool_talk import Talking, assert_paired

pytestmark = pytest.mark.asyncio(loop_scope="session")

MOMENTS = (AnswerGrew, AnswerAdded, ToolCalled, ToolEnded)
TURNS = 6


class Moody:
    """A tool that does one of many things."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    async def __call__(self, asked: Word, desk: Desk) -> ToolResult:
        """Waits a little, shows something, answers, refuses or breaks."""
        await asyncio.sleep(self._chance.choice([0, 0, 0.001, 0.01]))
        if self._chance.random() < 0.3:
            desk.show("half ")
        match self._chance.randrange(6):
            case 0:
                raise StrataError("Not now.", "Try again.")
            case 1:
                raise RuntimeError("deep inside")
            case 2:
                return ToolResult("x" * self._chance.choice([10, 3_000]), ok=False, error="Sad")
        return ToolResult(asked.word * self._chance.choice([0, 1, 500]))


def answers(chance: random.Random) -> Any:
    """A script that calls this and that, and some time answers."""

    def says(_: int, body: dict[str, Any]) -> Says:
        assert_paired(body["messages"])
        if chance.random() < 0.35:
            return Says("That is it.", finish=chance.choice(["stop", "stop", None]))
        names = ["moody", "moody", "alone", "nosuch"]
        arguments = [{"word": "a"}, {"word": "b", "times": 3}, {}, '{"word": ', "[]"]
        calls = [
            call(chance.choice(names), chance.choice(arguments), chance.choice(["", "c0", "c1"]))
            for _ in range(chance.randint(1, 5))
        ]
        return Says(chance.choice(["", "Let me see."]), calls)

    return says


async def a_turn(conversation: Conversation, chance: random.Random) -> None:
    """A turn that ends by itself, by Esc, or because nobody reads on."""
    end = chance.choice(["itself", "itself", "stop", "close"])
    moment, after = chance.choice(MOMENTS), chance.randint(1, 3)
    async with aclosing(conversation.turn("Do it.")) as happenings:
        async for happening in happenings:
            after -= isinstance(happening, moment)
            if end == "itself" or after:
                continue
            if end == "close":
                return
            conversation.stop()


@pytest.mark.parametrize("seed", range(8))
async def test_no_call_is_without_its_result(talking: Talking, seed: int) -> None:
    """Every request is valid, and after every turn the log has a result for every call."""
    chance = random.Random(seed)
    moody = Moody(chance)
    tools = [tool("moody", moody), tool("alone", moody, alone=True)]
    async with talking(answers(chance), tools, max_rounds=5) as conversation:
        for _ in range(TURNS):
            await a_turn(conversation, chance)
            log = [e.event for e in await conversation.memory.log()]
            refs = [event.ref for event in log if isinstance(event, Message)]
            assert_paired(
                [
                    {
                        "role": ref.role,
                        "tool_call_id": ref.answers,
                        "tool_calls": [{"id": id} for id in ref.call_ids],
                    }
                    for ref in refs
                ]
            )
