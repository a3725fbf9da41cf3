"""CHAT-10, I3, ALL-2: what breaks in the middle of a turn with tools ends it with a sentence."""

import asyncio
import os
import signal
from contextlib import aclosing, suppress
from typing import Any

import pytest

from app.chat.conversation import Conversation
from app.chat.happenings import AnswerAdded, AnswerGrew, Failed, ToolEnded
from app.tools.tool import Desk, ToolResult
from memory.memory import Memory
from memory.wish import Wish
from tests.support.own_tools import Foreign, Slow, Word, tool
from tests.support.tool_server import Says, call
from tests.support.tool_talk import Talking, assert_paired, of, said, turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

ONE = [call("quick", {"word": "one"}, "c1")]


async def goes_on(talking: Talking, conversation: Conversation) -> None:
    """The next turn is answered, what is sent is valid, and the log is whole."""
    talking.server.script = [Says("Here I am.")]
    happened = await turn(conversation, "And now?")
    assert isinstance(happened[-1], AnswerAdded), happened
    assert happened[-1].message.content == "Here I am."
    assert_paired(talking.server.seen[-1]["messages"])


async def test_the_backend_dies_under_a_tool_that_needs_it(talking: Talking) -> None:
    """What the tool is told is its result, and the next request finds a new backend."""

    async def deadly(asked: Word, desk: Desk) -> ToolResult:
        pid = (await desk.backend.ping())["pid"]
        os.kill(pid, signal.SIGSTOP)
        asking = asyncio.ensure_future(desk.backend.mcp.call("any", asked.word, {}))
        await asyncio.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
        return ToolResult((await asking).text)

    script = [Says("", [call("deadly", {"word": "one"}, "c1")]), Says("It is a pity.")]
    async with talking(script, [tool("deadly", deadly)]) as conversation:
        happened = await turn(conversation)
        (ended,) = of(ToolEnded, happened)
        assert (ended.ok, ended.error) == (False, "ModelFailure")
        assert isinstance(happened[-1], AnswerAdded), happened
        await goes_on(talking, conversation)


async def test_the_backend_dies_while_the_model_speaks_in_a_later_round(talking: Talking) -> None:
    """The turn ends with a sentence; what had arrived and the results before it are kept."""
    script = [Says("", ONE), Says("It says one and then", hold=True)]
    async with talking(script, [tool("quick")]) as conversation:
        happened: list[Any] = []
        async for happening in conversation.turn("Do it."):
            happened.append(happening)
            if isinstance(happening, AnswerGrew):
                os.kill((await conversation.backend.ping())["pid"], signal.SIGKILL)
        talking.server.let_go.set()
        talking.server.let_go.clear()
        last = happened[-1]
        assert isinstance(last, Failed)
        assert last.sentence
        assert last.kept is not None
        assert last.kept.interrupted
        kept = await said(conversation.memory)
        assert [role for role, _ in kept] == ["user", "assistant", "tool", "assistant"]
        await goes_on(talking, conversation)


async def test_the_turn_is_cancelled_while_the_model_speaks(talking: Talking) -> None:
    """As a helper's is, when whoever sent it is stopped: what had arrived is kept (CHAT-11)."""
    script = [Says("", ONE), Says("It says one and then", hold=True)]
    async with talking(script, [tool("quick")]) as conversation:
        grown = asyncio.Event()

        async def read() -> None:
            async with aclosing(conversation.turn("Do it.")) as happenings:
                async for happening in happenings:
                    if isinstance(happening, AnswerGrew):
                        grown.set()

        reading = asyncio.create_task(read())
        await grown.wait()
        await asyncio.sleep(0.05)
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading
        assert reading.cancelled()
        talking.server.let_go.set()
        talking.server.let_go.clear()
        kept = await said(conversation.memory)
        assert [role for role, _ in kept] == ["user", "assistant", "tool", "assistant"]
        assert not conversation.busy
        await goes_on(talking, conversation)


async def test_a_full_disk_while_results_are_written(talking: Talking) -> None:
    """STORE-2, ALL-2: the turn ends with a sentence, and what was acknowledged is there."""

    async def huge(asked: Word, desk: Desk) -> ToolResult:
        database = desk.memory._journal.database
        pages = (await database.all("PRAGMA page_count"))[0][0]
        await database.all(f"PRAGMA max_page_count = {pages + 2}")
        return ToolResult(os.urandom(1_000_000).hex())

    script = [Says("", [*ONE, call("huge", {"word": "x"}, "c2")]), Says("Never said.")]
    async with talking(script, [tool("quick"), tool("huge", huge, alone=True)]) as conversation:
        happened = await turn(conversation)
        last = happened[-1]
        assert isinstance(last, Failed)
        assert "full" in last.sentence
        assert len(talking.server.seen) == 1
        database = conversation.memory._journal.database
        await database.all("PRAGMA max_page_count = 1000000")
        kept = await said(conversation.memory)
        assert kept[:3] == [("user", "Do it."), ("assistant", ""), ("tool", "one")]
        await goes_on(talking, conversation)


async def test_a_tool_that_was_offered_before_and_is_not_now(talking: Talking) -> None:
    """The model is told so, and the call in the log stays valid."""
    async with talking([Says("", ONE), Says("Good.")], [tool("quick")], session="gone") as before:
        await turn(before)
    calls = [call("quick", {"word": "two"}, "c1")]
    async with talking([Says("", calls), Says("So.")], [Foreign("other")], session="gone") as after:
        happened = await turn(after)
        (ended,) = of(ToolEnded, happened)
        assert (ended.ok, ended.error) == (False, "UnknownTool")
        assert "no tool called quick" in ended.message.content
        assert [t["function"]["name"] for t in talking.server.seen[0]["tools"]] == ["other"]
        assert_paired(talking.server.seen[-1]["messages"])


async def test_where_a_result_comes_from_is_short_and_plain(talking: Talking) -> None:
    """ALL-8: what a model wrote as an address stands in events and on screens."""

    async def far(asked: Word, desk: Desk) -> ToolResult:
        return ToolResult(asked.word, source="https://x\x1b[31m/\n" + "y" * 100_000)

    script = [Says("", [call("far", {"word": "one"}, "c1")]), Says("Good.")]
    async with talking(script, [tool("far", far)]) as conversation:
        await turn(conversation)
        (item,) = await conversation.memory.content.items()
        assert item.source.startswith("https://x")
        assert len(item.source) <= 500
        assert "\x1b" not in item.source
        assert "\n" not in item.source


async def test_a_session_taken_over_in_the_middle_of_the_loop(talking: Talking) -> None:
    """STORE-5: whoever loses the session ends the turn with a sentence and writes no more."""
    slow = Slow(shows="half")
    script = [Says("", [call("slow", {"word": "one"}, "c1")]), Says("Never said.")]
    async with talking(script, [tool("slow", slow)], session="taken") as conversation:
        reading = asyncio.create_task(turn(conversation))
        await slow.begun.wait()
        path = talking.settings.paths.data.path
        wish = Wish(session="taken", take_over=True)
        async with Memory.open(path, config=talking.settings.memory, wish=wish) as other:
            assert not other.read_only
            slow.go_on.set()
            happened = await reading
            assert isinstance(happened[-1], Failed)
            assert happened[-1].sentence.endswith(".")
            assert len(talking.server.seen) == 1
            (told,) = of(Failed, await turn(conversation, "And now?"))
            assert told.sentence
            await other.answer_open_calls()
            kept = await said(other)
            assert [role for role, _ in kept] == ["user", "assistant", "tool"]
