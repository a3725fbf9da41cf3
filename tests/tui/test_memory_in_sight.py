"""What memory does is seen while one talks: gauge, marks, reports (VIEW-5, VIEW-6)."""

import time
from pathlib import Path

import pytest

from tests.support.misbehaving_server import MisbehavingServer
from tests.tui.conftest import OpenChat, fill, memory_in

pytestmark = pytest.mark.asyncio(loop_scope="session")
STRESS = {"memory__profile": "stress"}


async def test_a_mark_stands_where_a_compaction_fell(open_chat: OpenChat) -> None:
    """VIEW-5: the mark is there at once, and again after a restart."""
    async with open_chat(**STRESS) as chat:
        await chat.ready()
        for number in range(1, 6):
            await chat.say(f"message {number}")
            await chat.answered(2 * number)
        await chat.until(lambda: chat.marks)
        assert chat.marks[0].startswith("folded 1–")
        assert "into the short-term summary · " in chat.marks[0]
        assert " tokens" in chat.marks[0]
        await chat.ready()
        marks = chat.marks
    async with open_chat(**STRESS) as chat:
        await chat.ready()
        assert chat.marks == marks
        assert len(chat.messages) == 10


async def test_undo_and_redo_leave_their_marks(open_chat: OpenChat, data: Path) -> None:
    """COMPACT-12: what was taken back is said once, in its place."""
    async with memory_in(data) as memory:
        await fill(memory, 19, "with some words " * 20)
    async with open_chat(**STRESS) as chat:
        await chat.ready()
        await chat.until(lambda: chat.marks)
        await chat.say("@undo")
        await chat.until(lambda: len(chat.marks) == 2)
        assert chat.marks[1].startswith("took back 1 compaction: 1–")
        assert "folding waits" in chat.gauge
        await chat.say("@redo")
        await chat.until(lambda: len(chat.marks) == 3)
        assert chat.marks[2].endswith("holds again")
        assert "folding waits" not in chat.gauge
        assert chat.notices == ""


async def test_the_gauge_is_never_stale(open_chat: OpenChat) -> None:
    """VIEW-1: it shows the prompt as it is after each turn."""
    async with open_chat() as chat:
        await chat.ready()
        lines = [chat.gauge]
        for number in (1, 2):
            await chat.say("some words " * 40)
            await chat.answered(2 * number)
            lines.append(chat.gauge)
        assert len(set(lines)) == 3


async def test_reports_stand_in_the_transcript(open_chat: OpenChat) -> None:
    """VIEW-6: a command's report is shown under its name and is no part of the conversation."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.press(*"@mem", "tab")
        assert chat.composer.text == "@memory-status "
        await chat.press("enter")
        await chat.until(lambda: "Next prompt" in chat.notices)
        assert chat.composer.text == ""
        assert chat.said == []
        await chat.say("@help")
        await chat.until(lambda: "@compact-memories" in chat.notices)
        await chat.press("up")
        assert chat.composer.text == "@help"


async def test_a_mistyped_command_stays(open_chat: OpenChat) -> None:
    """ALL-2: it is no message, and what was typed is not lost."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.say("@statsu")
        await chat.until(lambda: "There is no command @statsu" in chat.notices)
        assert chat.composer.text == "@statsu"
        assert chat.said == []


async def test_commands_work_while_an_answer_streams(
    open_chat: OpenChat, server: MisbehavingServer
) -> None:
    """CHAT-1: one can look at memory without stopping the answer."""
    async with open_chat("held") as chat:
        await chat.ready()
        with server.holding():
            await chat.say("count")
            await chat.until(lambda: chat.state == "answering")
            await chat.say("@memory-status")
            await chat.until(lambda: "Next prompt" in chat.notices)
            assert chat.state == "answering"
        await chat.answered(2)
        assert chat.messages[-1].text.endswith("w299")


async def test_leaving_does_not_wait_for_a_compaction(open_chat: OpenChat, data: Path) -> None:
    """COMPACT-9: it changes nothing and is due again; Ctrl+Q ends within a moment."""
    options = {**STRESS, "model__summary_model": "openai/hang", "model__timeout_s": 60.0}
    async with memory_in(data) as memory:
        await fill(memory, 19, "with some words " * 20)
    async with open_chat(**options) as chat:
        await chat.until(lambda: chat.state.startswith("folding"))
        started = time.monotonic()
    assert time.monotonic() - started < 30
    async with memory_in(data, read_only=True) as memory:
        assert memory.snapshot().compactions == 0
