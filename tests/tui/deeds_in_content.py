"""The keys of the content store's screen, as deeds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import Static

from app.screens.asked_line import AskedInput, AskedLine
from app.screens.chat import ChatScreen
from app.screens.content import ContentScreen
from memory import Memory
from tests.tui.conftest import memory_in
from tests.tui.deeds import WIDE, Doing, deed
from widgets.entries import CallEntry
from widgets.panes.pane import Pane

PAGE = "\n".join(f"line {number} about flats in Lumiar" for number in range(1, 61))
CALL = {"id": "a", "type": "function", "function": {"name": "fetch_page", "arguments": "{}"}}


async def store_things(memory: Memory) -> None:
    """A page in message 3, and two items stored by themselves."""
    await memory.add("user", "Which flats are there in Lumiar?")
    await memory.add("assistant", "", tool_calls=[CALL])
    await memory.add("tool", PAGE, tool_call_id="a")
    await memory.add("assistant", "There are sixty.")
    await memory.content.store("print(1)\nprint(2)", "code", "user", ["python"])
    await memory.content.store("The agent answers by e-mail.", "custom", "user", ["agent", "flat"])


@asynccontextmanager
async def stored(data: Path) -> AsyncIterator[None]:
    """A session with three stored items, of which a message holds the oldest."""
    async with memory_in(data) as memory:
        await store_things(memory)
    yield


def read(screen: ContentScreen) -> str:
    """What is shown of the item."""
    return "\n".join(row.text for row in screen._detail.shown.rows)


def said(screen: ContentScreen) -> str:
    return str(screen.query_one("#content-said", Static).content)


async def browsing(doing: Doing, *keys: str) -> ContentScreen:
    """Opens the screen, and goes on from there."""
    await doing.chat.press("f12")
    screen = await doing.chat.over(ContentScreen)
    await doing.chat.until(lambda: len(screen._items) == 3 and read(screen))
    await doing.chat.press(*keys)
    return screen


@deed("chat.content", stored, size=WIDE)
async def _content(doing: Doing) -> None:
    await doing.press()
    screen = await doing.chat.over(ContentScreen)
    await doing.chat.until(lambda: "The agent answers" in read(screen))
    assert [item.id for item in screen._items] == ["c3", "c2", "c1"]
    assert screen._list.cursor == "c3"


@deed("content.search", stored)
async def _search(doing: Doing) -> None:
    screen = await browsing(doing)
    await doing.press()
    assert screen._filter.has_focus
    await doing.chat.press(*"python")
    await doing.chat.until(lambda: list(screen._list.shown.keys) == ["c2"])
    await doing.chat.press("escape")
    assert screen._list.has_focus


@deed("content.type", stored)
async def _type(doing: Doing) -> None:
    screen = await browsing(doing)
    await doing.press()
    listed = screen._list.shown.keys
    assert 0 < len(listed) < 3
    assert {item.type for item in screen._items if item.id in listed} == {screen._type}


@deed("content.after", stored)
async def _after(doing: Doing) -> None:
    screen = await browsing(doing)
    await doing.press()
    assert screen._part == "excerpt"


@deed("content.before", stored)
async def _before(doing: Doing) -> None:
    screen = await browsing(doing, "right")
    await doing.press()
    assert screen._part == "full"


@deed("content.copy", stored)
async def _copy(doing: Doing) -> None:
    chat = doing.chat
    screen = await browsing(doing, "down")
    await chat.until(lambda: "print(2)" in read(screen))
    await doing.press()
    await chat.until(lambda: chat.clipboard == "print(1)\nprint(2)")
    assert said(screen) == "Copied: c2, all of it (17 characters)."


@deed("content.tag", stored)
async def _tag(doing: Doing) -> None:
    screen = await browsing(doing)
    await doing.press()
    assert screen.query_one(AskedInput).value == "agent flat"


async def _asked(doing: Doing) -> ContentScreen:
    screen = await browsing(doing, "t")
    await doing.chat.press(*" mail")
    return screen


@deed("asked.save", stored)
async def _save(doing: Doing) -> None:
    screen = await _asked(doing)
    await doing.press()
    await doing.chat.until(lambda: screen._items[0].tags == ("agent", "flat", "mail"))
    assert screen._list.has_focus


@deed("asked.leave", stored)
async def _leave(doing: Doing) -> None:
    screen = await _asked(doing)
    await doing.press()
    await doing.chat.until(lambda: screen._list.has_focus)
    assert not screen.query_one(AskedLine).has_class("-asking")
    assert screen._items[0].tags == ("agent", "flat")


@deed("content.message", stored)
async def _message(doing: Doing) -> None:
    chat = doing.chat
    await browsing(doing, "end")
    await doing.press()
    await chat.over(ChatScreen)
    await chat.until(lambda: chat.transcript.has_focus)
    chosen = chat.transcript.chosen
    assert isinstance(chosen, CallEntry)
    assert chosen.number == 3


@deed("content.back", stored)
async def _back(doing: Doing) -> None:
    screen = await browsing(doing, "enter")
    assert screen.query_one("#pane-item", Pane).has_focus
    await doing.press()
    assert screen._list.has_focus
    await doing.press()
    await doing.chat.until(lambda: doing.chat.composer.has_focus)
