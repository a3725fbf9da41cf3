"""A list of sessions in which one is chosen; only the rows in sight are drawn."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.events import Click, MouseMove, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from app.screens.session_rows import GAP, MARK, Columns, columns_for, session_pieces
from widgets.scrollbar import thin_scrollbar

if TYPE_CHECKING:
    from memory.storage.sessions import SessionInfo


class SessionList(ScrollView, can_focus=False):
    """Draws sessions in columns; keys come from the screen, which has them while one types."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"sessions--{ink}"
        for ink in ("title", "untitled", "dim", "figure", "here", "held", "chosen", "pointed")
    }
    DEFAULT_CSS = """
    SessionList {
        height: 1fr;
        padding: 0;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        &:disabled { opacity: 1; }
        & > .sessions--title { color: $foreground; }
        & > .sessions--untitled { color: $stratum-files; text-style: italic; }
        & > .sessions--dim { color: $stratum-dim; }
        & > .sessions--figure { color: $foreground; }
        & > .sessions--here { color: $stratum-you; }
        & > .sessions--held { color: $stratum-warning; }
        & > .sessions--chosen { background: $stratum-short-term 25%; }
        & > .sessions--pointed { background: $panel; }
    }
    """ + thin_scrollbar("SessionList")

    class Moved(Message):
        """Another session is chosen."""

    class Opened(Message):
        """The chosen session was clicked."""

    def __init__(self, current: str | None) -> None:
        super().__init__(id="session-list")
        self._current = current
        self._sessions: Sequence[SessionInfo] = ()
        self._place = 0
        self._pointed: int | None = None
        self._now = datetime.now(UTC)

    @property
    def sessions(self) -> "Sequence[SessionInfo]":
        """What is listed."""
        return self._sessions

    @property
    def chosen(self) -> "SessionInfo | None":
        """The session the keys are about."""
        return self._sessions[self._place] if self._sessions else None

    @property
    def columns(self) -> Columns:
        """The columns as they are drawn."""
        return columns_for(self._row_width)

    @property
    def lines(self) -> list[str]:
        """The rows in sight, as text."""
        return [self.render_line(y).text.rstrip() for y in range(self.size.height)]

    def show(self, sessions: "Sequence[SessionInfo]") -> None:
        """Lists other sessions; the chosen one stays chosen where it is among them."""
        chosen = self.chosen
        self._sessions = sessions
        self._now = datetime.now(UTC)
        places = [place for place, s in enumerate(sessions) if chosen and s.id == chosen.id]
        self._place = places[0] if places else min(self._place, max(0, len(sessions) - 1))
        self._pointed = None
        self.virtual_size = Size(self._row_width, len(sessions))
        self._reveal()

    def choose(self, place: int) -> None:
        """Chooses the session at a place, or the nearest there is."""
        self._place = max(0, min(place, len(self._sessions) - 1))
        self._reveal()

    def move(self, rows: int) -> None:
        """Chooses another session, so many rows on."""
        self.choose(self._place + rows)

    @property
    def page(self) -> int:
        """Rows in sight, less one that is seen again."""
        return max(1, self.size.height - 1)

    def title_region(self) -> Region:
        """Where the chosen session's title stands on the screen, with room to write one."""
        y = self.region.y + self._place - round(self.scroll_offset.y)
        width = self.columns.title + (self.columns.model and GAP + self.columns.model)
        return Region(self.region.x + MARK, y, width, 1)

    def render_line(self, y: int) -> Strip:
        """A row of the list."""
        place = y + round(self.scroll_offset.y)
        width = self.size.width
        if place >= len(self._sessions):
            return Strip.blank(width, self.rich_style)
        ground, chosen = self.rich_style, place == self._place
        if chosen or place == self._pointed:
            ink = "chosen" if chosen else "pointed"
            lit = self.get_component_rich_style(f"sessions--{ink}")
            ground += Style(bgcolor=lit.bgcolor, bold=chosen)
        pieces = session_pieces(self._sessions[place], self.columns, self._now, self._current)
        # On the ground of the chosen row, what is dim elsewhere could hardly be read.
        dim = "figure" if chosen else "dim"
        segments = [
            Segment(text, ground + self.get_component_styles(f"sessions--{ink}").partial_rich_style)
            for text, ink in ((text, dim if ink == "dim" else ink) for text, ink in pieces)
        ]
        return Strip(segments).adjust_cell_length(width, ground)

    def on_resize(self, _: Resize) -> None:
        """Fits the rows to the room."""
        self.virtual_size = Size(self._row_width, len(self._sessions))
        self._reveal()

    def on_mouse_move(self, event: MouseMove) -> None:
        """Marks the row under the pointer."""
        self._point(event.y + round(self.scroll_offset.y))

    def on_leave(self) -> None:
        """Marks none once the pointer has gone."""
        self._point(None)

    def on_click(self, event: Click) -> None:
        """Chooses a session; opens the one that is chosen."""
        place = event.y + round(self.scroll_offset.y)
        if place >= len(self._sessions):
            return
        if place == self._place:
            self.post_message(self.Opened())
        else:
            self.choose(place)

    @property
    def _row_width(self) -> int:
        return self.scrollable_content_region.width

    def _point(self, place: int | None) -> None:
        if place != self._pointed:
            self._pointed = place
            self.refresh()

    def _reveal(self) -> None:
        if self._sessions:
            row = Region(0, self._place, max(1, self.size.width), 1)
            self.scroll_to_region(row, animate=False, force=True)
        self.refresh()
        self.post_message(self.Moved())
