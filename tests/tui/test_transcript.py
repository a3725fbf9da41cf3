"""The transcript follows the answer, never pulls a reader, and stays quick (CHAT-1, ALL-7)."""

from pathlib import Path

import pytest

from tests.tui.conftest import OpenChat, fill, memory_in
from widgets.entries import NoticeEntry

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def talked(data: Path, messages: int) -> None:
    async with memory_in(data) as memory:
        await fill(memory, messages, "and some more text " * 9)


async def test_only_the_newest_messages_are_shown_at_first(open_chat: OpenChat, data: Path) -> None:
    """ALL-7: a long session opens as fast as a short one, with its end in sight."""
    await talked(data, 250)
    async with open_chat(memory__policy="none") as chat:
        await chat.ready()
        assert [chat.messages[0].number, chat.messages[-1].number] == [151, 250]
        assert "message number 250" in "\n".join(chat.seen)
        bar = chat.transcript.vertical_scrollbar
        await chat.until(lambda: bar.position == chat.transcript.max_scroll_y)
        await chat.press("ctrl+home")
        await chat.until(lambda: chat.messages[0].number == 51)
        assert "message number 151" in "\n".join(chat.seen)
        await chat.press("ctrl+home")
        await chat.until(lambda: chat.messages[0].number == 1)
        await chat.press("ctrl+home")
        assert "message number 1 " in "\n".join(chat.seen)
        assert [entry.number for entry in chat.messages] == list(range(1, 251))


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
        place, _ = chat.transcript._place()
        for size in ((20, 5), (160, 50), (3, 2), (80, 24)):
            await chat.pilot.resize_terminal(*size)
            await chat.pilot.pause()
            assert abs(chat.transcript._place()[0] - place) <= 1
        await chat.press("ctrl+end")
        assert "message number 60" in "\n".join(chat.seen)


@pytest.mark.parametrize("size", [(20, 5), (160, 50)])
async def test_every_size_of_terminal_works(open_chat: OpenChat, size: tuple[int, int]) -> None:
    """ALL-2: nothing crashes and the end is in sight, resized while text streams too."""
    async with open_chat("paced", size=size) as chat:
        await chat.ready()
        await chat.say("count")
        await chat.until(lambda: chat.state == "answering")
        await chat.pilot.resize_terminal(20, 5)
        await chat.pilot.resize_terminal(*size)
        await chat.answered(2)
        assert "w299" in "\n".join(chat.seen)
        assert chat.messages[-1].text.split() == [f"w{n}" for n in range(300)]


async def test_old_entries_are_let_go_of_at_the_end(open_chat: OpenChat) -> None:
    """ALL-7: a day of talk costs no more than an hour of it."""
    async with open_chat() as chat:
        await chat.ready()
        for number in range(450):
            chat.transcript.add(NoticeEntry(f"note {number}"))
        assert len(chat.transcript.entries) <= 400
        await chat.pilot.pause()
        assert "note 449" in "\n".join(chat.seen)


async def test_text_can_be_marked_and_copied(open_chat: OpenChat) -> None:
    """CHAT-5: what is marked with the mouse is the text that stands there."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.say("hello")
        await chat.answered(2)
        y = next(i for i, row in enumerate(chat.seen) if row.startswith("Hello from"))
        await chat.pilot.mouse_down("#transcript", offset=(1, y))
        await chat.pilot.hover("#transcript", offset=(6, y))
        await chat.pilot.mouse_up("#transcript", offset=(6, y))
        selected = chat.app.screen.get_selected_text()
        assert selected is not None
        assert selected.strip() == "Hello"
