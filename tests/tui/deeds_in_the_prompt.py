"""The keys of the prompt inspector, as deeds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.screens.chat import ChatScreen
from app.screens.prompt import PromptScreen
from app.screens.recalled import RecalledScreen
from tests.tui.conftest import memory_in
from tests.tui.deeds import Doing, deed, said
from tests.tui.deeds_in_recalled import OWL, found, read
from widgets.entries import MessageEntry


@asynccontextmanager
async def asked(data: Path) -> AsyncIterator[None]:
    """A session of three turns, each with its request."""
    async with memory_in(data) as memory:
        for number in range(3):
            await memory.add("user", f"question number {number}")
            await memory.prepare(await memory.prompt())
            await memory.add("assistant", f"answer number {number}")
    yield


async def prompt(doing: Doing, *keys: str) -> PromptScreen:
    """Opens the inspector, and goes on from there."""
    await doing.chat.press("f2")
    screen = await doing.chat.over(PromptScreen)
    await doing.chat.until(lambda: screen.view is not None)
    await doing.chat.press(*keys)
    return screen


async def _shows(doing: Doing, screen: PromptScreen, messages: int, *, sent: bool) -> None:
    def holds() -> bool:
        view = screen.view
        return view is not None and view.message == messages and (view.at is not None) == sent

    await doing.chat.until(holds)


@deed("chat.prompt", said(4))
async def _prompt(doing: Doing) -> None:
    await doing.press()
    screen = await doing.chat.over(PromptScreen)
    await _shows(doing, screen, 4, sent=False)


@deed("prompt.up", asked)
async def _up(doing: Doing) -> None:
    screen = await prompt(doing, "end")
    before = screen._entry
    await doing.press()
    assert before is not None
    assert before.key == "messages:6-6"
    assert screen._list.cursor == "messages:5-5"


@deed("prompt.down", asked)
async def _down(doing: Doing) -> None:
    screen = await prompt(doing, "home")
    assert screen._list.cursor == "system"
    await doing.press()
    assert screen._list.cursor == "tools"


@deed("prompt.before", asked)
async def _before(doing: Doing) -> None:
    screen = await prompt(doing)
    await doing.press()
    await _shows(doing, screen, 5, sent=True)


@deed("prompt.after", asked)
async def _after(doing: Doing) -> None:
    screen = await prompt(doing, "left", "left")
    await _shows(doing, screen, 3, sent=True)
    await doing.press()
    await _shows(doing, screen, 5, sent=True)


@deed("prompt.next_request", asked)
async def _next(doing: Doing) -> None:
    screen = await prompt(doing, "left", "left", "left")
    await _shows(doing, screen, 1, sent=True)
    await doing.press()
    await _shows(doing, screen, 6, sent=False)


@deed("prompt.copy", asked)
async def _copy(doing: Doing) -> None:
    await prompt(doing, "end")
    await doing.press()
    await doing.chat.until(lambda: doing.chat.clipboard == "answer number 2")


@deed("prompt.source", asked)
async def _source(doing: Doing) -> None:
    chat = doing.chat
    await prompt(doing, "end")
    await doing.press()
    await chat.over(ChatScreen)
    await chat.until(lambda: isinstance(chat.transcript.chosen, MessageEntry))
    chosen = chat.transcript.chosen
    assert isinstance(chosen, MessageEntry)
    assert chosen.number == 6


@deed("prompt.recalled", found)
async def _recalled(doing: Doing) -> None:
    await prompt(doing)
    await doing.press()
    screen = await doing.chat.over(RecalledScreen)
    await doing.chat.until(lambda: OWL in read(screen))
    await doing.chat.press("escape")
    await doing.chat.over(PromptScreen)


@deed("prompt.back", asked)
async def _back(doing: Doing) -> None:
    await prompt(doing)
    await doing.press()
    await doing.chat.until(lambda: doing.chat.composer.has_focus)
