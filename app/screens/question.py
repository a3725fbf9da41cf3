"""How a question over another screen looks: sentences in a frame, buttons below them."""

from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

Answer = TypeVar("Answer")


class Question(ModalScreen[Answer]):
    """Buttons side by side where they fit; the arrow keys go from one to the next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]
    DEFAULT_CSS = """
    Question {
        align: center middle;
        background: $background 70%;
        & > VerticalScroll {
            width: 64;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            padding: 0 2;
            scrollbar-size-vertical: 1;
            background: $panel;
            border: round $stratum-warning;
        }
        & Static { margin-bottom: 1; color: $foreground; }
        & ItemGrid { height: auto; grid-gutter: 0 1; }
        & Button { width: 100%; background: $background; color: $foreground; }
        & Button:focus {
            background: $stratum-short-term;
            background-tint: transparent;
            color: $background;
            text-style: bold !important;
        }
    }
    """
