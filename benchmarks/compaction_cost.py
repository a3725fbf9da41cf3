"""What compaction costs apart from the model, against the length of the log.

Plan, rule-based summaries, commit and loss report of a cascade; the deterministic stages over
many standing messages with tool results, pasted text and code; the inspector's next request. No
model answers, nothing is embedded, and SQLite's sync is off, so that the disk's own time stays
apart. Nothing is searched: with recall on, the report behind the conversation asks for at most 300
items again, which takes 20 ms of the processor among 100 messages, 230 ms among 6,000.

    python benchmarks/compaction_cost.py [--sizes 100 1000 10000 100000] [--standing 1000]
"""

import argparse
import asyncio
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.small_talk import message
from benchmarks.tool_conversation import tool_conversation
from benchmarks.turn_cost import sync_off
from memory import Memory
from memory.compaction.editing import STAGES, plan_edits
from memory.compaction.scope import Scope
from memory.config import MemoryConfig, RecallConfig
from memory.wish import Wish

SIZES = (100, 1_000, 10_000, 100_000)
REPEATS = 15
GROWN_AT_ONCE = 2_000
SOUGHT = "Marta garden"
"""Stands in about one of fifty messages."""
MOST_MS = 50.0
FLAT = 1.5
STAGES_MS = 20.0


@dataclass
class Size:
    """A session of some length, and what was measured there, in milliseconds."""

    memory: Memory
    compact: list[float] = field(default_factory=list)
    report: list[float] = field(default_factory=list)
    inspect: list[float] = field(default_factory=list)
    trace: list[float] = field(default_factory=list)

    async def measure(self) -> None:
        """One cascade over 64 messages, its report, and the screens that look at it."""
        memory = self.memory
        await memory.add_all([message(memory.state.messages + i) for i in range(64)])
        self.compact.append(await timed(memory.compact))
        self.report.append(await timed(memory.reports.settled))
        self.inspect.append(await timed(memory.inspecting.inspect))
        self.trace.append(await timed(partial(memory.trace, SOUGHT)))

    @property
    def own(self) -> float:
        """A compaction and its report, the median of all."""
        return statistics.median(map(sum, zip(self.compact, self.report, strict=True)))


async def cascades(directory: Path, sizes: list[int]) -> bool:
    """Compacts in sessions of each size, in turns; whether the bounds hold."""
    async with AsyncExitStack() as stack:
        measured: dict[int, Size] = {}
        for size in sizes:
            await grow(directory / "grown", size)
            shutil.copytree(directory / "grown", directory / str(size))
            memory = await stack.enter_async_context(passive(directory / str(size)))
            measured[size] = Size(memory)
        for _ in range(1 + REPEATS):
            for one in measured.values():
                await one.measure()
    print(" messages  compact ms   p95 ms  loss report ms   p95 ms  inspect ms  trace ms")
    for size, one in measured.items():
        print_size(size, one)
    medians = [one.own for one in measured.values()]
    spread = max(medians) / min(medians)
    print(f"both at most {max(medians):.1f} ms (allowed {MOST_MS:.0f})")
    print(f"{spread:.2f} x apart (allowed {FLAT})")
    return max(medians) <= MOST_MS and spread <= FLAT


def print_size(size: int, one: Size) -> None:
    """Prints one line of the table."""
    median = statistics.median
    print(
        f"{size:>9,}  {median(one.compact):>10.1f}  {p95(one.compact):>7.1f}"
        f"  {median(one.report):>14.1f}  {p95(one.report):>7.1f}"
        f"  {median(one.inspect):>10.1f}  {median(one.trace):>8.1f}"
    )


async def grow(directory: Path, size: int) -> None:
    """Brings the session to `size` messages, with a cascade for every 2,000."""
    async with passive(directory) as memory:
        while memory.state.messages < size:
            missing = min(GROWN_AT_ONCE, size - memory.state.messages)
            await memory.add_all([message(memory.state.messages + i) for i in range(missing)])
            await memory.compact()


async def stages(directory: Path, standing: int) -> bool:
    """The deterministic stages over so many messages that stand in the prompt."""
    async with passive(directory) as memory:
        talk = tool_conversation(messages=standing)
        await memory.add_all([entry.imported() for entry in talk])
        state, texts, tally = memory.state, memory._journal.texts, memory._journal.tally
        print(
            f"\nover {len(talk):,} standing messages, {sum(map(len, texts.values())):,} characters"
        )
        for name, propose in STAGES:
            scope = Scope.of(state, texts)
            took = [clock(partial(propose, scope)) for _ in range(5)]
            print(f"  {name:<8}  {len(propose(scope)):>5} proposals  {1e3 * min(took):>8.1f} ms")
        whole = [clock(lambda: plan_edits(state, texts, tally, 0)) for _ in range(5)]
        print(f"  all planned in {1e3 * min(whole):.1f} ms (aim {STAGES_MS:.0f})")
        edit = partial(memory._upkeep._compactor("tokens").edit, "tokens", whole=True)
        print(f"  planned and committed in {await timed(edit):.1f} ms")
        print(f"  its loss report in {await timed(memory.reports.settled):.1f} ms")
        looks = [await timed(memory.inspecting.inspect) for _ in range(5)]
        print(f"  inspector, next request: {statistics.median(looks):.1f} ms")
    return 1e3 * min(whole) <= STAGES_MS


@asynccontextmanager
async def passive(directory: Path, **settings: Any) -> AsyncIterator[Memory]:
    """The session, in which nothing is compacted but on demand."""
    config = MemoryConfig(vault=False, recall=RecallConfig(enabled=False), **settings)
    wish = Wish(session="long", passive=True)
    async with Memory.open(directory, config=config, wish=wish) as memory:
        await sync_off(memory)
        yield memory


async def timed(work: Callable[[], Awaitable[object]]) -> float:
    """Milliseconds that it takes."""
    started = time.perf_counter()
    await work()
    return 1e3 * (time.perf_counter() - started)


def clock(work: Callable[[], object]) -> float:
    """Seconds that it takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def p95(values: list[float]) -> float:
    """The value that one of twenty exceeds."""
    return statistics.quantiles(values, n=20)[-1]


def main() -> int:
    """Runs the benchmark; fails where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--standing", type=int, default=1_000)
    options = parser.parse_args()
    random.seed(7)
    with tempfile.TemporaryDirectory() as directory:
        good = asyncio.run(cascades(Path(directory) / "cascades", options.sizes))
        good = asyncio.run(stages(Path(directory) / "stages", options.standing)) and good
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
