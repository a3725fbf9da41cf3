"""Time travel: everything on the screen becomes a past moment; nothing is changed (VIEW-4)."""

from bisect import bisect_right
from collections.abc import Awaitable
from dataclasses import replace
from datetime import UTC, datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Key, Paste
from textual.widget import Widget

from app.screens.beside import Beside
from app.screens.journey import Journey, Moment, Turns, as_of, came_later
from app.screens.regions import Regions
from memory.errors import StrataError
from memory.views import TurnPoint
from widgets.core.core import Core
from widgets.faded import Faded
from widgets.figures import clock
from widgets.gauge import Gauge
from widgets.hint_line import HintLine
from widgets.hint_line import Key as HintKey
from widgets.panes.column import Panes
from widgets.panes.pane import Pane
from widgets.ruler import Ruler, RulerView, after_mark, before_mark
from widgets.status_line import StatusLine, StatusView
from widgets.transcript import Transcript

FOOT = 4
"""Rows of the ruler and of the keys."""
KEYS: tuple[HintKey, ...] = (
    ("travel.now", "now"),
    ("travel.before travel.after", "turn"),
    ("travel.compaction_before travel.compaction_after", "compaction"),
    ("travel.first", "first"),
    ("travel.last", "last"),
    ("chat.panes", "panes"),
    ("chat.next_region", "next"),
)
WRITING = "This is the past: nothing can be written here. Esc goes back to now."
NOT_HERE = "The timeline opens from now: Esc goes back."
EMPTY = "Nothing had been said yet."


class PastCore(Faded, Core):
    """The core as it was."""


class PastGauge(Faded, Gauge):
    """The gauge as it was."""


class PastPane(Faded, Pane):
    """A pane as it was."""


class PastPanes(Panes):
    """The panes as they were."""

    PANE = PastPane


class PastTranscript(Faded, Transcript):
    """What had been said."""


class TravelScreen(Regions):
    """Shows moments of a session; the present goes on below it.

    Args:
        journey: Reads the moments.
        turns: Those there are.
        messages: How many messages there are now.
    """

    AUTO_FOCUS = "#ruler"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f4", "now", "now", priority=True, id="travel.now"),
        Binding("left", "step(-1)", "back", priority=True, id="travel.before"),
        Binding("right", "step(1)", "on", priority=True, id="travel.after"),
        Binding(
            "shift+left", "compaction(-1)", "folding", priority=True, id="travel.compaction_before"
        ),
        Binding(
            "shift+right", "compaction(1)", "folding", priority=True, id="travel.compaction_after"
        ),
        Binding("home", "end_of(0)", "first", priority=True, id="travel.first"),
        Binding("end", "end_of(-1)", "last", priority=True, id="travel.last"),
    ]
    DEFAULT_CSS = """
    TravelScreen {
        & > #foot { dock: bottom; height: 4; layer: room; }
    }
    """

    def __init__(self, journey: Journey, turns: Turns, messages: int) -> None:
        super().__init__()
        self._journey = journey
        self._turns = turns
        self._messages = messages
        self._at = len(turns.points) - 1
        self._by = -1
        """The direction of the last step: the next one is likely to have the same."""
        self._following = False
        self._ruler = Ruler()
        self._moment: Moment | None = None

    def compose(self) -> ComposeResult:
        """The widgets of the chat, with the ruler where one writes."""
        yield StatusLine(StatusView(state="the past"))
        with Vertical(id="talk"):
            yield PastTranscript()
        with Vertical(id="foot"):
            yield self._ruler
            yield HintLine(KEYS)

    async def on_mount(self) -> None:
        """Puts everything in its place and shows the last turn."""
        parts = PastCore(animate=False), PastGauge(), PastPanes(0)
        self._beside = Beside(self, self._ruler, parts, FOOT)
        self._transcript.say_when_empty(EMPTY)
        await self._beside.come()
        self._go(self._at)

    @property
    def own_parts(self) -> list[Widget]:
        """What has keys besides core and panes, in order."""
        return [self._ruler, *super().own_parts]

    @property
    def point(self) -> TurnPoint | None:
        """The turn that is seen; None until it has been read."""
        return self._moment.point if self._moment is not None else None

    def grew(self, messages: int) -> None:
        """Takes in that the present has gone on; what is seen stays.

        Args:
            messages: How many messages there are now.
        """
        if messages != self._messages:
            self._messages = messages
            self._run(self._take_in(), "turns")

    # -- what the user does

    def action_now(self) -> None:
        """Goes back to now."""
        self.dismiss()

    def action_step(self, by: int) -> None:
        """Goes a turn back or on."""
        self._go(self._at + by)

    def action_compaction(self, by: int) -> None:
        """Goes to the compaction before or after."""
        place = before_mark(self._ruler.view) if by < 0 else after_mark(self._ruler.view)
        if place is None:
            self._say(f"There is no compaction {'before' if by < 0 else 'after'} this turn.")
        else:
            self._go(place)

    def action_end_of(self, place: int) -> None:
        """Goes to the first turn, or to the last."""
        self._go(place % len(self._turns.points))

    @on(Ruler.Chosen)
    def _chosen(self, event: Ruler.Chosen) -> None:
        self._go(event.place)

    @on(Transcript.Wanted)
    def _bring(self, event: Transcript.Wanted) -> None:
        if self._moment is not None:
            self._run(self._show_earlier(event.first, event.last), "earlier")

    @on(Transcript.Pointed)
    @on(Core.Pointed)
    def _pointed(self, event: Transcript.Pointed | Core.Pointed) -> None:
        self._say(event.text)

    @on(Transcript.Told)
    def _told(self, event: Transcript.Told) -> None:
        self.query_one(HintLine).say(event.text)

    @on(Pane.Opened)
    @on(Transcript.MarkOpened)
    def _opened(self) -> None:
        self._say(NOT_HERE)

    def on_key(self, event: Key) -> None:
        """Says why what is typed goes nowhere."""
        if event.is_printable or event.key == "enter":
            self._say(WRITING)

    def on_paste(self, _: Paste) -> None:
        """Says why what is pasted goes nowhere."""
        self._say(WRITING)

    # -- inside

    @property
    def _wanted(self) -> TurnPoint:
        return self._turns.points[self._at]

    @property
    def _transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def _go(self, place: int) -> None:
        """Goes to a turn; where one is on its way already, only the newest wish is read."""
        place = max(0, min(place, len(self._turns.points) - 1))
        if place != self._at:
            self._by = 1 if place > self._at else -1
        self._at = place
        self._say("")
        self._draw_ruler()
        if not self._following:
            self._following = True
            self._run(self._follow(), "moment")

    async def _follow(self) -> None:
        """Shows the turn that is wanted, until it is the one that is seen; then reads ahead."""
        try:
            while self.point != self._wanted:
                while self.point != (wanted := self._wanted):
                    self._show(await self._journey.moment(wanted))
                for place in (self._at + self._by, self._at - self._by):
                    if self.point == self._wanted and 0 <= place < len(self._turns.points):
                        await self._journey.prepare(self._turns.points[place])
        finally:
            self._following = False

    async def _take_in(self) -> None:
        """Reads the turns that have come since."""
        seen = self._wanted.n
        self._turns = await self._journey.turns()
        numbers = [point.n for point in self._turns.points]
        self._at = max(0, bisect_right(numbers, seen) - 1)
        self._draw_ruler()
        self._tell()

    def _show(self, moment: Moment) -> None:
        """Draws a moment, all of it at once."""
        self._moment = moment
        with self.app.batch_update():
            self._transcript.show([*moment.entries, *came_later(moment, self._messages)])
            if self._beside is not None:
                self._beside.sight.show(moment.snapshot, moment.then)
            self._tell()

    def _tell(self) -> None:
        """Says in the first line which moment it is."""
        if self._moment is None:
            return
        snapshot, then = self._moment.snapshot, self._moment.then
        status = self.query_one(StatusLine)
        status.show(
            replace(
                status.view,
                session=as_of(self._moment.point.message, self._messages),
                agent=clock(then.isoformat(), datetime.now(UTC)),
                policy=snapshot.policy,
                model=(snapshot.model or "").removeprefix("embedded/"),
            )
        )

    def _draw_ruler(self) -> None:
        self._ruler.show(RulerView(self._turns.points, self._turns.marks, self._at))

    def _say(self, text: str) -> None:
        self.query_one(HintLine).show(hint=text)

    async def _show_earlier(self, first: int, last: int) -> None:
        moment = self._moment
        if moment is None:
            return
        entries = await self._journey.earlier(first, last, moment.point)
        if self._moment is moment:
            self._transcript.put(first, last, entries)

    def _run(self, work: Awaitable[None], group: str) -> None:
        async def guarded() -> None:
            try:
                await work
            except StrataError as error:
                self._say(str(error))

        # With a newer wish an older one is of no use; moments are always read to the end.
        exclusive = group != "moment"
        self.run_worker(guarded(), group=group, exclusive=exclusive, exit_on_error=False)
