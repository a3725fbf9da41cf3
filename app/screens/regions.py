"""A screen with a conversation and, beside it, core and panes: going between its parts.

Loaded before the first paint: core and panes come later.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.screen import Screen
from textual.widget import Widget

from widgets.transcript import Transcript

if TYPE_CHECKING:
    from app.screens.beside import Beside
    from widgets.core.core import Core
    from widgets.panes.column import Panes


class Regions(Screen[None]):
    """Places the parts, and gives them the keys in turn."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page(-1)", "back", priority=True, id="chat.back"),
        Binding("pagedown", "page(1)", "on", priority=True, id="chat.on"),
        Binding("f6", "region(1)", "next", priority=True, id="chat.next_region"),
        Binding("shift+f6", "region(-1)", "before", priority=True, id="chat.previous_region"),
        Binding("f7", "panes", "panes", priority=True, id="chat.panes"),
        Binding("f8", "enlarge", "enlarge", priority=True, id="chat.enlarge"),
    ]
    DEFAULT_CSS = """
    Regions {
        background: $background;
        layout: horizontal;
        layers: room drawer;
        & > StatusLine { dock: top; layer: room; }
        & > #talk { width: 1fr; min-width: 8; height: 1fr; layer: room; }
        & > Core { layer: room; margin: 0 1; }
        & > Panes { max-width: 100%; margin: 0 1 0 0; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._beside: Beside | None = None

    @property
    def own_parts(self) -> list[Widget]:
        """What has keys besides core and panes, in order."""
        return [self.query_one(Transcript)]

    @property
    def pane_titles(self) -> Sequence[tuple[str, str]]:
        """Each pane by its name and title; none while they are still coming."""
        return self._beside.panes.titles if self._beside is not None else ()

    def show_pane(self, name: str) -> None:
        """Shows a pane, though it has nothing to show, and gives it the keys."""
        if self._beside is not None:
            self._beside.open_layer(name, None)

    def on_resize(self, event: Resize) -> None:
        """Puts core and panes where there is room for them."""
        if self._beside is not None:
            self._beside.fit(*event.size)

    def on_core_opened(self, event: "Core.Opened") -> None:
        """Opens the pane of a layer."""
        if self._beside is not None:
            self._beside.open_layer(event.stratum, event.message)

    def on_panes_changed(self, event: "Panes.Changed") -> None:
        """Makes room for the panes as they are now."""
        if self._beside is not None:
            self._beside.changed(event.visible)

    def action_page(self, pages: float) -> None:
        """Scrolls the transcript."""
        self.query_one(Transcript).page(pages)

    def action_region(self, by: int) -> None:
        """Gives the keys to the next part of the screen, or to the one before."""
        order = self.own_parts
        order += self._beside.parts if self._beside is not None else []
        here = next((place for place, part in enumerate(order) if part.has_focus), 0)
        order[(here + by) % len(order)].focus(scroll_visible=False)

    def action_panes(self) -> None:
        """Shows the panes or puts them away."""
        if self._beside is not None:
            self._beside.toggle()

    def action_enlarge(self) -> None:
        """Gives the pane that has the keys more room, or makes it small again."""
        if self._beside is not None:
            self._beside.enlarge()
