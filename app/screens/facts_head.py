"""The line above the facts screen."""

from typing import ClassVar

from rich.cells import cell_len

from widgets.figures import count
from widgets.line import Line, Piece

SEARCH = "/ searches words, and what is near in meaning"


class FactsHead(Line):
    """How many facts hold and have ended, and which of them are listed."""

    PREFIX = "facts"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"facts--name", "facts--figure", "facts--dim"}
    DEFAULT_CSS = """
    FactsHead {
        height: 1;
        padding: 0 1;
        background: $panel;
        & > .facts--name { color: $stratum-facts; text-style: bold; }
        & > .facts--figure { color: $foreground; }
        & > .facts--dim { color: $stratum-dim; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._figures = ""
        self._listed = ""

    def show(self, live: int, ended: int, listed: str) -> None:
        """Tells other figures.

        Args:
            live: How many facts hold.
            ended: How many no longer do.
            listed: Which of them are listed.
        """
        self._figures = f"{count(live, 'fact')}, {ended:,} ended"
        self._listed = listed
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """The name and the figures left, what is listed right."""
        left: list[Piece] = [("Facts  ", "name"), (self._figures, "figure")]
        gap = width - sum(cell_len(text) for text, _ in left) - cell_len(self._listed)
        return [*left, (" " * gap + self._listed, "dim")] if gap > 1 else left
