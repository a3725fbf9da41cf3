"""The Trace screen: where did it go? (VIEW-10)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen

from app.screens.trace_rows import compaction_of, trace_rows
from widgets.hint_line import HintLine, Key
from widgets.line import Line, Piece
from widgets.panes.pane import Pane
from widgets.panes.view import PaneView, clipped
from widgets.plain import one_line

if TYPE_CHECKING:
    from memory.tracing import Traced

KEYS: tuple[Key, ...] = (
    ("pane.up pane.down", "choose"),
    ("pane.open", "compaction"),
    ("trace.back", "back"),
)


class TraceHead(Line):
    """What is being looked for."""

    PREFIX = "head"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"head--name", "head--text"}
    DEFAULT_CSS = """
    TraceHead {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $stratum-dim;
        & > .head--name { color: $stratum-recalled; text-style: bold; }
        & > .head--text { color: $foreground; }
    }
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = one_line(text)

    def pieces(self, width: int) -> list[Piece]:
        """The name, and the text as far as there is room."""
        name = "Where did it go?  "
        return [(name, "name"), (clipped(self._text, width - len(name)), "text")]


class TraceScreen(Screen[str | None]):
    """Lists the ways of a text; ends with the compaction that is to be opened, or None.

    Args:
        traced: The ways.
        compactions: The ids of compactions by their events' numbers.
        chosen: The row that was chosen before.
    """

    AUTO_FOCUS = "#pane-trace"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back", id="trace.back"),
    ]
    DEFAULT_CSS = """
    TraceScreen {
        background: $background;
        & > #pane-trace { height: 1fr; }
    }
    """

    def __init__(
        self, traced: "Traced", compactions: Mapping[int, str], chosen: str | None = None
    ) -> None:
        super().__init__()
        self._traced = traced
        self._compactions = compactions
        self.chosen = chosen

    def compose(self) -> ComposeResult:
        """What is looked for, its ways, the keys."""
        yield TraceHead(self._traced.text)
        yield Pane("trace", "ways", "recalled", closable=False)
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Shows the ways."""
        pane = self.query_one(Pane)
        pane.show(self._lay)
        pane.cursor = self.chosen

    @on(Pane.Opened)
    def _opened(self, event: Pane.Opened) -> None:
        self.chosen = event.key
        self.dismiss(compaction_of(event.key))

    def action_back(self) -> None:
        """Goes back to where it was asked."""
        self.dismiss(None)

    def _lay(self, width: int) -> PaneView:
        return trace_rows(self._traced, self._compactions, width, datetime.now(UTC))
