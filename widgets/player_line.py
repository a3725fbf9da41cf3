"""What stands in the composer's place while a conversation is played."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widget import Widget

from widgets.plain import one_line

Wanted = Literal["pause", "slower", "faster", "end"]


@dataclass(frozen=True, slots=True)
class PlayerView:
    """What the line tells."""

    said: int = 0
    messages: int = 0
    speed: float = 1.0
    paused: bool = False
    caption: str = ""


class PlayerLine(Widget, can_focus=True):
    """Two rows, and the keys of a player.

    Args:
        wanted: Takes what a key asks for.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "want('pause')", "pause", show=False),
        Binding("left", "want('slower')", "slower", show=False),
        Binding("right", "want('faster')", "faster", show=False),
        Binding("escape", "want('end')", "end", show=False),
    ]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"player--place", "player--caption"}
    DEFAULT_CSS = """
    PlayerLine {
        height: 2;
        padding: 0 1;
        color: $stratum-dim;
        & > .player--place { color: $stratum-short-term; text-style: bold; }
        & > .player--caption { color: $stratum-dim; }
    }
    """

    def __init__(self, wanted: Callable[[Wanted], None]) -> None:
        super().__init__(id="player")
        self.view = PlayerView()
        self._wanted = wanted

    def show(self, view: PlayerView) -> None:
        """Tells something else."""
        if view != self.view:
            self.view = view
            self.refresh()

    def action_want(self, wanted: Wanted) -> None:
        """Does what a key asks for."""
        self._wanted(wanted)

    def render(self) -> Text:
        """How far it is, how fast it goes, and what happens."""
        view = self.view
        mark = "❚❚" if view.paused else "▶"
        place = f"{mark} {view.said}/{view.messages}  {speed_label(view.speed)}  "
        line = Text(place, style=self.get_component_rich_style("player--place"), end="")
        style = self.get_component_rich_style("player--caption")
        return line.append(one_line(view.caption), style)


def speed_label(speed: float) -> str:
    """A speed in a few cells: a half, one, sixteen times."""
    parts = {0.25: "¼", 0.5: "½"}
    return f"{parts.get(speed) or f'{speed:g}'}×"
