"""An MCP server as a process: lines in, lines out, its errors in a log, and its end."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress

from app.backend.mcp_leash import Leash, end_group
from app.backend.mcp_log import ServerLog

LONGEST_LINE_BYTES = 32 * 1024 * 1024
"""One message is one line; a longer one is a mistake of the server."""

LOG_LINE_BYTES = 8_000
STOP_GRACE_S = 1.0
"""For a server to end once its input has closed, and again once it is told."""

_ON_WINDOWS = (
    "APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE SYSTEMDRIVE "
    "SYSTEMROOT TEMP USERNAME USERPROFILE"
)
_ELSEWHERE = "HOME LANG LC_ALL LOGNAME PATH SHELL TERM TMPDIR TZ USER"
INHERITED = (_ON_WINDOWS if os.name == "nt" else _ELSEWHERE).split()
"""Of the environment a server gets these, and what the configuration gives it: no other's keys."""

POLL_S = 0.01


class ServerProcess:
    """A server that runs. Made by `start`, ended by `stop`."""

    def __init__(self, process: Process, log: ServerLog, leash: Leash) -> None:
        self._process = process
        self._leash = leash
        self._errors = asyncio.create_task(self._keep_errors(log), name="mcp-stderr")
        leash.hold(process.pid)

    @classmethod
    async def start(
        cls,
        command: str,
        args: Sequence[str],
        environment: Mapping[str, str],
        log: ServerLog,
        leash: Leash,
    ) -> ServerProcess:
        """Starts a server in a process group of its own, in the working directory.

        Raises:
            OSError: It can't be started; FileNotFoundError where there is no such program.
            ValueError: A text holds what the system takes in no argument.
        """
        found = shutil.which(command, path=environment.get("PATH"))
        if found is None:
            raise FileNotFoundError(command)
        process = await asyncio.create_subprocess_exec(
            found,
            *args,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=dict(environment),
            limit=LONGEST_LINE_BYTES,
            start_new_session=True,
        )
        return cls(process, log, leash)

    @property
    def exit_code(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.returncode

    async def lines(self) -> AsyncIterator[bytes]:
        """What it writes, line by line, until it closes its output.

        Raises:
            ValueError: A line is longer than any message.
        """
        output = self._process.stdout
        while output is not None and (line := await output.readline()):
            yield line

    async def send(self, line: bytes) -> None:
        """Writes a line to it.

        Raises:
            ConnectionError: It reads no more.
        """
        if self._process.stdin is not None:
            self._process.stdin.write(line)
            await self._process.stdin.drain()

    async def ended(self, timeout: float) -> bool:
        """Waits for its end for so many seconds; returns whether it came."""
        # `Process.wait` also waits for pipes, which a grandchild may hold open.
        for _ in range(round(timeout / POLL_S)):
            if self._process.returncode is not None:
                break
            await asyncio.sleep(POLL_S)
        return self._process.returncode is not None

    async def stop(self) -> None:
        """Closes its input, tells it to end, and kills it and all that it started."""
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
            if not await self.ended(STOP_GRACE_S):
                self._signal(signal.SIGTERM)
                await self.ended(STOP_GRACE_S)
        finally:
            self._kill()
            self._errors.cancel()
            self._leash.let_go(self._process.pid)
        await self.ended(STOP_GRACE_S)

    def _signal(self, number: signal.Signals) -> None:
        if os.name == "posix":
            end_group(self._process.pid, number)
        elif self._process.returncode is None:
            self._process.terminate()

    def _kill(self) -> None:
        """Kills what is left of its group; its leader may have gone before."""
        self._signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)

    async def _keep_errors(self, log: ServerLog) -> None:
        """Writes whole lines, so that a secret is seen even where it came in two pieces."""
        errors = self._process.stderr
        held = b""
        try:
            while errors is not None and (piece := await errors.read(LOG_LINE_BYTES)):
                whole, end, held = (held + piece).rpartition(b"\n")
                if len(held) > LOG_LINE_BYTES:
                    whole, end, held = whole + end + held, b"\n", b""
                _log(log, whole + end)
        finally:
            _log(log, held)
            log.close()


def _log(log: ServerLog, lines: bytes) -> None:
    with suppress(OSError):  # a full disk must not stop the server
        if lines:
            log.write(lines)


def server_environment(own: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """The environment of a server.

    Args:
        own: This process's environment.
        given: What the configuration gives the server, its secrets put in.
    """
    return {name: own[name] for name in INHERITED if name in own} | dict(given)
