"""What was recalled for a turn: scores, sources, and why others stayed out (RECALL-4)."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from app.screens.halves import ListAndDetail
from app.screens.place import Place
from app.screens.recalled_reading import place_of
from app.screens.recalled_rows import detail_rows, found_by, heading_of, list_rows
from widgets.hint_line import HintLine, Key
from widgets.line import Line, Piece
from widgets.panes.long_list import LongList
from widgets.panes.pane import Pane
from widgets.panes.view import PaneView, clipped
from widgets.said_line import SaidLine

if TYPE_CHECKING:
    from app.screens.recalled_reading import Turn
    from memory.recall_views import RecallView
    from memory.storage.said import Said
    from memory.views import TurnPoint

KEYS: tuple[Key, ...] = (
    ("pane.up pane.down", "choose"),
    ("pane.open", "open"),
    ("recalled.back", "back"),
    ("recalled.before recalled.after", "turn"),
    ("recalled.message", "message"),
)
FIRST, LAST = "This is the first turn.", "This is the present turn."
NO_MESSAGE = "It stands in no message that can be opened."
CHOOSE = "Choose a passage first."


class Reading(Protocol):
    """Reads what was recalled."""

    async def points(self) -> "tuple[TurnPoint, ...]":
        """The requests there were, oldest first."""

    async def now(self) -> "Turn":
        """The present turn."""

    async def at(self, point: "TurnPoint") -> "Turn":
        """The turn of a request."""

    async def said(self, view: "RecallView") -> "Mapping[int, Said]":
        """The whole texts that were found, by their passages."""

    def is_here(self, said: "Said") -> bool:
        """Whether a text stands in the branch that is open."""


class RecalledHead(Line):
    """For which message it was searched, what that brought, which turn it is."""

    PREFIX = "recalled"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"recalled--name", "recalled--figure", "recalled--dim"}
    DEFAULT_CSS = """
    RecalledHead {
        height: 1;
        padding: 0 1;
        background: $panel;
        & > .recalled--name { color: $stratum-recalled; text-style: bold; }
        & > .recalled--figure { color: $foreground; }
        & > .recalled--dim { color: $stratum-dim; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._figures = self._turn = ""

    def show(self, figures: str, turn: str) -> None:
        """Tells of another turn."""
        self._figures, self._turn = figures, turn
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """The name and the figures left, the turn right."""
        name = "Recalled  "
        room = width - cell_len(name) - cell_len(self._turn) - 1
        figures = clipped(self._figures, max(0, room))
        gap = max(1, width - cell_len(name) - cell_len(figures) - cell_len(self._turn))
        return [(name, "name"), (figures, "figure"), (" " * gap + self._turn, "dim")]


class RecalledScreen(ListAndDetail[Place]):
    """Lists what was found for a turn; ends with the message that is to be seen, or None.

    Args:
        reading: Reads it.
        chosen: The key of the row to begin with, as the pane has it.
        message: The message whose turn is shown first; 0 for the present one.
    """

    AUTO_FOCUS = "#pane-found"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "turn(-1)", "turn", id="recalled.before"),
        Binding("right,l", "turn(1)", "turn", id="recalled.after"),
        Binding("m", "message", "message", id="recalled.message"),
        Binding("escape,f10", "back", "back", id="recalled.back"),
    ]
    DETAIL = "#pane-found-opened"
    DEFAULT_CSS = """
    RecalledScreen {
        & #pane-found { height: 1fr; }
        & #pane-found-opened { height: 1fr; }
    }
    """

    def __init__(self, reading: Reading, chosen: str | None = None, message: int = 0) -> None:
        super().__init__()
        self._message = message
        self._reading = reading
        self._wanted = chosen or None
        self._points: tuple[TurnPoint, ...] = ()
        self._place: int | None = None
        """The request that is shown; None for the present turn."""
        self._turn: Turn | None = None
        self._said: Mapping[int, Said] = {}

    def compose(self) -> ComposeResult:
        """Head, list, what is opened, the keys."""
        yield RecalledHead()
        with Container(classes="halves"):
            yield LongList("found", "recalled", "recalled")
            yield Pane("found_opened", "", "recalled", closable=False)
        yield SaidLine(id="recalled-said")
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Reads the turn that is wanted."""
        self._run(self._begin(), "read")

    def memory_changed(self) -> None:
        """Takes in that memory has changed; a past turn stays as it was."""
        if self._place is None:
            self._run(self._read(), "read")

    # -- what the user does

    @on(Pane.Moved)
    def _moved(self, event: Pane.Moved) -> None:
        if event.pane == "found":
            self.say("")
            self._open()
            self._detail.scroll_home(animate=False)

    @on(Pane.Opened)
    def _opened(self, event: Pane.Opened) -> None:
        if event.pane == "found":
            self._open()
            self._detail.focus()

    def action_turn(self, by: int) -> None:
        """Shows the turn of the request before, or after."""
        self._run(self._step(by), "read")

    def action_message(self) -> None:
        """Goes to the message that the passage is part of."""
        found = found_by(self._turn.view if self._turn else None).get(self._list.cursor or "")
        if found is None:
            self.say(CHOOSE)
            return
        said = self._said.get(found.passage)
        place = place_of(found, said, is_here=said is not None and self._reading.is_here(said))
        if place is None:
            self.say(NO_MESSAGE)
        else:
            self.dismiss(place)

    # -- inside

    async def _begin(self) -> None:
        now = (await self._reading.now()).view
        if self._message and (now is None or now.number != self._message):
            self._points = await self._reading.points()
            places = range(len(self._points))
            after = (at for at in places if self._points[at].message >= self._message)
            self._place = next(after, None)
        await self._read()

    async def _step(self, by: int) -> None:
        self._points = await self._reading.points()
        place = (len(self._points) if self._place is None else self._place) + by
        now = (await self._reading.now()).view
        while 0 <= place < len(self._points) and await self._is_shown(place, now):
            place += by
        if place < 0 or place > len(self._points):
            self.say(FIRST if by < 0 else LAST)
            return
        self.say("")
        self._place = place if place < len(self._points) else None
        await self._read()

    async def _is_shown(self, place: int, now: "RecallView | None") -> bool:
        """Whether a request has the turn that is shown, or the present one, which comes last."""
        view = (await self._reading.at(self._points[place])).view
        if view is None:
            return now is None and place == len(self._points) - 1
        shown = self._turn.view if self._turn is not None else None
        return view.number in [other.number for other in (shown, now) if other is not None]

    async def _read(self) -> None:
        place = self._place
        turn = await (
            self._reading.now() if place is None else self._reading.at(self._points[place])
        )
        self._said = await self._reading.said(turn.view) if turn.view is not None else {}
        self._turn = turn
        self.query_one(RecalledHead).show(heading_of(turn.view), turn.told)
        self._list.show(lambda width: list_rows(turn.view, turn.index, width, turn.now))
        keys = list(found_by(turn.view))
        wanted = self._wanted or self._list.cursor
        self._list.mark(wanted if wanted in keys else next(iter(keys), None))
        self._wanted = None
        self.call_after_refresh(self._show_marked)
        self._open()

    def _open(self) -> None:
        """Shows what is chosen."""
        turn = self._turn
        found = found_by(turn.view if turn else None).get(self._list.cursor or "")
        if found is None or turn is None:
            self._detail.name_it("")
            self._detail.show(lambda _: PaneView())
            return
        said = self._said.get(found.passage)
        self._detail.name_it(found.kind)
        self._detail.show(lambda width: detail_rows(found, said, width, turn.now))
