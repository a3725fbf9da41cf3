"""The plot: tokens of the prompt over the turns, beside the full history (VIEW-7)."""

from bisect import bisect_left
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from app.chat.names import session_name
from app.screens.journey import Journey, Turns
from memory.errors import StrataError
from memory.snapshot import Snapshot
from memory.views import TurnPoint
from widgets.figures import count
from widgets.hint_line import HintLine
from widgets.line import Line, Piece
from widgets.plain import one_line
from widgets.plot import PlotView
from widgets.plotted import Plotted

EMPTY = "Nothing has been asked yet. From the first turn on its prompt is drawn here."


def asked_turns(turns: Turns) -> tuple[Sequence[TurnPoint], Sequence[int]]:
    """The turns that were requests, and which of them are the first after a compaction. Pure.

    In a session without any request, as after an import, all turns with what they would have been.
    """
    taken = turns.taken
    if not any(point.asked for point in taken):
        return taken, [at for at in turns.marks if at < len(taken)]
    places = [at for at, point in enumerate(taken) if point.asked]
    marks = {bisect_left(places, at) for at in turns.marks}
    return [taken[at] for at in places], sorted(mark for mark in marks if mark < len(places))


class PlotHead(Line):
    """Which session it is, and how many turns are drawn."""

    PREFIX = "head"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"head--name", "head--session", "head--dim"}
    DEFAULT_CSS = """
    PlotHead {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $stratum-dim;
        & > .head--name { color: $stratum-you; text-style: bold; }
        & > .head--session { color: $foreground; }
        & > .head--dim { color: $stratum-dim; }
    }
    """

    def __init__(self, session: str) -> None:
        super().__init__()
        self._session = one_line(session)
        self._figures = ""

    def show(self, figures: str) -> None:
        """Draws other figures."""
        self._figures = figures
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """The name on the left, the figures on the right where they have room."""
        pieces: list[Piece] = [("Plot  ", "name"), (self._session, "session")]
        gap = width - sum(len(text) for text, _ in pieces) - len(self._figures)
        return [*pieces, (" " * gap, "dim"), (self._figures, "dim")] if gap > 1 else pieces


class PlotScreen(Screen[None]):
    """Draws the turns of a session, and those that come while it is seen.

    Args:
        journey: Reads the turns.
        snapshot: Memory as it is.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f5", "back", "back", priority=True, id="plot.back"),
    ]
    DEFAULT_CSS = "PlotScreen { background: $background; }"

    def __init__(self, journey: Journey, snapshot: Snapshot) -> None:
        super().__init__()
        self._journey = journey
        self._messages = snapshot.messages
        name = session_name(snapshot.title, snapshot.session_id, datetime.now(UTC))
        self._head = PlotHead(name)
        self._plot = Plotted(EMPTY)
        self._hints = HintLine((("plot.back", "back"),))

    def compose(self) -> ComposeResult:
        """Name, plot, keys."""
        yield self._head
        yield self._plot
        yield self._hints

    def on_mount(self) -> None:
        """Reads the turns."""
        self._read()

    def grew(self, messages: int) -> None:
        """Takes in that the session has gone on.

        Args:
            messages: How many messages there are now.
        """
        if messages != self._messages:
            self._messages = messages
            self._read()

    def action_back(self) -> None:
        """Goes back to the chat."""
        self.dismiss()

    def _read(self) -> None:
        self.run_worker(self._draw(), group="turns", exit_on_error=False)

    async def _draw(self) -> None:
        try:
            turns = await self._journey.turns()
        except StrataError as error:
            self._hints.show(hint=str(error))
            return
        taken, marks = asked_turns(turns)
        self._plot.show(PlotView(taken, marks))
        self._head.show(count(len(taken), "turn"))
