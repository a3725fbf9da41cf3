"""The panes that are out of sight, by their names in one line; a click brings one back."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual.events import Click
from textual.message import Message

from widgets.line import Line, Piece

BEFORE, BETWEEN = "also ", " · "


class Named(NamedTuple):
    """A pane's name in the line."""

    start: int
    kind: str
    title: str

    @property
    def end(self) -> int:
        """The cell after it."""
        return self.start + cell_len(self.title)


def places(panes: Sequence[tuple[str, str]], width: int) -> list[Named]:
    """Where names stand; what has no room is left out.

    Args:
        panes: Kind and title of each.
        width: Cells there are.
    """
    found: list[Named] = []
    start = len(BEFORE)
    for kind, title in panes:
        named = Named(start, kind, title)
        if named.end > width:
            break
        found.append(named)
        start = named.end + len(BETWEEN)
    return found


class Aside(Line):
    """Names the panes that are not shown."""

    PREFIX = "aside"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"aside--dim", "aside--name"}
    DEFAULT_CSS = """
    Aside {
        dock: bottom;
        height: 1;
        padding: 0 1;
        background: $background;
        & > .aside--dim { color: $stratum-dim 60%; }
        & > .aside--name { color: $stratum-dim; }
    }
    """

    class Wanted(Message):
        """The user wants to see a pane."""

        def __init__(self, kind: str) -> None:
            super().__init__()
            self.kind = kind

    def __init__(self) -> None:
        super().__init__(id="panes-aside")
        self.panes: tuple[tuple[str, str], ...] = ()

    def show(self, panes: Sequence[tuple[str, str]]) -> None:
        """Names other panes, each by kind and title; without any it takes no room."""
        if tuple(panes) != self.panes:
            self.panes = tuple(panes)
            self.refresh()
        self.display = bool(panes)

    def pieces(self, width: int) -> list[Piece]:
        """The names that fit."""
        pieces: list[Piece] = []
        for named in places(self.panes, width):
            pieces += [(BETWEEN if pieces else BEFORE, "dim"), (named.title, "name")]
        return pieces

    def on_click(self, event: Click) -> None:
        """Brings a pane back."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for named in places(self.panes, self.content_size.width):
            if named.start <= offset.x < named.end:
                event.stop()
                self.post_message(self.Wanted(named.kind))
