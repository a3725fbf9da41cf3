"""A helper that the user sends: seen like a call of a tool, its answer said to the model (CHAT-11).

The answer becomes a message of the user's with the task and the answer as data, kept as a content
item: so every model sees it, those too that are offered no tools, and the log claims of no call
that the model never made.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import suppress
from time import monotonic

from app.chat.desk import Bench, CallDesk
from app.chat.happenings import (
    Happening,
    HelperAnswered,
    Reported,
    ToolCalled,
    ToolEnded,
)
from app.tools.delegate import NAME
from app.tools.tool import HelperTask, ToolResult
from memory.answer import StoredMessage
from memory.attaching import Attachment
from memory.clock import utc_now
from memory.errors import StrataError
from memory.finishing import finish
from memory.ids import new_id

TAG = "helper"
STOPPED = "Stopped"
_Told = asyncio.Queue[Happening | None]


async def by_hand(
    bench: Bench, task: HelperTask, stop: asyncio.Event
) -> AsyncGenerator[Happening, None]:
    """Has a helper work on a task, and says in the conversation what it answers.

    Args:
        bench: What the tools of the conversation share.
        task: What it is to do.
        stop: Set when the user stops it.
    """
    told: _Told = asyncio.Queue()
    desk = CallDesk(bench, new_id(), told.put_nowait)
    began = monotonic()
    yield ToolCalled(desk.call, NAME, _arguments(task))
    working = asyncio.create_task(_work(task, desk), name="strata helper")
    working.add_done_callback(lambda _: told.put_nowait(None))
    stopping = asyncio.create_task(_stop(working, stop), name="strata helper stop")
    try:
        while (happening := await told.get()) is not None:
            yield happening
    finally:
        stopping.cancel()
        working.cancel()
        await finish(_over(working))
    desk.flush()
    result = _stopped(desk) if working.cancelled() else working.result()
    yield _ended(desk, result, max(0.0, monotonic() - began - desk.waited_s))
    if not result.ok:
        yield Reported(result.text, "problem")
        return
    answer = Attachment(result.source, result.text, "action_result", (TAG,), _head(task))
    yield HelperAnswered(await bench.memory.hand_in(answer), result.text)


async def _work(task: HelperTask, desk: CallDesk) -> ToolResult:
    try:
        return await desk.delegate(task)
    except StrataError as error:
        text = f"{error.sentence} {error.next_step}".strip()
        return ToolResult(text, ok=False, error=type(error).__name__)


async def _stop(working: "asyncio.Task[ToolResult]", stop: asyncio.Event) -> None:
    await stop.wait()
    working.cancel()


async def _over(working: "asyncio.Task[ToolResult]") -> None:
    with suppress(asyncio.CancelledError):
        await asyncio.wait({working})


def _stopped(desk: CallDesk) -> ToolResult:
    return ToolResult(f"{desk.shown}\nYou stopped it.".lstrip(), ok=False, error=STOPPED)


def _ended(desk: CallDesk, result: ToolResult, seconds: float) -> ToolEnded:
    """How it is seen; the log has no message of the call, so it has no number."""
    shown = StoredMessage(0, "tool", result.text, utc_now())
    return ToolEnded(desk.call, NAME, shown, result.ok, seconds, None, result.error)


def _arguments(task: HelperTask) -> str:
    given = {"task": task.text, "memory": task.scope, "agent": task.agent}
    return json.dumps({key: value for key, value in given.items() if value}, ensure_ascii=False)


def _head(task: HelperTask) -> str:
    return f"I had a helper work on this task:\n{task.text.strip()}\n\nIts answer,"
