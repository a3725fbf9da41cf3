"""The Textual application: its theme, its keys, and how it begins and ends.

What is imported here is loaded before the first paint: Textual and the standard library.
"""

import asyncio
import logging
import os
import select
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.app import App, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.events import Event, Key, Paste
from textual.filter import LineFilter

from app.screens.chat import FAILED, ChatScreen
from app.start import Glimpse, Start, glimpse_of
from app.themes import Themes
from memory.errors import StrataError
from themes import strata
from widgets.keystrokes import Keystrokes

if TYPE_CHECKING:
    from app.settings import Settings

LOGGER = logging.getLogger("strata.screen")


class StrataApp(App[None]):
    """Strata on the screen."""

    TITLE = "Strata"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "help", priority=True, id="app.help"),
        Binding("ctrl+p", "palette", "all", priority=True, id="app.palette"),
        Binding("ctrl+q", "quit", "quit", priority=True, id="app.quit"),
        Binding("ctrl+z", "suspend_process", "suspend", priority=True, id="app.suspend"),
    ]

    def __init__(self, start: Start) -> None:
        super().__init__()
        self.themes = Themes(self, start.glimpse.themes)
        self.refusal: StrataError | None = None
        """Why the program ended before it began."""
        self._glimpse = start.glimpse
        self._early: list[Event] | None = []
        self._keystrokes = Keystrokes()
        self._look(start.glimpse)
        self._chat = ChatScreen(start, self)

    def configured(self, settings: "Settings") -> tuple[str, ...]:
        """Takes in the checked configuration; returns what the user should know of it."""
        glimpse = glimpse_of(settings)
        if glimpse != self._glimpse:
            self._glimpse = glimpse
            self._look(glimpse)
        # Here, since a start shows its first screen before it loads this.
        from app.chat.first_notes import workspace_note

        themes = (*self.themes.read_users(), self.themes.problem(glimpse.theme))
        notes = (*settings.notes, *themes, workspace_note(settings))
        return tuple(note for note in notes if note)

    def refuse(self, error: StrataError) -> None:
        """Ends the program, which says why where it was started."""
        self.refusal = error
        self.exit(return_code=1)

    def choose_theme(self, name: str | None) -> None:
        """Shows a theme from now on, or lets the user choose one."""
        if name is None:
            from app.screens.themes import open_themes

            open_themes(self, self.choose_theme)
        elif problem := self.themes.choose(name, self._glimpse.data):
            self._chat.say_shortly(problem)

    @property
    def few_hues(self) -> bool:
        """Whether what is drawn has to be told apart by more than its hue."""
        return self.themes.few_hues

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's filters, and ours where the terminal has few colours or none."""
        # Textual asks before this application is complete.
        ours = self.themes.filters if hasattr(self, "themes") else ()
        return (*super().get_line_filters(), *ours)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The hues of the strata, for themes that have none of their own."""
        return strata.variables_for(self.current_theme)

    def get_default_screen(self) -> ChatScreen:
        """The chat is the first screen: nothing is drawn before it."""
        return self._chat

    def on_mount(self) -> None:
        """Ends, stops and goes on in good order when the system asks for it.

        A terminal that has gone (SIGHUP) ends the process at once: Textual would wait for ever
        to draw on it, and nothing is lost that was on disk.
        """
        # Windows has no such handlers, and only the main thread may set them.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGTERM, self._chat.leave)
            loop.add_signal_handler(signal.SIGTSTP, self.action_suspend_process)
            # Textual would begin once more on a terminal that it still has after a SIGSTOP.
            loop.add_signal_handler(signal.SIGCONT, lambda: self.refresh(layout=True))
        self._watch_terminal()

    async def on_event(self, event: Event) -> None:
        """Takes all text that is typed, also before a composer is there: Textual would lose it."""
        if isinstance(event, Key) and not event.is_forwarded:
            event = self._keystrokes.read(event)
        typed = isinstance(event, Key | Paste)
        if typed and self._early is not None and self.app_focus and self.focused is None:
            self._early.append(event)
            return
        if typed:
            await self.on_descendant_focus()
        await super().on_event(event)

    async def on_descendant_focus(self) -> None:
        """Hands on what was typed before anything could take it."""
        early, self._early = self._early or (), None
        for event in early:
            await super().on_event(event)

    async def run_async(self, **options: Any) -> None:
        """Runs until the end, that of the conversation included."""
        try:
            await super().run_async(**options)
        finally:
            await self._chat.closed()

    def action_palette(self) -> None:
        """Shows everything that can be done, to be found by its name."""
        from app.palette import open_palette

        open_palette(self)

    def action_help(self) -> None:
        """Shows all keys and commands."""
        from app.screens.help import open_help

        open_help(self, self._glimpse.keys)

    async def sessions_for_palette(self) -> Sequence[tuple[str, str, str]]:
        """Id, title and a few words of each session, the one used last first."""
        if self._chat.talk is None:
            return ()
        from app.chat.names import ago, name_of

        now = datetime.now(UTC)
        return [
            (session.id, name_of(session, now), ago(session.last_used, now))
            for session in await self._chat.talk.sessions()
        ]

    def open_session(self, session: str) -> None:
        """Opens the session with this id."""
        if self._chat.talk is not None:
            self._chat.talk.open_session(session)

    def action_help_quit(self) -> None:
        """Says how to leave, to those who try Ctrl+C."""
        self._chat.say_shortly("Ctrl+Q leaves Strata.")

    async def action_quit(self) -> None:
        """Leaves; what has arrived of an answer is kept."""
        self._chat.leave()

    def action_suspend_process(self) -> None:
        """Stops the whole job, so that whoever started it has the terminal, and comes back to it.

        Textual would stop this process alone, even where nobody could let it go on, and show
        nothing afterwards. The system stops no job that it sees has no shell to go back to.
        """
        with suppress(SuspendNotSupported), self.suspend():
            before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
            os.killpg(0, signal.SIGTSTP)
            signal.signal(signal.SIGTSTP, before)

    def _watch_terminal(self) -> None:
        """Leaves when the terminal goes without a SIGHUP, as it does where it controls nothing.

        Textual would read its end again and again, and never stop. A thread waits for the hang-up
        alone, which costs nothing until it comes.
        """
        if sys.platform == "win32" or self.is_headless or not sys.stdin.isatty():
            return
        loop, watch = asyncio.get_running_loop(), select.poll()
        watch.register(sys.stdin.fileno(), 0)

        def wait() -> None:
            if any(event & select.POLLHUP for _, event in watch.poll()):
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(self._chat.leave)

        threading.Thread(target=wait, name="strata terminal", daemon=True).start()

    def _look(self, glimpse: Glimpse) -> None:
        """Obeys what is configured of theme, keys and motion."""
        self.themes.show(glimpse.theme)
        self.set_keymap(glimpse.keys)
        if glimpse.reduced_motion:
            self.animation_level = "none"

    def _fatal_error(self) -> None:
        """Says one sentence where Textual would print a traceback; the log has the rest."""
        LOGGER.critical("the screen failed", exc_info=self._exception)
        self.panic(Text(FAILED))


def run_chat(start: Start) -> int:
    """Opens the chat and returns when it is left.

    Args:
        start: What is known of the start, and which session to open.

    Returns:
        The exit status.

    Raises:
        StrataError: The configuration can't be used.
    """
    app = StrataApp(start)
    app.run()
    if app.refusal is not None:
        raise app.refusal
    return app.return_code or 0
