"""What a turn and a resume cost by themselves, against the length of the log (ALL-7).

No model answers; summaries are made by rule, outside the timed part; SQLite's sync is off, so that
the disk's own time stays apart. Every size is measured in one run on one growing session.

With `--encrypted` the database is encrypted by 32 bytes, as with a key of the keyring; a passphrase
adds the third of a second that scrypt takes, once a start.

Then the same turns search long-term memory (by words: no model embeds here), in processor time
beside turns that don't. What is said is of words as common as in English, since a search costs by
how many messages have its words.

With `--tools` there is a goal, and each turn calls a tool, whose result of 4,000 characters is
stored, recorded and shown once.

    python benchmarks/turn_cost.py [--sizes 100 1000 10000 100000] [--tools] [--encrypted]
"""

import argparse
import asyncio
import itertools
import json
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from memory import Memory
from memory.answer import NewMessage
from memory.config import MemoryConfig, RecallConfig
from memory.events import RequestEnded
from memory.parts import Usage
from memory.storage.keys import Key, unlock

REPEATS = 200
SIZES = (100, 1_000, 10_000, 100_000)
ALLOWED = 1.5
SEARCH_MS = 60
"""Of the processor, for what memory has on a message of 45 words."""
RESULT_LINES = 15
"""Of a tool's result: about 4,000 characters."""
WORDS = ["harbour", "Lisbon", "garden", "Thursday", "paper", "18:30", "bridge", "Marta", "1,100"]
WORDS += [f"{head}{tail}" for head in "bcdfghjklmnprstv" for tail in map(str, range(1_000, 1_500))]
ZIPF = list(itertools.accumulate(1 / rank for rank in range(1, len(WORDS) + 1)))
"""How often each word is said: the second one half as often as the first, and so on."""


async def measure(directory: Path, sizes: list[int], *, tools: bool) -> list[dict[str, float]]:
    """Grows one session to each size and measures there."""
    rows = []
    for size in sizes:
        await (grow_by_turns if tools else grow)(directory, size)
        turns, plain = await time_turns(directory, tools=tools, recall=False)
        _, recalling = await time_turns(directory, tools=tools, recall=True)
        resumes = await time_resumes(directory)
        rows.append(
            {
                "messages": size,
                "turn_ms": statistics.median(turns) * 1e3,
                "turn_p95_ms": statistics.quantiles(turns, n=20)[-1] * 1e3,
                "cpu_ms": statistics.median(plain) * 1e3,
                "recall_ms": statistics.median(recalling) * 1e3,
                "resume_ms": statistics.median(resumes) * 1e3,
                "database_mb": (directory / "strata.db").stat().st_size / 1e6,
                "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
        print_row(rows[-1])
    return rows


async def grow(directory: Path, size: int) -> None:
    """Brings the session to `size` messages, with cascades on the way."""
    async with Memory.open(directory, "long") as memory:
        await sync_off(memory)
        while memory.state.messages < size:
            missing = min(64, size - memory.state.messages)
            await memory.add_all([message(memory.state.messages + i) for i in range(missing)])
            await memory.settled()


async def grow_by_turns(directory: Path, size: int) -> None:
    """Brings the session to `size` messages by turns that call tools."""
    async with Memory.open(directory, "long") as memory:
        await sync_off(memory)
        await memory.goals.set("Find out how long a session may become.")
        while memory.state.messages < size:
            await turn(memory, tools=True)
            await memory.settled()


async def time_turns(
    directory: Path, *, tools: bool, recall: bool
) -> tuple[list[float], list[float]]:
    """Seconds of each turn, on the clock and of the processor.

    A turn is to append, fold, write the prompt and its ledger, answer, and take a snapshot.
    """
    seconds, worked = [], []
    config = MemoryConfig(recall=RecallConfig(enabled=recall))
    async with Memory.open(directory, "long", config=config) as memory:
        await sync_off(memory)
        for _ in range(REPEATS):
            started, began = time.perf_counter(), time.process_time()
            await turn(memory, tools=tools)
            seconds.append(time.perf_counter() - started)
            worked.append(time.process_time() - began)
            memory.start_upkeep()
            await memory.settled()
    return seconds, worked


async def turn(memory: Memory, *, tools: bool) -> None:
    """A question, a tool's result where tools are called, an answer."""
    await memory.add("user", text())
    if tools:
        id = f"call_{memory.state.messages}"
        function = {"name": "read_file", "arguments": json.dumps({"path": f"{id}.txt"})}
        await request(memory, "", [{"id": id, "type": "function", "function": function}])
        result = "\n".join(text() for _ in range(RESULT_LINES))
        (stored,) = await memory.add_all([NewMessage("tool", result, "tool", (), id)])
        await memory.execution.ran(
            tool="read_file",
            arguments=str(function["arguments"]),
            result=result,
            ok=True,
            number=stored.number,
        )
    await request(memory, text())
    memory.snapshot()


async def request(memory: Memory, said: str, calls: Sequence[dict[str, Any]] = ()) -> None:
    """A request and its answer, as the chat records them."""
    asked = await memory.prepare(await memory.prompt())
    answer = memory.answer(asked)
    answer.text = said
    await answer.close(tool_calls=calls)
    await memory.ended(RequestEnded(asked, 1, "none", "ok", usage=Usage(10, 10)))


async def time_resumes(directory: Path) -> list[float]:
    """Seconds of each of 200 openings up to the first snapshot."""
    seconds = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        async with Memory.open(directory, "long") as memory:
            memory.snapshot()
            seconds.append(time.perf_counter() - started)
    return seconds


async def sync_off(memory: Memory) -> None:
    """Leaves the disk's own time out of what is measured."""
    await memory._journal.database.all("PRAGMA synchronous = OFF")


def message(place: int) -> NewMessage:
    """A message of the conversation so far."""
    return NewMessage("user" if place % 2 == 0 else "assistant", text(), "library")


def text() -> str:
    """A few sentences' worth of words."""
    return " ".join(random.choices(WORDS, cum_weights=ZIPF, k=random.randint(10, 80)))


def print_row(row: dict[str, float]) -> None:
    """Prints one line of the table."""
    print(
        f"{row['messages']:>9,.0f}  {row['turn_ms']:>8.2f}  {row['turn_p95_ms']:>8.2f}  "
        f"{row['cpu_ms']:>7.2f}  {row['recall_ms']:>11.2f}  "
        f"{row['resume_ms']:>9.2f}  {row['database_mb']:>11.1f}  {row['memory_mb']:>9.0f}",
        flush=True,
    )


def main() -> int:
    """Runs the benchmark; fails where a size costs over 1.5 times another, or a search too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--tools", action="store_true")
    parser.add_argument("--encrypted", action="store_true")
    options = parser.parse_args()
    random.seed(7)
    print(" messages   turn ms    p95 ms   cpu ms  with recall  resume ms  database MB  memory MB")
    with tempfile.TemporaryDirectory() as directory:
        if options.encrypted:
            unlock(Path(directory), Key.random())
        rows = asyncio.run(measure(Path(directory), options.sizes, tools=options.tools))
    failed = False
    for name in ("cpu_ms", "resume_ms"):
        spread = max(r[name] for r in rows) / min(r[name] for r in rows)
        failed |= spread > ALLOWED
        print(f"{name}: {spread:.2f} x apart (allowed {ALLOWED})")
    search = max(row["recall_ms"] - row["cpu_ms"] for row in rows)
    print(f"searching memory: at most {search:.0f} ms more (allowed {SEARCH_MS})")
    return int(failed or search > SEARCH_MS)


if __name__ == "__main__":
    sys.exit(main())
