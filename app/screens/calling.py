"""The calls of a turn as they are shown: they run, show output, and end (CHAT-10)."""

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace

from app.chat.happenings import PermissionWanted, ToolCalled, ToolEnded, ToolShown
from app.screens.permitting import Permits
from app.screens.recorded_calls import ended_as
from app.screens.stage import Stage
from widgets.entries import CallEntry
from widgets.plain import one_line
from widgets.transcript import Block

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
    since: float = field(default_factory=time.monotonic)
    output: str = ""
    asked: PermissionWanted | None = None

    def now(self) -> CallEntry:
        """How it stands now."""
        asking = self.asked is not None and not self.asked.answer.done()
        if self.asked is not None and not asking:
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

    @property
    def running(self) -> bool:
        """Whether any is on its way."""
        return bool(self._calls)

    def called(self, called: ToolCalled) -> None:
        """Shows a call that begins."""
        entry = CallEntry(called.name, called.arguments)
        self._calls[called.call] = _Call(self._stage.transcript.add(entry), entry)
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look(), name="strata calls")
        self._tell()

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
        if not self._calls:
            return
        if self._permits.asking:
            self._stage.state("turn", ASKING)
            return
        names = [call.entry.name for call in self._calls.values()]
        what = f"{len(names)} tools" if len(names) > 1 else one_line(names[0])[:LONGEST_NAME]
        seconds = max(call.entry.seconds or 0.0 for call in self._calls.values())
        since = f", {seconds:.0f} s" if seconds else ""
        self._stage.state("turn", f"running {what}{since}")
