"""Talks, remembers and searches in a data directory that others use as well, until it is killed.

    python -P -m tests.memory.sharer DIRECTORY NAME

Says after each step what is on disk. Told how much another process has said, it waits until
everything is indexed, and says what it does not find of that.
"""

import asyncio
import itertools
import json
import sys
from pathlib import Path

from memory import Memory, MemoryConfig
from tests.memory.doubles import WordEmbedder

OTHERS = {"heron": "otter", "otter": "heron"}
"""What each process talks of, and what the other one talks of."""
FACT_EVERY = 3
CONFIG = MemoryConfig.from_values({"extract_facts": False})


def say(**values: object) -> None:
    """Tells the test."""
    print(json.dumps(values), flush=True)


async def share(directory: Path, name: str, told: "asyncio.Task[bytes]") -> None:
    """One session of the agent that all share."""
    async with Memory.open(
        directory, f"{name} talk", config=CONFIG, embedder=WordEmbedder()
    ) as memory:
        for number in itertools.count(1):
            await memory.add("user", said(name, number))
            if number % FACT_EVERY == 0:
                await memory.facts.remember(f"Jetty {number} is closed in winter.")
                await memory.preferences.set(f"{name}-{number % 5}", f"as of {number}")
            say(said=number)
            if number % FACT_EVERY == 0:
                await memory.recall(f"{OTHERS[name]} at jetty {number}", 5)
            if told.done():
                break
        await memory.settled()
        missing = await not_found(memory, OTHERS[name], int(told.result()))
        view = memory.snapshot().index
        say(missing=missing, state=view.state, backlog=view.backlog)


async def not_found(memory: Memory, name: str, last: int) -> list[str]:
    """What was said and is found neither by its words nor by its meaning, or by one of them."""
    missing = []
    for number in range(1, last + 1):
        text = said(name, number)
        found = {passage.text: passage for passage in await memory.recall(text, 5)}
        if text not in found or not found[text].parts.get("meaning"):
            missing.append(text)
    return missing


def said(name: str, number: int) -> str:
    """A message."""
    return f"The {name} was seen at jetty j{number}k with {number % 7 + 2} of its young."


async def main() -> None:
    """Runs until it is told."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    told = asyncio.create_task(reader.readline())
    await share(Path(sys.argv[1]), sys.argv[2], told)


if __name__ == "__main__":
    asyncio.run(main())
