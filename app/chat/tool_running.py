"""Carries out the calls of one answer, side by side where they may, and keeps their results."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.chat.desk import Bench, CallDesk
from app.chat.happenings import Happening, ToolCalled, ToolEnded
from app.chat.repeats import Repeats
from app.chat.tool_calls import Call, unknown_tool
from app.tools.tool import Tool, ToolResult
from memory.answer import NewMessage, StoredMessage
from memory.errors import StrataError
from memory.finishing import finish
from memory.results import KeptAs
from widgets.plain import one_line

LOGGER = logging.getLogger("strata.tools")
FORGET = "forget"
MOST_AT_ONCE = 8
"""Calls that run side by side: each may hold a thread, a connection or a process."""
MOST_CHARS = 10_000_000
"""Characters of one result: more than any tool of ours gives, less than a database refuses."""
LONGEST_SOURCE = 500
"""Characters of where a result came from: it stands in events, and an address has no bound."""
END_SECONDS = 10.0
"""Longest wait for calls that were stopped; a command's children are killed well before."""

STOPPED = "The user stopped this call."
NOT_BEGUN = "Not run: the user stopped the turn before."
FAULT = "The tool failed by a fault of its own. Try it otherwise, or do without it."
NOTHING = "It is done. There was no output."
CUT = "\n[Strata: the result was longer; the rest is left out.]"


@dataclass(slots=True)
class _Run:
    """A call on its way, and what came of it."""

    call: Call
    desk: CallDesk
    started: float | None = None
    seconds: float = 0.0
    """How long it ran, without what the user took to answer its questions."""
    result: ToolResult | None = None
    is_over: bool = False
    """Everything it had to tell was told."""

    @property
    def ending(self) -> ToolResult:
        """What came of it; where it was stopped, that, after what it had shown."""
        if self.result is not None:
            return self.result
        text = NOT_BEGUN if self.started is None else f"{self.desk.shown}\n\n{STOPPED}".lstrip()
        return ToolResult(text, ok=False, error="Stopped")


_Told = asyncio.Queue[Happening | _Run | None]
"""What happens, calls that have ended, and None once no more is to come."""


@dataclass(slots=True)
class Workers:
    """Runs the calls of a turn's answers.

    Args:
        bench: What the tools share.
        tools: The tools that are offered, by name.
        stop: Set when the user stops the turn.
    """

    bench: Bench
    tools: Mapping[str, Tool]
    stop: asyncio.Event
    calls: int = 0
    """Calls whose results were kept so far."""
    _repeats: Repeats = field(default_factory=Repeats)
    _room: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MOST_AT_ONCE))

    async def run(self, calls: Sequence[Call]) -> AsyncGenerator[Happening, None]:
        """Carries out calls and appends their results, in the order of the calls.

        However it ends, each call has its result on disk afterwards (I3): what was stopped has
        a sentence that says so.

        Raises:
            StrataError: A result could not be kept.
        """
        told: _Told = asyncio.Queue()
        runs = [_Run(call, CallDesk(self.bench, call.id, told.put_nowait)) for call in calls]
        waiting = deque(runs)
        working = asyncio.create_task(self._work(runs, told), name="strata tools")
        working.add_done_callback(lambda _: told.put_nowait(None))
        stopping = asyncio.create_task(self._tell_stop(told), name="strata tools stop")
        try:
            while waiting and (item := await told.get()) is not None:
                if not isinstance(item, _Run):
                    yield item
                    continue
                # Not its result: what the call showed stands before it in the queue.
                item.is_over = True
                while waiting and waiting[0].is_over:
                    yield await finish(self._keep(waiting))
        finally:
            stopping.cancel()
            stopped = await finish(self._end(working, waiting))
        for ended in stopped:
            yield ended

    async def refuse(self, calls: Sequence[Call], why: str, error: str) -> list[ToolEnded]:
        """Keeps a result for calls that are not run.

        Raises:
            StrataError: The results could not be kept.
        """
        result = ToolResult(why, ok=False, error=error)
        messages = [_message(call, why, result) for call in calls]
        stored = await self.bench.memory.add_all(messages)
        return [
            _ended(call, message, result, 0.0) for call, message in zip(calls, stored, strict=True)
        ]

    # -- inside

    async def _work(self, runs: Sequence[_Run], told: "_Told") -> None:
        for batch in self._batches(runs):
            async with asyncio.TaskGroup() as group:
                for run in batch:
                    group.create_task(self._carry_out(run, told))

    def _batches(self, runs: Sequence[_Run]) -> Iterator[list[_Run]]:
        """Calls that run side by side, one batch after the other; some tools run alone."""
        batch: list[_Run] = []
        for run in runs:
            tool = self.tools.get(run.call.name)
            if tool is not None and tool.alone:
                yield from ([batch] if batch else [])
                yield [run]
                batch = []
            else:
                batch.append(run)
        if batch:
            yield batch

    async def _carry_out(self, run: _Run, told: "_Told") -> None:
        call = run.call
        async with self._room:
            run.started = time.monotonic()
            told.put_nowait(ToolCalled(call.id, call.name, call.arguments))
            try:
                run.result = await self._result(run)
            except asyncio.CancelledError:
                if _is_cancelled():
                    raise
                # Something inside the tool was cancelled, not the call.
                LOGGER.exception("the tool %s cancelled itself", call.name)
                run.result = ToolResult(FAULT, ok=False, error="ToolFault")
            finally:
                run.seconds = max(0.0, time.monotonic() - run.started - run.desk.waited_s)
                run.desk.flush()
                told.put_nowait(run)

    async def _result(self, run: _Run) -> ToolResult:
        call = run.call
        tool = self.tools.get(call.name)
        if tool is None:
            return ToolResult(unknown_tool(call.name, self.tools), ok=False, error="UnknownTool")
        if call.values is None:
            return ToolResult(call.flaw, ok=False, error="BrokenArguments")
        try:
            return await tool.run(call.values, run.desk)
        except StrataError as error:
            text = f"{error.sentence} {error.next_step}".strip()
            return ToolResult(text, ok=False, error=type(error).__name__)
        except Exception:  # The rim: whatever a tool does wrong must not end the turn.
            LOGGER.exception("the tool %s failed", call.name)
            return ToolResult(FAULT, ok=False, error="ToolFault")

    async def _tell_stop(self, told: "_Told") -> None:
        await self.stop.wait()
        told.put_nowait(None)

    async def _end(self, working: "asyncio.Task[None]", waiting: Sequence[_Run]) -> list[ToolEnded]:
        """Stops what still runs, and keeps a result for each call that has none."""
        working.cancel()
        _, stuck = await asyncio.wait({working}, timeout=END_SECONDS)
        if stuck:
            LOGGER.error("a tool could not be stopped")
        elif not working.cancelled() and (error := working.exception()) is not None:
            LOGGER.error("the calls ended early", exc_info=error)
        messages = [_message(run.call, _text(run.ending), run.ending) for run in waiting]
        try:
            stored = await self.bench.memory.add_all(messages)
        except StrataError as failure:
            # The next turn says of them that they were interrupted.
            LOGGER.warning("results were not kept: %s", failure.sentence)
            return []
        kept = list(zip(waiting, stored, strict=True))
        try:
            for run, message in kept:
                if run.started is not None:
                    await self._record(run, message)
        except StrataError as failure:
            LOGGER.warning("how calls went was not recorded: %s", failure.sentence)
        return [_ended(run.call, message, run.ending, run.seconds) for run, message in kept]

    async def _keep(self, waiting: deque[_Run]) -> ToolEnded:
        """Appends the first result that waits; it waits until it is on disk."""
        run = waiting[0]
        result = run.ending
        text = self._repeats.told(run.call, _text(result))
        (message,) = await self.bench.memory.add_all([_message(run.call, text, result)])
        waiting.popleft()
        self.calls += 1
        await self._record(run, message)
        return _ended(run.call, message, result, run.seconds)

    async def _record(self, run: _Run, message: StoredMessage) -> None:
        """Records that a call ran, and how it went (GOAL-3)."""
        result = run.ending
        await self.bench.memory.execution.ran(
            tool=run.call.name,
            # What was to be forgotten would be kept here.
            arguments="{}" if run.call.name == FORGET else run.call.arguments,
            result=message.content,
            ok=result.ok,
            error=result.error,
            duration_s=run.seconds,
            number=message.number,
        )


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _text(result: ToolResult) -> str:
    text = result.text if result.text.strip() else NOTHING
    return text if len(text) <= MOST_CHARS else text[:MOST_CHARS] + CUT


def _message(call: Call, text: str, result: ToolResult) -> NewMessage:
    # What the tool says nothing about is told by its name.
    of = None if result.type == "action_result" else result.type
    source = one_line(result.source[:LONGEST_SOURCE])
    kept = KeptAs(source, of, result.tags, result.cites or None, result.is_content)
    return NewMessage("tool", text, "tool", tool_call_id=call.id, kept=kept)


def _ended(call: Call, message: StoredMessage, result: ToolResult, seconds: float) -> ToolEnded:
    return ToolEnded(call.id, call.name, message, result.ok, seconds, message.item, result.error)
