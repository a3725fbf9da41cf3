"""The keys of the facts screen, as deeds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import Static

from app.screens.asked_line import AskedInput
from app.screens.asking import Asking
from app.screens.chat import ChatScreen
from app.screens.facts import FactsScreen
from memory import Memory
from tests.tui.conftest import memory_in
from tests.tui.deeds import WIDE, Doing, deed
from widgets.entries import MessageEntry
from widgets.search_line import SearchLine

PHONE = "The agent answers by e-mail only."
FLAT = "The flat in Lumiar has two rooms."


async def know_things(memory: Memory) -> None:
    """Two facts, the second of which message 1 says."""
    await memory.add("user", f"{FLAT} And a balcony.")
    await memory.add("assistant", "Noted.")
    await memory.facts.remember(PHONE, importance=0.9)
    await memory.facts.remember(FLAT, importance=0.6, sources=[memory.facts.here(1)])


@asynccontextmanager
async def known(data: Path) -> AsyncIterator[None]:
    """A session of an agent that knows two facts."""
    async with memory_in(data) as memory:
        await know_things(memory)
    yield


def read(screen: FactsScreen) -> str:
    """What is shown of the fact."""
    return "\n".join(row.text for row in screen._detail.shown.rows)


def said(screen: FactsScreen) -> str:
    return str(screen.query_one("#facts-said", Static).content)


async def looking(doing: Doing, *keys: str) -> FactsScreen:
    """Opens the screen, and goes on from there."""
    await doing.chat.press("ctrl+f")
    screen = await doing.chat.over(FactsScreen)
    await doing.chat.until(lambda: len(screen._facts) == 2 and bool(read(screen)))
    await doing.chat.press(*keys)
    return screen


@deed("chat.facts", known, size=WIDE)
async def _facts(doing: Doing) -> None:
    await doing.press()
    screen = await doing.chat.over(FactsScreen)
    await doing.chat.until(lambda: PHONE in read(screen))
    assert list(screen._list.shown.keys) == ["f1", "f2"]


@deed("facts.search", known)
async def _search(doing: Doing) -> None:
    screen = await looking(doing)
    await doing.press()
    assert screen.query_one(SearchLine).has_focus
    await doing.chat.press(*"room")
    await doing.chat.until(lambda: list(screen._list.shown.keys) == ["f2"])
    await doing.chat.press("escape")
    assert screen._list.has_focus


@deed("facts.which", known)
async def _which(doing: Doing) -> None:
    screen = await looking(doing, "x")
    await doing.chat.until(lambda: list(screen._list.shown.keys) == ["f2"])
    await doing.press()
    assert not screen._list.shown.keys
    await doing.press()
    assert list(screen._list.shown.keys) == ["f1"]


@deed("facts.add", known)
async def _add(doing: Doing) -> None:
    screen = await looking(doing)
    await doing.press()
    await doing.chat.press(*"Biscuit is a dog", "enter")
    await doing.chat.until(lambda: len(screen._facts) == 3)
    assert "Remembered as f3" in said(screen)


@deed("facts.edit", known)
async def _edit(doing: Doing) -> None:
    screen = await looking(doing)
    await doing.press()
    assert screen.query_one(AskedInput).value == PHONE
    await doing.chat.press(*" At night.", "enter")
    await doing.chat.until(lambda: screen._facts["f1"].earlier == (PHONE,))
    assert "1 edit" in read(screen)


@deed("facts.pin", known)
async def _pin(doing: Doing) -> None:
    screen = await looking(doing)
    await doing.press()
    await doing.chat.until(lambda: screen._facts["f1"].pinned)
    await doing.press()
    await doing.chat.until(lambda: not screen._facts["f1"].pinned)


@deed("facts.end", known)
async def _end(doing: Doing) -> None:
    screen = await looking(doing)
    await doing.press()
    await doing.chat.until(lambda: not screen._facts["f1"].live)
    assert "no longer holds" in said(screen)


@deed("facts.forget", known)
async def _forget(doing: Doing) -> None:
    screen = await looking(doing)
    await doing.press()
    await doing.chat.over(Asking)
    await doing.chat.press("y")
    await doing.chat.until(lambda: list(screen._facts) == ["f2"])


@deed("facts.message", known)
async def _message(doing: Doing) -> None:
    chat = doing.chat
    screen = await looking(doing)
    await doing.press()
    assert "no message" in said(screen)
    await chat.press("down")
    await chat.until(lambda: "And a balcony" in read(screen))
    await doing.press()
    await chat.over(ChatScreen)
    await chat.until(lambda: chat.transcript.has_focus)
    chosen = chat.transcript.chosen
    assert isinstance(chosen, MessageEntry)
    assert chosen.number == 1


@deed("facts.back", known)
async def _back(doing: Doing) -> None:
    screen = await looking(doing, "enter")
    assert screen._detail.has_focus
    await doing.press()
    assert screen._list.has_focus
    await doing.press()
    await doing.chat.until(lambda: doing.chat.composer.has_focus)
