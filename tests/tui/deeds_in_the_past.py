"""The keys of time travel and of the plot, as deeds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.screens.plot import PlotScreen
from app.screens.travel import TravelScreen
from memory import Memory
from memory.wish import Wish
from tests.tui.deeds import STRESS, Doing, deed, said


@asynccontextmanager
async def folded_twice(data: Path) -> AsyncIterator[None]:
    """A session of sixteen messages that nobody answered, folded by rule at 9 and at 13."""
    async with Memory.open(data, config=STRESS, wish=Wish()) as memory:
        for _ in range(16):
            await fill_one(memory)
    yield


async def fill_one(memory: Memory) -> None:
    """One more message, and what it makes due."""
    number = memory.state.messages + 1
    role = "user" if number % 2 else "assistant"
    await memory.add("user" if role == "user" else "assistant", f"message number {number} {WORDS}")
    await memory.settled()


WORDS = "with some words " * 20


async def travel(doing: Doing) -> TravelScreen:
    """Goes back in time."""
    await doing.chat.press("f4")
    screen = await doing.chat.over(TravelScreen)
    await doing.chat.until(lambda: screen.point is not None)
    return screen


async def _seen(doing: Doing, screen: TravelScreen, message: int) -> None:
    await doing.chat.until(lambda: screen.point is not None and screen.point.message == message)


@deed("chat.travel", said(4))
async def _travel(doing: Doing) -> None:
    await doing.press()
    screen = await doing.chat.over(TravelScreen)
    await _seen(doing, screen, 4)


@deed("travel.before", said(4))
async def _before(doing: Doing) -> None:
    screen = await travel(doing)
    await doing.press()
    await _seen(doing, screen, 3)


@deed("travel.after", said(4))
async def _after(doing: Doing) -> None:
    screen = await travel(doing)
    await doing.chat.press("home")
    await doing.press()
    await _seen(doing, screen, 2)


@deed("travel.first", said(4))
async def _first(doing: Doing) -> None:
    screen = await travel(doing)
    await doing.press()
    await _seen(doing, screen, 1)


@deed("travel.last", said(4))
async def _last(doing: Doing) -> None:
    screen = await travel(doing)
    await doing.chat.press("home")
    await doing.press()
    await _seen(doing, screen, 4)


@deed("travel.compaction_before", folded_twice)
async def _compaction_before(doing: Doing) -> None:
    screen = await travel(doing)
    await doing.press()
    await _seen(doing, screen, 14)
    await doing.press()
    await _seen(doing, screen, 10)
    await doing.press()
    await _seen(doing, screen, 10)


@deed("travel.compaction_after", folded_twice)
async def _compaction_after(doing: Doing) -> None:
    screen = await travel(doing)
    await doing.chat.press("home")
    await doing.press()
    await _seen(doing, screen, 10)


@deed("travel.now", said(4))
async def _now(doing: Doing) -> None:
    await travel(doing)
    await doing.press()
    await doing.chat.until(lambda: doing.chat.composer.has_focus)


@deed("chat.plot", said(4))
async def _plot(doing: Doing) -> None:
    await doing.press()
    await doing.chat.over(PlotScreen)


@deed("plot.back", said(4))
async def _plot_back(doing: Doing) -> None:
    await doing.chat.press("f5")
    await doing.chat.over(PlotScreen)
    await doing.press()
    await doing.chat.until(lambda: doing.chat.composer.has_focus)
