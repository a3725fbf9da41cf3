"""A widget that draws the plot in the room there is."""

from typing import ClassVar

from rich.text import Text
from textual.widget import Widget

from widgets.plot import PlotView, legend, plot_rows, totals
from widgets.rows import Piece, Row

INKS = ("prompt", "history", "mark", "axis", "text", "dim", "total")
ABOUT = 4
"""Rows of legend and totals, with what parts them from the plot."""
TOO_SMALL = "There is too little room for a plot here."


class Plotted(Widget):
    """Draws a `PlotView` with its legend and its totals."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"plot--{ink}" for ink in INKS}
    DEFAULT_CSS = """
    Plotted {
        height: 1fr;
        padding: 1 2 0 2;
        background: $background;
        color: $stratum-dim;
        & > .plot--prompt { color: $stratum-you; }
        & > .plot--history { color: $stratum-dim; }
        & > .plot--mark { color: $stratum-short-term; }
        & > .plot--axis { color: $stratum-dim 70%; }
        & > .plot--text { color: $foreground; }
        & > .plot--dim { color: $stratum-dim; }
        & > .plot--total { color: $foreground; text-style: bold; }
    }
    """

    def __init__(self, when_empty: str) -> None:
        super().__init__(id="plot")
        self.when_empty = when_empty
        self.view: PlotView | None = None

    def show(self, view: PlotView) -> None:
        """Draws another view."""
        if view != self.view:
            self.view = view
            self.refresh()

    @property
    def rows(self) -> list[Row]:
        """What is drawn, from the top to the bottom."""
        if self.view is None:
            return []
        if not self.view.points:
            return [Row((Piece(self.when_empty, "dim"),))]
        width, height = self.content_size
        drawn = plot_rows(self.view, width, height - ABOUT) or [Row((Piece(TOO_SMALL, "dim"),))]
        return [legend(self.view), Row(), *drawn, Row(), Row((Piece(totals(self.view), "total"),))]

    @property
    def lines(self) -> list[str]:
        """What is drawn, as text."""
        return [row.text for row in self.rows]

    def render(self) -> Text:
        """The rows in their colours."""
        text = Text(no_wrap=True, overflow="crop", end="")
        for index, row in enumerate(self.rows):
            text.append("\n" if index else "")
            for piece in row.pieces:
                text.append(piece.text, self.get_component_rich_style(f"plot--{piece.ink}"))
        return text
