"""The status line: which session, who answers and where, and what is going on."""

from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len, set_cell_size

from widgets.line import Line, Piece
from widgets.plain import one_line

GAP = 2
SHORTEST_NAME = 8
STATE_CELLS = 14
"""Room for the longest usual state (`● reading 69 %`): nothing may come and go with it."""
WIDE = 60
"""Cells of a line that has this room to spare."""


@dataclass(frozen=True, slots=True)
class StatusView:
    """What the line tells."""

    session: str = ""
    branch: str = ""
    """Which of several branches it is."""
    agent: str = ""
    policy: str = ""
    model: str = ""
    runs: str = ""
    """Where the model runs."""
    state: str = ""
    working: bool = False
    """Whether something is on its way."""


def status_line(view: StatusView, width: int) -> list[Piece]:
    """The line, in pieces; policy, agent, place, the end of the session, branch make room."""
    right = _right(view, STATE_CELLS if width >= WIDE else 0)
    names = [one_line(name) for name in (view.session, view.branch, view.agent, view.policy)]
    left = [(name, "session" if index == 0 else "dim") for index, name in enumerate(names) if name]
    kept = 2 if view.branch else 1
    while len(left) > kept and _length(left) + GAP + _length(right) > width:
        left.pop()
    if _length(left) + GAP + _length(right) > width and view.runs:
        right = [piece for piece in right if piece[1] != "place"]
    room = width - _length(right) - GAP
    if len(left) > 1 and room - _length(left[1:]) - GAP < SHORTEST_NAME:
        left = left[:1]
    if left and _length(left) > room:
        room -= _length(left[1:]) + GAP * (len(left) - 1)
        clipped = (_clipped(left[0][0], room), "session")
        left = [clipped, *left[1:]] if room >= SHORTEST_NAME else []
    if not left and _length(right) > width:
        state = [piece for piece in right if piece[1] in ("busy", "idle")]
        room = max(0, width - _length(state) - GAP)
        right = [*state, (_clipped(one_line(view.model), room), "model")]
    gap = max(0, width - _length(left) - _length(right))
    return [*_spaced(left), (" " * gap, "dim"), *_spaced(right)]


def _right(view: StatusView, state_cells: int) -> list[Piece]:
    dot = "●" if view.working else "○"
    state = f"{dot} {one_line(view.state)}".rjust(state_cells) if view.state else ""
    pieces = [
        (state, "busy" if view.working else "idle"),
        (one_line(view.model), "model"),
        (one_line(view.runs), "place"),
    ]
    return [piece for piece in pieces if piece[0]]


def _spaced(pieces: list[Piece]) -> list[Piece]:
    spaced: list[Piece] = []
    for index, piece in enumerate(pieces):
        if index:
            spaced.append((" " if piece[1] == "place" else "  ", "dim"))
        spaced.append(piece)
    return spaced


def _length(pieces: list[Piece]) -> int:
    return sum(cell_len(text) for text, _ in _spaced(pieces))


def _clipped(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…" if width > 0 else ""


class StatusLine(Line):
    """Draws a `StatusView` in one line."""

    PREFIX = "status"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"status--{ink}" for ink in ("session", "dim", "model", "place", "busy", "idle")
    }
    DEFAULT_CSS = """
    StatusLine {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $stratum-dim;
        & > .status--session { color: $foreground; text-style: bold; }
        & > .status--dim { color: $stratum-dim; }
        & > .status--model { color: $foreground; }
        & > .status--place { color: $stratum-dim; }
        & > .status--busy { color: $stratum-short-term; }
        & > .status--idle { color: $stratum-dim; }
    }
    """

    def __init__(self, view: StatusView) -> None:
        super().__init__(id="status")
        self.view = view

    def show(self, view: StatusView) -> None:
        """Draws another view."""
        if view != self.view:
            self.view = view
            self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """Session on the left, state and model on the right."""
        return status_line(self.view, width)
