"""The calls of a turn as they are shown: they run, show output, and end (CHAT-10)."""

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from app.chat.happenings import PermissionWanted, ToolCalled, ToolEnded, ToolShown
from app.screens.permitting import Permits
from app.screens.recorded_calls import ended_as
from app.screens.stage import Stage
from widgets.entries import CallEntry
from widgets.plain import one_line
from widgets.transcript import Block

if TYPE_CHECKING:
    from app.chat.tool_calls import Call

LOOK_SECONDS = 0.2
"""Between two looks at what calls have shown: nobody reads faster."""
KEPT_OUTPUT = 4_000
"""Characters of output that are kept: more than the last rows that are shown."""
LONGEST_NAME = 24
"""Characters of a tool's name in the status line."""
ASKING = "waiting for you"


@dataclass(slots=True)
class _Call:
    """A call that is on its way."""

    block: Block
    entry: CallEntry
    since: float | None = None
    """When it began; None while it waits for others."""
    output: str = ""
    asked: PermissionWanted | None = None

    def now(self) -> CallEntry:
        """How it stands now."""
        if self.since is None:
            return self.entry
        asking = self.asked is not None and not self.asked.answer.done()
        if self.asked is not None and not asking:
            # What it takes is counted from when it may.
            self.asked, self.since = None, time.monotonic()
        seconds = float(int(time.monotonic() - self.since))
        return replace(
            self.entry,
            state="asking" if asking else "running",
            seconds=seconds,
            output=self.output,
        )


class Calls:
    """Shows the calls of a turn.

    Args:
        stage: Where they are shown.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._permits = Permits(stage)
        self._calls: dict[str, _Call] = {}
        self._looking: asyncio.Task[None] | None = None

    @property
    def first(self) -> Block | None:
        """The first call that is on its way."""
        return next((call.block for call in self._calls.values()), None)

    def made(self, calls: "Iterable[Call]") -> None:
        """Shows the calls of an answer, in their order, before any of them runs."""
        for call in calls:
            self._add(call.id, CallEntry(call.name, call.arguments, "queued"))

    def called(self, called: ToolCalled) -> None:
        """Shows that a call runs."""
        if called.call not in self._calls:
            self._add(called.call, CallEntry(called.name, called.arguments))
        self._calls[called.call].since = time.monotonic()
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="strata calls")
        self._draw()

    def shown(self, shown: ToolShown) -> None:
        """Takes in output; it is drawn within a fifth of a second."""
        if (call := self._calls.get(shown.call)) is not None:
            call.output = (call.output + shown.text)[-KEPT_OUTPUT:]

    def asked(self, wanted: PermissionWanted) -> None:
        """Asks whether a call may do what it wants to do."""
        if (call := self._calls.get(wanted.call)) is not None:
            call.asked = wanted
        self._permits.ask(wanted)
        self._draw()

    def ended(self, ended: ToolEnded) -> None:
        """Shows what came of a call."""
        call = self._calls.pop(ended.call, None)
        entry = call.entry if call is not None else CallEntry(ended.name, "")
        entry = replace(
            entry,
            name=ended.name,
            state=ended_as(ok=ended.ok, error=ended.error),
            number=ended.message.number,
            result=ended.message.content,
            error=ended.error,
            seconds=ended.seconds,
            handle=ended.item or "",
            output="",
        )
        if call is None:
            self._stage.transcript.add(entry)
        else:
            self._stage.transcript.replace(call.block, entry)
        self._draw()

    def close(self) -> None:
        """Ends it: what still runs was stopped, and what was asked is not done."""
        self._permits.close()
        for call in self._calls.values():
            self._stage.transcript.replace(call.block, replace(call.entry, state="stopped"))
        self._calls.clear()
        if self._looking is not None:
            self._looking.cancel()

    # -- inside

    def _add(self, call: str, entry: CallEntry) -> None:
        self._calls[call] = _Call(self._stage.transcript.add(entry), entry)

    async def _look(self) -> None:
        with suppress(asyncio.CancelledError):
            while self._calls:
                await asyncio.sleep(LOOK_SECONDS)
                self._draw()

    def _draw(self) -> None:
        """Draws the calls that look different from before, and says what runs."""
        for call in self._calls.values():
            now = call.now()
            if now != call.entry:
                call.entry = now
                self._stage.transcript.replace(call.block, now)
        self._tell()

    def _tell(self) -> None:
        running = [call.entry for call in self._calls.values() if call.since is not None]
        if self._permits.asking:
            self._stage.state("turn", ASKING)
            return
        if not running:
            return
        what = one_line(running[0].name)[:LONGEST_NAME]
        what = what if len(running) == 1 else f"{len(running)} tools"
        seconds = max(entry.seconds or 0.0 for entry in running)
        since = f", {seconds:.0f} s" if seconds else ""
        self._stage.state("turn", f"running {what}{since}")
