"""A line above the keys in which a screen asks for a few words."""

import asyncio
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Input, Static

from widgets.plain import one_line


class AskedInput(Input):
    """Takes a line; Escape leaves it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "save", id="asked.save"),
        Binding("escape", "leave", "leave it", id="asked.leave"),
    ]

    def action_leave(self) -> None:
        """Answers nothing."""
        self.post_message(self.Submitted(self, "\0"))


class AskedLine(Horizontal):
    """Asks for one line at a time; out of sight while it asks for none."""

    DEFAULT_CSS = """
    AskedLine {
        display: none;
        height: 1;
        padding: 0 1;
        background: $panel;
        & > Static { width: auto; max-width: 50%; height: 1; color: $stratum-short-term; }
        & > Input, & > Input:focus {
            width: 1fr;
            height: 1;
            padding: 0 1;
            border: none;
            background: $panel;
            background-tint: transparent;
            color: $foreground;
        }
        &.-asking { display: block; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="asked-line")
        self._answer: asyncio.Future[str | None] | None = None

    def compose(self) -> ComposeResult:
        """What is asked, and where it is answered."""
        yield Static(id="asked-what")
        yield AskedInput(id="asked-words", select_on_focus=False)

    async def ask(self, what: str, words: str = "") -> str | None:
        """Asks for a line, and gives the keys back.

        Args:
            what: What is asked for.
            words: What stands there at first.

        Returns:
            The line without blanks at its ends; None where the user leaves it.
        """
        self.leave()
        before = self.screen.focused
        field = self.query_one(AskedInput)
        self.query_one("#asked-what", Static).update(Content(f"{what}:"))
        field.value = one_line(words)
        field.cursor_position = len(field.value)
        self.add_class("-asking")
        field.focus()
        self._answer = asyncio.get_running_loop().create_future()
        try:
            return await self._answer
        finally:
            self._answer = None
            self.remove_class("-asking")
            if before is not None and before.is_attached:
                before.focus()

    def leave(self) -> None:
        """Answers nothing where something is asked."""
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(None)

    @on(Input.Submitted)
    def _answered(self, event: Input.Submitted) -> None:
        event.stop()
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(None if event.value == "\0" else event.value.strip())
