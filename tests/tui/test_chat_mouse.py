"""What keys do on the chat, the mouse does too; and where its parts stand (CHAT-7, VIEW-1)."""

from itertools import pairwise
from pathlib import Path

import pytest
from textual.widget import Widget

from app.screens.timeline import TimelineScreen
from app.settings import load_settings
from memory import Memory
from tests.support.misbehaving_server import MisbehavingServer
from tests.tui.conftest import Chat, OpenChat, fill, memory_in
from tests.tui.deeds import WIDE, folded, said
from widgets.core.core import Core
from widgets.entries import MarkEntry, MessageEntry
from widgets.gauge import Gauge
from widgets.hint_line import HintLine
from widgets.panes.pane import Pane

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def layer_row(chat: Chat, layer: str) -> int:
    """The row of the core that stands for a layer, once it is drawn."""
    core = chat.core
    await chat.until(lambda: any(layer in row.layers for row in core.rows))
    return next(y for y, row in enumerate(core.rows) if layer in row.layers) + core.gutter.top


def in_sight(chat: Chat) -> bool:
    """Whether the panes are to be seen."""
    return bool(chat.panes.display)


def focused(chat: Chat) -> str | None:
    return chat.app.focused.id if chat.app.focused is not None else None


# -- the mouse


async def test_pointing_at_a_layer_names_it_and_a_click_opens_its_pane(
    open_chat: OpenChat, data: Path
) -> None:
    """CHAT-7, VIEW-1: by hovering and clicking alone."""
    async with folded(data), open_chat(size=WIDE) as chat:
        await chat.ready()
        y = await layer_row(chat, "short_term")
        await chat.pilot.hover(Core, offset=(4, y))
        await chat.until(lambda: chat.hint.startswith("short-term summary · 1–"))
        await chat.pilot.hover("#transcript", offset=(2, 2))
        await chat.until(lambda: "short-term summary" not in chat.hint)
        await chat.pilot.click(Core, offset=(4, y))
        await chat.until(lambda: focused(chat) == "pane-short-term")


async def test_a_click_on_a_message_of_the_core_marks_its_row(
    open_chat: OpenChat, data: Path
) -> None:
    """VIEW-1: the window's pane opens at the message that was clicked."""
    async with said(6)(data), open_chat(size=WIDE) as chat:
        await chat.ready()
        await layer_row(chat, "window")
        row = next(r for r in chat.core.rows if r.last)
        y = chat.core.rows.index(row) + chat.core.gutter.top
        await chat.pilot.click(Core, offset=(4, y))
        await chat.until(lambda: focused(chat) == "pane-window")
        assert chat.panes.pane("window").cursor == str(row.last)


async def test_a_click_on_a_mark_opens_its_compaction(open_chat: OpenChat, data: Path) -> None:
    """VIEW-3, CHAT-7: the timeline opens at it."""
    async with folded(data), open_chat(size=WIDE) as chat:
        await chat.ready()
        y = next(i for i, row in enumerate(chat.seen) if "folded 1–" in row)
        await chat.pilot.click("#transcript", offset=(6, y))
        screen = await chat.over(TimelineScreen)
        mark = next(e for e in chat.transcript.entries if isinstance(e, MarkEntry))
        assert screen._selected == mark.compaction
        assert screen._opened


async def test_a_click_on_a_row_of_the_window_goes_to_the_message(
    open_chat: OpenChat, data: Path
) -> None:
    """CHAT-7: it is chosen in the conversation, which has the keys then."""
    async with said(40)(data), open_chat(size=WIDE) as chat:
        await chat.ready()
        pane = chat.panes.pane("window")
        number = pane._view.keys[3]
        await chat.pilot.click(pane, offset=(5, 4))
        await chat.until(lambda: chat.transcript.has_focus)
        chosen = chat.transcript.chosen
        assert isinstance(chosen, MessageEntry)
        assert str(chosen.number) == number
        assert f"message number {number} " in "\n".join(chat.seen)


async def test_a_message_that_is_not_here_yet_is_fetched(open_chat: OpenChat, data: Path) -> None:
    """CHAT-7, ALL-7: however far back the row leads."""
    unfolded = load_settings({"memory.policy": "none"}, environment={}).memory
    async with Memory.open(data, config=unfolded) as memory:
        await fill(memory, 300, "and some more text")
    async with open_chat(size=WIDE, memory__policy="none") as chat:
        await chat.ready()
        assert chat.transcript.block_of(5) is None
        chat.panes.focus_pane("window")
        chat.panes.pane("window").mark("5")
        await chat.press("enter")
        await chat.until(lambda: "message number 5 " in "\n".join(chat.seen))
        chosen = chat.transcript.chosen
        assert isinstance(chosen, MessageEntry)
        assert chosen.number == 5


@pytest.mark.parametrize(("word", "effect"), [("timeline", TimelineScreen), ("panes", None)])
async def test_the_key_line_can_be_clicked(
    open_chat: OpenChat, data: Path, word: str, effect: type[TimelineScreen] | None
) -> None:
    """CHAT-7: a click on a key does what the key does."""
    async with folded(data), open_chat(size=WIDE) as chat:
        await chat.ready()
        await chat.pilot.click(HintLine, offset=(chat.hint.index(word) + 2, 0))
        if effect is not None:
            await chat.over(effect)
        else:
            await chat.until(lambda: not in_sight(chat))


# -- where everything stands


def places(chat: Chat) -> list[Widget]:
    """What is to be seen of the parts beside each other, from left to right."""
    parts: list[Widget] = [chat.transcript, chat.core, chat.panes]
    return [part for part in parts if part.display and part.size.width]


@pytest.mark.parametrize(
    ("width", "parts", "columns"), [(99, 1, 0), (100, 3, 1), (159, 3, 1), (160, 3, 2), (220, 3, 2)]
)
async def test_what_stands_beside_the_conversation(
    open_chat: OpenChat, data: Path, width: int, parts: int, columns: int
) -> None:
    """VIEW-1: by the width; nothing overlaps, nothing is cut off, the text is never too wide."""
    async with folded(data), open_chat(size=(width, 30)) as chat:
        await chat.ready()
        shown = places(chat)
        assert len(shown) == parts
        for left, right in pairwise(shown):
            assert left.region.right <= right.region.x
        assert shown[-1].region.right <= width
        gauge = chat.screen.query_one(Gauge)
        assert gauge.display is (parts == 1)
        columns_seen = {p.region.x for p in chat.panes.query(Pane) if p.display and in_sight(chat)}
        assert len(columns_seen) == columns
        assert max(map(len, chat.seen)) <= 102


async def test_a_resize_moves_everything_to_its_place(open_chat: OpenChat, data: Path) -> None:
    """VIEW-1: from one width to another and back; the keys stay with what has them."""
    async with folded(data), open_chat(size=(99, 30)) as chat:
        await chat.ready()
        await chat.write("draft")
        for width, parts in ((100, 3), (160, 3), (99, 1), (159, 3), (80, 1)):
            await chat.pilot.resize_terminal(width, 30)
            await chat.pilot.pause()
            assert len(places(chat)) == parts
            assert chat.composer.has_focus
        assert chat.composer.text == "draft"


async def test_a_focused_pane_that_goes_gives_the_keys_back(
    open_chat: OpenChat, data: Path
) -> None:
    """VIEW-1, CHAT-7: where it has no room any more, what is typed is not lost."""
    async with said(4)(data), open_chat(size=WIDE) as chat:
        await chat.ready()
        chat.panes.focus_pane("window")
        await chat.pilot.pause()
        await chat.pilot.resize_terminal(80, 24)
        await chat.pilot.pause()
        assert not in_sight(chat)
        await chat.press("x")
        assert chat.composer.text == "x"


async def test_a_focused_core_that_goes_gives_the_keys_back(
    open_chat: OpenChat, data: Path
) -> None:
    """VIEW-1, CHAT-7: the core has no place on a narrow screen either."""
    async with said(4)(data), open_chat(size=WIDE) as chat:
        await chat.ready()
        chat.core.focus()
        await chat.pilot.pause()
        await chat.pilot.resize_terminal(80, 24)
        await chat.pilot.pause()
        await chat.press("x")
        assert chat.composer.text == "x"


@pytest.mark.parametrize("width", [80, 120])
async def test_seven_rows_are_enough(open_chat: OpenChat, data: Path, width: int) -> None:
    """VIEW-1: the gauge makes way; one can read, write and open everything."""
    async with folded(data), open_chat(size=(width, 7)) as chat:
        await chat.ready()
        assert not chat.screen.query_one(Gauge).display
        assert chat.transcript.size.height >= 2
        await chat.say("hello")
        await chat.answered(12)
        assert "Hello from a server" in "\n".join(chat.seen)
        for key in ("f7", "f7", "f8", "f8", "f3", "escape", "ctrl+o", "escape", "f1", "escape"):
            await chat.press(key)
            await chat.pilot.pause()


# -- the drawer


async def test_the_drawer_of_a_narrow_screen(open_chat: OpenChat, data: Path) -> None:
    """VIEW-1, CHAT-7: F7 opens it over the conversation, F6 walks through it, Esc closes it."""
    async with folded(data), open_chat() as chat:
        await chat.ready()
        await chat.write("draft")
        room = chat.transcript.size
        await chat.press("f7")
        assert in_sight(chat)
        assert chat.transcript.size == room
        assert chat.panes.region.right == 80
        seen = []
        for _ in range(8):
            seen.append(focused(chat))
            await chat.press("f6")
        names = ("long-term", "short-term", "window", "recalled", "timeline")
        panes = [f"pane-{name}" for name in names]
        assert seen == [*panes, "composer", "transcript", panes[0]]
        await chat.press("escape")
        assert not in_sight(chat)
        assert chat.composer.has_focus
        assert chat.composer.text == "draft"


async def test_a_drawer_is_none_where_there_is_room(
    open_chat: OpenChat, server: MisbehavingServer
) -> None:
    """VIEW-1, CHAT-1: after widening, Esc stops the answer at once and closes nothing unseen."""
    async with open_chat("held") as chat:
        await chat.ready()
        await chat.press("f7")
        await chat.pilot.resize_terminal(*WIDE)
        chat.composer.focus()
        with server.holding():
            await chat.say("count")
            await chat.until(lambda: chat.state == "answering")
            await chat.press("escape")
            await chat.ready()
        assert chat.messages[-1].mark == "stopped"
        assert in_sight(chat)
        await chat.pilot.resize_terminal(80, 24)
        await chat.pilot.pause()
        assert not in_sight(chat)


async def test_a_row_of_the_drawer_goes_to_its_message(open_chat: OpenChat, data: Path) -> None:
    """CHAT-7: the drawer goes, since it would lie over it."""
    async with said(30)(data), open_chat() as chat:
        await chat.ready()
        await chat.press("f7", "f6", "f6", "down", "enter")
        await chat.until(lambda: chat.transcript.has_focus)
        assert not in_sight(chat)
        assert isinstance(chat.transcript.chosen, MessageEntry)
        assert chat.transcript.chosen.number == 29


async def test_enlarged_in_the_drawer(open_chat: OpenChat, data: Path) -> None:
    """VIEW-1: F8 opens a pane over everything and makes it small again."""
    async with folded(data), open_chat() as chat:
        await chat.ready()
        await chat.press("f8")
        for enlarged, width in (("long_term", 80), (None, 46)):
            assert chat.panes.enlarged == enlarged
            assert chat.panes.region.width == width
            await chat.press("f8")
        await chat.press("f8")
        await chat.press("escape")
        assert not in_sight(chat)


async def test_hidden_panes_come_back(open_chat: OpenChat, data: Path) -> None:
    """VIEW-1, CHAT-7: Delete hides one after the other; F7 brings all of them."""
    async with said(4)(data), open_chat(size=WIDE) as chat:
        await chat.ready()
        chat.panes.focus_pane("long_term")
        for hidden in range(1, 4):
            await chat.press("delete")
            assert len(chat.panes.visible_names) == 4 - hidden
            assert isinstance(chat.app.focused, Pane)
        await chat.press("delete")
        await chat.until(lambda: not in_sight(chat))
        assert chat.composer.has_focus
        await chat.press("f7")
        assert in_sight(chat)
        assert len(chat.panes.visible_names) == 4


async def test_one_hidden_pane_comes_back_with_its_layer(open_chat: OpenChat, data: Path) -> None:
    """VIEW-1: opening its layer in the core shows it again."""
    async with folded(data), open_chat(size=WIDE) as chat:
        await chat.ready()
        chat.panes.focus_pane("short_term")
        await chat.press("delete")
        assert not chat.panes.pane("short_term").display
        await chat.pilot.click(Core, offset=(4, await layer_row(chat, "short_term")))
        await chat.until(lambda: chat.panes.pane("short_term").has_focus)
        assert chat.panes.pane("short_term").display


async def test_a_session_from_elsewhere_in_the_panes(open_chat: OpenChat, data: Path) -> None:
    """ALL-8: what a message holds is shown in the panes as text, never obeyed."""
    async with memory_in(data) as memory:
        await memory.add("user", "[b]x[/b] \x1b[31mred\x1b]0;t\x07 \u202eabc 日本")
    async with open_chat(size=WIDE) as chat:
        await chat.ready()
        rows = "\n".join(
            "".join(piece.text for piece in row.pieces)
            for row in chat.panes.pane("window")._view.rows
        )
        assert "[b]x[/b]" in rows
        assert not set("\x1b\x07\u202e").intersection(rows)
