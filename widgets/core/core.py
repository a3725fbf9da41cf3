"""The core as a reader uses it: pointing at a band describes it, opening it leads to its pane."""

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from widgets.core.column import Column
from widgets.core.rows import CoreRow
from widgets.core.view import LIVE
from widgets.core.walk import NOWHERE, found_again, same_band, stepped
from widgets.core.words import description, message_of


class Core(Column, can_focus=True):
    """The column, by mouse and by keys.

    Args:
        animate: Whether a compaction may be seen to happen.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "up", "The layer above", show=False, id="core.up"),
        Binding("down,j", "down", "The layer below", show=False, id="core.down"),
        Binding("enter,space", "open", "Open the layer's pane", show=False, id="core.open"),
    ]

    class Pointed(Message):
        """The reader points at something, by mouse or key; the text is empty when no more."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Opened(Message):
        """The reader wants to see a stratum's pane, at a message of it where one was chosen."""

        def __init__(self, stratum: str, message: int | None) -> None:
            super().__init__()
            self.stratum = stratum
            self.message = message

    def __init__(self, *, animate: bool = True) -> None:
        super().__init__(animate=animate)
        self._chosen = NOWHERE
        self._under = NOWHERE
        self._said = ""

    # -- by keys

    def action_up(self) -> None:
        """Chooses the band above."""
        self._choose(stepped(self.rows, self._chosen, -1))

    def action_down(self) -> None:
        """Chooses the band below."""
        self._choose(stepped(self.rows, self._chosen, 1))

    def action_open(self) -> None:
        """Opens the chosen band."""
        self._open(self._chosen)

    def watch_has_focus(self, has_focus: bool) -> None:
        """Shows where the reader is, at the top of the column at first; takes the mark away."""
        super().watch_has_focus(has_focus)
        at_first = has_focus and self._chosen == NOWHERE
        self._choose(stepped(self.rows, NOWHERE, 1) if at_first else self._chosen)

    # -- by mouse

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Describes what lies under the mouse."""
        self._point(event.y - self.gutter.top)

    def on_leave(self) -> None:
        """Describes no more what the mouse has left."""
        self._point(NOWHERE)

    def on_click(self, event: events.Click) -> None:
        """Opens what lies under the mouse."""
        y = event.y - self.gutter.top
        if self._solid(y):
            self._choose(y)
            self._open(y)

    # -- both

    def mark_ink(self, y: int) -> str:
        """Marks what is chosen, and more faintly what lies under the mouse."""
        if self.has_focus and same_band(self.rows, y, self._chosen):
            return "mark"
        return "pointed" if same_band(self.rows, y, self._under) else ""

    def rows_changed(self, before: list[CoreRow]) -> None:
        """What is chosen stays chosen wherever it now stands."""
        marks = [self.mark_ink(y) for y in range(len(self.rows))]
        self._chosen = found_again(self.rows, self._chosen, before)
        self._refresh_marks(marks)
        self._tell()

    def _choose(self, y: int) -> None:
        marks = [same_band(self.rows, n, self._chosen) for n in range(len(self.rows))]
        self._chosen = y
        self.refresh_rows(
            n for n, marked in enumerate(marks) if marked or same_band(self.rows, n, y)
        )
        self._tell()

    def _point(self, y: int) -> None:
        if y != self._under:
            marks = [self.mark_ink(n) for n in range(len(self.rows))]
            self._under = y
            self._refresh_marks(marks)
            self._tell()

    def _refresh_marks(self, before: list[str]) -> None:
        self.refresh_rows(n for n, ink in enumerate(before) if self.mark_ink(n) != ink)

    def _open(self, y: int) -> None:
        if self._solid(y):
            row = self.rows[y]
            stratum = "window" if row.layers[0] in LIVE else row.layers[0]
            self.post_message(self.Opened(stratum, message_of(row)))

    def _solid(self, y: int) -> bool:
        return self.view is not None and 0 <= y < len(self.rows) and bool(self.rows[y].layers)

    def _tell(self) -> None:
        """Says what is pointed at, by the mouse or else by keys, if that has changed."""
        y = self._under
        if y == NOWHERE and self.has_focus:
            y = self._chosen
        text = ""
        if self.view is not None and 0 <= y < len(self.rows):
            text = description(self.rows[y], self.view)
        if text != self._said:
            self._said = text
            self.post_message(self.Pointed(text))
