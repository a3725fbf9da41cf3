"""The screen's side of a search: starts the process that searches, and ends it (CHAT-10)."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from app.tools.search_request import SearchRequest
from app.tools.telling import counted

LONGEST_ANSWER = 16_000_000
"""Bytes of one line of the answer: 200 hits with 20 lines around each have half of that."""
LEAVES_IN_S = 1.0
"""Seconds in which a process that has said everything is gone."""
NARROWER = "Give a simpler pattern, or narrow it by path or files."


@dataclass(slots=True)
class Answer:
    """What a search has found so far."""

    chars: int
    """Characters that hits may have together."""
    hits: list[str] = field(default_factory=list)
    used: int = 0
    left_out: int = 0
    summary: str = ""
    error: str = ""
    """The kind of failure."""

    @property
    def text(self) -> str:
        """Hits, then what was searched."""
        told = [self.summary]
        if self.left_out:
            told.append(f"{counted(self.left_out, 'line')} more are not shown for want of room.")
        summary = " ".join(filter(None, told))
        return "\n".join([*self.hits, "", f"({summary})"]) if self.hits else summary

    def take(self, message: dict[str, Any]) -> None:
        """Takes a line of the process in."""
        if "path" in message:
            self._add(message["path"], message["lines"])
            return
        self.error = message.get("error", "")
        self.summary = message.get("summary") or message.get("text", "")

    def fail(self, error: str, sentence: str) -> None:
        """Notes that there will be no more."""
        self.error, self.summary = error, sentence

    def _add(self, path: str, lines: list[tuple[int, bool, str]]) -> None:
        before = 0
        for number, is_hit, text in lines:
            if self.used >= self.chars:
                self.left_out += 1
                continue
            if not is_hit and number != before + 1 and self.hits:
                self.hits.append("--")
            mark = ":" if is_hit else "-"
            line = f"{path}{mark}{number}{mark} {text}"
            self.hits.append(line)
            self.used += len(line) + 1
            before = number


async def search(request: SearchRequest, chars: int) -> Answer:
    """Searches in a process that is gone when this returns, is cancelled or fails.

    Args:
        request: What is searched for.
        chars: Characters that hits may have together.
    """
    answer = Answer(chars)
    try:
        process = await _start()
    except OSError as error:
        answer.fail("SearchEnded", f"The search could not be started: {error.strerror}.")
        return answer
    try:
        async with asyncio.timeout(request.seconds):
            await _ask(process, request)
            await _listen(process, answer)
    except TimeoutError:
        seconds = f"{request.seconds:g} seconds"
        answer.fail("TimedOut", f"The search was stopped after {seconds}. {NARROWER}")
    finally:
        await _end(process)
    return answer


async def _start() -> Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "app.tools.search_child",
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        limit=LONGEST_ANSWER,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )


async def _ask(process: Process, request: SearchRequest) -> None:
    """Sends the request; the input stays open, since the process ends with it."""
    if process.stdin is not None:
        with suppress(ConnectionError):
            process.stdin.write(request.to_line())
            await process.stdin.drain()


async def _listen(process: Process, answer: Answer) -> None:
    """Takes in what the process says, until it ends."""
    if process.stdout is not None:
        with suppress(ValueError):  # a line that was cut short
            async for line in process.stdout:
                answer.take(json.loads(line))
    if not answer.summary:
        answer.fail("SearchEnded", f"The search ended before it was done. {NARROWER}")


async def _end(process: Process) -> None:
    """Waits for a process that has closed its output; ends any other at once."""
    try:
        if process.stdout is not None and process.stdout.at_eof():
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), LEAVES_IN_S)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
    await process.wait()
