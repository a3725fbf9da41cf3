"""One request and its answer, from the prompt to the message on disk."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import cast

from app.backend.client import Backend
from app.backend.errors import ModelFailure
from app.backend.protocol import (
    Attempt,
    CompletionRequest,
    Delta,
    Finished,
    Reading,
    Retrying,
    StreamEvent,
    ToolCall,
    Usage,
)
from app.chat.happenings import (
    AnswerAdded,
    AnswerGrew,
    Asked,
    Failed,
    Happening,
    ReadingPrompt,
    Stopped,
    Waiting,
)
from app.chat.tool_calls import read_calls
from memory import parts
from memory.answer import Answer
from memory.errors import StrataError
from memory.events import RequestEnded
from memory.finishing import finish
from memory.memory import Memory
from memory.pieces import REMINDER
from memory.plain_prompt import TURN_STOPS
from memory.prompt import Prompt

LOGGER = logging.getLogger("strata.chat")
FIT_ATTEMPTS = 3
"""An exact count that is over the limit makes the prompt smaller; once nearly always suffices."""
REMINDER_BEGINS = 24
"""Characters of it that nobody else begins a line with."""
SPARE_STEP = 1.02
"""Beyond the ratio of exact to counted, so that the next exact count is under the limit."""

CALLING_TEMPERATURE = 0.2
"""Of models on this machine that may call tools: at their own, 0.8, the default one now and then
calls what does not exist, or puts the call between marks of its own making."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked."""

    model: str
    timeout_s: float
    stall_s: float
    temperature: float | None = None
    max_tokens: int | None = None
    local: bool = False
    """It runs on this machine, and needs to be told where its window ends."""


async def respond(
    memory: Memory, backend: Backend, asking: Asking, stop: asyncio.Event
) -> AsyncGenerator[Happening, None]:
    """Asks the model to answer the conversation as it stands.

    Whatever ends it (the model, the user by `stop` or by closing the generator, a failure),
    what had arrived is on disk afterwards and the next turn can begin. A provider that refuses
    the prompt as too large is asked once more with a smaller one (COMPACT-5). Tools that the
    answer calls are named in `AnswerAdded` and not run here.
    """
    refusal = _Refusal()
    try:
        prompt = await fitting_prompt(memory, backend, asking)
    except StrataError as error:
        yield failed(error)
        return
    async with aclosing(_ask(memory, backend, asking, stop, prompt, refusal)) as happenings:
        async for happening in happenings:
            yield happening
    if refusal.told is None:
        return
    yield Waiting("The provider takes less than this prompt: memory is made smaller.")
    smaller = await _smaller_prompt(memory, backend, asking, refusal)
    if smaller is None:
        yield refusal.told
        return
    async with aclosing(_ask(memory, backend, asking, stop, smaller, None)) as happenings:
        async for happening in happenings:
            yield happening


@dataclass(slots=True)
class _Refusal:
    """What a provider said when it refused a request as too large, before anything had arrived."""

    told: Failed | None = None
    failure: ModelFailure | None = None
    request: str = ""
    counted: int = 0

    def takes(self, failure: StrataError, told: Failed, exchange: "_Exchange") -> bool:
        """Takes in a failure, if it is such a refusal."""
        if not isinstance(failure, ModelFailure) or failure.kind != "too_large" or told.kept:
            return False
        self.told, self.failure = told, failure
        self.request = exchange.answer.request
        self.counted = exchange.prompt.tokens
        return True


async def _smaller_prompt(
    memory: Memory, backend: Backend, asking: Asking, refusal: _Refusal
) -> Prompt | None:
    """Learns what a refusal tells and compacts to fit; None where nothing gets smaller by it."""
    failure = refusal.failure
    limit, sent = (failure.limit_tokens, failure.sent_tokens) if failure else (None, None)
    try:
        await memory.refused(refusal.request, refusal.counted, limit, sent)
        prompt = await fitting_prompt(memory, backend, asking)
    except StrataError as error:
        LOGGER.warning("after a refusal: %s", error.sentence)
        return None
    return prompt if prompt.tokens < refusal.counted else None


async def _ask(
    memory: Memory,
    backend: Backend,
    asking: Asking,
    stop: asyncio.Event,
    prompt: Prompt,
    refusal: _Refusal | None,
) -> AsyncGenerator[Happening, None]:
    """One request and what comes of it; a refusal for size is only noted where one is given."""
    try:
        request = await memory.prepare(prompt)
    except StrataError as error:
        yield failed(error)
        return
    yield Asked(request, prompt.tokens, prompt.budget.limit)
    exchange = _Exchange(memory, prompt, memory.answer(request), asking)
    stream = backend.complete(_completion_request(prompt, asking))
    try:
        async with aclosing(_until(stop, stream)) as arriving:
            async for event in arriving:
                if isinstance(event, Retrying):
                    await memory.ended(exchange.failed_attempt(event))
                happening = exchange.take(event)
                if happening is not None:
                    yield happening
    except StrataError as failure:
        # The model's, or the disk's: an attempt that failed could not be recorded.
        told = await exchange.close_failed(failure)
        if refusal is None or not refusal.takes(failure, told, exchange):
            yield told
    except (GeneratorExit, asyncio.CancelledError):
        await exchange.close_stopped()
        raise
    else:
        yield await exchange.close()


async def fitting_prompt(memory: Memory, backend: Backend, asking: Asking) -> Prompt:
    """The next prompt, counted exactly where the model's template is known (PROMPT-3).

    Raises:
        PromptTooLarge: It can't be made to fit.
        ModelFailure: The model's host can't be reached.
    """
    spare = 1.0
    prompt = await memory.prompt()
    for _ in range(FIT_ATTEMPTS):
        messages = list(prompt.messages)
        tools = list(prompt.tools) or None
        exact = await backend.count_request(asking.model, messages, tools, prompt=prompt.text)
        if not exact.exact or exact.tokens is None:
            return prompt
        if exact.tokens <= prompt.budget.limit:
            ledger = replace(prompt.ledger, tokens=exact.tokens)
            return replace(prompt, tokens=exact.tokens, ledger=ledger)
        spare = max(spare, exact.tokens / max(1, prompt.tokens)) * SPARE_STEP
        prompt = await memory.prompt(spare=spare)
    return prompt


def _stops(prompt: Prompt) -> list[str] | None:
    """Texts that end the answer: turns of others, or the reminder, which small models repeat."""
    if prompt.text is not None:
        return list(TURN_STOPS)
    reminded = prompt.messages and str(prompt.messages[-1]["content"]).endswith(REMINDER)
    return [REMINDER.strip()[:REMINDER_BEGINS]] if reminded else None


def failed(error: StrataError) -> Failed:
    """What is told of a failure, where nothing is kept of an answer."""
    kind = error.kind if isinstance(error, ModelFailure) else type(error).__name__
    return Failed(error.sentence, error.next_step, kind)


def _completion_request(prompt: Prompt, asking: Asking) -> CompletionRequest:
    room = prompt.budget.window - prompt.tokens if asking.local else None
    longest = [tokens for tokens in (asking.max_tokens, room) if tokens is not None]
    return CompletionRequest(
        model=asking.model,
        messages=list(prompt.messages),
        max_tokens=min(longest) if longest else None,
        temperature=_temperature(prompt, asking),
        tools=list(prompt.tools) or None,
        timeout_s=asking.timeout_s,
        stall_s=asking.stall_s,
        prompt=prompt.text,
        stop=_stops(prompt),
    )


def _temperature(prompt: Prompt, asking: Asking) -> float | None:
    """How freely the model may choose its words; None leaves it to the model."""
    if asking.temperature is None and asking.local and prompt.tools:
        return CALLING_TEMPERATURE
    return asking.temperature


async def _until(
    stop: asyncio.Event, stream: AsyncIterator[StreamEvent]
) -> AsyncGenerator[StreamEvent, None]:
    """The events of a stream until it ends or `stop` is set; the stream is closed either way."""
    stopping = asyncio.create_task(stop.wait())
    async with aclosing(cast(AsyncGenerator[StreamEvent, None], stream)):
        try:
            while (event := await _arrived(stream, stopping)) is not None:
                yield event
        finally:
            stopping.cancel()


async def _arrived(
    stream: AsyncIterator[StreamEvent], stopping: "asyncio.Task[bool]"
) -> StreamEvent | None:
    """The next event of a stream; None at its end, or when `stopping` is done before."""
    arriving = asyncio.ensure_future(anext(stream, None))
    try:
        await asyncio.wait({arriving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        return arriving.result() if arriving.done() else None
    finally:
        if not arriving.done():
            # However this ends: a generator that still runs can't be closed.
            arriving.cancel()
            await finish(asyncio.wait({arriving}))


@dataclass(slots=True)
class _Exchange:
    """A request that is on its way, and what has come back."""

    memory: Memory
    prompt: Prompt
    answer: Answer
    asking: Asking
    started: float = field(default_factory=time.monotonic)
    attempt: int = 1
    first_token_s: float | None = None
    called: list[ToolCall] = field(default_factory=list)
    finished: Finished | None = None

    def take(self, event: StreamEvent) -> Happening | None:
        """Takes in an event of the stream; returns what there is to tell of it."""
        match event:
            case Attempt():
                self.attempt = event.n
            case Retrying():
                return Waiting(f"{event.reason} Trying again in {event.wait_s:.0f} s.")
            case Reading():
                return ReadingPrompt(event.done, event.total)
            case Delta():
                if self.first_token_s is None:
                    self.first_token_s = time.monotonic() - self.started
                self.answer.grow(event.text, event.reasoning)
                return AnswerGrew(event.text, event.reasoning)
            case ToolCall():
                self.called.append(event)
            case Finished():
                self.finished = event
        return None

    async def close(self) -> Happening:
        """Ends it after the stream has: finished, or stopped by the user."""
        if self.finished is None:
            return await self.close_stopped()
        return await self._close_finished(self.finished)

    async def close_stopped(self) -> Happening:
        """Keeps what had arrived when the user stopped it."""
        try:
            message = await self.answer.close(interrupted=True)
            await self.memory.ended(self._attempt("stopped", Usage()))
        except StrataError as error:
            return failed(error)
        self.memory.start_upkeep()
        return Stopped(message)

    async def close_failed(self, failure: StrataError) -> Failed:
        """Keeps what had arrived when the request failed."""
        told = failed(failure)
        try:
            message = await self.answer.close(interrupted=True)
            attempt = self._attempt("failed", Usage())
            await self.memory.ended(replace(attempt, error=told.kind))
        except StrataError as error:
            return failed(error)
        return replace(told, kept=message)

    async def _close_finished(self, finished: Finished) -> Happening:
        blocks = list(finished.thinking_blocks)
        cut_short = finished.finish_reason == "length"
        calls = read_calls(self.called, self._ids_in_use(), cut_short=cut_short)
        try:
            message = await self.answer.close(
                tool_calls=[call.message_part for call in calls],
                reasoning={"thinking_blocks": blocks} if blocks else None,
            )
            await self.memory.ended(self._attempt("ok", finished.usage))
        except StrataError as error:
            return failed(error)
        self.memory.start_upkeep()
        if message is None:
            return Failed(
                "The model answered nothing.", "Say it in other words, or @retry.", "empty"
            )
        seconds = time.monotonic() - self.started
        return AnswerAdded(message, finished.usage, seconds, self.first_token_s, cut_short, calls)

    def _ids_in_use(self) -> set[str]:
        """The ids of calls that the next prompt may show."""
        folding = self.memory.state.folding
        return {id for ref in (*folding.pinned, *folding.verbatim) for id in ref.call_ids}

    def failed_attempt(self, retrying: Retrying) -> RequestEnded:
        """The event of an attempt that failed and is followed by another."""
        attempt = self._attempt("failed", Usage())
        return replace(attempt, attempt=retrying.attempt, error=retrying.reason)

    def _attempt(self, outcome: parts.Outcome, usage: Usage) -> RequestEnded:
        first = self.first_token_s
        return RequestEnded(
            request=self.answer.request,
            attempt=self.attempt,
            model=self.asking.model,
            outcome=outcome,
            usage=parts.Usage(usage.input or 0, usage.output or 0, usage.cached, usage.cost),
            # Nothing is learned about our count from a figure the provider never gave.
            counted=self.prompt.tokens if usage.reported else 0,
            first_token_s=None if first is None else round(first, 4),
            duration_s=round(time.monotonic() - self.started, 4),
        )
