"""The Textual application: its theme, its keys, and how it begins and ends.

What is imported here is loaded before the first paint: Textual and the standard library.
"""

import asyncio
import logging
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from rich.text import Text
from textual.app import App
from textual.binding import Binding, BindingType

from app.screens.chat import FAILED, ChatScreen
from themes import strata

if TYPE_CHECKING:
    from app.settings import Settings
    from memory.wish import Wish

LOGGER = logging.getLogger("strata.screen")
DEFAULT_THEME = "default"
NO_TERMINAL = 'strata: The chat needs a terminal. To ask from a program: strata ask "…".'


class StrataApp(App[None]):
    """Strata on the screen."""

    TITLE = "Strata"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "quit", priority=True, id="app.quit"),
        Binding("ctrl+z", "suspend_process", "suspend", priority=True, id="app.suspend"),
    ]

    def __init__(self, settings: "Settings", wish: "Wish") -> None:
        super().__init__()
        self.register_theme(strata.DARK)
        self.register_theme(strata.LIGHT)
        notes = self._choose_theme(settings.ui.theme)
        self.set_keymap(settings.ui.keys)
        if settings.ui.reduced_motion:
            self.animation_level = "none"
        self._chat = ChatScreen(settings, wish, notes)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The hues of the strata, for themes that have none of their own."""
        return strata.stratum_variables(self.current_theme.dark)

    def get_default_screen(self) -> ChatScreen:
        """The chat is the first screen: nothing is drawn before it."""
        return self._chat

    def on_mount(self) -> None:
        """Ends in good order when the system asks for it.

        A terminal that has gone (SIGHUP) ends the process at once: Textual would wait for ever
        to draw on it, and nothing is lost that was on disk.
        """
        # Windows has no such handlers, and only the main thread may set them.
        with suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._chat.leave)

    async def run_async(self, **options: Any) -> None:
        """Runs until the end, that of the conversation included."""
        try:
            await super().run_async(**options)
        finally:
            await self._chat.closed()

    async def action_quit(self) -> None:
        """Leaves; what has arrived of an answer is kept."""
        self._chat.leave()

    def _choose_theme(self, name: str) -> tuple[str, ...]:
        wanted = strata.DEFAULT.name if name == DEFAULT_THEME else name
        if wanted in self.available_themes:
            self.theme = wanted
            return ()
        self.theme = strata.DEFAULT.name
        names = ", ".join(sorted(self.available_themes))
        return (f"There is no theme {name}. Those there are: {names}.",)

    def _fatal_error(self) -> None:
        """Says one sentence where Textual would print a traceback; the log has the rest."""
        LOGGER.critical("the screen failed", exc_info=self._exception)
        self.panic(Text(FAILED))


def run_chat(settings: "Settings", wish: "Wish") -> int:
    """Opens the chat and returns when it is left.

    Args:
        settings: The configuration.
        wish: Which session to open.

    Returns:
        The exit status.
    """
    if sys.stdin is None or not sys.stdin.isatty():
        print(NO_TERMINAL, file=sys.stderr)  # noqa: T201 (there is no screen to say it on)
        return 1
    app = StrataApp(settings, wish)
    app.run()
    return app.return_code or 0
