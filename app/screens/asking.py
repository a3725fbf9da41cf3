"""A question that is asked once, with the safe answer first."""

from collections.abc import Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ItemGrid, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Static

from app.screens.question import Question
from widgets.plain import printable

LEAST_BUTTON = 13


class Asking(Question[bool]):
    """Yes or no; no stands first, has the focus, and is what Escape means.

    Args:
        question: Sentences, one below the other; never markup.
        yes: What the button says that does it.
        no: What the button says that leaves things as they are.
    """

    AUTO_FOCUS = "#no"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,n", "answer(False)", "no", id="asking.no"),
        Binding("y", "answer(True)", "yes", id="asking.yes"),
    ]

    def __init__(self, *question: str, yes: str, no: str = "Leave it") -> None:
        super().__init__()
        self._question = "\n\n".join(map(printable, question))
        self._yes, self._no = printable(yes), printable(no)

    def compose(self) -> ComposeResult:
        """The sentences and two buttons."""
        longest = max(len(self._yes), len(self._no)) + 4
        with VerticalScroll(can_focus=False):
            yield Static(Content(self._question))
            with ItemGrid(min_column_width=max(LEAST_BUTTON, longest)):
                yield Button(Content(self._no), id="no", compact=True)
                yield Button(Content(self._yes), id="yes", compact=True)

    def key_words(self) -> Iterator[tuple[str, str]]:
        """Each answer as its button says it."""
        for action, label in (("asking.yes", self._yes), ("asking.no", self._no)):
            yield action, label[:1].lower() + label[1:]

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """Answers by key."""
        self.dismiss(answer)
