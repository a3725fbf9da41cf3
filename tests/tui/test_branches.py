"""Branches on the real chat: edited, answered again, begun and gone between (CHAT-4, CHAT-5)."""

from pathlib import Path

import pytest

from memory.wish import Wish
from tests.support.misbehaving_server import GOOD_ANSWER, MisbehavingServer
from tests.tui.conftest import Chat, OpenChat, fill, memory_in
from tests.tui.deeds import branched, said
from widgets.hint_line import HintLine

pytestmark = pytest.mark.asyncio(loop_scope="session")
EDITING = "Editing message 3: Enter sends it in a new branch, Esc leaves it."


async def choose(chat: Chat, number: int) -> None:
    """Has a message chosen, with the keys in the conversation."""
    chat.transcript.focus()
    block = chat.transcript.block_of(number)
    assert block is not None
    chat.transcript.choose(block)
    await chat.pilot.pause()


async def test_an_edited_message_is_sent_in_a_branch(open_chat: OpenChat, data: Path) -> None:
    """CHAT-5: with the past up to it and a new answer; the old branch stays as it was."""
    async with said(4)(data), open_chat() as chat:
        await chat.ready()
        old = chat.said
        await choose(chat, 3)
        await chat.press("e")
        await chat.until(lambda: chat.hint.startswith(EDITING))
        assert chat.composer.text == chat.messages[2].text
        chat.composer.text = "another question"
        await chat.press("enter")
        await chat.until(lambda: "branch 2 of 2" in chat.status)
        await chat.answered(4)
        assert chat.said == [*old[:2], ("you", "another question"), ("strata", GOOD_ANSWER)]
        assert chat.marks == ["branch from message 2 · message edited"]
        assert "branch 2 of 2" in chat.status
        assert chat.composer.text == ""
        await chat.press("ctrl+b")
        await chat.until(lambda: "branch 1 of 2" in chat.status and chat.state == "ready")
        assert chat.said == old
        assert "Branch 1 of 2, the first." in chat.hint


async def test_editing_can_be_left(open_chat: OpenChat, data: Path) -> None:
    """CHAT-5: Esc brings back what was being written, and nothing was changed."""
    async with said(4)(data), open_chat() as chat:
        await chat.ready()
        await chat.write("half a thought")
        for number in (3, 1):
            await choose(chat, number)
            await chat.press("e")
            await chat.until(lambda: f"Editing message {number}:" in chat.hint)  # noqa: B023
        assert chat.composer.text == chat.messages[0].text
        await chat.press("escape")
        assert chat.composer.text == "half a thought"
        assert "Editing" not in chat.hint
        assert len(chat.messages) == 4


async def test_what_was_being_written_comes_back_after_the_edit(
    open_chat: OpenChat, data: Path
) -> None:
    """CHAT-5: in the new branch as well."""
    async with said(4)(data), open_chat() as chat:
        await chat.ready()
        await chat.write("half a thought")
        await choose(chat, 1)
        await chat.press("e")
        await chat.until(lambda: "Editing message 1:" in chat.hint)
        await chat.press("enter")
        await chat.until(lambda: "branch 2 of 2" in chat.status)
        await chat.answered(2)
        assert chat.composer.text == "half a thought"
        assert chat.marks == []
        assert [entry.number for entry in chat.messages] == [1, 2]


async def test_only_ones_own_messages_are_edited(open_chat: OpenChat, data: Path) -> None:
    """CHAT-5: it is said, and nothing changes."""
    async with said(4)(data), open_chat() as chat:
        await chat.ready()
        await choose(chat, 4)
        await chat.press("e")
        await chat.pilot.pause()
        assert "Only what you wrote yourself can be edited." in chat.hint
        assert chat.composer.text == ""


@pytest.mark.parametrize("number", [3, 4])
async def test_an_answer_is_given_again(open_chat: OpenChat, data: Path, number: int) -> None:
    """CHAT-5: from the answer or from its question, in a branch of its own."""
    async with said(6)(data), open_chat() as chat:
        await chat.ready()
        old = chat.said
        await choose(chat, number)
        await chat.press("r")
        await chat.until(lambda: "branch 2 of 2" in chat.status)
        await chat.answered(4)
        assert chat.said == [*old[:3], ("strata", GOOD_ANSWER)]
        assert chat.marks == ["branch from message 3 · answered again"]


async def test_it_can_be_given_again_and_again(open_chat: OpenChat, data: Path) -> None:
    """CHAT-5: each time beside the others; the next after the last is the first."""
    async with said(2)(data), open_chat() as chat:
        await chat.ready()
        for branches in (2, 3):
            await chat.say("@regenerate")
            await chat.until(lambda: f"branch {branches} of" in chat.status)  # noqa: B023
            await chat.answered(2)
        assert chat.said[-1] == ("strata", GOOD_ANSWER)
        await chat.press("ctrl+b")
        await chat.until(lambda: "branch 1 of 3" in chat.status and chat.state == "ready")
        assert chat.said[-1][1].startswith("message number 2")


async def test_a_branch_after_any_message(open_chat: OpenChat, data: Path) -> None:
    """CHAT-4: what is said there goes on from that message, and only there."""
    async with said(4)(data), open_chat() as chat:
        await chat.ready()
        await chat.write("kept while switching")
        await choose(chat, 2)
        await chat.press("f")
        await chat.until(lambda: "branch 2 of 2" in chat.status and chat.state == "ready")
        assert [entry.number for entry in chat.messages] == [1, 2]
        assert chat.marks == ["branch from message 2"]
        assert chat.composer.text == "kept while switching"
        await chat.press("enter")
        await chat.answered(4)
    async with memory_in(data) as memory:
        infos = await memory.branches.list()
        assert [info.messages for info in infos] == [4, 4]


async def test_it_opens_again_in_the_branch_used_last(open_chat: OpenChat, data: Path) -> None:
    """CHAT-4: also where one has only looked there."""
    async with branched(data), open_chat() as chat:
        await chat.ready()
        assert chat.said[-1][1] == "only in the branch"
        assert chat.marks == ["branch from message 2"]
        await chat.press("ctrl+b")
        await chat.until(lambda: "branch 1 of 2" in chat.status and chat.state == "ready")
    async with open_chat() as chat:
        await chat.ready()
        assert "branch 1 of 2" in chat.status
        assert len(chat.messages) == 4


async def test_nothing_is_left_while_an_answer_comes(
    open_chat: OpenChat, data: Path, server: MisbehavingServer
) -> None:
    """CHAT-1, CHAT-5: keys say so; what was sent waits for the answer's end."""
    async with said(2)(data), open_chat("held") as chat:
        await chat.ready()
        with server.holding():
            await chat.say("count")
            await chat.until(lambda: chat.state == "answering")
            await choose(chat, 1)
            for key in ("r", "f", "ctrl+b"):
                await chat.press(key)
                await chat.until(lambda: "An answer is on its way" in chat.hint)
                chat.app.screen.query_one(HintLine).show(hint="")
            await chat.press("e")
            await chat.until(lambda: chat.composer.text)
            chat.composer.text = "asked otherwise"
            await chat.press("enter")
            await chat.pilot.pause()
            assert "Sent when the answer is complete" in chat.hint
        await chat.until(lambda: "branch 2 of 2" in chat.status)
        await chat.answered(2)
        assert chat.said[0] == ("you", "asked otherwise")


async def test_who_only_reads_begins_no_branch(open_chat: OpenChat, data: Path) -> None:
    """STORE-5, CHAT-4: it is said why; to look at the other branches is allowed."""
    async with branched(data), memory_in(data), open_chat(wish=Wish(read_only=True)) as chat:
        await chat.until(lambda: chat.state == "read-only")
        for key in ("r", "f", "e"):
            await choose(chat, 1)
            await chat.press(key)
            await chat.until(lambda: "Read-only here" in chat.hint)
            chat.app.screen.query_one(HintLine).show(hint="")
        await chat.press("ctrl+b")
        await chat.until(lambda: "branch 1 of 2" in chat.status and chat.state == "read-only")
        assert len(chat.messages) == 4


async def test_the_commands_of_branches(open_chat: OpenChat, data: Path) -> None:
    """CHAT-4, CHAT-5: as the keys, and with plain words where they can't."""
    async with said(4)(data), open_chat() as chat:
        await chat.ready()
        for text, answer in (
            ("@branch", "This session has one branch."),
            ("@edit 2 x", "Message 2 is not yours."),
            ("@edit 3", "Name a message and what is to stand there."),
            ("@fork 99", "There is no message 99 in this session. The newest is message 4."),
            ("@fork here", "here is no number."),
        ):
            await chat.say(text)
            await chat.until(lambda: answer in chat.notices)  # noqa: B023
        await chat.say("@edit 3 @help is what I said")
        await chat.until(lambda: "branch 2 of 2" in chat.status)
        await chat.answered(4)
        assert chat.said[2] == ("you", "@help is what I said")
        await chat.say("@branches")
        await chat.until(lambda: "from message 2, edited" in chat.notices)
        assert "@help is what I said" in chat.notices
        await chat.say("@branch 1")
        await chat.until(lambda: "branch 1 of 2" in chat.status and chat.state == "ready")
        await chat.say("@branch 1")
        await chat.until(lambda: "This is branch 1 of 2 already." in chat.notices)


async def test_a_long_past_is_there_in_a_branch(open_chat: OpenChat, data: Path) -> None:
    """CHAT-4: what was shared can be scrolled to, compactions and all."""
    async with memory_in(data) as memory:
        await fill(memory, 260, "and more")
        assert memory.state.compactions
        branch = await memory.branches.fork(150, "fork")
    async with memory_in(data, branch=branch) as memory:
        await fill(memory, 4, "in the branch")
    async with open_chat() as chat:
        await chat.ready()
        assert chat.messages[-1].number == 154
        await chat.press("ctrl+home")
        await chat.until(lambda: chat.messages[0].number == 1)
