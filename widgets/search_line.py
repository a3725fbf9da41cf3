"""The line of a screen in which one types what is looked for."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input


class SearchLine(Input):
    """Takes what is looked for; Enter and Down go to the list.

    Args:
        id: Of the widget.
        told: What stands there while it is empty.
        hue: The end of a `$stratum-…` variable: `recalled` or `facts`.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("down", "submit", show=False)]
    DEFAULT_CSS = """
    SearchLine, SearchLine:focus {
        height: 1;
        margin: 0;
        padding: 0 1;
        border: none;
        border-left: outer $stratum-recalled 40%;
        background: $panel;
        background-tint: transparent;
        color: $foreground;
    }
    SearchLine:focus { border-left: outer $stratum-recalled; }
    SearchLine.-facts { border-left: outer $stratum-facts 40%; }
    SearchLine.-facts:focus { border-left: outer $stratum-facts; }
    """

    def __init__(self, id: str, told: str, hue: str = "recalled") -> None:
        super().__init__(placeholder=told, id=id, select_on_focus=False, classes=f"-{hue}")
