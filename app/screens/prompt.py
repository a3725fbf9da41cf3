"""The prompt inspector: the next request and every past one, piece by piece (VIEW-2)."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from app.screens.halves import Halves
from app.screens.place import Place
from app.screens.prompt_head import PromptBar, PromptFigures, PromptHead
from app.screens.prompt_list import PieceList
from app.screens.prompt_opened import all_found, first_to_see, heading_of, why_of
from app.screens.prompt_reading import Requests, Sources
from app.screens.prompt_rows import Entry, entries_of, list_rows
from app.screens.prompt_text import copied_text, text_rows
from app.screens.prompt_words import heading, what_of
from memory.errors import StrataError
from memory.views import PromptView, RequestInfo
from widgets.figures import count
from widgets.hint_line import HintLine, Key
from widgets.panes.drawn import STRATA
from widgets.panes.pane import Pane
from widgets.panes.view import PaneView
from widgets.plain import one_line
from widgets.said_line import SaidLine

if TYPE_CHECKING:
    from memory.storage.said import Said

LOW = 18
"""Rows below which only the text of a piece is shown of it, not what is told about it."""
KEYS: tuple[Key, ...] = (
    ("prompt.up prompt.down", "piece"),
    ("prompt.before prompt.after", "request"),
    ("prompt.next_request", "next one"),
    ("pane.open", "text"),
    ("prompt.source", "source"),
    ("prompt.back", "back"),
    ("prompt.recalled", "recalled"),
    ("prompt.copy", "copy"),
)
FIRST = "This is the first request."
NEXT = "This is the next request; it has not been sent."
NOT_SEARCHED = "Nothing was recalled for this request."
NO_PIECE = "Choose a piece first."


class PromptScreen(Halves[Place | None]):
    """Shows requests; knows no memory, only what it is given. Ends with a message to go to.

    Args:
        requests: Reads them.
        sources: Leads to what they are made of.
        session: What the session is called.
        draft: What the user has begun to write.
        copy: Puts a text on the clipboard; the second is what it is.
        file: The memory file that is opened first; empty for none.
    """

    AUTO_FOCUS = "#pane-pieces"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", "before", priority=True, id="prompt.before"),
        Binding("right,l", "step(1)", "after", priority=True, id="prompt.after"),
        Binding("n", "next_request", "next", id="prompt.next_request"),
        Binding("m", "source", "source", id="prompt.source"),
        Binding("f10", "recalled", "recalled", id="prompt.recalled"),
        Binding("c", "copy", "copy", id="prompt.copy"),
        Binding("escape,f2", "back", "back", id="prompt.back"),
    ]
    DEFAULT_CSS = """
    PromptScreen {
        & #pane-pieces { height: 2fr; }
        & #prompt-opened { height: 3fr; }
        & #pane-piece { height: 1fr; }
        & #prompt-why { height: auto; max-height: 6; padding: 0 2; color: $stratum-dim; }
        &.-low #prompt-why { display: none; }
    }
    """

    def __init__(
        self,
        requests: Requests,
        sources: Sources,
        session: str,
        draft: Callable[[], str],
        copy: Callable[[str, str], None],
        file: str = "",
    ) -> None:
        super().__init__()
        self._read = requests
        self._sources = sources
        self._session = session
        self._draft = draft
        self._do_copy = copy
        self._file = file
        self._requests: tuple[RequestInfo, ...] = ()
        self._place: int | None = None
        """Which request; None for the next one."""
        self._ahead = 0
        """Steps that were wanted before it was known which requests there are."""
        self.view: PromptView | None = None
        """The request that is shown."""
        self._entries: dict[str, Entry] = {}
        self._said: Mapping[int, Said] = {}
        """What was found for it, in full."""

    def compose(self) -> ComposeResult:
        """Head, bar, figures; the list and what is opened; the keys."""
        yield PromptHead(self._session)
        yield PromptBar()
        yield PromptFigures()
        with Container(classes="halves"):
            yield PieceList()
            with Vertical(id="prompt-opened"):
                yield Pane("piece", "", "dim", closable=False)
                yield Static(id="prompt-why")
        yield SaidLine(id="prompt-said")
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Reads the next request."""
        self._load()

    def on_resize(self, event: Resize) -> None:
        """On a low screen the text comes first."""
        self.set_class(event.size.height < LOW, "-low")

    def memory_changed(self) -> None:
        """Takes in that memory has changed: the next request is another one."""
        if self._place is None:
            self._load()

    # -- what the user does

    @on(Pane.Moved)
    def _moved(self, event: Pane.Moved) -> None:
        if event.pane == "pieces":
            self._show_opened()
            self._text.scroll_home(animate=False)

    @on(Pane.Opened)
    def _open(self, event: Pane.Opened) -> None:
        if event.pane == "pieces":
            self._show_opened()
            self._text.scroll_home(animate=False)
            self._text.focus()

    def action_step(self, by: int) -> None:
        """Goes to the request before or after; the last is the next one."""
        if self.view is None:
            self._ahead += by
            return
        here = len(self._requests) if self._place is None else self._place
        there = here + by
        if there < 0:
            self.say(FIRST)
        elif there > len(self._requests):
            self.say(NEXT)
        else:
            self._go(there)

    def action_next_request(self) -> None:
        """Goes to the next request."""
        self._go(len(self._requests))

    def action_source(self) -> None:
        """Goes to the message, the fact or the goal that the row is from."""
        entry = self._entry
        if entry is None:
            self.say(NO_PIECE)
            return
        try:
            way = self._sources.way_of(entry, self._said_of(entry))
        except StrataError as error:
            self.say(str(error))
            return
        if isinstance(way, Place):
            self.dismiss(way)
        else:
            self._follow(way())

    def action_recalled(self) -> None:
        """Shows what was recalled for this request."""
        found = self.view.recalled if self.view is not None else None
        if found is None:
            self.say(NOT_SEARCHED)
        else:
            self._follow(self._sources.recalled(found.number))

    def action_copy(self) -> None:
        """Copies the piece with all that is sent of it, or what was found."""
        entry = self._entry
        if entry is None or (entry.piece is None and entry.found is None):
            self.say("Only a piece can be copied.")
            return
        if entry.piece is not None:
            text, what = copied_text(entry.piece), what_of(entry.piece)
        else:
            text, what = self._whole(entry), "what was found"
        self._do_copy(text, what)
        self.say(f"Copied: {what} ({count(len(text), 'character')}).")

    def action_back(self) -> None:
        """Goes from the text to the list, and from there to the chat."""
        if self._text.has_focus:
            self._list.focus()
        else:
            self.dismiss(None)

    # -- inside

    @property
    def _list(self) -> PieceList:
        return self.query_one(PieceList)

    @property
    def _text(self) -> Pane:
        return self.query_one("#pane-piece", Pane)

    @property
    def _entry(self) -> Entry | None:
        return self._entries.get(self._list.cursor or "")

    def _said_of(self, entry: Entry) -> "Said | None":
        return self._said.get(entry.found.passage) if entry.found is not None else None

    def _whole(self, entry: Entry) -> str:
        """The text of what was found."""
        said = self._said_of(entry)
        return said.text if said is not None else entry.found.text if entry.found else ""

    def _follow(self, way: Awaitable[Place | None]) -> None:
        """Shows another screen; where that leads to a message, this one ends with it."""

        async def followed() -> None:
            place = await way
            if place is not None:
                self.dismiss(place)

        self.run_worker(followed(), exclusive=False)

    def _go(self, place: int) -> None:
        self._place = place if place < len(self._requests) else None
        self.say("")
        self._load()

    def _stepped(self, by: int) -> int | None:
        """The place so many steps from the next request, or as far as there are requests."""
        place = max(0, len(self._requests) + by)
        return place if place < len(self._requests) else None

    def _load(self) -> None:
        self.run_worker(self._look(), group="look", exclusive=True)

    async def _look(self) -> None:
        try:
            self._requests = tuple(await self._read.requests())
            if self._ahead:
                self._place, self._ahead = self._stepped(self._ahead), 0
            if self._place is None:
                view = await self._read.inspect(None, self._draft())
            else:
                view = await self._read.inspect(self._requests[self._place].request)
            self._said = await self._sources.said(all_found(view))
        except StrataError as error:
            self.say(str(error))
            return
        self._show(view)

    def _show(self, view: PromptView) -> None:
        known = self._list.cursor if self.view is not None else None
        self.view = view
        entries = entries_of(view)
        self._entries = {entry.key: entry for entry in entries}
        place = len(self._requests) if self._place is None else self._place
        which = heading(view, place, len(self._requests), datetime.now(UTC))
        self.query_one(PromptHead).show(which)
        self.query_one(PromptBar).show(view)
        self.query_one(PromptFigures).show(view)
        self._list.show(lambda width: list_rows(view, entries, width))
        self._list.mark(known if known in self._entries else first_to_see(entries, self._file))
        # It may lie beyond what could be scrolled to before the new rows were laid out.
        self.call_after_refresh(self._show_marked)
        if view.note:
            self.say(view.note)
        self._show_opened()

    def _show_marked(self) -> None:
        self._list.mark(self._list.cursor)

    def _show_opened(self) -> None:
        entry, view = self._entry, self.view
        if entry is None or view is None:
            return

        said, now = self._said_of(entry), datetime.now(UTC)

        def lay(width: int) -> PaneView:
            return text_rows(entry, said, width, now)

        title, ink = heading_of(entry)
        self._text.name_it(title)
        self._text.remove_class(*(f"-{other}" for other in STRATA if other != ink))
        self._text.add_class(f"-{ink}")
        self._text.show(lay)
        lines = why_of(entry, view)
        self.query_one("#prompt-why", Static).update(Content(one_line(" ".join(lines))))
