"""A conversation that is played: what was recorded is said again (LAB-1, LAB-4).

No model answers in it. Everything that memory does with what is said is real.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from app.backend.protocol import Usage
from app.chat.conversation import Conversation
from app.chat.happenings import (
    AnswerAdded,
    AnswerGrew,
    Asked,
    Failed,
    Happening,
    HelperAnswered,
    ToolCalled,
    ToolEnded,
    UserAdded,
)
from app.chat.models import chosen_summariser, exact_counter, model_chosen
from app.chat.tool_calls import Call
from app.lab.pace import Pace
from app.lab.scenes import CALL_S, SHORTEST_S, Scene, pieces, reading_s
from app.tools.tool import HelperTask
from app.transfer.messages import RecordedMessage
from memory import parts
from memory.answer import StoredMessage
from memory.budget import DEFAULT_WINDOW
from memory.errors import StrataError
from memory.events import ModelChosen, RequestEnded
from memory.memory import Memory
from memory.tokens import ESTIMATED_MESSAGE_OVERHEAD, ESTIMATED_REQUEST_OVERHEAD

PLAYED = "recorded"
"""What stands for the model where none counts the tokens."""
NO_ANSWER = Failed(
    "No model answers in a conversation that is played.",
    "Look around with F2 to F5 and the @commands; `strata` opens a chat of your own.",
    "played",
)
TOKENIZER = "estimate"
LOOK_S = 0.05
"""Between two looks at whether a compaction still runs."""
LONGEST_FOLD_S = 6.0
"""Longest wait for one; after that it goes on behind what is said, as it does in the chat."""


class Played(Conversation):
    """A conversation without a model that answers; one may write the summaries."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.pace = Pace()
        self._waking: asyncio.Task[None] | None = None

    def stop(self) -> None:
        """Ends the play as well, so that nobody waits for it."""
        self.pace.end()
        super().stop()

    async def turn(self, text: str) -> AsyncGenerator[Happening, None]:  # noqa: ARG002
        """Says that nobody answers here."""
        yield NO_ANSWER

    async def respond(self) -> AsyncGenerator[Happening, None]:
        """Says that nobody answers here."""
        yield NO_ANSWER

    async def delegate(
        self,
        task: HelperTask,  # noqa: ARG002
    ) -> AsyncGenerator[Happening, None]:
        """Says that nobody answers here."""
        yield NO_ANSWER

    async def _found(self, name: str) -> Callable[[], Awaitable[None]]:
        """Lets summaries be written as the settings say: by rule where they name no model."""
        wanted = self.settings.model
        chosen, counter, writer = _nobody(self.settings.memory.context_window), None, None
        if name != PLAYED:
            info = await self.backend.describe(name)
            chosen = model_chosen(info, wanted.context_window)
            counter = exact_counter(self.backend, info)
        if wanted.summary_model is not None:
            info = await self.backend.describe(wanted.summary_model)
            writer = await chosen_summariser(self.backend, info, wanted)
            # The play begins meanwhile: the first summary comes after some messages only.
            self._waking = asyncio.create_task(self._wake(info.name), name="strata writer")
        searched = self.settings.memory.recall.enabled
        brought = self._embedder() if searched else None
        return lambda: self.memory.use_model(chosen, counter, writer, embedder=brought)

    async def _wake(self, writer: str) -> None:
        with suppress(StrataError):  # the first summary says what is wrong
            await self.backend.count(writer, [""])

    async def _end(self) -> None:
        if self._waking is not None:
            self._waking.cancel()
        await super()._end()


async def played(
    memory: Memory, scene: Scene, pace: Pace, *, asks: bool
) -> AsyncGenerator[Happening, None]:
    """Says the messages of a scene, one after the other, at a pace that can be followed.

    What they make due is done before the next one is said.

    Args:
        memory: The session.
        scene: What is said.
        pace: How fast.
        asks: Whether each answer has a request before it, with all that is brought to it.
    """
    player = _Player(memory, pace, asks=asks)
    for place, message in enumerate(scene.spoken):
        following = scene.spoken[place + 1 :]
        async for happening in player.say(message, following):
            yield happening
        await _folded(memory, everything=not asks)
        await pace.wait(reading_s(message.content))


async def _folded(memory: Memory, *, everything: bool) -> None:
    """Waits until memory is folded as far as it is due: always to the end where that is wanted."""
    if everything:
        await memory.settled()
        return
    with suppress(TimeoutError):
        async with asyncio.timeout(LONGEST_FOLD_S):
            while True:
                await asyncio.sleep(LOOK_S)
                if memory.snapshot().running is None:
                    break


class _Player:
    """Says the messages of one scene."""

    def __init__(self, memory: Memory, pace: Pace, *, asks: bool) -> None:
        self._memory = memory
        self._pace = pace
        self._asks = asks
        self._names: dict[str, str] = {}
        """The tools that were called, by the calls' ids."""

    async def say(
        self, message: RecordedMessage, following: Sequence[RecordedMessage]
    ) -> AsyncGenerator[Happening, None]:
        """One message, with what is seen of it."""
        if message.role == "assistant":
            async for happening in self._answer(message):
                yield happening
            return
        if message.role == "tool":
            await self._pace.wait(CALL_S)
        stored = await self._add(message, None)
        if message.role == "tool":
            call = message.tool_call_id or ""
            name = self._names.get(call, "tool")
            yield ToolEnded(call, name, stored, ok=True, seconds=CALL_S, item=stored.item)
        elif message.role == "user" and following:
            yield UserAdded(stored)
        else:
            yield HelperAnswered(stored, stored.content)

    async def _add(self, message: RecordedMessage, request: str | None) -> StoredMessage:
        """Has memory take in a message; it is shown with the time at which it was said."""
        new = replace(message.imported(), request=request)
        (stored,) = await self._memory.add_all([new])
        return replace(stored, at=message.at or stored.at)

    async def _answer(self, message: RecordedMessage) -> AsyncGenerator[Happening, None]:
        began, request = time.monotonic(), None
        if self._asks:
            prompt = await self._memory.prompt()
            request = await self._memory.prepare(prompt)
            yield Asked(request, prompt.tokens, prompt.budget.limit)
        await self._pace.wait(SHORTEST_S)
        for text, seconds in pieces(message.content):
            yield AnswerGrew(text)
            await self._pace.wait(seconds)
        stored = await self._add(message, request)
        if request is not None:
            await self._memory.ended(_ended(request, time.monotonic() - began))
        calls = tuple(_call(call) for call in message.tool_calls)
        self._names |= {call.id: call.name for call in calls}
        yield _added(stored, time.monotonic() - began, calls)
        for call in calls:
            yield ToolCalled(call.id, call.name, call.arguments)


def _added(stored: StoredMessage, seconds: float, calls: tuple[Call, ...]) -> AnswerAdded:
    return AnswerAdded(stored, Usage(reported=False), seconds, None, calls=calls)


def _ended(request: str, seconds: float) -> RequestEnded:
    return RequestEnded(
        request=request,
        attempt=1,
        model=PLAYED,
        outcome="ok",
        usage=parts.Usage(),
        duration_s=round(seconds, 4),
    )


def _call(call: Any) -> Call:
    """A call in OpenAI's form; what is not in that form is shown as it is."""
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    values = None
    with suppress(ValueError, RecursionError):
        values = json.loads(text)
    return Call(
        str(call.get("id", "")),
        str(function.get("name") or "tool"),
        text,
        values if isinstance(values, dict) else None,
    )


def _nobody(window: int | None) -> ModelChosen:
    """What is recorded where no model counts: as a replay, everything is estimated."""
    return ModelChosen(
        PLAYED,
        window or DEFAULT_WINDOW,
        TOKENIZER,
        "estimate",
        ESTIMATED_MESSAGE_OVERHEAD,
        ESTIMATED_REQUEST_OVERHEAD,
    )
