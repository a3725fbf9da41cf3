"""Screens of two halves: a list, and what is chosen of it; below each other or side by side."""

from collections.abc import Awaitable
from typing import ClassVar

from textual.events import Resize
from textual.screen import Screen, ScreenResultType

from memory.errors import StrataError
from widgets.panes.long_list import LongList
from widgets.panes.pane import Pane
from widgets.said_line import SaidLine

WIDE = 100
"""Columns from which what is chosen opens beside the list and not below it."""


class Halves(Screen[ScreenResultType]):
    """Holds one container of class `halves`, and a `SaidLine`."""

    DEFAULT_CSS: ClassVar[str] = """
    Halves {
        background: $background;
        & > .halves { height: 1fr; layout: vertical; }
        &.-wide > .halves { layout: horizontal; }
        &.-wide > .halves > * { width: 1fr !important; height: 1fr !important; }
    }
    """

    def on_resize(self, event: Resize) -> None:
        """Opens beside the list where there is room."""
        self.set_class(event.size.width >= WIDE, "-wide")

    def say(self, text: str) -> None:
        """Says one sentence above the keys; empty for none."""
        self.query_one(SaidLine).say(text)


class ListAndDetail(Halves[ScreenResultType | None]):
    """Halves that are one `LongList` and, as `DETAIL` names it, the pane of what is chosen."""

    DETAIL: ClassVar[str] = ""

    @property
    def _list(self) -> LongList:
        return self.query_one(LongList)

    @property
    def _detail(self) -> Pane:
        return self.query_one(self.DETAIL, Pane)

    def action_back(self) -> None:
        """Goes from what is opened, or typed, to the list, and from there to the chat."""
        if self.focused is None or self._list.has_focus:
            self.dismiss(None)
        else:
            self._list.focus()

    def _show_marked(self) -> None:
        """Scrolls to what is chosen, once the rows are laid out: before, it may lie beyond them."""
        self._list.mark(self._list.cursor)

    def _run(self, work: Awaitable[None], group: str) -> None:
        """Does something beside, in the place of what the group was at; says what went wrong."""

        async def guarded() -> None:
            try:
                await work
            except StrataError as error:
                self.say(str(error))

        self.run_worker(guarded(), group=group, exclusive=True, exit_on_error=False)
