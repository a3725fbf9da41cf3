"""The index's own process as the backend sees it: asked by frames, ended when it hangs."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.backend.errors import ProtocolError
from app.backend.frames import encode_frame, parse_body, parse_length
from app.backend.protocol import JsonObject

ENDS_WITHIN_S = 2.0
"""It ends at once with its input; then it is killed."""

FOREIGN = "CHROMA_"
"""Variables of this beginning would configure Chroma, even make it ask other servers."""


class IndexTrouble(Exception):
    """The index could not do what it was asked.

    Args:
        why: "held" by another process; "lost", since the space is gone; "failed"; "gone", when the
            process has ended; "hung".
        reason: What the system said, or nothing.
    """

    def __init__(self, why: str, reason: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.reason = reason


@dataclass(slots=True)
class _Waiting:
    answer: asyncio.Future[JsonObject]
    alarm: asyncio.TimerHandle
    op: str = field(default="")


class ChromaProcess:
    """A running process; once it has ended, another one is needed.

    Create it with `start`, end it with `close`.
    """

    def __init__(self, process: Process) -> None:
        self._process = process
        self._numbers = itertools.count(1)
        self._waiting: dict[int, _Waiting] = {}
        self._ended_by = "gone"
        self._reader = asyncio.create_task(self._read(), name="vector-index")

    @classmethod
    async def start(cls) -> ChromaProcess:
        """Starts a process.

        Raises:
            IndexTrouble: The system refused.
        """
        environment = {k: v for k, v in os.environ.items() if not k.startswith(FOREIGN)}
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "app.backend.chroma_child",
                stdin=PIPE,
                stdout=PIPE,
                env=environment,
            )
        except OSError as error:
            raise IndexTrouble("failed", error.strerror or "") from error
        return cls(process)

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        return not self._reader.done()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    async def configure(
        self, data: Path, url: str | None, token: str | None, *, longest_s: float
    ) -> None:
        """Has it take the index below a data directory, or reach a server.

        Args:
            data: The data directory.
            url: The server, or None.
            token: What lets us in there; it goes through the pipe and nowhere else.
            longest_s: When it counts as hung, in seconds.

        Raises:
            IndexTrouble: Another process has the index, or the server does not answer.
        """
        body = {"data": str(data.absolute()), "url": url, "token": token}
        await self.ask("configure", body, longest_s)

    async def ask(self, op: str, body: JsonObject, longest_s: float) -> Any:
        """Sends a request and returns its result.

        A process that has not answered after `longest_s` seconds is killed, also when nobody waits
        for the answer any more.

        Raises:
            IndexTrouble: It could not be done.
        """
        if not self.alive or self._process.stdin is None:
            raise IndexTrouble(self._ended_by)
        number = next(self._numbers)
        loop = asyncio.get_running_loop()
        alarm = loop.call_later(longest_s, self._kill)
        self._waiting[number] = waiting = _Waiting(loop.create_future(), alarm, op)
        self._process.stdin.write(encode_frame({"id": number, "op": op, **body}))
        with suppress(ConnectionError):
            await self._process.stdin.drain()
        answer = await waiting.answer
        if "error" in answer:
            raise IndexTrouble(answer["error"], answer.get("reason", ""))
        return answer["result"]

    async def close(self) -> None:
        """Ends it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), ENDS_WITHIN_S)
        finally:
            self._kill()
            await self._reader

    def _kill(self) -> None:
        self._ended_by = "hung"
        with suppress(ProcessLookupError):
            self._process.kill()

    async def _read(self) -> None:
        output = self._process.stdout
        try:
            while output is not None:
                length = parse_length(await output.readuntil(b"\n"))
                self._deliver(parse_body(await output.readexactly(length + 1)))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, ProtocolError):
            pass  # As good as the end.
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
        for waiting in self._waiting.values():
            waiting.alarm.cancel()
            if not waiting.answer.done():
                waiting.answer.set_result({"error": self._ended_by})
        self._waiting.clear()

    def _deliver(self, answer: JsonObject) -> None:
        waiting = self._waiting.pop(answer["id"], None)
        if waiting is not None:
            waiting.alarm.cancel()
            if not waiting.answer.done():
                waiting.answer.set_result(answer)
