"""What a step of time travel costs, in memory and on the screen, against the log's length (VIEW-4).

A session is grown to each size, its summaries made by rule. Then steps are taken all over it: to a
neighbour, which is what a held key does, and to anywhere, which is what the mouse does. On the
screen a step is over when every cell of it has been drawn. Times are of this process's CPU, which
what else runs on the machine does not change; beside them stands what it costs to draw the same
screen anew where nothing has changed. A median over 100 ms on the screen fails.

    python benchmarks/travel.py [--sizes 100 1000 10000] [--policy cascade]
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from textual.app import App

from app.screens.journey import Journey, Turns
from app.screens.travel import TravelScreen
from memory import Memory
from memory.answer import NewMessage
from memory.config import MemoryConfig
from themes import strata

SIZES = (100, 1_000, 10_000)
SCREEN = (200, 50)
STEPS = 40
ALLOWED_MS = 100.0
WORDS = ["harbour", "Lisbon", "garden", "**Thursday**", "`paper`", "18:30", "bridge", "1,100"]
Go = Callable[[int], Awaitable[None]]


class Travelling(App[None]):
    """The screen of the past, without a chat below it."""

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(strata.DARK)
        self.theme = strata.DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return strata.stratum_variables(dark=True)


async def measure(directory: Path, sizes: list[int], policy: str) -> list[dict[str, float]]:
    """Grows one session to each size and measures there."""
    config = MemoryConfig.from_values({"policy": policy})
    rows = []
    for size in sizes:
        async with Memory.open(directory, "long", config=config) as memory:
            await grow(memory, size)
            started = time.process_time()
            turns = await Journey(memory).turns()
            row: dict[str, float] = {"messages": size, "turns_ms": ms_since(started)}
            row |= named("memory", await time_memory(memory, turns))
            row |= named("screen", await time_screen(memory, turns))
        rows.append(row)
        print_row(row)
    return rows


async def grow(memory: Memory, size: int) -> None:
    """Brings the session to `size` messages, with cascades on the way."""
    await memory._journal.database.all("PRAGMA synchronous = OFF")
    while memory.state.messages < size:
        missing = min(64, size - memory.state.messages)
        first = memory.state.messages
        await memory.add_all([message(first + place) for place in range(missing)])
        await memory.settled()


async def time_memory(memory: Memory, turns: Turns) -> dict[str, list[float]]:
    """Milliseconds of steps up to what the screen is given."""
    journey = Journey(memory)

    async def go(place: int) -> None:
        await journey.moment(turns.points[place])

    return await walk(go, len(turns.points))


async def time_screen(memory: Memory, turns: Turns) -> dict[str, list[float]]:
    """Milliseconds of steps up to the last cell drawn."""
    app = Travelling()
    async with app.run_test(size=SCREEN) as pilot:
        screen = TravelScreen(Journey(memory), turns, memory.state.messages)
        await app.push_screen(screen)
        while screen.point is None:
            await pilot.pause(0.01)

        async def go(place: int) -> None:
            screen._go(place)
            while screen.point != turns.points[place]:
                await pause()
            await drawn(screen)

        async def rest() -> None:
            while screen._following:
                await pause()

        times = await walk(go, len(turns.points), rest)
        times["redraw"] = []
        for _ in range(STEPS):
            started = time.process_time()
            for widget in screen.walk_children(with_self=True):
                widget.refresh()
            await drawn(screen)
            times["redraw"].append(ms_since(started))
    return times


async def pause() -> None:
    """Lets others work; waiting costs no CPU time."""
    await asyncio.sleep(0.001)


async def drawn(screen: TravelScreen) -> None:
    """Waits until everything has been drawn."""
    done = asyncio.Event()
    screen.call_after_refresh(done.set)
    await done.wait()
    screen._compositor.render_strips()


async def walk(
    go: Go, count: int, rest: Callable[[], Awaitable[None]] | None = None
) -> dict[str, list[float]]:
    """Steps to neighbours, half of them back and half on, and jumps to anywhere."""
    times: dict[str, list[float]] = {"step": [], "jump": []}
    place = count - 1
    for number in range(2 * STEPS):
        jumps = number % 2 == 0
        place = random.randrange(count) if jumps else max(0, min(count - 1, place + step(number)))
        if rest is not None:
            await rest()
        started = time.process_time()
        await go(place)
        times["jump" if jumps else "step"].append(ms_since(started))
    return times


def step(number: int) -> int:
    """Back and on by turns."""
    return -1 if number % 4 == 1 else 1


def named(where: str, times: dict[str, list[float]]) -> dict[str, float]:
    """The median of each kind."""
    return {f"{where}_{kind}_ms": statistics.median(values) for kind, values in times.items()}


def ms_since(started: float) -> float:
    """Milliseconds since then."""
    return (time.process_time() - started) * 1e3


def message(place: int) -> NewMessage:
    """A message of the conversation."""
    text = " ".join(random.choices(WORDS, k=random.randint(10, 80)))
    return NewMessage("user" if place % 2 == 0 else "assistant", text, "library")


COLUMNS = [
    *(f"{where}_{kind}_ms" for where in ("memory", "screen") for kind in ("step", "jump")),
    "screen_redraw_ms",
]


def print_row(row: dict[str, Any]) -> None:
    """Prints one line of the table."""
    figures = "".join(f"{row[name]:>9.1f}" for name in COLUMNS)
    print(f"{row['messages']:>9,}{row['turns_ms']:>10.1f}{figures}", flush=True)


def main() -> int:
    """Runs the benchmark; fails where a step on the screen takes too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--policy", default="cascade")
    options = parser.parse_args()
    random.seed(7)
    print("medians in ms of CPU;  in memory:         on the screen:")
    print(" messages  turns ms     step     jump     step     jump   redraw")
    with tempfile.TemporaryDirectory() as directory:
        rows = asyncio.run(measure(Path(directory), options.sizes, options.policy))
    for name in ("memory_step_ms", "screen_step_ms", "screen_jump_ms"):
        print(f"{name}: {max(r[name] for r in rows) / min(r[name] for r in rows):.2f} x apart")
    ratios = [row["screen_step_ms"] / row["screen_redraw_ms"] for row in rows]
    print(f"a step against drawing alone: {min(ratios):.2f} to {max(ratios):.2f} x")
    slowest = max(max(row["screen_step_ms"], row["screen_jump_ms"]) for row in rows)
    print(f"slowest median on the screen: {slowest:.1f} ms (allowed {ALLOWED_MS:.0f})")
    return int(slowest > ALLOWED_MS)


if __name__ == "__main__":
    sys.exit(main())
