"""What a pane draws, as plain data, and ways to make rows of it. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

from widgets.plain import printable
from widgets.rows import EMPTY, Piece, Row
from widgets.wrapping import TAB, wrap_line

if TYPE_CHECKING:
    from memory.snapshot import Snapshot

PARTS = " · "
LABEL_CELLS = 2
"""Cells of text that figures in the border can't have, for its corners."""


@dataclass(frozen=True, slots=True)
class PaneView:
    """The rows of a pane at a width, and what stands in its border."""

    rows: Sequence[Row] = ()
    """Where there are many, they may be made as they come into sight."""
    figures: str = ""
    keys: tuple[str | None, ...] = ()
    """What each row opens; nothing where it is None or there is none."""
    level: str = ""
    """The ink of the figures where they are a warning: `note` or `lost`."""

    def key_at(self, row: int) -> str | None:
        """What a row opens."""
        return self.keys[row] if 0 <= row < len(self.keys) else None


Lay = Callable[[int], PaneView]
"""Lays rows out for a width."""


@dataclass(frozen=True, slots=True)
class PaneKind:
    """A pane of memory: its names, its hue, and how a snapshot looks in it."""

    name: str
    """As keys, commands and the core call it."""
    title: str
    stratum: str
    """The hue: the end of a `$stratum-…` variable."""
    rows: Callable[["Snapshot", int, datetime], PaneView]
    column: int = 0
    """Where it stands when there are two columns."""
    asked: Callable[["Snapshot"], bool] | None = None
    """Whether it has something to show; where not, it stands aside until the user wants it."""
    beside: bool = False
    """Whether it stands aside where one column has no more room than the others need."""


def wrapped(text: str, width: int, ink: str = "text") -> list[Row]:
    """The rows of a text, broken at spaces, that join again when they are copied."""
    rows: list[Row] = []
    for line in printable(text).split("\n"):
        place = 0
        flat = line.expandtabs(TAB).rstrip()
        for part in wrap_line(flat, max(2, width)):
            glue = None
            if place:
                glue = " " if flat[place : place + 1] == " " else ""
                place += len(glue)
            place += len(part)
            rows.append(Row((Piece(part, ink),), glue) if part else EMPTY)
    return rows


def clipped(text: str, width: int) -> str:
    """The text as far as it fits, with … where it does not."""
    cells = cell_len(text)
    if cells <= width:
        return text
    if width <= 0:
        return ""
    # Most texts are narrow throughout, and a window has a row for every message.
    begun = text[: width - 1] if cells == len(text) else set_cell_size(text, width - 1)
    return begun.rstrip() + "…"


def spread(left: Sequence[Piece], right: Sequence[Piece], width: int) -> Row:
    """One row with something at each end; what stands right is left out where it has no room."""
    taken = sum(cell_len(piece.text) for piece in left)
    wanted = sum(cell_len(piece.text) for piece in right)
    gap = width - taken - wanted
    if not wanted or gap < 1:
        return Row(tuple(left))
    return Row((*left, Piece(" " * gap, "dim"), *right))


def fitted_figures(figures: str, width: int) -> str:
    """As many of the parts of a line of figures as fit, from the first on."""
    parts = figures.split(PARTS)
    while len(parts) > 1 and cell_len(PARTS.join(parts)) > width:
        parts.pop()
    return clipped(PARTS.join(parts), width)
