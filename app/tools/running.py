"""Runs a shell command: output as it comes, and an end at which nothing of it is left."""

import asyncio
import os
import subprocess
import time
from asyncio import SubprocessTransport
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from app.tools.surroundings import for_commands
from app.tools.tree import MARK, end_tree

PORTION_BYTES = 256_000
PAUSE_S = 0.01
"""After each portion nothing is read for a moment: a flood is slowed to about 25 MB a second, and
the screen keeps its time."""

_END_S = 2.0  # for the system to tell that a killed process has ended
_REST_S = 0.5  # for what is still in the pipe


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    status: int | None
    """Its exit code; the negative number of the signal that ended it; None where it was stopped
    at its time limit."""
    seconds: float
    left: int
    """Processes that it had left running; they were ended."""


async def run_shell(
    command: str, folder: Path, seconds: float, take: Callable[[bytes], None]
) -> Ended:
    """Runs a command to its end, to the time limit, or until the task is cancelled.

    Whichever it is, everything that the command started is ended, in the background too.

    Args:
        command: What the shell gets, to the letter.
        folder: Where it runs.
        seconds: Time limit.
        take: Told the output, errors included, as it comes.

    Raises:
        OSError: The shell could not be started.
    """
    mark, started, began = uuid4().hex, time.time(), time.monotonic()
    listener = _Listener(take)
    status, left = None, 0
    # A start that is cancelled half-way leaves a process that nobody knows: it is completed first.
    start = asyncio.create_task(_start(listener, command, folder, mark))
    try:
        await asyncio.shield(start)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                status = await asyncio.shield(listener.exited)
    finally:
        end = asyncio.create_task(_end(listener, start, mark, started))
        left = await asyncio.shield(end)
    return Ended(status, time.monotonic() - began, left)


class _Listener(asyncio.SubprocessProtocol):
    """Hands the output on, and knows when the shell and its output have ended."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        loop = asyncio.get_running_loop()
        self._take = take
        self._portion = 0
        self.transport: SubprocessTransport | None = None
        self.exited: asyncio.Future[int] = loop.create_future()
        self.drained: asyncio.Future[None] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The shell runs."""
        if isinstance(transport, SubprocessTransport):
            self.transport = transport

    def pipe_data_received(self, _fd: int, data: bytes | str) -> None:
        """A piece of output came."""
        if isinstance(data, str):
            return
        self._take(data)
        self._portion += len(data)
        pipe = self._pipe()
        if self._portion >= PORTION_BYTES and pipe is not None:
            pipe.pause_reading()
            asyncio.get_running_loop().call_later(PAUSE_S, self._go_on)

    def pipe_connection_lost(self, _fd: int, _exc: Exception | None) -> None:
        """Nobody holds the other end of the pipe any more."""
        if not self.drained.done():
            self.drained.set_result(None)

    def process_exited(self) -> None:
        """The shell has ended; what it started may still run and hold the pipe."""
        status = None if self.transport is None else self.transport.get_returncode()
        if not self.exited.done():
            self.exited.set_result(0 if status is None else status)

    def _go_on(self) -> None:
        self._portion = 0
        pipe = self._pipe()
        if pipe is not None and not pipe.is_closing():
            pipe.resume_reading()

    def _pipe(self) -> asyncio.ReadTransport | None:
        pipe = None if self.transport is None else self.transport.get_pipe_transport(1)
        return pipe if isinstance(pipe, asyncio.ReadTransport) else None


async def _start(listener: _Listener, command: str, folder: Path, mark: str) -> None:
    loop = asyncio.get_running_loop()
    environment = {**for_commands(os.environ), "PWD": str(folder), MARK: mark}
    if os.name == "nt":
        await loop.subprocess_shell(
            lambda: listener,
            command,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env=environment,
        )
        return
    # `--`: a command that begins with a dash is no option of the shell.
    await loop.subprocess_exec(
        lambda: listener,
        *("/bin/sh", "-c", "--", command),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )


async def _end(listener: _Listener, start: "asyncio.Task[None]", mark: str, started: float) -> int:
    """Ends what still runs, and takes the rest of the output."""
    await asyncio.wait((start,))
    transport = listener.transport
    if transport is None or start.cancelled() or start.exception() is not None:
        return 0
    left = await asyncio.to_thread(end_tree, transport.get_pid(), mark, started)
    await asyncio.wait((listener.exited,), timeout=_END_S)
    await asyncio.wait((listener.drained,), timeout=_REST_S)
    transport.close()
    return left
