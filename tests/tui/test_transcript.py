"""The transcript follows the answer, never pulls a reader, and stays quick (CHAT-1, ALL-7)."""

from pathlib import Path

import pytest

from memory.wish import Wish
from tests.support.misbehaving_server import MisbehavingServer
from tests.tui.conftest import OpenChat, fill, memory_in

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def talked(data: Path, messages: int) -> None:
    async with memory_in(data) as memory:
        await fill(memory, messages, "and some more text " * 9)


async def test_only_what_is_near_is_here(open_chat: OpenChat, data: Path) -> None:
    """ALL-7: a long session opens as fast as a short one; its first message is one key away."""
    await talked(data, 450)
    async with open_chat(memory__policy="none") as chat:
        await chat.ready()
        assert "message number 450" in "\n".join(chat.seen)
        assert chat.messages[0].number > 200
        bar = chat.transcript.vertical_scrollbar
        await chat.until(lambda: bar.position == chat.transcript.max_scroll_y)
        await chat.press("ctrl+home")
        await chat.until(lambda: chat.messages[0].number == 1)
        assert chat.seen[1].startswith("message number 1 ")
        assert len(chat.messages) < 450
        await chat.press("ctrl+end")
        assert "message number 450" in "\n".join(chat.seen)


async def test_the_end_is_followed_but_a_reader_is_left_alone(
    open_chat: OpenChat, data: Path
) -> None:
    """CHAT-1: text that streams moves nobody who has scrolled up."""
    await talked(data, 20)
    async with open_chat("slow", memory__policy="none") as chat:
        await chat.ready()
        await chat.say("count")
        await chat.until(lambda: "w9" in "".join(chat.seen))
        await chat.press("pageup")
        before = chat.seen
        assert "w9" not in "".join(before)
        await chat.until(lambda: "There is more below" in chat.hint)
        rows = chat.transcript.virtual_size.height
        await chat.until(lambda: chat.transcript.virtual_size.height > rows)
        assert chat.seen == before
        await chat.press("escape")
        await chat.ready()
        assert chat.seen == before
        await chat.press("ctrl+end")
        assert chat.seen[-2] == "stopped"
        assert "There is more below" not in chat.hint


async def test_the_keys_of_a_chosen_message_stay_in_sight(open_chat: OpenChat, data: Path) -> None:
    """CHAT-1, CHAT-7: who reads further up sees what to do with a message, and the way down."""
    await talked(data, 20)
    async with open_chat(memory__policy="none") as chat:
        await chat.ready()
        await chat.press("pageup", "pageup")
        await chat.until(lambda: "There is more below" in chat.hint)
        await chat.press("f6")
        await chat.until(lambda: "copy" in chat.hint)
        assert "There is more below" not in chat.hint
        assert chat.hint.startswith("^End newest")
        assert "e edit" in chat.hint
        await chat.press("ctrl+end")
        await chat.until(lambda: "newest" not in chat.hint)
        assert "copy" in chat.hint
        await chat.press("pageup", "pageup")
        await chat.until(lambda: "newest" in chat.hint)
        await chat.press("escape")
        await chat.until(lambda: "There is more below" in chat.hint)


async def test_a_session_that_is_read_offers_no_change(open_chat: OpenChat, data: Path) -> None:
    """CHAT-7, STORE-3: keys that change the conversation are not offered; pressed, they say why."""
    await talked(data, 4)
    async with open_chat(size=(200, 40), wish=Wish(label="the chat", read_only=True)) as chat:
        await chat.until(lambda: "take over" in chat.hint)
        chat.transcript.focus()
        await chat.until(lambda: "c copy" in chat.hint)
        assert "w where" in chat.hint
        for offered in ("e edit", "p pin", "r again", "f fork"):
            assert offered not in chat.hint
        await chat.press("e")
        await chat.until(lambda: "^R" in chat.hint or "Ctrl+R" in chat.hint)


async def test_sending_goes_to_the_end(open_chat: OpenChat, data: Path) -> None:
    """CHAT-1: who says something sees it."""
    await talked(data, 20)
    async with open_chat(memory__policy="none") as chat:
        await chat.ready()
        await chat.press("pageup", "pageup")
        await chat.say("here I am")
        await chat.answered(22)
        assert "here I am" in "\n".join(chat.seen)


async def test_a_resize_keeps_the_readers_place(open_chat: OpenChat, data: Path) -> None:
    """CHAT-1: from 80 by 24 to 20 by 5 and 160 by 50; the same message stays at the top."""
    await talked(data, 60)
    async with open_chat(memory__policy="none") as chat:
        await chat.ready()
        await chat.press(*["pageup"] * 6)
        await chat.until(lambda: not chat.transcript.following)
        before = chat.seen
        for size in ((20, 5), (160, 50), (3, 2), (40, 10)):
            await chat.pilot.resize_terminal(*size)
            await chat.pilot.pause()
        await chat.pilot.resize_terminal(80, 24)
        await chat.until(lambda: chat.seen == before)
        await chat.press("ctrl+end")
        assert "message number 60" in "\n".join(chat.seen)


@pytest.mark.parametrize("size", [(20, 5), (160, 50)])
async def test_every_size_of_terminal_works(
    open_chat: OpenChat, server: MisbehavingServer, size: tuple[int, int]
) -> None:
    """ALL-2: nothing crashes and the end is in sight, resized while text streams too."""
    async with open_chat("held", size=size) as chat:
        await chat.ready()
        with server.holding():
            await chat.say("count")
            await chat.until(lambda: "w149" in "\n".join(chat.seen))
            await chat.pilot.resize_terminal(20, 5)
            assert chat.state == "answering"
        await chat.pilot.resize_terminal(*size)
        await chat.answered(2)
        assert "w299" in "\n".join(chat.seen)
        assert chat.messages[-1].text.split() == [f"w{n}" for n in range(300)]


async def test_text_can_be_marked_and_copied(open_chat: OpenChat) -> None:
    """CHAT-5: what is marked with the mouse is the text that stands there."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.say("hello")
        await chat.answered(2)
        y = next(i for i, row in enumerate(chat.seen) if row.startswith("Hello from"))
        await chat.pilot.mouse_down("#transcript", offset=(1, y))
        await chat.pilot.hover("#transcript", offset=(5, y))
        await chat.pilot.mouse_up("#transcript", offset=(5, y))
        selected = chat.app.screen.get_selected_text()
        assert selected == "Hello"
