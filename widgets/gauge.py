"""The gauge: the core laid on its side, in one line, with what comes next."""

from typing import TYPE_CHECKING, ClassVar

from rich.text import Text

from widgets.core.ahead import next_step
from widgets.core.inks import HUES, inks_css
from widgets.core.paint import PATTERNS
from widgets.core.rows import CoreRow, layout
from widgets.core.view import CoreView, core_view
from widgets.figures import short_number
from widgets.hues import few_hues
from widgets.line import Line, Piece

if TYPE_CHECKING:
    from memory.snapshot import Snapshot

__all__ = ["Gauge", "gauge_line", "next_step"]

OTHER_INKS = {
    "free": "$stratum-dim 40%",
    "figure": "$foreground",
    "near": "$stratum-warning",
    "next": "$stratum-dim",
}
LONGEST_BAR, SHORTEST_BAR = 60, 8
FIGURES_WIDTH, NEXT_WIDTH = len("~99.9k of 27.9k"), 23
FULL, FREE, MARK, OVER = "▆", "─", "┊", "!"
DRAFT = "▃"


def gauge_line(view: CoreView, width: int, *, patterns: bool = False) -> list[Piece]:
    """The line, in pieces; what does not fit is left out, the figures last.

    Args:
        view: What is drawn.
        width: Cells there are.
        patterns: Whether layers are told apart by what fills them instead of by hue.
    """
    about = "~" if view.estimated else ""
    used, limit = short_number(view.used), short_number(view.limit) if view.known else "?"
    # Of one length whatever the figures are, so that the bar stands still.
    share = f"{view.used / view.limit:.0%}" if view.known else ""
    figures = f"{f'{about}{used} of {limit}':<{FIGURES_WIDTH}}{share:>5} "
    following = f" {view.ahead:>{NEXT_WIDTH}}"
    room = width - len(figures)
    if room - len(following) < SHORTEST_BAR:
        following = ""
    if room < SHORTEST_BAR:
        return [(f"{about}{used} of {limit}"[:width], view.level)]
    rows = layout(view, min(LONGEST_BAR, room - len(following)))
    bar = [_cell(row, patterns) for row in reversed(rows)]
    return [(figures, view.level), *bar, (following, "next")]


def _cell(row: CoreRow, patterns: bool) -> Piece:
    if row.layers and patterns:
        return PATTERNS[row.ink], row.ink
    if row.layers:
        return DRAFT if row.ink == "draft" else FULL, row.ink
    return {"trigger": (MARK, "trigger"), "over": (OVER, "over")}.get(row.ink, (FREE, "free"))


class Gauge(Line):
    """Draws a snapshot's prompt in one line."""

    PREFIX = "gauge"
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"gauge--{ink}" for ink in HUES | OTHER_INKS}
    DEFAULT_CSS = f"""
    Gauge {{
        height: 1;
        padding: 0 1;
        background: $background;
        color: $stratum-dim;
        {inks_css("gauge", **OTHER_INKS)}
    }}
    """

    def __init__(self) -> None:
        super().__init__(id="gauge")
        self.view: CoreView | None = None
        self._drawn: list[Piece] = []

    def show(
        self, snapshot: "Snapshot | None", *, draft_tokens: int = 0, answer_tokens: int = 0
    ) -> None:
        """Draws another snapshot; none while there is no memory to show.

        Args:
            snapshot: Memory at a moment.
            draft_tokens: Of what is being typed.
            answer_tokens: Of the answer that is on its way.
        """
        self.view = None
        if snapshot is not None:
            self.view = core_view(snapshot, draft_tokens=draft_tokens, answer_tokens=answer_tokens)
        if self.pieces(self.content_size.width) != self._drawn:
            self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """Figures, bar, and what comes next."""
        if self.view is None:
            return [(FREE * width, "free")]
        return gauge_line(self.view, width, patterns=few_hues(self.app))

    def render(self) -> Text:
        """The pieces in their colours."""
        self._drawn = self.pieces(self.content_size.width)
        return super().render()
