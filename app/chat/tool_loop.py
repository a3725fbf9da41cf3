"""A turn in which the model may call tools: asked, worked, asked again, until it answers."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from app.chat.asking import Asking
from app.chat.desk import Bench
from app.chat.exchange import failed
from app.chat.happenings import AnswerAdded, Asked, Failed, Happening, Stopped, TurnFigures
from app.chat.tool_calls import Call
from app.chat.tool_running import NOT_BEGUN, Workers
from app.chat.turn import respond
from app.tools.registry import Toolbox
from memory import parts
from memory.errors import StrataError

SPENT = (
    "Not run: the {count} requests that a turn may make are used up. Answer now with what you have."
)
CALLS_ON = "The model still wanted to call tools after {count} requests, and was stopped there."
GO_ON = "Write that it may go on, or raise max_rounds under [tools]."


async def answer(
    bench: Bench, box: Toolbox, asking: Asking, stop: asyncio.Event
) -> AsyncGenerator[Happening, None]:
    """Has the model answer the conversation as it stands, and carries out what it calls for.

    After `max_rounds` requests calls are no longer run: their results say so, and one more request
    lets the model answer with what it has. Tools are offered to the end, since some providers
    refuse a conversation with calls otherwise, and since the prompt's prefix stays the same (I9).

    However it ends, each call in the log has its result (I3), and the next turn can begin.
    """
    try:
        await bench.memory.offer_tools(box.schemas)
        await bench.memory.answer_open_calls()
    except StrataError as error:
        yield failed(error)
        return
    turn = _Turn(Workers(bench, box.tools, stop), bench.settings.max_rounds)
    async with aclosing(turn.run(asking)) as happenings:
        async for happening in happenings:
            yield happening


@dataclass(slots=True)
class _Turn:
    """The requests of one turn, and what comes between them."""

    workers: Workers
    most: int
    requests: int = 0
    usage: parts.Usage = field(default_factory=parts.Usage)
    began: float = field(default_factory=time.monotonic)

    async def run(self, asking: Asking) -> AsyncGenerator[Happening, None]:
        bench, stop = self.workers.bench, self.workers.stop
        calls: tuple[Call, ...]
        while True:
            calls = ()
            async with aclosing(respond(bench.memory, bench.backend, asking, stop)) as answering:
                async for happening in answering:
                    calls = happening.calls if isinstance(happening, AnswerAdded) else ()
                    yield self._counted(happening)
            if not calls:
                return
            try:
                async with aclosing(self._work(calls)) as working:
                    async for happening in working:
                        yield happening
            except StrataError as error:
                yield failed(error)
                return
            if stop.is_set():
                yield Stopped(None)
                return
            if self.requests > self.most:
                yield Failed(CALLS_ON.format(count=self.most), GO_ON, "rounds")
                return

    async def _work(self, calls: tuple[Call, ...]) -> AsyncGenerator[Happening, None]:
        """Carries out the calls of an answer, or says that the turn has no room for them."""
        if self.requests < self.most and not self.workers.stop.is_set():
            async with aclosing(self.workers.run(calls)) as working:
                async for happening in working:
                    yield happening
            return
        stopped = self.workers.stop.is_set()
        why = NOT_BEGUN if stopped else SPENT.format(count=self.most)
        for ended in await self.workers.refuse(calls, why, "Stopped" if stopped else "NotRun"):
            yield ended

    def _counted(self, happening: Happening) -> Happening:
        """The happening, with the figures of the turn where it ends a turn with tools."""
        if isinstance(happening, Asked):
            self.requests += 1
        if not isinstance(happening, AnswerAdded):
            return happening
        spent = happening.usage
        self.usage = parts.add_usage(
            self.usage, parts.Usage(spent.input, spent.output, spent.cached, spent.cost)
        )
        if happening.calls or not self.workers.calls:
            return happening
        seconds = time.monotonic() - self.began
        figures = TurnFigures(self.requests, self.workers.calls, self.usage, seconds)
        return replace(happening, turn=figures)
