"""One completion from its request to its last event: attempts, retries, failures."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from app.backend.embedded import EmbeddedModels, place_of
from app.backend.errors import FailureKind, ModelFailure
from app.backend.failures import Place, explain, failure
from app.backend.gate import Gate
from app.backend.hosted import HostedModels
from app.backend.litellm_door import Call, LitellmDoor
from app.backend.protocol import (
    Attempt,
    CompletionRequest,
    Finished,
    Reading,
    Retrying,
    StreamEvent,
)
from app.backend.raw_stream import RawStream
from app.backend.retry import wait_before_retry
from app.backend.safelog import LOGGER
from app.backend.streams import Answer, Emit, Ending, flaw_of
from app.backend.symptoms import symptoms_of
from app.backend.text_stream import TextStream
from app.host.catalogue import is_embedded

HTML = "a web page instead of an answer"
LIMIT_USED_UP = ": its limit was used up before it wrote a word"
BREATHE_EVERY_S = 0.01
"""A stream whose chunks are all there already never waits: others must get their turn."""


@dataclass(frozen=True)
class Route:
    """Where a request goes, how failures speak of it, and which tools may come fenced."""

    call: Call
    place: Place
    fenced_tools: Collection[str] = ()


class Completer:
    """Carries out completions.

    Args:
        door: Where litellm is.
        embedded: The models on this machine.
        hosted: The models behind servers.
    """

    def __init__(self, door: LitellmDoor, embedded: EmbeddedModels, hosted: HostedModels) -> None:
        self._door = door
        self._embedded = embedded
        self._hosted = hosted

    async def complete(self, request: CompletionRequest, emit: Emit) -> Finished:
        """Carries out a request and returns its last event; the others go to `emit`.

        Raises:
            ModelFailure: It failed for good.
        """
        if not is_embedded(request.model):
            return await self._attempts(request, emit)
        gate = self._embedded.gate(request.model)
        if request.priority == "background":
            return await self._in_background(request, gate, emit)
        async with gate.chat():
            return await self._attempts(request, emit)

    async def _in_background(self, request: CompletionRequest, gate: Gate, emit: Emit) -> Finished:
        """Runs a request that a chat may interrupt; its events are passed on when it is whole.

        An interrupted request begins anew, so nothing of it may have been shown before.
        """

        async def run() -> tuple[list[StreamEvent], Finished]:
            events: list[StreamEvent] = []
            return events, await self._attempts(request, events.append)

        events, finished = await gate.background(run)
        for event in events:
            emit(event)
        return finished

    async def _attempts(self, request: CompletionRequest, emit: Emit) -> Finished:
        for number in itertools.count(1):
            emit(Attempt(number, request.model))
            try:
                return await self._attempt(request, emit)
            except _AttemptError as error:
                told = error.failure
                wait = None if error.started else _wait(told, number, request)
                LOGGER.info("attempt %d failed: %s, retry in %s s", number, told.kind, wait)
                if wait is None:
                    raise told from error
            emit(Retrying(number, wait, told.sentence))
            await asyncio.sleep(wait)
        raise AssertionError  # the count has no end

    async def _attempt(self, request: CompletionRequest, emit: Emit) -> Finished:
        """Sends the request once.

        Raises:
            _AttemptError: It failed; tells whether something of the answer had arrived.
        """
        try:
            route = await self._route(request)
        except ModelFailure as error:
            raise _AttemptError(error, started=False) from error
        answer = Answer(emit, route.fenced_tools, trims=request.prompt is not None)
        try:
            return await self._converse(request, route, answer)
        except ModelFailure as error:
            raise _AttemptError(error, started=answer.started) from error
        except TimeoutError as error:
            told = failure("stalled" if answer.started else "timeout", route.place)
            raise _AttemptError(told, started=answer.started) from error
        except Exception as error:  # The rim: what litellm raises has no common base.
            told = explain(symptoms_of(error, started=answer.started), route.place)
            raise _AttemptError(told, started=answer.started) from error
        finally:
            answer.flush()

    async def _route(self, request: CompletionRequest) -> Route:
        if not is_embedded(request.model):
            return Route(*await self._hosted.call(request))
        local = await self._embedded.model(request.model)
        tools = {str(tool.get("function", {}).get("name")) for tool in request.tools or ()}
        return Route(local.call(request), place_of(request.model, request), tools)

    async def _converse(self, request: CompletionRequest, route: Route, answer: Answer) -> Finished:
        """Opens the stream and reads it to its end, under the request's limits of silence."""
        await self._door.module()
        began = time.monotonic()
        clock = _Silence(request)
        async with clock.limit:
            stream = await self._door.open(route.call, lambda raw: clock.heard(raw, answer))
            try:
                async for piece in stream:
                    answer.add(piece)
                    await clock.note(answer)
            finally:
                await stream.close()
        return self._finish(request, route, answer, stream, clock.times(began))

    def _finish(
        self,
        request: CompletionRequest,
        route: Route,
        answer: Answer,
        stream: RawStream | TextStream,
        times: dict[str, float],
    ) -> Finished:
        ending = stream.ending()
        has_calls = answer.finish()
        flaw = flaw_of(ending, empty=answer.is_empty, empty_allowed=request.max_tokens == 0)
        if flaw is not None:
            raise failure(flaw, route.place, _detail(flaw, ending))
        reason = ending.finish_reason or "stop"
        if has_calls and reason != "length":
            reason = "tool_calls"
        rates = {
            key: float(value) for key, value in stream.timings.items() if key.endswith("_second")
        }
        return Finished(
            reason,
            stream.usage(),
            request.model,
            tuple(answer.thinking_blocks),
            {**times, **rates},
        )


class _AttemptError(Exception):
    """One attempt failed."""

    def __init__(self, failure: ModelFailure, *, started: bool) -> None:
        super().__init__(failure.kind)
        self.failure = failure
        self.started = started


class _Silence:
    """Limits how long the server may be silent: first until it answers, then between chunks."""

    def __init__(self, request: CompletionRequest) -> None:
        self._stall_s = request.stall_s
        self._first: float | None = None
        self._breathed = 0.0
        self.limit = asyncio.timeout(request.timeout_s)

    def heard(self, raw: Any, answer: Answer) -> None:
        """Notes a chunk as the provider sent it, and passes on the progress of reading."""
        self._extend()
        progress = getattr(raw, "prompt_progress", None)
        if progress:
            answer.emit(Reading(int(progress["processed"]), int(progress["total"])))

    async def note(self, answer: Answer) -> None:
        """Notes a chunk as litellm passed it on."""
        now = time.monotonic()
        self._extend()
        if self._first is None and answer.started:
            self._first = now
        if now - self._breathed > BREATHE_EVERY_S:
            self._breathed = now
            await asyncio.sleep(0)

    def _extend(self) -> None:
        self.limit.reschedule(asyncio.get_running_loop().time() + self._stall_s)

    def times(self, began: float) -> dict[str, float]:
        """Returns the measured times, in seconds."""
        total = time.monotonic() - began
        return {"first_token": (self._first or time.monotonic()) - began, "total": total}


def _detail(flaw: FailureKind, ending: Ending) -> str:
    """Returns what more can be said of an answer that ended wrongly."""
    if flaw == "malformed" and ending.content_type.startswith("text/html"):
        return HTML
    if flaw == "empty" and ending.finish_reason == "length":
        return LIMIT_USED_UP
    return ""


def _wait(told: ModelFailure, number: int, request: CompletionRequest) -> float | None:
    jitter = random.random()  # noqa: S311 - spreads retries, keeps no secret
    return wait_before_retry(told, number, jitter, max_retries=request.max_retries)


def warming(request: CompletionRequest) -> CompletionRequest:
    """Returns a request that only lets the model read, in the background."""
    return replace(request, max_tokens=0, priority="background", max_retries=0)
