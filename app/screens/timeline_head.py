"""The first line of the Timeline screen."""

from collections.abc import Sequence
from typing import ClassVar

from memory.history import CompactionRecord
from widgets.figures import short_number
from widgets.line import Line, Piece
from widgets.plain import one_line


class TimelineHead(Line):
    """Which session it is, and what its compactions have freed."""

    PREFIX = "head"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"head--name", "head--session", "head--dim"}
    DEFAULT_CSS = """
    TimelineHead {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $stratum-dim;
        & > .head--name { color: $stratum-short-term; text-style: bold; }
        & > .head--session { color: $foreground; }
        & > .head--dim { color: $stratum-dim; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._session = ""
        self._figures = ""

    def show(self, records: Sequence[CompactionRecord], session: str) -> None:
        """Draws other figures."""
        standing = [record.event for record in records if not record.undone]
        freed = sum(event.tokens_before - event.tokens_after for event in standing)
        self._session = one_line(session)
        self._figures = f"{short_number(freed)} tokens freed in all" if standing else ""
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """The name on the left, the figures on the right where they have room."""
        left = len("Timeline  ") + len(self._session)
        gap = width - left - len(self._figures)
        pieces: list[Piece] = [("Timeline  ", "name"), (self._session, "session")]
        return [*pieces, (" " * gap, "dim"), (self._figures, "dim")] if gap > 1 else pieces
