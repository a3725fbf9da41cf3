"""STORE-5: two processes remember in one data directory; one of them is killed."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory import Memory
from tests.kill.checks import check_database
from tests.memory.doubles import WordEmbedder, opened
from tests.memory.sharer import FACT_EVERY, not_found

ROOT = Path(__file__).resolve().parents[2]


class Sharer:
    """A process that shares the data directory."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self.said = 0

    def told(self) -> dict[str, Any]:
        """What it says next."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.errors()
        told: dict[str, Any] = json.loads(line)
        self.said = told.get("said", self.said)
        return told

    def errors(self) -> str:
        """What it said when it failed."""
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def until_said(self, number: int) -> None:
        """Waits until so many messages are on disk."""
        while self.said < number:
            self.told()

    def end(self, others: int) -> dict[str, Any]:
        """Has it look for so many messages of the other one, and come to its end."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{others}\n")
        self.process.stdin.flush()
        told: dict[str, Any] = {}
        while "state" not in told:
            told |= self.told()
        assert self.process.wait() == 0, self.errors()
        return told

    def kill(self) -> None:
        """Kills it, and reads what it has said before."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.endswith("\n"):
                self.said = json.loads(line).get("said", self.said)


@contextmanager
def sharer(data: Path, name: str) -> Iterator[Sharer]:
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tests.memory.sharer", str(data), name],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield Sharer(process)
    finally:
        process.kill()
        process.communicate()


async def assert_right(memory: Memory, heron: int, otter: int) -> None:
    """What was said to be on disk is there, is found, and stands there once."""
    assert await not_found(memory, "heron", heron) == []
    assert await not_found(memory, "otter", otter) == []
    await memory.facts.refresh()
    facts = [fact.text for fact in memory.facts.all()]
    assert len(facts) == len(set(facts)) >= max(heron, otter) // FACT_EVERY
    preferences = (await memory.preferences.known()).preferences
    assert {name.split("-")[0] for name in preferences} == {"heron", "otter"}


@pytest.mark.parametrize("seed", range(2))
async def test_one_of_two_is_killed(tmp_path: Path, seed: int) -> None:
    """STORE-5, RECALL-2: whatever it did; the other one goes on, and finds what it wrote."""
    chance = random.Random(seed)
    with ExitStack() as stack:
        first = stack.enter_context(sharer(tmp_path, "heron"))
        second = stack.enter_context(sharer(tmp_path, "otter"))
        second.until_said(FACT_EVERY)
        first.until_said(chance.randint(FACT_EVERY, 20))
        first.kill()
        second.until_said(second.said + 5)
        told = second.end(first.said)
    assert told["missing"] == []
    assert (told["state"], told["backlog"]) == ("ready", 0)
    async with opened(tmp_path, session="heron talk", embedder=WordEmbedder()) as memory:
        await memory.settled()
        await assert_right(memory, first.said, second.said)
        assert memory.snapshot().index.backlog == 0
    check_database(tmp_path)
