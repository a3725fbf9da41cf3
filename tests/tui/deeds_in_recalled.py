"""The keys of the screen of what was recalled, as deeds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.screens.chat import ChatScreen
from app.screens.recalled import RecalledScreen
from tests.tui.conftest import memory_in
from tests.tui.deeds import WIDE, Doing, deed
from widgets.entries import MessageEntry
from widgets.plain import one_line

OWL = "The owl of the harbour is called Athena."
NAME, AGAIN = "How is the owl of the harbour called?", "Is the owl of the harbour called Athena?"


@asynccontextmanager
async def found(data: Path) -> AsyncIterator[None]:
    """A session in whose two turns a message of another session stands; the last asked twice."""
    async with memory_in(data, session=None, fresh=True) as memory:
        await memory.rename("owls")
        await memory.add("user", OWL)
        await memory.add("assistant", "A good name.")
    async with memory_in(data, session=None, fresh=True) as memory:
        for question, requests in ((NAME, 1), (AGAIN, 2)):
            await memory.add("user", question)
            await memory.settled()
            for _ in range(requests):
                await memory.prepare(await memory.prompt())
            assert memory.snapshot().recalled is not None
            await memory.add("assistant", "Yes.")
    yield


def read(screen: RecalledScreen) -> str:
    """What is shown of the passage."""
    return one_line("\n".join(row.text for row in screen._detail.shown.rows))


async def looking(doing: Doing, *keys: str) -> RecalledScreen:
    """Opens the screen, and goes on from there."""
    await doing.chat.press("f10")
    screen = await doing.chat.over(RecalledScreen)
    await doing.chat.until(lambda: OWL in read(screen))
    await doing.chat.press(*keys)
    return screen


@deed("chat.recalled", found, size=WIDE)
async def _recalled(doing: Doing) -> None:
    await doing.press()
    screen = await doing.chat.over(RecalledScreen)
    await doing.chat.until(lambda: OWL in read(screen))
    assert "“owls”" in read(screen)
    assert "what the score is made of" in read(screen)


@deed("recalled.before", found)
async def _before(doing: Doing) -> None:
    screen = await looking(doing)
    await doing.press()
    await doing.chat.until(lambda: screen._turn and screen._turn.told == "as of message 1")
    assert OWL in read(screen)


@deed("recalled.after", found)
async def _after(doing: Doing) -> None:
    screen = await looking(doing, "left")
    await doing.press()
    await doing.chat.until(lambda: screen._place is None)


@deed("recalled.message", found)
async def _message(doing: Doing) -> None:
    chat = doing.chat
    await looking(doing)
    await doing.press()
    await chat.press("y")
    await chat.over(ChatScreen)
    await chat.until(lambda: "owls" in chat.status)
    await chat.until(lambda: isinstance(chat.transcript.chosen, MessageEntry))
    chosen = chat.transcript.chosen
    assert isinstance(chosen, MessageEntry)
    assert chosen.text == OWL


@deed("recalled.back", found)
async def _back(doing: Doing) -> None:
    screen = await looking(doing, "enter")
    assert screen._detail.has_focus
    await doing.press()
    assert screen._list.has_focus
    await doing.press()
    await doing.chat.until(lambda: doing.chat.composer.has_focus)
