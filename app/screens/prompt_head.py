"""The lines above the prompt inspector: which request, its bar, its figures."""

from collections.abc import Sequence
from itertools import accumulate, groupby
from typing import ClassVar

from rich.cells import cell_len

from app.screens.prompt_words import figures_of, ink_of
from memory.views import PieceView, PromptView
from widgets.figures import short_number
from widgets.hues import few_hues
from widgets.line import Line, Piece
from widgets.panes.drawn import STRATA
from widgets.panes.view import PARTS
from widgets.plain import one_line

FULL, FREE, TRIGGER, LIMIT, OVER = "▆", "─", "┊", "│", "!"
PATTERNS = {
    "system": "=",
    "files": ":",
    "long-term": "▓",
    "short-term": "▒",
    "you": "░",
    "model": "█",
    "working": "+",
    "facts": "#",
    "recalled": "%",
    "dim": "·",
}
"""What fills the bar where there are no colours to tell the strata apart."""
LEAST_BAR = 12
_HUES = "\n".join(f"& > .prompt--{name} {{ color: $stratum-{name}; }}" for name in STRATA)


class PromptHead(Line):
    """Which session and which request it is."""

    PREFIX = "prompt"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt--name", "prompt--session", "prompt--dim"}
    DEFAULT_CSS = """
    PromptHead {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $stratum-dim;
        & > .prompt--name { color: $stratum-facts; text-style: bold; }
        & > .prompt--session { color: $foreground; }
        & > .prompt--dim { color: $stratum-dim; }
    }
    """

    def __init__(self, session: str) -> None:
        super().__init__()
        self._session = one_line(session)
        self._which = ""

    def show(self, which: str) -> None:
        """Names another request."""
        self._which = one_line(which)
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """The name on the left, the request on the right; the session gives way to it."""
        name = "Prompt  "
        room = width - len(name) - cell_len(self._which) - 2
        session = self._session if cell_len(self._session) <= room else ""
        gap = max(1, width - len(name) - cell_len(session) - cell_len(self._which))
        return [(name, "name"), (session, "session"), (" " * gap, "dim"), (self._which, "dim")]


class PromptBar(Line):
    """A request as one bar: its strata, what is free, trigger and limit."""

    PREFIX = "prompt"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"prompt--{ink}" for ink in STRATA),
        "prompt--free",
        "prompt--trigger",
        "prompt--over",
    }
    DEFAULT_CSS = f"""
    PromptBar {{
        height: 1;
        padding: 0 1;
        background: $background;
        {_HUES}
        & > .prompt--free {{ color: $stratum-dim 40%; }}
        & > .prompt--trigger {{ color: $stratum-warning; }}
        & > .prompt--over {{ color: $stratum-lost; }}
    }}
    """
    view: PromptView | None = None

    def show(self, view: PromptView) -> None:
        """Draws another request."""
        self.view = view
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """The bar, and at its end what the marks mean."""
        if self.view is None:
            return [(FREE * width, "free")]
        view = self.view
        legend: list[Piece] = [
            (f" {TRIGGER} trigger {short_number(view.trigger)}", "trigger"),
            (f"  {LIMIT} limit {short_number(view.limit)}", "dim"),
        ]
        if view.model is None:
            legend = []
        room = width - sum(len(text) for text, _ in legend)
        if room < LEAST_BAR:
            legend, room = [], width
        return [*bar_pieces(view, room, patterns=few_hues(self.app)), *legend]


class PromptFigures(Line):
    """Our count, the provider's, the shared part, and what ended it."""

    PREFIX = "prompt"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"prompt--figure", "prompt--dim", "prompt--broke"}
    DEFAULT_CSS = """
    PromptFigures {
        height: 1;
        padding: 0 1;
        background: $background;
        & > .prompt--figure { color: $foreground; }
        & > .prompt--dim { color: $stratum-dim; }
        & > .prompt--broke { color: $stratum-lost; }
    }
    """
    view: PromptView | None = None

    def show(self, view: PromptView) -> None:
        """Draws another request."""
        self.view = view
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """What has room, the most telling first to stay."""
        if self.view is None:
            return []
        parts = figures_of(self.view)
        if _cells(parts) > width:
            parts = figures_of(self.view, short=True)
        while len(parts) > 1 and _cells(parts) > width:
            parts.remove(max(parts, key=lambda part: part[2]))
        pieces: list[Piece] = []
        for text, ink, _ in parts:
            pieces += [(PARTS, "dim"), (one_line(text), ink)] if pieces else [(text, ink)]
        return pieces


def bar_pieces(view: PromptView, width: int, *, patterns: bool = False) -> list[Piece]:
    """The cells of the bar, the same ones joined.

    Args:
        view: The request.
        width: Its cells.
        patterns: Whether strata are told apart by what fills them instead of by hue.
    """
    whole = max(view.limit, view.tokens, 1)
    inks = cells_of(view.pieces, max(1, round(width * view.tokens / whole)) if view.pieces else 0)
    cells = [(PATTERNS[ink] if patterns else FULL, ink) for ink in inks[:width]]
    cells += [(FREE, "free")] * (width - len(cells))
    if view.model is None:
        return _joined(cells)
    _mark(cells, round(width * view.limit / whole) - 1, LIMIT, "dim")
    _mark(cells, round(width * view.trigger / whole) - 1, TRIGGER, "trigger")
    if view.tokens > view.limit:
        for place in range(round(width * view.limit / whole), width):
            cells[place] = (OVER, "over")
    return _joined(cells)


def _joined(cells: Sequence[Piece]) -> list[Piece]:
    runs = ((ink, list(run)) for ink, run in groupby(cells, key=lambda cell: cell[1]))
    return [("".join(glyph for glyph, _ in run), ink) for ink, run in runs]


def cells_of(pieces: Sequence[PieceView], cells: int) -> list[str]:
    """The ink of each cell: true to tokens, with at least one for every stratum there is.

    Args:
        pieces: The pieces in their order.
        cells: How many cells they have together.
    """
    groups = [list(run) for _, run in groupby(pieces, key=lambda piece: piece.section)]
    groups = [run for run in groups if sum(piece.tokens for piece in run)]
    sizes = [sum(piece.tokens for piece in run) for run in groups]
    whole = max(1, sum(sizes))
    counts = [max(1, round(cells * size / whole)) for size in sizes]
    while sum(counts) > cells and counts and max(counts) > 1:
        counts[counts.index(max(counts))] -= 1
    return [ink for run, number in zip(groups, counts, strict=True) for ink in _inks(run, number)]


def _inks(run: Sequence[PieceView], cells: int) -> list[str]:
    """The ink of the piece at the middle of each of so many cells."""
    ends = list(accumulate(piece.tokens for piece in run))
    inks, place = [], 0
    for cell in range(cells):
        middle = ends[-1] * (cell + 0.5) / cells
        while ends[place] < middle:
            place += 1
        inks.append(ink_of(run[place]))
    return inks


def _mark(cells: list[tuple[str, str]], place: int, glyph: str, ink: str) -> None:
    if 0 <= place < len(cells):
        cells[place] = (glyph, ink)


def _cells(parts: Sequence[tuple[str, str, int]]) -> int:
    return sum(cell_len(text) for text, _, _ in parts) + len(PARTS) * (len(parts) - 1)
