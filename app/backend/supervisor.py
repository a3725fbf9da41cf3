"""Keeps the backend's child process running and routes frames to who waits for them."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from app.backend.errors import ModelFailure, ProtocolError
from app.backend.frames import encode_frame, parse_body, parse_length
from app.backend.mcp_protocol import MCP_EVENT
from app.backend.protocol import BackendSettings, JsonObject
from memory.storage.folders import make_own

FIRST_BACKOFF_S = 0.1
LONGEST_BACKOFF_S = 10.0
"""The wait before a restart doubles with each crash, so that a child that cannot start does not
keep the machine busy."""

STEADY_AFTER_S = 30.0
"""A child that lived this long was healthy: its crash counts as the first."""

PING_EVERY_S = 10.0
HUNG_AFTER_S = 30.0
"""A child that says nothing for so long after a ping is hung. Importing litellm on a busy machine
delays an answer by a few seconds at most."""

CLOSE_GRACE_S = 1.0
LOG_LIMIT_BYTES = 2_000_000
CHILD_LOG = "backend.log"
QUIET = {"ORT_DISABLE_TELEMETRY": "1", "OTEL_SDK_DISABLED": "true"}
"""Must stand in the child's environment when onnxruntime is loaded: later it has begun to tell.
The second one is for the SDK of MCP, which records spans where OpenTelemetry collects any."""


class Answers:
    """The answers to one request, in the order they come."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[JsonObject | ModelFailure] = asyncio.Queue()

    def put(self, answer: JsonObject | ModelFailure) -> None:
        """Adds what came; a failure is the last thing to come."""
        self._queue.put_nowait(answer)

    async def next(self) -> JsonObject:
        """Waits for the next answer.

        Raises:
            ModelFailure: The request failed, or the child crashed.
        """
        answer = await self._queue.get()
        if isinstance(answer, ModelFailure):
            raise answer
        return answer


class Supervisor:
    """Owns the child: starts it, restarts it after a crash, ends it.

    Args:
        settings: What the child is told when it starts.
        on_news: Given what the child tells of MCP servers without having been asked.
    """

    def __init__(
        self, settings: BackendSettings, on_news: Callable[[JsonObject], None] = lambda _: None
    ) -> None:
        self._settings = settings
        self._on_news = on_news
        self._waiting: dict[int, Answers] = {}
        self._process: Process | None = None
        self._settled = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._wanted = asyncio.Event()
        self._start_failure: ModelFailure | None = None
        self._frames_heard = 0

    def start(self, *, when_asked: bool = False) -> None:
        """Begins to keep a child running; returns at once.

        Args:
            when_asked: The child is started with the first request, and perhaps never.
        """
        if not when_asked:
            self._wanted.set()
        self._keeper = asyncio.create_task(self._keep_running(), name="backend-supervisor")

    @asynccontextmanager
    async def exchange(self, number: int, body: JsonObject) -> AsyncIterator[Answers]:
        """Sends a request and hands out its answers.

        Leaving the block before the last answer cancels the request in the child, without
        waiting for it.

        Raises:
            ModelFailure: The request failed, or the child crashed.
        """
        frame = encode_frame({**body, "id": number})
        await self._wait_until_up()
        answers = Answers()
        self._waiting[number] = answers
        try:
            self._send(frame)
            yield answers
        finally:
            if self._waiting.pop(number, None) is not None:
                self._send(encode_frame({"id": 0, "op": "cancel", "target": number}))

    async def close(self) -> None:
        """Ends the child: closes its input, and kills it if it stays."""
        keeper, self._keeper = self._keeper, None
        if keeper is None:
            return
        keeper.cancel()
        with suppress(asyncio.CancelledError):
            await keeper
        self._fail_all(_closed())

    async def _wait_until_up(self) -> None:
        if self._keeper is None:
            raise _closed()
        self._wanted.set()
        await self._settled.wait()
        if self._start_failure is not None:
            raise self._start_failure

    def _send(self, frame: bytes) -> None:
        """Hands a frame to the pipe; a dead child is noticed by its reader, not here."""
        process = self._process
        if process is not None and process.stdin is not None and not process.stdin.is_closing():
            process.stdin.write(frame)

    async def _keep_running(self) -> None:
        backoff = FIRST_BACKOFF_S
        await self._wanted.wait()
        while True:
            started = time.monotonic()
            try:
                await self._run_once()
                self._fail_all(_crashed())
            except OSError as error:
                self._start_failure = _not_startable(error)
                self._settled.set()
            if time.monotonic() - started > STEADY_AFTER_S:
                backoff = FIRST_BACKOFF_S
            await asyncio.sleep(backoff)
            backoff = min(backoff * 2, LONGEST_BACKOFF_S)

    async def _run_once(self) -> None:
        """Runs one child until it ends."""
        process = await self._spawn()
        self._process = process
        self._start_failure = None
        try:
            self._send(encode_frame({"id": 0, "op": "configure", **self._settings.to_json()}))
            self._settled.set()
            watch = asyncio.create_task(self._watch(process), name="backend-watch")
            try:
                await self._route(process)
            finally:
                watch.cancel()
        finally:
            self._settled.clear()
            self._process = None
            await _end(process)

    async def _spawn(self) -> Process:
        log = _open_log(self._settings.data_dir / "log")
        try:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                "app.backend.server",
                stdin=PIPE,
                stdout=PIPE,
                stderr=log,
                env={**os.environ, **QUIET, **self._settings.environment},
            )
        finally:
            os.close(log)

    async def _route(self, process: Process) -> None:
        """Gives each frame to who waits for it, until the child's output ends."""
        output = process.stdout
        if output is None:
            return
        with suppress(
            asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ProtocolError
        ):
            while True:
                length = parse_length(await output.readuntil(b"\n"))
                self._deliver(parse_body(await output.readexactly(length + 1)))

    async def _watch(self, process: Process) -> None:
        """Kills a child that hangs while somebody waits for it."""
        while True:
            await asyncio.sleep(PING_EVERY_S)
            if not self._waiting:
                continue
            heard, asked = self._frames_heard, time.monotonic()
            self._send(encode_frame({"id": 0, "op": "ping"}))
            await asyncio.sleep(HUNG_AFTER_S)
            # Where this process was stopped meanwhile, so was the child: it had no time to answer.
            stopped = time.monotonic() - asked > HUNG_AFTER_S + PING_EVERY_S
            if self._waiting and heard == self._frames_heard and not stopped:
                process.kill()
                return

    def _deliver(self, message: JsonObject) -> None:
        self._frames_heard += 1
        number = message.get("id")
        answers = self._waiting.get(number) if isinstance(number, int) else None
        kind = message.get("event")
        if kind == MCP_EVENT:
            self._on_news(message)
        if answers is None:
            return
        if kind in ("done", "error"):
            del self._waiting[message["id"]]
        if kind == "error":
            answers.put(ModelFailure.from_json(message))
        else:
            answers.put(message)

    def _fail_all(self, failure: ModelFailure) -> None:
        waiting, self._waiting = self._waiting, {}
        for answers in waiting.values():
            answers.put(failure)


async def _end(process: Process) -> None:
    """Closes the child's input, which ends it, and kills it if it does not follow."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), CLOSE_GRACE_S)
    except (TimeoutError, asyncio.CancelledError):
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _open_log(folder: Path) -> int:
    """Opens the file that takes the child's standard error; the null device where it cannot."""
    path = folder / CHILD_LOG
    with suppress(OSError):
        make_own(folder)
        if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
            path.replace(path.with_suffix(".log.1"))
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    return os.open(os.devnull, os.O_WRONLY)


def _crashed() -> ModelFailure:
    return ModelFailure(
        "The part of Strata that talks to models stopped unexpectedly.",
        f"It starts again by itself: send the message again. {CHILD_LOG} says more.",
        kind="backend_crashed",
        retryable=True,
    )


def _not_startable(error: OSError) -> ModelFailure:
    return ModelFailure(
        f"The part of Strata that talks to models could not be started: {error.strerror}.",
        "Free memory or disk space and try again.",
        kind="backend_crashed",
        retryable=True,
    )


def _closed() -> ModelFailure:
    return ModelFailure(
        "Strata is closing.", "Start it again and send the message.", kind="backend_crashed"
    )
