"""Screens of two halves: a list, and what is chosen of it; below each other or side by side."""

from typing import ClassVar

from textual.events import Resize
from textual.screen import Screen, ScreenResultType

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
