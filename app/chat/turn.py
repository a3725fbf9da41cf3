"""One request and its answer, from the prompt to the message on disk."""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import cast

from app.backend.client import Backend
from app.backend.errors import ModelFailure
from app.backend.protocol import Retrying, StreamEvent
from app.chat.asking import Asking, completion_request
from app.chat.exchange import Exchange, failed
from app.chat.happenings import Asked, Failed, Happening, Waiting
from memory.errors import StrataError
from memory.finishing import finish
from memory.memory import Memory
from memory.prompt import Prompt

LOGGER = logging.getLogger("strata.chat")
FIT_ATTEMPTS = 3
"""An exact count that is over the limit makes the prompt smaller; once nearly always suffices."""
SPARE_STEP = 1.02
"""Beyond the ratio of exact to counted, so that the next exact count is under the limit."""


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

    def takes(self, failure: StrataError, told: Failed, exchange: "Exchange") -> bool:
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
    exchange = Exchange(memory, prompt, memory.answer(request), asking)
    stream = backend.complete(completion_request(prompt, asking))
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
