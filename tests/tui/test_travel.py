"""Going back in time on the real chat: everything shows that moment, and nothing changes it."""

import asyncio
from pathlib import Path

import pytest

from app.screens.plot import PlotScreen
from app.screens.travel import WRITING, TravelScreen
from memory import Memory
from memory.wish import Wish
from tests.support.misbehaving_server import MisbehavingServer
from tests.tui.conftest import Chat, OpenChat, fill, memory_in
from tests.tui.deeds import STRESS
from tests.tui.deeds_in_the_past import fill_one, folded_twice
from widgets.core.core import Core
from widgets.core.view import core_view
from widgets.entries import CallEntry, MarkEntry, MessageEntry, NoticeEntry
from widgets.gauge import Gauge
from widgets.hint_line import HintLine
from widgets.panes.column import Panes
from widgets.plotted import Plotted
from widgets.ruler import Ruler
from widgets.status_line import StatusLine
from widgets.transcript import Transcript

pytestmark = pytest.mark.asyncio(loop_scope="session")
SIZES = [(80, 24), (120, 40), (200, 50)]


async def back(chat: Chat, *keys: str) -> TravelScreen:
    """Goes back in time, and then by keys to where one wants."""
    await chat.press("f4")
    screen = await chat.over(TravelScreen)
    await chat.until(lambda: screen.point is not None)
    for key in keys:
        await chat.press(key)
    await chat.until(lambda: screen.point == screen._wanted and not screen._following)
    await chat.pilot.pause()
    return screen


def told(screen: TravelScreen) -> str:
    """The first line."""
    return screen.query_one(StatusLine).line


def numbers(screen: TravelScreen) -> list[int]:
    """The messages that are seen."""
    entries = screen.query_one(Transcript).entries
    return [entry.number for entry in entries if isinstance(entry, MessageEntry)]


@pytest.mark.parametrize("size", SIZES)
async def test_everything_becomes_that_moment(
    open_chat: OpenChat, data: Path, size: tuple[int, int]
) -> None:
    """VIEW-4: core, gauge, panes, transcript and the first line show memory as it was then."""
    async with folded_twice(data), open_chat(size=size) as chat:
        await chat.ready()
        screen = await back(chat, *["left"] * 5)
        talk = chat.app._chat.talk
        assert talk is not None
        assert screen.point is not None
        then = await talk._memory.snapshot_at(screen.point.n)
        assert (then.messages, then.compactions) == (11, 1)
        assert screen.query_one(Core).view == core_view(then)
        assert screen.query_one(Gauge).view == core_view(then)
        assert screen.query_one(Panes)._snapshot == then
        assert numbers(screen)[-1] == 11
        entries = screen.query_one(Transcript).entries
        assert len([e for e in entries if isinstance(e, MarkEntry)]) == 1
        assert isinstance(entries[-1], NoticeEntry)
        assert entries[-1].text == "5 messages came later."
        assert told(screen).startswith("as of message 11, 5 messages ago")
        assert "turn 11 of 16" in screen.query_one(Ruler).lines[2]


async def test_one_key_goes_back_to_now(open_chat: OpenChat, data: Path) -> None:
    """VIEW-4: Esc and F4 alike, wherever the keys are; what was typed is still there."""
    async with folded_twice(data), open_chat(size=SIZES[1]) as chat:
        await chat.ready()
        await chat.write("half a thought")
        for key in ("escape", "f4"):
            await back(chat, "home", "f6", "f6")
            await chat.press(key)
            await chat.until(lambda: chat.composer.has_focus)
            assert chat.composer.text == "half a thought"
            assert chat.messages[-1].number == 16


async def test_nothing_is_written_in_the_past(open_chat: OpenChat, data: Path) -> None:
    """VIEW-4: typing says so, and neither the log nor the composer changes."""
    async with folded_twice(data), open_chat() as chat:
        await chat.ready()
        talk = chat.app._chat.talk
        assert talk is not None
        before = talk._memory.state.n
        screen = await back(chat, "left")
        hints = screen.query_one(HintLine)
        for key in ("h", "enter"):
            await chat.press(key)
            assert hints.line == WRITING
            await chat.press("left")
            await chat.until(lambda: hints.line != WRITING)
        await chat.press("escape")
        await chat.until(lambda: chat.composer.has_focus)
        assert chat.composer.text == ""
        assert talk._memory.state.n == before


async def test_an_answer_goes_on_meanwhile(open_chat: OpenChat, server: MisbehavingServer) -> None:
    """VIEW-4: what streams while one is in the past is there when one comes back."""
    async with open_chat("held") as chat:
        await chat.ready()
        with server.holding():
            await chat.say("Count to three hundred.")
            await chat.until(lambda: any("w149" in row for row in chat.seen))
            screen = await back(chat)
            assert numbers(screen) == [1]
            assert told(screen).startswith("as of message 1, the newest")
        await chat.until(lambda: told(screen).startswith("as of message 1, 1 message ago"))
        assert numbers(screen) == [1]
        await chat.press("escape")
        await chat.answered(2)
        assert chat.messages[-1].text.endswith("w299")


async def test_another_process_writes_meanwhile(open_chat: OpenChat, data: Path) -> None:
    """VIEW-4, STORE-5: the moment stays what it was, and the ruler grows."""
    async with memory_in(data, session="shared") as writing:
        await fill(writing, 6, "with some words")
        wish = Wish(session="shared", read_only=True, label="the chat")
        async with open_chat(wish=wish) as chat:
            await chat.until(lambda: chat.state == "read-only")
            screen = await back(chat, "left", "left")
            assert told(screen).startswith("as of message 4, 2 messages ago")
            await fill(writing, 4, "that come meanwhile")
            await chat.until(lambda: told(screen).startswith("as of message 4, 6 messages ago"))
            await chat.until(lambda: "turn 4 of 10" in screen.query_one(Ruler).lines[2])
            assert numbers(screen) == [1, 2, 3, 4]
            await chat.press("end")
            await chat.until(lambda: screen.point is not None and screen.point.message == 10)


async def test_a_held_key_reads_only_what_is_wanted_last(
    open_chat: OpenChat, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VIEW-4: while one moment is read, any number of steps cost one more."""
    async with memory_in(data) as memory:
        await fill(memory, 40, "with some words")
    async with open_chat() as chat:
        await chat.ready()
        screen = await back(chat)
        read: list[int] = []
        gate, real = asyncio.Event(), screen._journey.moment

        async def moment(point: object) -> object:
            read.append(point.message)  # type: ignore[attr-defined]
            await gate.wait()
            return await real(point)  # type: ignore[arg-type]

        monkeypatch.setattr(screen._journey, "moment", moment)
        await chat.press(*["left"] * 20)
        assert read == [39]
        gate.set()
        await chat.until(lambda: screen.point is not None and screen.point.message == 20)
        assert read == [39, 20]


async def test_the_mouse_chooses_a_turn(open_chat: OpenChat, data: Path) -> None:
    """VIEW-4: a click on the ruler, and dragging along it."""
    async with folded_twice(data), open_chat() as chat:
        await chat.ready()
        screen = await back(chat)
        ruler = screen.query_one(Ruler)
        await chat.pilot.click(ruler, offset=(1, 1))
        await chat.until(lambda: screen.point is not None and screen.point.message == 1)
        await chat.pilot.mouse_down(ruler, offset=(1, 1))
        await chat.pilot.hover(ruler, offset=(ruler.size.width // 2, 1))
        await chat.until(lambda: screen.point is not None and screen.point.message in (8, 9))
        await chat.pilot.mouse_up(ruler)


async def test_older_messages_come_as_one_scrolls(open_chat: OpenChat, data: Path) -> None:
    """VIEW-4: the conversation as it was can be read to its beginning."""
    async with memory_in(data) as memory:
        await fill(memory, 120, "with some words")
    async with open_chat() as chat:
        await chat.ready()
        screen = await back(chat, *["left"] * 10)
        transcript = screen.query_one(Transcript)
        for _ in range(60):
            await chat.press("pageup")
            if transcript.scroll_offset.y == 0 and numbers(screen)[0] == 1:
                break
            await chat.pilot.pause(0.02)
        assert numbers(screen)[0] == 1
        assert numbers(screen)[-1] == 110


async def test_a_new_session_has_no_past(open_chat: OpenChat) -> None:
    """VIEW-4: it says so and stays where it is."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.press("f4")
        await chat.until(lambda: "There is no past yet" in chat.hint)
        assert chat.composer.has_focus


async def test_a_narrow_screen_has_a_drawer(open_chat: OpenChat, data: Path) -> None:
    """VIEW-4: the panes of then lie over the conversation, the ruler stays in sight."""
    async with folded_twice(data), open_chat() as chat:
        await chat.ready()
        screen = await back(chat, "left", "f7")
        panes, ruler = screen.query_one(Panes), screen.query_one(Ruler)
        assert panes.display
        assert panes.region.bottom <= ruler.region.y
        await chat.press("left")
        await chat.until(lambda: screen.point is not None and screen.point.message == 14)


@pytest.mark.parametrize("size", SIZES)
async def test_the_plot_shows_all_turns(
    open_chat: OpenChat, data: Path, size: tuple[int, int]
) -> None:
    """VIEW-7: prompts, full history, compactions and totals fit every terminal."""
    async with folded_twice(data), open_chat(size=size) as chat:
        await chat.ready()
        await chat.press("f5")
        screen = await chat.over(PlotScreen)
        plotted = screen.query_one(Plotted)
        await chat.until(lambda: plotted.view is not None)
        lines = plotted.lines
        assert len(lines) <= plotted.content_size.height
        assert all(len(line) <= plotted.content_size.width for line in lines)
        assert lines[0].split() == ["█", "prompt", "⠒⠒", "full", "history", "◆", "compaction"]
        assert sum(line.count("◆") for line in lines[1:]) == 2
        assert lines[-1].endswith("% less")


async def test_the_plot_grows_with_the_session(open_chat: OpenChat, data: Path) -> None:
    """VIEW-7: a turn that comes while it is seen is drawn."""
    async with Memory.open(data, "shared", config=STRESS, wish=Wish()) as writing:
        await fill_one(writing)
        wish = Wish(session="shared", read_only=True, label="the chat")
        async with open_chat(wish=wish) as chat:
            await chat.until(lambda: chat.state == "read-only")
            await chat.press("f5")
            screen = await chat.over(PlotScreen)
            plotted = screen.query_one(Plotted)
            await chat.until(lambda: plotted.view is not None and len(plotted.view.points) == 1)
            await fill_one(writing)
            await chat.until(lambda: plotted.view is not None and len(plotted.view.points) == 2)


async def test_an_empty_plot_says_what_will_stand_there(open_chat: OpenChat) -> None:
    """VIEW-7: one sentence."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.press("f5")
        screen = await chat.over(PlotScreen)
        await chat.until(lambda: "Nothing has been asked yet" in "".join(screen._plot.lines))


async def test_calls_are_joined_in_the_past_as_well(open_chat: OpenChat, data: Path) -> None:
    """VIEW-4, CHAT-10: one line a call, which unfolds; a moment may end before its result."""
    function = {"name": "read_file", "arguments": '{"path": "a.md"}'}
    async with memory_in(data) as memory:
        await memory.add("user", "Read it, then read it again.")
        for name in ("x", "y"):
            call = [{"id": name, "type": "function", "function": function}]
            await memory.add("assistant", "", tool_calls=call)
            await memory.add("tool", "text of a", tool_call_id=name)
        await memory.add("assistant", "Both are read.")
    async with open_chat() as chat:
        await chat.ready()
        screen = await back(chat, "home")
        seen = set()
        for _ in range(8):
            found = [e for e in screen.query_one(Transcript).entries if isinstance(e, CallEntry)]
            assert all(entry.name == "read_file" and entry.number for entry in found)
            seen.add(len(found))
            await chat.press("right")
            await chat.pilot.pause(0.1)
        assert seen >= {0, 2}
        await chat.press("escape")
