"""What stands around the list of sessions: lines of figures, and fields to type in."""

from collections.abc import Callable
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.events import Blur
from textual.message import Message
from textual.widgets import Input

from widgets.line import Line, Piece


class SessionsLine(Line):
    """A line of the screen; what stands in it is given."""

    PREFIX = "line"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--name", "line--dim", "line--held"}
    DEFAULT_CSS = """
    SessionsLine {
        height: 1;
        padding: 0 1;
        color: $stratum-dim;
        & > .line--name { color: $stratum-short-term; text-style: bold; }
        & > .line--dim { color: $stratum-dim; }
        & > .line--held { color: $stratum-warning; }
        &.-head { background: $panel; }
    }
    """

    def __init__(self, make: Callable[[int], list[Piece]], **options: Any) -> None:
        super().__init__(**options)
        self._make = make

    def pieces(self, width: int) -> list[Piece]:
        """What is given for this width."""
        return self._make(width)


class FindInput(Input):
    """Takes what is typed; at its end, Delete is about the chosen session and not about text."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leaves Delete to the screen where there is nothing to its right."""
        if action == "delete_right" and self.cursor_position >= len(self.value):
            return False
        return super().check_action(action, parameters)


class TitleInput(Input):
    """A title while it is changed, where it stands in the list."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "save", id="sessions.save"),
        Binding("escape", "leave", "leave it", id="sessions.leave"),
    ]

    class Left(Message):
        """The title stays as it was."""

    def action_leave(self) -> None:
        """Leaves the title as it was."""
        self.post_message(self.Left())

    def on_blur(self, _: Blur) -> None:
        """Leaves it as it was where something else is done."""
        self.post_message(self.Left())
