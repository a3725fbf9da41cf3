"""The child process: reads requests from standard input, answers on standard output.

It ends at once when its input ends, whatever it is doing.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import Any

from app.backend.completion import Completer, warming
from app.backend.counting import Counter
from app.backend.describe import Describer
from app.backend.embedded import EmbeddedModels
from app.backend.embedding import Embedding
from app.backend.errors import ModelFailure
from app.backend.hosted import HostedModels
from app.backend.litellm_door import LitellmDoor, warm_up
from app.backend.mcp_protocol import MCP_EVENT, McpServerView
from app.backend.mcp_servers import McpServers
from app.backend.pipes import FrameWriter, read_frames, take_standard_output
from app.backend.protocol import (
    BackendSettings,
    CompletionRequest,
    JsonObject,
    StreamEvent,
    event_to_json,
)
from app.backend.safelog import LOGGER, set_up_logging, tame_library_loggers
from app.backend.vectors import Vectors
from app.host.catalogue import is_embedded
from app.host.store import ModelStore

Handler = Callable[[JsonObject, Callable[[StreamEvent], None]], Coroutine[Any, Any, JsonObject]]


class Server:
    """Carries out requests; each is a task that can be cancelled.

    Args:
        writer: Where answers go.
    """

    def __init__(self, writer: FrameWriter) -> None:
        self._writer = writer
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._door = LitellmDoor()
        self._embedded: EmbeddedModels | None = None
        self._handlers: dict[str, Handler] = {"ping": self._ping}
        self._warming: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to load litellm; call it inside the event loop."""
        # What is loaded stays: looking through it for garbage again and again takes a third of
        # the time (2.4 s of a processor against 1.6, measured).
        gc.disable()
        self._door.load()
        self._warming = asyncio.create_task(self._warm_up())

    def receive(self, message: JsonObject) -> None:
        """Takes a message from the screen's process."""
        match message.get("op"):
            case "configure":
                self._configure(BackendSettings.from_json(_without(message, "id", "op")))
            case "cancel":
                task = self._tasks.get(message["target"])
                if task is not None:
                    task.cancel()
            case _:
                number = message["id"]
                task = asyncio.create_task(self._serve(number, message))
                self._tasks[number] = task
                task.add_done_callback(lambda _: self._tasks.pop(number, None))

    def release(self) -> None:
        """Lets the model hosts go; can be called from any thread."""
        if self._embedded is not None:
            self._embedded.release()

    def _configure(self, settings: BackendSettings) -> None:
        self._embedded = embedded = EmbeddedModels(settings)
        hosted = HostedModels(self._door, settings)
        completer = Completer(self._door, embedded, hosted)
        counter = Counter(embedded)
        describer = Describer(self._door, embedded, hosted)
        embedding = Embedding(ModelStore(settings.models_dir), embedded)
        mcp = McpServers(settings, self._warm, self._show_mcp)

        async def complete(message: JsonObject, emit: Callable[[StreamEvent], None]) -> JsonObject:
            request = CompletionRequest.from_json(message["request"])
            return event_to_json(await completer.complete(request, emit))

        async def count(message: JsonObject, _emit: object) -> JsonObject:
            return _result(asdict(await counter.count(message["model"], message["texts"])))

        async def count_request(message: JsonObject, _emit: object) -> JsonObject:
            model, messages, tools = message["model"], message["messages"], message["tools"]
            if message["prompt"] is not None:
                return _result(asdict(await counter.count_text(model, message["prompt"])))
            return _result(asdict(await counter.count_request(model, messages, tools)))

        async def describe(message: JsonObject, _emit: object) -> JsonObject:
            return _result(asdict(await describer.describe(message["model"])))

        async def warm(message: JsonObject, _emit: object) -> JsonObject:
            if is_embedded(message["model"]):
                request = CompletionRequest(
                    message["model"],
                    message["messages"],
                    tools=message["tools"],
                    prompt=message["prompt"],
                )
                await completer.complete(warming(request), lambda _: None)
            return _result({})

        async def embed(message: JsonObject, _emit: object) -> JsonObject:
            return _result(asdict(await embedding.embed(message["texts"], message["priority"])))

        self._handlers |= {
            "complete": complete,
            "count": count,
            "count_request": count_request,
            "describe": describe,
            "embed": embed,
            "warm": warm,
            **mcp.handlers,
            **Vectors(settings).handlers,
        }

    async def _ping(self, _message: JsonObject, _emit: object) -> JsonObject:
        return _result({"pid": os.getpid(), "loaded": self._door.is_loaded})

    async def _serve(self, number: int, message: JsonObject) -> None:
        """Carries out a request and sends its events; the last is "done" or "error"."""
        try:
            async with asyncio.timeout(message.get("deadline_s")):
                handler = self._handlers[message["op"]]
                last = await handler(message, lambda event: self._send(number, event))
        except ModelFailure as error:
            last = error.to_json()
        except TimeoutError:
            last = _too_late().to_json()
        except Exception as error:  # noqa: BLE001 - the rim: a fault here must not end the child
            LOGGER.error("request %d (%s) failed", number, message.get("op"), exc_info=error)
            last = _fault().to_json()
        self._writer.send({**last, "id": number})

    def _send(self, number: int, event: StreamEvent) -> None:
        self._writer.send({**event_to_json(event), "id": number})

    def _show_mcp(self, server: McpServerView) -> None:
        """Tells of a server without having been asked."""
        self._writer.send({"id": 0, "event": MCP_EVENT, "server": server.to_json()})

    async def _warm(self) -> None:
        """Waits until the first request to a model is delayed by nothing that may wait."""
        if self._warming is not None:
            await asyncio.shield(self._warming)

    async def _warm_up(self) -> None:
        await self._door.module()
        tame_library_loggers()
        try:
            await warm_up(self._door)
        except Exception as error:  # noqa: BLE001 - only speed is lost
            LOGGER.warning("warming up failed", exc_info=error)
        finally:
            gc.freeze()
            gc.enable()


def main() -> None:
    """Runs the child until its input ends."""
    writer = FrameWriter(take_standard_output())
    # Ctrl-C in the terminal reaches the whole group; the parent decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_up_logging()
    asyncio.run(_run(Server(writer)))


async def _run(server: Server) -> None:
    loop = asyncio.get_running_loop()

    def leave() -> None:
        try:
            server.release()
        finally:
            os._exit(0)

    read_frames(lambda message: loop.call_soon_threadsafe(server.receive, message), leave)
    server.start()
    await asyncio.Event().wait()


def _result(values: JsonObject) -> JsonObject:
    return {"event": "done", "result": values}


def _without(message: JsonObject, *keys: str) -> JsonObject:
    return {key: value for key, value in message.items() if key not in keys}


def _too_late() -> ModelFailure:
    return ModelFailure(
        "The request took longer than it may.",
        "Send the message again, or choose another model.",
        kind="timeout",
        retryable=True,
    )


def _fault() -> ModelFailure:
    return ModelFailure(
        "Something went wrong inside Strata while talking to the model.",
        "Send the message again; backend.log says more.",
        kind="internal",
        retryable=True,
    )


if __name__ == "__main__":
    main()
