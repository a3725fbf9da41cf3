"""CHAT-10, I3: Esc ends a turn with tools at every moment, and the next turn can begin."""

import asyncio
import sys
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Any

import pytest

from app.chat.conversation import Conversation
from app.chat.happenings import (
    AnswerAdded,
    AnswerGrew,
    Happening,
    PermissionWanted,
    Stopped,
    ToolCalled,
    ToolEnded,
    ToolShown,
    UserAdded,
)
from app.tools.registry import own_tools
from app.tools.tool import Desk, Permission, ToolResult
from tests.support.own_tools import Slow, Word, tool
from tests.support.program import wait_for
from tests.support.tool_server import Says, call
from tests.support.tool_talk import Talking, assert_paired, of, said, turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

TWO = [call("quick", {"word": "one"}, "c1"), call("slow", {"word": "two"}, "c2")]
STOPPED = "The user stopped this call."


async def goes_on(talking: Talking, conversation: Conversation) -> None:
    """The next turn is answered, and what is sent is valid."""
    talking.server.script = [Says("Here I am.")]
    happened = await turn(conversation, "And now?")
    assert happened[-1].message.content == "Here I am."
    assert_paired(talking.server.seen[-1]["messages"])


async def stopped_at(conversation: Conversation, kind: type, nth: int = 1) -> list[Any]:
    """A turn that is stopped when so many happenings of a kind have come."""
    happened: list[Happening] = []
    async for happening in conversation.turn("Do it."):
        happened.append(happening)
        if len(of(kind, happened)) == nth and isinstance(happening, kind):
            conversation.stop()
    return happened


async def test_while_tools_run(talking: Talking) -> None:
    """What has ended keeps its result; the other is cancelled, with what it had shown."""
    slow = Slow(shows="half of ")
    script = [Says("I'll look.", TWO), Says("Never said.")]
    async with talking(script, [tool("quick"), tool("slow", slow)]) as conversation:
        happened = await stopped_at(conversation, ToolShown)
        assert isinstance(happened[-1], Stopped)
        assert slow.cancelled == 1
        assert [(e.call, e.ok, e.error) for e in of(ToolEnded, happened)] == [
            ("c1", True, ""),
            ("c2", False, "Stopped"),
        ]
        assert await said(conversation.memory) == [
            ("user", "Do it."),
            ("assistant", "I'll look."),
            ("tool", "one"),
            ("tool", f"half of \n\n{STOPPED}"),
        ]
        assert len(talking.server.seen) == 1
        await goes_on(talking, conversation)


async def test_before_a_tool_has_begun(talking: Talking) -> None:
    """A call that waits for one that runs alone is never begun."""
    slow, never = Slow(), Slow()
    calls = [call("slow", {"word": "one"}, "c1"), call("never", {"word": "two"}, "c2")]
    tools = [tool("slow", slow, alone=True), tool("never", never)]
    async with talking([Says("", calls)], tools) as conversation:
        await stopped_at(conversation, ToolCalled)
        kept = await said(conversation.memory)
        assert [text for role, text in kept if role == "tool"] == [
            STOPPED,
            "Not run: the user stopped the turn before.",
        ]
        assert not never.begun.is_set()
        await goes_on(talking, conversation)


async def test_before_the_model_is_asked(talking: Talking) -> None:
    """Esc while the message is being kept is not forgotten."""
    async with talking([Says("Never said.")], [tool("quick")]) as conversation:
        await stopped_at(conversation, UserAdded)
        assert not talking.server.seen
        assert await said(conversation.memory) == [("user", "Do it.")]
        await goes_on(talking, conversation)


async def test_when_the_answer_has_just_come(talking: Talking) -> None:
    """Nothing is begun any more."""
    slow = Slow()
    script = [Says("", [call("slow", {"word": "one"})])]
    async with talking(script, [tool("slow", slow)]) as conversation:
        happened = await stopped_at(conversation, AnswerAdded)
        assert isinstance(happened[-1], Stopped)
        assert not of(ToolCalled, happened)
        assert not slow.begun.is_set()
        await goes_on(talking, conversation)


async def test_while_the_model_speaks_in_a_later_round(talking: Talking) -> None:
    """What had arrived is kept and marked."""
    script = [Says("", TWO[:1]), Says("It says one and then", hold=True)]
    async with talking(script, [tool("quick")]) as conversation:
        happened = await stopped_at(conversation, AnswerGrew)
        talking.server.let_go.set()
        talking.server.let_go.clear()
        last = happened[-1]
        assert isinstance(last, Stopped)
        assert last.message is not None
        assert last.message.interrupted
        await goes_on(talking, conversation)


async def test_while_a_question_is_open(talking: Talking) -> None:
    """The question is withdrawn, and what it was about is not done."""
    done = []

    async def asks(asked: Word, desk: Desk) -> ToolResult:
        if await desk.ask(Permission("asks", asked.word, "May it?")) != "no":
            done.append(asked.word)
        return ToolResult("asked")

    calls = [call("asks", {"word": "one"}), call("asks", {"word": "two"})]
    async with talking([Says("", calls)], [tool("asks", asks)]) as conversation:
        happened = await stopped_at(conversation, PermissionWanted)
        (wanted,) = of(PermissionWanted, happened)
        assert wanted.answer.cancelled()
        assert not done
        assert [e.error for e in of(ToolEnded, happened)] == ["Stopped", "Stopped"]
        await goes_on(talking, conversation)


@pytest.mark.parametrize("how", ["close", "cancel"])
async def test_whoever_reads_goes_away(talking: Talking, how: str) -> None:
    """Closing the turn, or cancelling its task, leaves the same behind as Esc."""
    slow = Slow(shows="half")
    async with talking([Says("", TWO)], [tool("quick"), tool("slow", slow)]) as conversation:

        async def read() -> None:
            async with aclosing(conversation.turn("Do it.")) as happenings:
                async for happening in happenings:
                    if how == "close" and isinstance(happening, ToolShown):
                        return

        reading = asyncio.create_task(read())
        if how == "cancel":
            await slow.begun.wait()
            await asyncio.sleep(0.05)
            reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading
        assert slow.cancelled == 1
        kept = await said(conversation.memory)
        assert [role for role, _ in kept] == ["user", "assistant", "tool", "tool"]
        assert kept[-1][1].endswith(STOPPED)
        await goes_on(talking, conversation)


@pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX processes")
async def test_a_command_is_killed_with_its_children_and_its_output_kept(
    talking: Talking, tmp_path: Path
) -> None:
    """CHAT-10: the shell's children end, and what it had printed is in the log."""
    mark = tmp_path / "children"
    command = f"(sleep 300 & echo $! > {mark}; echo begun; wait)"
    script = [Says("", [call("run_command", {"command": command}, "c1")])]
    async with talking(
        script, own_tools(), allowed_commands=(command,), workspace=tmp_path
    ) as conversation:
        happened = await stopped_at(conversation, ToolShown)
        assert of(ToolEnded, happened)[0].error == "Stopped"
        kept = await said(conversation.memory)
        assert "begun" in kept[-1][1]
        child = int(mark.read_text())
        assert wait_for(lambda: not Path(f"/proc/{child}").exists())
        await goes_on(talking, conversation)
