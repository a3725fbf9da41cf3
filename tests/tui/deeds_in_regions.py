"""The keys of the conversation, the core and the panes, as deeds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.screens.pinned import PINNED
from app.screens.timeline import TimelineScreen
from tests.support.misbehaving_server import GOOD_ANSWER
from tests.tui.conftest import memory_in
from tests.tui.deeds import WIDE, Doing, deed, folded, folding, said
from widgets.core.core import Core
from widgets.entries import MarkEntry, MessageEntry
from widgets.panes.pane import Pane

ANSWER = "See [here](https://example.org/a).\n\n```python\nprint(1)\n```\n"


@asynccontextmanager
async def with_code(data: Path) -> AsyncIterator[None]:
    """A session whose last answer has a link and a piece of code."""
    async with memory_in(data) as memory:
        await memory.add("user", "How is it printed?")
        await memory.add("assistant", ANSWER)
    yield


@asynccontextmanager
async def just_folded(data: Path) -> AsyncIterator[None]:
    """A session whose last entry is the mark of a compaction."""
    async with folding(data):
        pass
    yield


# -- in the conversation


def _chosen(doing: Doing) -> int:
    chosen = doing.chat.transcript.chosen
    assert isinstance(chosen, MessageEntry)
    return chosen.number


@deed("transcript.previous", said(4))
async def _previous(doing: Doing) -> None:
    doing.chat.transcript.focus()
    await doing.chat.pilot.pause()
    assert _chosen(doing) == 4
    await doing.press()
    assert _chosen(doing) == 3


@deed("transcript.next", said(4))
async def _next(doing: Doing) -> None:
    doing.chat.transcript.focus()
    await doing.chat.pilot.pause()
    doing.chat.transcript.action_previous()
    await doing.press()
    assert _chosen(doing) == 4


@deed("transcript.open", just_folded)
async def _open(doing: Doing) -> None:
    chat = doing.chat
    chat.transcript.focus()
    await chat.pilot.pause()
    assert isinstance(chat.transcript.chosen, MarkEntry)
    await doing.press()
    screen = await chat.over(TimelineScreen)
    assert screen._selected == chat.transcript.chosen.compaction
    assert screen._opened


@deed("transcript.pin", said(4))
async def _pin(doing: Doing) -> None:
    chat = doing.chat
    chat.transcript.focus()
    await doing.press()
    await chat.until(lambda: "Message 4 stays word for word." in chat.hint)
    assert [entry.number for entry in chat.messages if PINNED in entry.figures] == [4]
    await doing.press()
    await chat.until(lambda: "Message 4 is no longer pinned." in chat.hint)
    assert not any(PINNED in entry.figures for entry in chat.messages)


@deed("transcript.copy", with_code)
async def _copy(doing: Doing) -> None:
    doing.chat.transcript.focus()
    await doing.press()
    await doing.chat.until(lambda: doing.chat.clipboard == ANSWER)
    await doing.chat.until(lambda: "to copy: message (" in doing.chat.hint)


@deed("transcript.copy_code", with_code)
async def _copy_code(doing: Doing) -> None:
    doing.chat.transcript.focus()
    await doing.press()
    await doing.chat.until(lambda: doing.chat.clipboard.strip() == "print(1)")


@deed("transcript.links", with_code)
async def _links(doing: Doing) -> None:
    doing.chat.transcript.focus()
    await doing.press()
    assert doing.happened == ["https://example.org/a"]
    assert "Opened https://example.org/a" in doing.chat.hint


async def _choose(doing: Doing, number: int) -> None:
    """Has a message chosen, with the keys in the conversation."""
    transcript = doing.chat.transcript
    transcript.focus()
    await doing.chat.pilot.pause()
    while _chosen(doing) != number:
        transcript.action_previous()
        await doing.chat.pilot.pause()


@deed("transcript.edit", said(4))
async def _edit(doing: Doing) -> None:
    chat = doing.chat
    await _choose(doing, 3)
    await doing.press()
    assert chat.composer.has_focus
    assert chat.composer.text.startswith("message number 3")
    assert "Editing message 3" in chat.hint


@deed("transcript.again", said(4))
async def _again(doing: Doing) -> None:
    chat = doing.chat
    await _choose(doing, 4)
    await doing.press()
    await chat.until(lambda: "branch 2 of 2" in chat.status)
    await chat.answered(4)
    assert chat.said[-1] == ("strata", GOOD_ANSWER)


@deed("transcript.fork", said(4))
async def _fork(doing: Doing) -> None:
    chat = doing.chat
    await _choose(doing, 2)
    await doing.press()
    await chat.until(lambda: "branch 2 of 2" in chat.status and chat.state == "ready")
    assert [entry.number for entry in chat.messages] == [1, 2]


# -- in the core


async def _in_core(doing: Doing) -> Core:
    core = doing.chat.core
    await doing.chat.until(lambda: any("short_term" in row.layers for row in core.rows))
    core.focus()
    await doing.chat.pilot.pause()
    return core


@deed("core.down", folded, size=WIDE)
async def _core_down(doing: Doing) -> None:
    await _in_core(doing)
    before = doing.chat.hint
    await doing.press()
    await doing.chat.until(lambda: doing.chat.hint != before)


@deed("core.up", folded, size=WIDE)
async def _core_up(doing: Doing) -> None:
    core = await _in_core(doing)
    before = doing.chat.hint
    core.action_down()
    await doing.chat.until(lambda: doing.chat.hint != before)
    await doing.press()
    await doing.chat.until(lambda: doing.chat.hint == before)


@deed("core.open", folded, size=WIDE)
async def _core_open(doing: Doing) -> None:
    chat = doing.chat
    await _in_core(doing)
    chat.core._choose(next(y for y, r in enumerate(chat.core.rows) if "short_term" in r.layers))
    await doing.press()
    await chat.until(lambda: chat.panes.pane("short_term").has_focus)


# -- in a pane


async def _in_pane(doing: Doing, name: str) -> Pane:
    doing.chat.panes.focus_pane(name)
    await doing.chat.pilot.pause()
    return doing.chat.panes.pane(name)


@deed("pane.down", said(6), size=WIDE)
async def _pane_down(doing: Doing) -> None:
    pane = await _in_pane(doing, "window")
    assert pane.cursor == "6"
    await doing.press()
    assert pane.cursor == "5"


@deed("pane.up", said(6), size=WIDE)
async def _pane_up(doing: Doing) -> None:
    pane = await _in_pane(doing, "window")
    pane.mark("4")
    await doing.press()
    assert pane.cursor == "5"


@deed("pane.open", said(6), size=WIDE)
async def _pane_open(doing: Doing) -> None:
    pane = await _in_pane(doing, "window")
    pane.mark("2")
    await doing.press()
    await doing.chat.until(lambda: doing.chat.transcript.has_focus)
    assert _chosen(doing) == 2


@deed("pane.hide", said(6), size=WIDE)
async def _pane_hide(doing: Doing) -> None:
    pane = await _in_pane(doing, "window")
    await doing.press()
    assert not pane.display
    assert "window" not in doing.chat.panes.visible_names
    assert isinstance(doing.chat.app.focused, Pane)
