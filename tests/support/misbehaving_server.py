"""A small OpenAI-compatible server on loopback that misbehaves on command.

The model's name in the request says what to do: one of `SCRIPTS`, or `NAMExN` to misbehave for
the first N requests of that name and answer well afterwards (`503x1`). `takes-CHARS-HOW` answers
well what has at most so many characters, and refuses the rest with `figures`, as `llama` does, or
as a script does. It is written on bare sockets, so that it can also break the rules of HTTP.

    async with MisbehavingServer() as server:
        ... api_base=server.api_base, model="openai/503x1" ...

`run_in_thread()` offers the same to tests without an event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Self

from tests.support.misbehaviour import GOOD_ANSWER, SCRIPTS, SECRET_ECHO, Script, good, takes_only
from tests.support.replies import Reply, Seen

__all__ = ["GOOD_ANSWER", "SECRET_ECHO", "MisbehavingServer", "closed_port", "run_in_thread"]


class MisbehavingServer:
    """Answers `POST …/chat/completions` as the model's name commands."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self._counts: Counter[str] = Counter()
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._go_on = asyncio.Event()
        self._go_on.set()
        self.port = 0

    @property
    def api_base(self) -> str:
        """The address that an OpenAI-compatible client is given."""
        return f"http://127.0.0.1:{self.port}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=2**26)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def requests(self, model: str) -> list[Seen]:
        """The requests for a model, in the order they came."""
        return [seen for seen in self.seen if seen.model == model]

    @contextlib.contextmanager
    def holding(self) -> Iterator[None]:
        """Answers of the model `held` stop half way until the block is left."""
        self._go_on.clear()
        try:
            yield
        finally:
            self.let_go()

    def let_go(self) -> None:
        """Lets the answers that are held go on."""
        self._go_on.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        try:
            seen = await _read_request(reader)
            self.seen.append(seen)
            await self._answer(reader, Reply(writer, seen, self._go_on))
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # The client has gone, or the server is being closed.
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, reply: Reply) -> None:
        """Runs the script until it ends or the client goes away."""
        script = asyncio.ensure_future(self._script(reply.seen.model)(reply))
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({script, gone}, return_when=asyncio.FIRST_COMPLETED)
            if script.done():
                script.result()
        finally:
            reply.seen.closed_at = time.monotonic()
            for part in (script, gone):
                part.cancel()
            await asyncio.gather(script, gone, return_exceptions=True)

    def _script(self, model: str) -> Script:
        name, _, times = model.rpartition("x")
        self._counts[model] += 1
        if model.startswith("takes-"):
            _, chars, how = model.split("-", 2)
            return takes_only(int(chars), how)
        if name and times.isdigit():
            return SCRIPTS[name] if self._counts[model] <= int(times) else good
        return SCRIPTS.get(model, SCRIPTS["404"])


async def _read_request(reader: asyncio.StreamReader) -> Seen:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lines = head.split("\r\n")[1:]
    headers = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    data = await reader.readexactly(int(headers.get("content-length", "0")))
    body = json.loads(data) if data else {}
    return Seen(str(body.get("model", "")), body, headers)


def closed_port() -> int:
    """Returns a loopback port that nobody listens on."""
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


@contextlib.contextmanager
def run_in_thread() -> Iterator[MisbehavingServer]:
    """Runs the server in a thread with an event loop of its own."""
    server = MisbehavingServer()
    started = threading.Event()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def serve() -> None:
        async with server:
            started.set()
            await stop.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    started.wait(60)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)
        loop.close()
