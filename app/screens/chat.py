"""The chat screen: what stands where, and which keys it obeys."""

import asyncio
import gc
import logging
import shutil
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

from app.config_errors import ConfigError
from app.screens.doors import Doors
from app.screens.opening import FirstGlance, load, waits_for_key
from app.screens.room import FIGURES, LOW, room_for
from app.screens.stage import KEYS, Stage
from app.start import Start
from memory.errors import StrataError
from widgets.composer import Composer
from widgets.figures import count
from widgets.hint_line import HintLine
from widgets.status_line import StatusLine, StatusView
from widgets.transcript import Transcript

if TYPE_CHECKING:
    from app.screens.sitting import Sitting
    from app.screens.talk import Talk
    from app.settings import Settings
    from widgets.core.core import Core
    from widgets.permit import Permit
    from widgets.player_line import PlayerLine

Answer = TypeVar("Answer")
LOGGER = logging.getLogger("strata.screen")
LEAVE_SECONDS = 3.0
"""Longest wait for the conversation to close before the screen goes all the same."""
FAILED = "Strata had to close. Everything said is kept; strata.log says what went wrong."
MORE = "There is more below: Ctrl+End goes there."
MORE_KEY = (("chat.newest", "newest"),)
OPENING = "Sent as soon as memory is open."
FIRST_KEY_SECONDS = 0.05
"""After the first paint: what was typed before it is shown before anything else is loaded."""


class Program(Protocol):
    """What the screen tells the application of the configuration, which is loaded after it."""

    def configured(self, settings: "Settings") -> tuple[str, ...]:
        """Takes it in; returns what the user should know of it."""

    def refuse(self, error: StrataError) -> None:
        """Ends the program, since it can't be used."""

    def choose_theme(self, name: str | None) -> None:
        """Shows another theme from now on, or lets the user choose one."""


class ChatScreen(Doors):
    """Conversation, core and panes; the conversation itself is opened after the first paint."""

    AUTO_FOCUS = "#composer"
    # Whatever key the user gives them, the composer may have one like it for its text.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "stop", "stop", priority=True, id="chat.stop"),
        Binding("ctrl+home", "oldest", "oldest", priority=True, id="chat.oldest"),
        Binding("ctrl+end", "newest", "newest", priority=True, id="chat.newest"),
        Binding("ctrl+r", "reopen", "take over", priority=True, id="chat.reopen"),
        Binding("f9", "theme", "theme", priority=True, id="chat.theme"),
    ]
    DEFAULT_CSS = """
    ChatScreen {
        & > HintLine { dock: bottom; layer: room; }
    }
    """

    def __init__(self, start: Start, program: Program) -> None:
        super().__init__()
        self._start = start
        self._program = program
        self._sitting: Sitting | None = None
        self._conversing: asyncio.Task[None] | None = None
        self._leaving = False
        self._glance = FirstGlance()
        self._permits: list[Permit] = []
        self._player: PlayerLine | None = None

    def compose(self) -> ComposeResult:
        """The widgets, from top to bottom; core, gauge and panes come later."""
        yield StatusLine(StatusView(state="opening", working=True))
        with Vertical(id="talk"):
            yield Transcript()
            composer = Composer("Write a message; @ lists the commands")
            # What is typed before a passphrase is asked for may be the passphrase.
            composer.disabled = waits_for_key(self._start.glimpse.data)
            yield composer
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Shows what was said last, and begins with the conversation after the first paint."""
        # Textual learns the size of the terminal later.
        here = self.app.size if self.app.is_headless else shutil.get_terminal_size()
        self._keep_room(*here)
        self._glance.show(self._start, self.query_one(Transcript), self.query_one(StatusLine))
        self.set_timer(FIRST_KEY_SECONDS, self._begin)

    def on_resize(self, event: Resize) -> None:
        """Keeps the room that core and panes take when they come."""
        if self._beside is None:
            self._keep_room(*event.size)
        if self.permit is not None:
            self.permit.fit(self.query_one("#talk").outer_size.width, event.size.height)

    @property
    def talk(self) -> "Talk | None":
        """The conversation that is open."""
        return self._sitting.talk if self._sitting is not None else None

    @property
    def permit(self) -> "Permit | None":
        """The question that waits above the composer, if one does."""
        return self._permits[-1] if self._permits else None

    @property
    def own_parts(self) -> list[Widget]:
        """What has keys besides core and panes, in order."""
        return [self._home, *super().own_parts]

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
            self._sitting.drafted(event.characters)

    @on(Transcript.FollowingChanged)
    def _following(self) -> None:
        self._tell_more()

    @on(Transcript.Copied)
    def _copied(self, event: Transcript.Copied) -> None:
        self.put_on_clipboard(event.text, event.what)

    @on(Transcript.Pointed)
    def _pointed(self, event: Transcript.Pointed) -> None:
        self.query_one(HintLine).point(event.text)

    @on(Transcript.Told)
    def _told(self, event: Transcript.Told) -> None:
        self.say_shortly(event.text)

    def on_core_pointed(self, event: "Core.Pointed") -> None:
        """Says what the reader points at."""
        self.query_one(HintLine).point(event.text)

    def on_descendant_focus(self) -> None:
        """Says what Escape does from here."""
        writing = self.focused is self._home
        asked = self.permit is not None and self.permit.has_focus
        words = {} if writing else {"chat.stop": "no" if asked else "back"}
        self.query_one(HintLine).say_otherwise(words)
        self._tell_more()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape holds while there is something to stop, to close or to come back from."""
        if action == "reopen":
            return self._sitting is None or self._sitting.can_reopen
        composer = self.query_one(Composer)
        if action != "stop" or self._covered:
            return super().check_action(action, parameters)
        if self._player is not None:
            # Its own Escape ends the play.
            return self.focused is not self._player
        if self.focused is not composer:
            return not composer.disabled
        if self.talk is None or composer.offers:
            return False
        return self.talk.busy or self.talk.branching.editing

    def action_stop(self) -> None:
        """Goes back to writing; from there, stops the answer."""
        if self._beside is not None and self._covered:
            self._beside.close_drawer()
        elif self.permit is not None and self.permit.has_focus:
            self.permit.action_answer("no")
        elif self.focused is not self._home:
            self._home.focus()
        elif self.talk is not None:
            self.talk.stop()

    def action_region(self, by: int) -> None:
        """Goes to a question that waits; else to the next part of the screen."""
        if self.permit is not None and not self.permit.has_focus:
            self.permit.focus(scroll_visible=False)
        else:
            super().action_region(by)

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

    def action_theme(self) -> None:
        """Lets the user choose a theme."""
        self.choose_theme(None)

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

    def show_permit(self, permit: "Permit") -> None:
        """Shows a question above the composer; who is writing goes on writing."""
        composer = self.query_one(Composer)
        idle = self.focused is None or (self.focused is composer and not composer.text)
        self._permits.append(permit)
        permit.takes_keys = idle
        self.query_one("#talk").mount(permit, before=composer)

    def put_away_permit(self, permit: "Permit") -> None:
        """Takes it away; its keys go back to the composer."""
        self._permits.remove(permit)
        permit.takes_keys = False
        if permit.has_focus:
            # At once: a question that follows looks at who has the keys.
            self.set_focus(self.query_one(Composer), scroll_visible=False)
        permit.remove()

    def show_player(self, line: "PlayerLine") -> None:
        """Puts a player in the composer's place; it has the keys."""
        composer = self.query_one(Composer)
        self._player = line
        self.query_one("#talk").mount(line, before=composer)
        composer.display = False
        line.focus(scroll_visible=False)

    def put_away_player(self, line: "PlayerLine") -> None:
        """Lets the user write again."""
        composer = self.query_one(Composer)
        had_keys = self.focused is line
        self._player = None
        composer.display = True
        if had_keys:
            self.set_focus(composer, scroll_visible=False)
        line.remove()

    def is_covered(self) -> bool:
        """Whether another screen lies over this one."""
        return not self.is_active

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

    # -- inside

    @property
    def _home(self) -> Widget:
        """Where one comes back to: the composer, or the player in its place."""
        return self._player or self.query_one(Composer)

    def _begin(self) -> None:
        self._conversing = asyncio.create_task(self._sit(), name="strata conversation")

    def _keep_room(self, width: int, height: int) -> None:
        """Leaves free what core and panes, or the gauge, and their figures take when they come."""
        taken = room_for(width).taken
        self.query_one("#talk").styles.margin = (0, taken, 0, 0)
        gauge = int(not taken and height >= LOW)
        transcript = self.query_one(Transcript)
        transcript.styles.margin = (0, 0, gauge, 0)
        transcript.expect(width - taken)
        self.query_one(HintLine).show(right=[(" " * FIGURES, "text")] if taken else ())

    async def _sit(self) -> None:
        status, last_words = 0, None
        try:
            # In a thread, so that keys are obeyed while half a second of modules is read.
            await self._glance.format(self.query_one(Transcript))
            settings = await asyncio.to_thread(load, self._start)
            gc.enable()
            from app.screens.sitting import Sitting

            note = " ".join(self._program.configured(settings))
            stage = await self._furnish()
            self._sitting = Sitting(stage, settings, self._start.wish, note, self._start.play)
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

    def _tell_more(self) -> None:
        """Says that there is more below; among its own keys while the transcript has them."""
        transcript = self.query_one(Transcript)
        reading = self.focused is transcript
        note = "" if transcript.following or reading else MORE
        first = MORE_KEY if reading and not transcript.following else ()
        self.query_one(HintLine).show(note=note, first=first)

    @property
    def _covered(self) -> bool:
        return self._beside is not None and self._beside.covers

    async def _copy(self, text: str, what: str) -> None:
        from app.clipboard import copy_by_tool

        done = await copy_by_tool(text)
        length = count(len(text), "character")
        verb = "Copied" if done else "Handed to the terminal to copy:"
        self.say_shortly(f"{verb} {what} ({length}).")
