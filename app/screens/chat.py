"""The chat screen: what stands where, and which keys it obeys."""

import asyncio
import logging
import sys
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Protocol

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Resize
from textual.screen import Screen

from app.config_errors import ConfigError
from app.screens.recorded import entries_of, session_name
from app.screens.stage import KEYS, Choice, Stage
from app.start import Start
from memory.errors import StrataError
from memory.storage.glance import Glance, glance
from widgets.composer import Composer
from widgets.gauge import Gauge
from widgets.hint_line import HintLine
from widgets.status_line import StatusLine, StatusView
from widgets.transcript import Transcript

if TYPE_CHECKING:
    from app.screens.sitting import Sitting
    from app.settings import Settings

LOGGER = logging.getLogger("strata.screen")
LEAVE_SECONDS = 3.0
"""Longest wait for the conversation to close before the screen goes all the same."""
LOW = 8
"""Rows below which the gauge makes way for the conversation."""
FAILED = "Strata had to close. Everything said is kept; strata.log says what went wrong."
OPENING = "Sent as soon as memory is open."
QUICK_SWITCH_SECONDS = 0.0005
"""How long the thread that loads modules keeps a key waiting, in place of five milliseconds."""


class Program(Protocol):
    """What the screen tells the application of the configuration, which is loaded after it."""

    def configured(self, settings: "Settings") -> tuple[str, ...]:
        """Takes it in; returns what the user should know of it."""

    def refuse(self, error: StrataError) -> None:
        """Ends the program, since it can't be used."""


class ChatScreen(Screen[None]):
    """Composer, transcript, gauge and status; the conversation itself comes after the paint."""

    AUTO_FOCUS = "#composer"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop", id="chat.stop"),
        Binding("pageup", "page(-1)", "back", priority=True, id="chat.back"),
        Binding("pagedown", "page(1)", "on", priority=True, id="chat.on"),
        Binding("ctrl+home", "oldest", "oldest", priority=True, id="chat.oldest"),
        Binding("ctrl+end", "newest", "newest", priority=True, id="chat.newest"),
        Binding("ctrl+r", "reopen", "take over", id="chat.reopen"),
    ]
    DEFAULT_CSS = """
    ChatScreen { background: $background; }
    ChatScreen.-low Gauge { display: none; }
    """

    def __init__(self, start: Start, program: Program) -> None:
        super().__init__()
        self._start = start
        self._program = program
        self._sitting: Sitting | None = None
        self._conversing: asyncio.Task[None] | None = None
        self._leaving = False

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom."""
        yield StatusLine(StatusView(state="opening", working=True))
        yield Transcript()
        yield Gauge()
        yield Composer("Write a message; @ lists the commands")
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Shows what was said last, and begins with the conversation after the first paint."""
        seen = glance(self._start.glimpse.data, self._start.wish)
        if seen is not None:
            self._show_glance(seen)
        self.call_after_refresh(self._begin)

    def on_resize(self, event: Resize) -> None:
        """Leaves the gauge out where there is hardly room for the conversation."""
        self.set_class(event.size.height < LOW, "-low")

    # -- what the user does

    @on(Composer.Sent)
    def _say(self, event: Composer.Sent) -> None:
        if self._sitting is None or not self._sitting.submit(event.text):
            self.query_one(Composer).hold(OPENING)

    @on(Composer.Hint)
    def _hint(self, event: Composer.Hint) -> None:
        self.query_one(HintLine).show(hint=event.text)

    @on(Transcript.Wanted)
    def _bring(self, event: Transcript.Wanted) -> None:
        if self._sitting is None or not self._sitting.bring(event.first, event.last):
            self.query_one(Transcript).give_up()

    @on(Transcript.FollowingChanged)
    def _following(self, event: Transcript.FollowingChanged) -> None:
        note = "" if event.following else "There is more below: Ctrl+End goes there."
        self.query_one(HintLine).show(note=note)

    def action_stop(self) -> None:
        """Stops the answer."""
        if self._sitting is not None:
            self._sitting.stop()

    def action_page(self, pages: float) -> None:
        """Scrolls the transcript."""
        self.query_one(Transcript).page(pages)

    def action_oldest(self) -> None:
        """Goes to the oldest text that is here."""
        self.query_one(Transcript).go_to_start()

    def action_newest(self) -> None:
        """Goes to the newest text."""
        self.query_one(Transcript).go_to_end()

    def action_reopen(self) -> None:
        """Opens the session for writing, or tries again to open it at all."""
        if self._sitting is not None:
            self._sitting.reopen()

    def leave(self) -> None:
        """Ends the conversation, then the program; asked twice, it ends at once."""
        if self._leaving or self._conversing is None:
            self.app.exit()
            return
        self._leaving = True
        self.set_timer(LEAVE_SECONDS, self.app.exit)
        if self._sitting is None or not self._sitting.leave():
            self._conversing.cancel()

    async def closed(self) -> None:
        """Sees the conversation closed once the screen has ended, however it has.

        Textual would cancel a worker of its own and not wait for it; a database that is left
        open then keeps the process from ending.
        """
        if self._conversing is not None and not self._conversing.done():
            self._conversing.cancel()
            await asyncio.wait({self._conversing}, timeout=LEAVE_SECONDS)

    # -- inside

    def _begin(self) -> None:
        self._conversing = asyncio.create_task(self._sit(), name="strata conversation")

    def _show_glance(self, seen: Glance) -> None:
        now = datetime.now(UTC)
        entries = entries_of(seen.recorded, seen.texts, now)
        self.query_one(Transcript).show(entries, quick=True)
        status = self.query_one(StatusLine)
        name = session_name(seen.title, seen.session_id, now)
        status.show(replace(status.view, session=name, agent=seen.agent))

    async def _sit(self) -> None:
        status, last_words = 0, None
        try:
            # In a thread, so that keys are obeyed while half a second of modules is read.
            settings = await asyncio.to_thread(_load, self._start)
            from app.screens.sitting import Sitting

            note = " ".join(self._program.configured(settings))
            self._sitting = Sitting(self._stage(), settings, self._start.wish, note)
            await self._sitting.run()
        except ConfigError as error:
            self._program.refuse(error)
        except Exception:
            LOGGER.exception("the chat ended unexpectedly")
            status, last_words = 1, Text(FAILED)
        finally:
            # A screen that has failed meanwhile has said so already.
            if not self.app.return_code:
                self.app.exit(return_code=status, message=last_words)

    def _stage(self) -> Stage:
        return Stage(
            transcript=self.query_one(Transcript),
            composer=self.query_one(Composer),
            gauge=self.query_one(Gauge),
            status=self.query_one(StatusLine),
            hints=self.query_one(HintLine),
            ask_held=self._ask_held,
        )

    async def _ask_held(self, label: str) -> Choice:
        from app.screens.held import HeldScreen

        answer: asyncio.Future[Choice] = asyncio.get_running_loop().create_future()

        def answered(choice: Choice | None) -> None:
            if not answer.done():
                answer.set_result(choice or "read-only")

        await self.app.push_screen(HeldScreen(label), answered)
        return await answer


def _load(start: Start) -> "Settings":
    """Reads the configuration, and the modules that a conversation needs.

    Raises:
        ConfigError: It can't be used.
    """
    from app.logs import start_logging

    usual = sys.getswitchinterval()
    sys.setswitchinterval(QUICK_SWITCH_SECONDS)
    try:
        settings = start.load()
        import_module("app.screens.sitting")
    finally:
        sys.setswitchinterval(usual)
    start_logging(settings.paths.log)
    return settings
