"""The question that comes up when a session is open in another program (STORE-5)."""

from collections.abc import Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ItemGrid, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from app.screens.question import Question
from app.screens.stage import Choice
from widgets.plain import one_line

CHOICES: dict[str, Choice] = {
    "read-only": "read-only",
    "take-over": "take-over",
    "quit": "quit",
}


class HeldScreen(Question[Choice]):
    """Read only, take over, or quit; the safe answer stands first and has the focus."""

    AUTO_FOCUS = "#read-only"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "choose('read-only')", "read only", id="held.read_only"),
    ]

    def __init__(self, label: str) -> None:
        super().__init__()
        self._label = one_line(label)

    def compose(self) -> ComposeResult:
        """A sentence and three buttons."""
        with VerticalScroll(can_focus=False):
            yield Static(
                Content(
                    f"This session is open in {self._label}. "
                    "Taking over ends writing there; nothing is lost."
                )
            )
            with ItemGrid(min_column_width=13):
                yield Button("Read only", id="read-only", compact=True)
                yield Button("Take over", id="take-over", compact=True)
                yield Button("Quit", id="quit", compact=True)

    def key_words(self) -> Iterator[tuple[str, str]]:
        """The safe answer has a key; the others are chosen."""
        yield "held.read_only", "read only"
        yield "←→", "choose"
        yield "⏎", "press"

    @on(Button.Pressed)
    def _chosen(self, event: Button.Pressed) -> None:
        self.dismiss(CHOICES[event.button.id or "read-only"])

    def action_choose(self, choice: str) -> None:
        """Answers by key."""
        self.dismiss(CHOICES[choice])
