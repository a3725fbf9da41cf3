"""The panes that are out of sight, by their names in one line; a click brings one back."""

from collections.abc import Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from textual.events import Click
from textual.message import Message

from widgets.line import Line, Piece

BEFORE, BETWEEN = "also ", " · "
MORE = " +{}"


class Out(NamedTuple):
    """A pane that is out of sight."""

    kind: str
    title: str
    full: bool = False
    """Whether it has something to show."""


class Named(NamedTuple):
    """A pane's name in the line."""

    start: int
    kind: str
    title: str
    full: bool

    @property
    def end(self) -> int:
        """The cell after it."""
        return self.start + cell_len(self.title)


def places(panes: Sequence[Out], width: int) -> list[Named]:
    """Where names stand; the last ones are left out where not all have room.

    Args:
        panes: Those out of sight.
        width: Cells there are.
    """
    found: list[Named] = []
    start = len(BEFORE)
    for kind, title, full in panes:
        found.append(Named(start, kind, title, full))
        start = found[-1].end + len(BETWEEN)
    while found and found[-1].end + _told_cells(len(panes) - len(found)) > width:
        found.pop()
    return found


def _told_cells(more: int) -> int:
    """Cells of how many are left out."""
    return len(MORE.format(more)) if more else 0


class Aside(Line):
    """Names the panes that are not shown."""

    PREFIX = "aside"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"aside--dim", "aside--empty", "aside--full"}
    DEFAULT_CSS = """
    Aside {
        dock: bottom;
        height: 1;
        padding: 0 1;
        background: $background;
        & > .aside--dim { color: $stratum-dim 60%; }
        & > .aside--empty { color: $stratum-dim; }
        & > .aside--full { color: $foreground; }
    }
    """

    class Wanted(Message):
        """The user wants to see a pane."""

        def __init__(self, kind: str) -> None:
            super().__init__()
            self.kind = kind

    def __init__(self) -> None:
        super().__init__(id="panes-aside")
        self.panes: tuple[Out, ...] = ()

    def show(self, panes: Sequence[Out]) -> None:
        """Names other panes; without any it takes no room."""
        if tuple(panes) != self.panes:
            self.panes = tuple(panes)
            self.refresh()
        self.display = bool(panes)

    def pieces(self, width: int) -> list[Piece]:
        """The names that fit, and how many do not."""
        pieces: list[Piece] = []
        found = places(self.panes, width)
        for named in found:
            pieces.append((BETWEEN if pieces else BEFORE, "dim"))
            pieces.append((named.title, "full" if named.full else "empty"))
        more = len(self.panes) - len(found)
        return [*pieces, (MORE.format(more), "dim")] if more and found else pieces

    def on_click(self, event: Click) -> None:
        """Brings a pane back."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for named in places(self.panes, self.content_size.width):
            if named.start <= offset.x < named.end:
                event.stop()
                self.post_message(self.Wanted(named.kind))
