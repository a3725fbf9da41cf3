"""RECALL-6: the @command that forgets, and the tool by which the model asks for it."""

from pathlib import Path
from typing import Any, cast

import pytest

from app.chat.commands import say
from app.chat.conversation import Conversation
from app.chat.happenings import ForgettingWanted, PermissionWanted
from app.schema import ToolsSettings
from app.tools.forget_tool import FORGET_TOOLS
from app.tools.forget_words import told_plan
from app.tools.tool import Desk, Permission, ToolResult, Verdict
from memory.memory import Memory
from tests.memory.doubles import every_byte, opened
from tests.support.commanding import reported
from tests.support.tool_server import Says, call
from tests.support.tool_talk import Talking, assert_paired, said

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_it_shows_what_would_go_before_anything_goes(conversation: Conversation) -> None:
    """RECALL-6: nothing is forgotten without an answer, unless it is said at once."""
    memory = conversation.memory
    stored = await memory.add("user", "The safe opens with Quibblefrock.")
    await memory.facts.remember("The word is Quibblefrock.")
    (wanted,) = [each async for each in say(conversation, "@forget quibblefrock")]
    assert isinstance(wanted, ForgettingWanted)
    assert told_plan(wanted.plan)[0] == "Forgotten for good: 1 message, 1 fact."
    (entry,) = await memory.messages(stored.number, stored.number)
    assert "Quibblefrock" in str(await memory.texts([entry.event.ref.body]))  # type: ignore[attr-defined]

    told = await reported(conversation, "@forget --yes quibblefrock")
    assert told.startswith("Forgotten: 1 message, 1 fact.")
    assert "Quibblefrock" not in str(await memory.texts([entry.event.ref.body]))  # type: ignore[attr-defined]
    assert (await reported(conversation, "@forget")).startswith("Say what: @forget 12")
    assert "Nothing that is kept has these words." in await reported(
        conversation, "@forget --yes quibblefrock"
    )
    assert "There is no text of message 999" in await reported(conversation, "@forget 999")


async def test_it_names_what_is_stored_of_a_message(tmp_path: Path) -> None:
    """RECALL-6: a tool's result goes with its message, and is named beside it."""
    reading = {"name": "read", "arguments": "{}"}
    async with opened(tmp_path) as memory:
        calls = [{"id": "a1", "type": "function", "function": reading}]
        await memory.add("assistant", "", tool_calls=calls)
        await memory.add("tool", "Quibblefrock " * 300, tool_call_id="a1")
        for what in ("quibblefrock", "2"):
            plan = await memory.forgetting.plan(what)
            assert told_plan(plan)[0] == "Forgotten for good: 1 message, 1 stored text."
            assert any(line.startswith("  c1: Quibble") for line in told_plan(plan))
        await memory.forgetting.carry_out(plan)
        assert b"uibblefrock" not in every_byte(memory.directory)


class AskedDesk:
    """A user who answers as the test says, and a session."""

    settings = ToolsSettings()

    def __init__(self, memory: Memory, verdict: Verdict) -> None:
        self.memory = memory
        self.verdict = verdict
        self.asked: list[Permission] = []

    async def ask(self, permission: Permission) -> Verdict:
        self.asked.append(permission)
        return self.verdict

    async def call(self, **arguments: Any) -> ToolResult:
        """Calls the tool as a model does."""
        return await FORGET_TOOLS[0].run(arguments, cast(Desk, self))


async def test_the_model_forgets_only_what_the_user_allows(tmp_path: Path) -> None:
    """RECALL-6, CHAT-10: each time anew, and the result does not say what it was."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "The safe opens with Quibblefrock.")
        desk = AskedDesk(memory, "no")
        assert (await desk.call(what="quibblefrock")).error == "NotAllowed"
        assert (await memory.forgetting.plan("1")).found
        desk.verdict = "always"
        result = await desk.call(what="quibblefrock")
        assert result.ok
        assert "uibblefrock" not in result.text
        await memory.add("user", "Another safe opens with Snorkelwack.")
        desk.verdict = "no"
        assert not (await desk.call(what="snorkelwack")).ok
        assert len(desk.asked) == 3
        assert "message 1" in desk.asked[0].subject


async def test_a_turn_in_which_the_model_forgets_keeps_nothing_of_it(talking: Talking) -> None:
    """RECALL-6, CHAT-10: not the question, the call, its record, nor what was recalled for it."""

    def script(n: int, body: dict[str, Any]) -> Says:
        assert_paired(body["messages"])
        if body["messages"][-1]["role"] == "tool":
            assert "uibblefrock" not in str(body["messages"])
            return Says("It is gone.")
        return Says("", [call("forget", {"what": "quibblefrock"}, "c1")])

    async with talking(script, FORGET_TOOLS) as conversation:
        memory = conversation.memory
        await memory.add("user", "The safe opens with Quibblefrock.")
        await memory.add("assistant", "Noted.")
        async for happening in conversation.turn("Please forget Quibblefrock."):
            if isinstance(happening, PermissionWanted):
                assert "3 messages" in happening.permission.subject
                happening.answer.set_result("once")
        await memory.settled()
        held = every_byte(memory.directory).lower()
        assert b"uibblefrock" not in held
        assert [text for _, text in await said(memory)][-1] == "It is gone."
