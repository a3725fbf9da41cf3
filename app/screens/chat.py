"""The chat screen: what stands where, and which keys it obeys."""

import asyncio
import gc
import logging
import shutil
import sys
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar

from rich.text import Text
from textual import on
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.events import Resize
from textual.screen import Screen
from textual.widget import Widget

from app.chat.names import session_name
from app.config_errors import ConfigError
from app.screens.room import LOW, room_for
from app.screens.stage import KEYS, Stage
from app.start import Start
from memory.errors import StrataError
from memory.storage.places import FILE_NAME
from widgets.composer import Composer
from widgets.figures import count
from widgets.hint_line import HintLine
from widgets.status_line import StatusLine, StatusView
from widgets.transcript import Transcript

if TYPE_CHECKING:
    from app.screens.beside import Beside
    from app.screens.sitting import Sitting
    from app.screens.talk import Talk
    from app.settings import Settings
    from widgets.core.core import Core
    from widgets.entries import Entry
    from widgets.panes.column import Panes
    from widgets.panes.pane import Pane

Answer = TypeVar("Answer")
LOGGER = logging.getLogger("strata.screen")
LEAVE_SECONDS = 3.0
"""Longest wait for the conversation to close before the screen goes all the same."""
FAILED = "Strata had to close. Everything said is kept; strata.log says what went wrong."
OPENING = "Sent as soon as memory is open."
FIRST_KEY_SECONDS = 0.05
"""After the first paint: what was typed before it is shown before anything else is loaded."""
QUICK_SWITCH_SECONDS = 0.0005
"""How long the thread that loads modules keeps a key waiting, in place of five milliseconds."""


class Program(Protocol):
    """What the screen tells the application of the configuration, which is loaded after it."""

    def configured(self, settings: "Settings") -> tuple[str, ...]:
        """Takes it in; returns what the user should know of it."""

    def refuse(self, error: StrataError) -> None:
        """Ends the program, since it can't be used."""

    def choose_theme(self, name: str | None) -> None:
        """Shows another theme from now on, or lets the user choose one."""


class ChatScreen(Screen[None]):
    """Conversation, core and panes; the conversation itself is opened after the first paint."""

    AUTO_FOCUS = "#composer"
    # Whatever key the user gives them, the composer may have one like it for its text.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop", priority=True, id="chat.stop"),
        Binding("pageup", "page(-1)", "back", priority=True, id="chat.back"),
        Binding("pagedown", "page(1)", "on", priority=True, id="chat.on"),
        Binding("ctrl+home", "oldest", "oldest", priority=True, id="chat.oldest"),
        Binding("ctrl+end", "newest", "newest", priority=True, id="chat.newest"),
        Binding("ctrl+r", "reopen", "take over", priority=True, id="chat.reopen"),
        Binding("f2", "prompt", "prompt", priority=True, id="chat.prompt"),
        Binding("f3", "timeline", "timeline", priority=True, id="chat.timeline"),
        Binding("f4", "travel", "past", priority=True, id="chat.travel"),
        Binding("f5", "plot", "plot", priority=True, id="chat.plot"),
        Binding("f6", "region(1)", "next", priority=True, id="chat.next_region"),
        Binding("shift+f6", "region(-1)", "before", priority=True, id="chat.previous_region"),
        Binding("f7", "panes", "panes", priority=True, id="chat.panes"),
        Binding("f8", "enlarge", "enlarge", priority=True, id="chat.enlarge"),
        Binding("f9", "theme", "theme", priority=True, id="chat.theme"),
        Binding("ctrl+o", "sessions", "sessions", priority=True, id="chat.sessions"),
        Binding("ctrl+n", "new", "new", priority=True, id="chat.new"),
        Binding("ctrl+b", "branch", "branch", priority=True, id="chat.branch"),
        Binding("ctrl+g", "copy", "copy", priority=True, id="chat.copy"),
    ]
    DEFAULT_CSS = """
    ChatScreen {
        background: $background;
        layout: horizontal;
        layers: room drawer;
        & > StatusLine { dock: top; layer: room; }
        & > HintLine { dock: bottom; layer: room; }
        & > #talk { width: 1fr; min-width: 8; height: 1fr; layer: room; }
        & > Core { layer: room; margin: 0 1; }
        & > Panes { max-width: 100%; margin: 0 1 0 0; }
    }
    """

    def __init__(self, start: Start, program: Program) -> None:
        super().__init__()
        self._start = start
        self._program = program
        self._sitting: Sitting | None = None
        self._conversing: asyncio.Task[None] | None = None
        self._leaving = False
        self._beside: Beside | None = None
        self._glanced: list[Entry] = []

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom; core, gauge and panes come later."""
        yield StatusLine(StatusView(state="opening", working=True))
        with Vertical(id="talk"):
            yield Transcript()
            yield Composer("Write a message; @ lists the commands")
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Shows what was said last, and begins with the conversation after the first paint."""
        # Textual learns the size of the terminal later.
        here = self.app.size if self.app.is_headless else shutil.get_terminal_size()
        self._keep_room(*here)
        if (self._start.glimpse.data / FILE_NAME).exists():
            self._show_glance()
        self.set_timer(FIRST_KEY_SECONDS, self._begin)

    def on_resize(self, event: Resize) -> None:
        """Puts core and panes where there is room for them."""
        if self._beside is not None:
            self._beside.fit(*event.size)
        else:
            self._keep_room(*event.size)

    # -- what the user does

    @on(Composer.Sent)
    def _say(self, event: Composer.Sent) -> None:
        if self._sitting is None or not self._sitting.submit(event.text):
            self.query_one(Composer).hold(OPENING)

    @on(Composer.Hint)
    def _hint(self, event: Composer.Hint) -> None:
        self.query_one(HintLine).point(event.text)

    @on(Composer.Drafted)
    def _drafted(self, event: Composer.Drafted) -> None:
        if self._sitting is not None:
            self._sitting.stage.sight.drafted(event.characters)

    @on(Transcript.Wanted)
    def _bring(self, event: Transcript.Wanted) -> None:
        if self.talk is None:
            self.query_one(Transcript).give_up()
        else:
            self.talk.bring(event.first, event.last)

    @on(Transcript.FollowingChanged)
    def _following(self, event: Transcript.FollowingChanged) -> None:
        note = "" if event.following else "There is more below: Ctrl+End goes there."
        self.query_one(HintLine).show(note=note)

    @on(Transcript.MarkOpened)
    def _mark_opened(self, event: Transcript.MarkOpened) -> None:
        self.action_timeline(event.compaction)

    @on(Transcript.Copied)
    def _copied(self, event: Transcript.Copied) -> None:
        self.put_on_clipboard(event.text, event.what)

    @on(Transcript.PinWanted)
    def _pin_wanted(self, event: Transcript.PinWanted) -> None:
        if self.talk is not None:
            self.talk.pin(event.number)

    @on(Transcript.TraceWanted)
    def _trace_wanted(self, event: Transcript.TraceWanted) -> None:
        if self.talk is not None:
            self.talk.trace(event.number)

    @on(Transcript.Pointed)
    def _pointed(self, event: Transcript.Pointed) -> None:
        self.query_one(HintLine).point(event.text)

    @on(Transcript.Told)
    def _told(self, event: Transcript.Told) -> None:
        self.say_shortly(event.text)

    @on(Transcript.Wished)
    def _wished(self, event: Transcript.Wished) -> None:
        if self.talk is not None:
            self.talk.branching.wish(event.wish, event.entry)

    def on_core_pointed(self, event: "Core.Pointed") -> None:
        """Says what the reader points at."""
        self.query_one(HintLine).point(event.text)

    def on_core_opened(self, event: "Core.Opened") -> None:
        """Opens the pane of a layer."""
        if self._beside is not None:
            self._beside.open_layer(event.stratum, event.message)

    def on_pane_opened(self, event: "Pane.Opened") -> None:
        """Goes to a message of the window, or to a compaction."""
        if event.pane != "window":
            self.action_timeline(event.key)
        elif self.talk is not None and self._beside is not None:
            self._beside.close_drawer()
            self.talk.go_to_message(int(event.key))

    def on_panes_changed(self, event: "Panes.Changed") -> None:
        """Makes room for the panes as they are now."""
        if self._beside is not None:
            self._beside.changed(event.visible)

    def on_descendant_focus(self) -> None:
        """Says what Escape does from here."""
        writing = self.focused is self.query_one(Composer)
        self.query_one(HintLine).say_otherwise({} if writing else {"chat.stop": "back"})

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape holds while there is something to stop, to close or to come back from."""
        if action == "reopen":
            return self._sitting is None or self._sitting.can_reopen
        composer = self.query_one(Composer)
        if action != "stop" or self._covered:
            return super().check_action(action, parameters)
        if self.focused is not composer:
            return not composer.disabled
        if self.talk is None or composer.offers:
            return False
        return self.talk.busy or self.talk.branching.editing

    def action_stop(self) -> None:
        """Goes back to writing; from there, stops the answer."""
        if self._beside is not None and self._covered:
            self._beside.close_drawer()
        elif self.focused is not self.query_one(Composer):
            self.query_one(Composer).focus()
        elif self.talk is not None:
            self.talk.stop()

    def action_page(self, pages: float) -> None:
        """Scrolls the transcript."""
        self.query_one(Transcript).page(pages)

    def action_oldest(self) -> None:
        """Goes to the first message."""
        self.query_one(Transcript).go_to_start()

    def action_newest(self) -> None:
        """Goes to the newest text."""
        self.query_one(Transcript).go_to_end()

    def action_reopen(self) -> None:
        """Opens the session for writing, or tries again what could not be done."""
        if self._sitting is not None:
            self._sitting.reopen()

    def action_prompt(self) -> None:
        """Shows the next request, piece by piece."""
        if self.talk is not None:
            self.talk.show_prompt()

    def action_timeline(self, selected: str = "") -> None:
        """Shows the compactions, one of them opened where it is named."""
        if self.talk is not None:
            self.talk.show_timeline(selected or None)

    def action_travel(self) -> None:
        """Goes back in time."""
        if self.talk is not None:
            self.talk.show_past()

    def action_plot(self) -> None:
        """Shows the prompt's tokens over the turns."""
        if self.talk is not None:
            self.talk.show_plot()

    def action_theme(self) -> None:
        """Lets the user choose a theme."""
        self.choose_theme(None)

    def action_sessions(self) -> None:
        """Shows the sessions."""
        if self.talk is not None:
            self.talk.show_sessions()

    def action_new(self) -> None:
        """Begins a new session."""
        if self.talk is not None:
            self.talk.open_session(None)

    def action_branch(self) -> None:
        """Goes to the next branch."""
        if self.talk is not None:
            self.talk.branching.next()

    def action_copy(self) -> None:
        """Copies the last answer."""
        if self.talk is not None:
            self.talk.copy_answer()

    def action_region(self, by: int) -> None:
        """Gives the keys to the next part of the screen, or to the one before."""
        order: list[Widget] = [self.query_one(Composer), self.query_one(Transcript)]
        order += self._beside.parts if self._beside is not None else []
        here = next((place for place, part in enumerate(order) if part.has_focus), 0)
        order[(here + by) % len(order)].focus(scroll_visible=False)

    def action_panes(self) -> None:
        """Shows the panes or puts them away."""
        if self._beside is not None:
            self._beside.toggle()

    def action_enlarge(self) -> None:
        """Gives the pane that has the keys more room, or makes it small again."""
        if self._beside is not None:
            self._beside.enlarge()

    def action_copy_text(self) -> None:
        """Copies what is marked by mouse.

        Raises:
            SkipAction: Nothing is marked.
        """
        marked = self.get_selected_text()
        if not marked:
            raise SkipAction
        self.put_on_clipboard(marked, "what is marked")

    def put_on_clipboard(self, text: str, what: str) -> None:
        """Copies a text and says so."""
        self.app.copy_to_clipboard(text)
        self.run_worker(self._copy(text, what), exit_on_error=False)

    def say_shortly(self, text: str) -> None:
        """Says something in the key line that need not stay."""
        self.query_one(HintLine).say(text)

    async def ask(self, screen: Screen[Answer]) -> Answer | None:
        """Shows a screen and returns what it ends with."""
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()

        def answered(result: Answer | None) -> None:
            if not answer.done():
                answer.set_result(result)

        await self.app.push_screen(screen, answered)
        return await answer

    def choose_theme(self, name: str | None) -> None:
        """Shows another theme, or lets the user choose one."""
        self._program.choose_theme(name)

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

    @property
    def talk(self) -> "Talk | None":
        """The conversation that is open."""
        return self._sitting.talk if self._sitting is not None else None

    # -- inside

    def _begin(self) -> None:
        self._conversing = asyncio.create_task(self._sit(), name="strata conversation")

    def _keep_room(self, width: int, height: int) -> None:
        """Leaves free what core and panes, or the gauge, take when they come."""
        taken = room_for(width).taken
        self.query_one("#talk").styles.margin = (0, taken, 0, 0)
        gauge = int(not taken and height >= LOW)
        transcript = self.query_one(Transcript)
        transcript.styles.margin = (0, 0, gauge, 0)
        transcript.expect(width - taken)

    def _show_glance(self) -> None:
        from app.screens.recorded import entries_of
        from memory.storage.glance import glance

        seen = glance(self._start.glimpse.data, self._start.wish)
        if seen is None:
            return
        now = datetime.now(UTC)
        self._glanced = entries_of(seen.recorded, seen.texts, now)
        self.query_one(Transcript).show(self._glanced, quick=True)
        status = self.query_one(StatusLine)
        name = session_name(seen.title, seen.session_id, now)
        status.show(replace(status.view, session=name, agent=seen.agent))

    async def _format_glance(self) -> None:
        """Shows as Markdown, before all else, what was shown as it was typed."""
        if self._glanced:
            await asyncio.to_thread(import_module, "widgets.markdown.render")
            self.query_one(Transcript).show(self._glanced)
            self._glanced = []

    async def _sit(self) -> None:
        status, last_words = 0, None
        try:
            # In a thread, so that keys are obeyed while half a second of modules is read.
            await self._format_glance()
            settings = await asyncio.to_thread(_load, self._start)
            gc.enable()
            from app.screens.sitting import Sitting

            note = " ".join(self._program.configured(settings))
            stage = await self._furnish()
            self._sitting = Sitting(stage, settings, self._start.wish, note)
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

    async def _furnish(self) -> Stage:
        """Puts the rest in its place, and returns where a conversation can be shown."""
        from app.screens.beside import Beside

        self._beside = Beside(self)
        await self._beside.come()
        return Stage(
            transcript=self.query_one(Transcript),
            composer=self.query_one(Composer),
            status=self.query_one(StatusLine),
            hints=self.query_one(HintLine),
            sight=self._beside.sight,
            house=self,
        )

    @property
    def _covered(self) -> bool:
        return self._beside is not None and self._beside.covers

    async def _copy(self, text: str, what: str) -> None:
        from app.clipboard import copy_by_tool

        done = await copy_by_tool(text)
        length = count(len(text), "character")
        verb = "Copied" if done else "Handed to the terminal to copy:"
        self.say_shortly(f"{verb} {what} ({length}).")


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
        import_module("app.screens.beside")
        import_module("app.screens.sitting")
    finally:
        sys.setswitchinterval(usual)
    start_logging(settings.paths.log)
    return settings
