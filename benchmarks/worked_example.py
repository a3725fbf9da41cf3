"""S3's worked example: results of 158 KB in the first iteration, 150 KB in each that follows.

An agent searches, reads three pages, then queries and reads two more in each iteration. Results
are made from the text of this checkout, with a fact planted in each. After every iteration the
conversation has to be under 50 KB, and in the end every fact is asked for: it has to be found by
what the prompt still cites, and by a query.

    python benchmarks/worked_example.py [--iterations 20] [--policy cascade] [--seed 1]
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from memory import Memory
from memory.config import MemoryConfig
from memory.content.receipts import handles_in
from memory.events import RequestEnded
from memory.prompt import Prompt

ROOT = Path(__file__).resolve().parents[1]
KB = 1_000
MOST = 50 * KB
"""Bytes that the conversation may have after an iteration (S3)."""
SEARCH, PAGE, ROWS = 8 * KB, 50 * KB, 50 * KB
"""Characters of a search, a page and a query (S3)."""
WINDOW = 128_000
"""Tokens of the model's window: the first iteration alone has about 40,000."""
TASK = "Find out how the memory of this program works, and keep count of the parcels you meet."


@dataclass(frozen=True)
class Result:
    """What a tool call gave, and the fact that was planted in it."""

    tool: str
    arguments: dict[str, str]
    text: str
    key: str
    fact: str


@dataclass
class Done:
    """What a run came to."""

    sizes: list[int] = field(default_factory=list)
    """Bytes of the prompt after each iteration."""
    carried: list[int] = field(default_factory=list)
    """Bytes of the prompt that showed the iteration's results in full."""
    full: int = 0
    """Characters of all results."""
    facts: int = 0
    cited: int = 0
    """Facts that a receipt in the last prompt leads to."""
    retrieved: int = 0
    """Facts that retrieving the item gives, found by a query."""


class Sources:
    """Results of tools, made from the files of this checkout; the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        paths = sorted([*ROOT.glob("memory/**/*.py"), *ROOT.glob("app/**/*.py")])
        self._code = "\n".join(path.read_text(encoding="utf-8") for path in paths)
        self._prose = "\n\n".join(
            path.read_text(encoding="utf-8")
            for path in (ROOT / "README.md", ROOT / "ARCHITECTURE.md", ROOT / "CHANGELOG.md")
        )
        self._lines = [line for line in self._code.splitlines() if line.strip()]
        self._made = 0

    def first(self) -> list[Result]:
        """A search and three pages."""
        return [self._search(), *(self._page() for _ in range(3))]

    def next(self) -> list[Result]:
        """A query and two pages."""
        return [self._query(), self._page(), self._page()]

    def _fact(self) -> tuple[str, str]:
        self._made += 1
        key = f"parcel PX-{self._made:04d}"
        return key, f"The {key} weighs {self._random.randrange(10_000, 99_999)} grams."

    def _search(self) -> Result:
        key, fact = self._fact()
        hits = [f"src/part_{n % 12}.py:{n}:{line.strip()}" for n, line in self._some(self._lines)]
        hits.insert(len(hits) // 20, f"src/parcels.py:77:{fact}")
        text = "\n".join(hits)[:SEARCH]
        return Result("search_files", {"pattern": "memory"}, text, key, fact)

    def _page(self) -> Result:
        key, fact = self._fact()
        start = self._random.randrange(len(self._code))
        body = f"# Page {self._made}\n\n{self._slice(self._prose, PAGE // 3)}\n"
        body += f"\n## Parcels\n\n{fact}\n\n## Source\n\n{self._slice(self._code, PAGE, start)}"
        url = f"https://docs.example/{self._made}"
        return Result("fetch_page", {"url": url}, body[:PAGE], key, fact)

    def _query(self) -> Result:
        key, fact = self._fact()
        rows = ["id,file,line,text"]
        rows += [f"{n},part_{n % 9}.py,{n * 3},{line.strip()[:60].replace(',', ';')}"
                 for n, line in self._some(self._lines)]  # fmt: skip
        rows.insert(len(rows) // 40, f"0,parcels.py,1,{fact}")
        sql = f"SELECT id, file, line, text FROM source WHERE batch = {self._made}"
        return Result("sql_query", {"query": sql}, "\n".join(rows)[:ROWS], key, fact)

    def _some(self, lines: list[str]) -> Iterator[tuple[int, str]]:
        start = self._random.randrange(len(lines))
        return ((n, lines[(start + n) % len(lines)]) for n in range(1, 2_000))

    def _slice(self, text: str, length: int, start: int | None = None) -> str:
        begin = self._random.randrange(len(text)) if start is None else start
        return (text[begin:] + text)[:length]


async def run(iterations: int, policy: str, seed: int) -> Done:
    """The agent's run, through memory as a program uses it."""
    done, sources, results = Done(), Sources(seed), list[Result]()
    config = MemoryConfig(policy=policy, context_window=WINDOW, vault=False, compaction="wait")
    with tempfile.TemporaryDirectory() as folder:
        async with Memory.open(folder, "worked example", config=config) as memory:
            await memory.add("user", TASK)
            for number in range(1, iterations + 1):
                made = sources.first() if number == 1 else sources.next()
                await iterate(memory, number, made, done)
                results += made
            await asked_afterwards(memory, results, done)
    done.full = sum(len(result.text) for result in results)
    return done


async def iterate(memory: Memory, number: int, made: list[Result], done: Done) -> None:
    """One iteration: the model calls, is shown the results in full once, and says what it saw."""
    await request(memory)
    calls = [call(f"call_{number}_{place}", result) for place, result in enumerate(made)]
    await memory.add("assistant", f"Iteration {number}: looking further.", tool_calls=calls)
    for place, result in enumerate(made):
        await memory.add("tool", result.text, tool_call_id=f"call_{number}_{place}")
    shown = await request(memory)
    done.carried.append(size(shown))
    await memory.add("assistant", f"Read the {len(made)} results of iteration {number}.")
    await memory.settled()
    done.sizes.append(size(await memory.prompt()))


async def request(memory: Memory) -> Prompt:
    """A request that completes."""
    prompt = await memory.prompt()
    id = await memory.prepare(prompt)
    await memory.ended(RequestEnded(id, 1, "model", "ok"))
    return prompt


def call(id: str, result: Result) -> dict[str, object]:
    """A tool call in OpenAI's form."""
    arguments = json.dumps(result.arguments)
    return {"id": id, "type": "function", "function": {"name": result.tool, "arguments": arguments}}


def size(prompt: Prompt) -> int:
    """Bytes of a prompt as it is sent."""
    return len(json.dumps(list(prompt.messages), ensure_ascii=False).encode())


async def asked_afterwards(memory: Memory, results: list[Result], done: Done) -> None:
    """Asks for every fact: by what the prompt cites, and by a query."""
    prompt = await memory.prompt()
    told = json.dumps(list(prompt.messages), ensure_ascii=False)
    cited = "\n".join([await memory.content.retrieve(handle) for handle in handles_in(told)])
    for result in results:
        done.facts += 1
        done.cited += result.fact in cited
        found = await memory.content.query(text=result.key)
        lines = [
            await memory.content.retrieve(item.id, "filtered", words=[result.key]) for item in found
        ]
        done.retrieved += any(result.fact in line for line in lines)


def report(done: Done) -> bool:
    """Prints what a run came to; whether the bounds hold."""
    print("iteration  shown once (bytes)  after it (bytes)")
    for number, (carried, after) in enumerate(zip(done.carried, done.sizes, strict=True), start=1):
        print(f"{number:>9}  {carried:>18,}  {after:>16,}{'' if after < MOST else '  TOO LARGE'}")
    largest = max(done.sizes)
    print(
        f"results in all {done.full:,} characters; largest prompt after an iteration "
        f"{largest:,} bytes of at most {MOST:,}; {1 - largest / done.full:.1%} less than all"
    )
    print(
        f"facts {done.facts}: {done.cited} by what the last prompt cites, "
        f"{done.retrieved} by a query and a retrieve"
    )
    return largest < MOST and done.cited == done.facts == done.retrieved


def main() -> int:
    """Runs the example; fails where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--policy", default="cascade")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    done = asyncio.run(run(options.iterations, options.policy, options.seed))
    return int(not report(done))


if __name__ == "__main__":
    sys.exit(main())
