"""Asks for the passphrase of an encrypted data directory, before anything of it is open."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input, Static

from widgets.plain import one_line

LOW = 12
"""Rows below which only what is needed is shown."""
LOCKED = "Locked"
LOCKED_WORDS = "What was said here is encrypted. Its passphrase opens it."
NEW = "A passphrase for what is said here"
NEW_WORDS = (
    "All of it will be encrypted. Without the passphrase nobody can read it again, and nobody can "
    "find the passphrase again: keep it somewhere safe."
)
KEYS = "⏎ open   esc leave"
NEW_KEYS = "⏎ go on   esc leave"
CHECKING = "Opening…"
TYPED = "typed, and not shown "
DIFFERENT = "The two are different. Type both again."

Try = Callable[[str], Awaitable[str]]


class SecretInput(Input):
    """Takes a passphrase; nothing of it is seen, nor how long it is, and nothing can be copied."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id, password=True, select_on_focus=False)
        self.cursor_blink = False

    def render_line(self, y: int) -> Strip:
        """Shows whether something is typed."""
        if y:
            return Strip.blank(self.size.width, self.rich_style)
        style = self.rich_style
        cursor = self.get_component_rich_style("input--cursor") if self.has_focus else style
        told = [Segment(TYPED, style)] if self.value else []
        strip = Strip([*told, Segment(" ", cursor)])
        return strip.adjust_cell_length(self.size.width, self.rich_style)

    def action_copy(self) -> None:
        """Copies nothing."""

    def action_cut(self) -> None:
        """Copies nothing."""

    def get_selection(self, selection: object) -> None:
        """What is marked by mouse: nothing."""


class UnlockScreen(ModalScreen[bool]):
    """Asks until a passphrase opens it, or the user leaves: then it ends with False.

    Args:
        attempt: Tries a passphrase; returns what is wrong with it, or nothing.
        new: Whether one is chosen, typed twice, for a directory that has none.
        problem: What is to be said first.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "leave", id="unlock.leave", priority=True),
    ]
    DEFAULT_CSS = """
    UnlockScreen {
        align: center middle;
        background: $background 70%;
        & > Vertical {
            width: 64;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            padding: 0 1;
            background: $panel;
            border: round $stratum-short-term;
            border-title-color: $foreground;
            border-title-style: bold;
            border-subtitle-color: $stratum-dim;
        }
        & Static { height: auto; padding: 0 1; color: $stratum-dim; }
        & #problem { color: $stratum-warning; }
        & .what { margin-top: 1; color: $foreground; }
        & Input, & Input:focus {
            height: 1;
            margin: 0 1;
            padding: 0 1;
            border: none;
            background: $background;
            background-tint: transparent;
            color: $foreground;
        }
        & #said { margin-top: 1; }
        &.-low {
            & > Vertical { border: none; padding: 0; }
            & .words { display: none; }
            & .what, & #said { margin: 0; }
        }
    }
    """

    def __init__(self, attempt: Try, *, new: bool = False, problem: str = "") -> None:
        super().__init__()
        self._attempt = attempt
        self._new = new
        self._problem = problem
        self._trying: asyncio.Task[None] | None = None

    def compose(self) -> ComposeResult:
        """A sentence, one field or two, and what came of it."""
        with Vertical() as panel:
            panel.border_title = NEW if self._new else LOCKED
            panel.border_subtitle = NEW_KEYS if self._new else KEYS
            yield Static(NEW_WORDS if self._new else LOCKED_WORDS, classes="words", markup=False)
            yield Static("Passphrase", classes="what", markup=False)
            yield SecretInput("first")
            if self._new:
                yield Static("The same again", classes="what", markup=False)
                yield SecretInput("again")
            yield Static(id="said", markup=False)
            yield Static(id="problem", markup=False)

    def on_mount(self) -> None:
        """Lets the user type."""
        self._say(problem=self._problem)
        self.query_one("#first").focus()

    def on_resize(self, event: Resize) -> None:
        """Leaves out what is not needed where there is hardly room for it."""
        self.set_class(event.size.height < LOW, "-low")

    @on(Input.Submitted, "#first")
    def _typed(self, event: Input.Submitted) -> None:
        event.stop()
        if self._new:
            self.query_one("#again").focus()
        elif event.value:
            self._try(event.value)

    @on(Input.Submitted, "#again")
    def _typed_again(self, event: Input.Submitted) -> None:
        event.stop()
        if event.value == self.query_one("#first", Input).value:
            self._try(event.value)
        else:
            self._once_more(DIFFERENT)

    def action_leave(self) -> None:
        """Opens nothing."""
        if self._trying is None:
            self.dismiss(False)

    def _try(self, text: str) -> None:
        if self._trying is None:
            self._say(said=CHECKING)
            self._trying = asyncio.create_task(self._tried(text), name="strata unlock")

    async def _tried(self, text: str) -> None:
        try:
            problem = await self._attempt(text)
        finally:
            self._trying = None
        if problem:
            self._once_more(problem)
        else:
            self.dismiss(True)

    def _once_more(self, problem: str) -> None:
        """Asks again, with nothing of what was typed."""
        for field in self.query(SecretInput):
            field.value = ""
        self._say(problem=problem)
        self.query_one("#first").focus()

    def _say(self, said: str = "", problem: str = "") -> None:
        for name, text in (("#said", said), ("#problem", problem)):
            line = self.query_one(name, Static)
            line.update(Content(one_line(text)))
            line.display = bool(text)
