"""The goals screen: the goal and its tasks seen whole, and corrected by hand (GOAL-1 to 8)."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from app.screens.asked_line import AskedLine
from app.screens.asking import Asking
from app.screens.goals_detail import detail_rows, title_of
from app.screens.goals_head import GoalsHead
from app.screens.goals_list import first_key, list_rows
from app.screens.goals_words import NEEDS, ask_for, command_for, fits, question_for
from app.screens.halves import ListAndDetail
from widgets.hint_line import HintLine, Key
from widgets.panes.long_list import LongList
from widgets.panes.pane import Pane
from widgets.said_line import SaidLine

if TYPE_CHECKING:
    from memory.snapshot import Snapshot

KEYS: tuple[Key, ...] = (
    ("asked.save", "save"),
    ("asked.leave", "leave it"),
    ("pane.up pane.down", "choose"),
    ("goals.back", "back"),
    ("goals.set", "goal"),
    ("goals.add", "task"),
    ("goals.start", "start"),
    ("goals.finish", "finish"),
    ("goals.fail", "fail"),
    ("goals.progress", "progress"),
    ("goals.edit", "edit"),
    ("goals.after", "waits for"),
    ("goals.note", "note"),
    ("goals.value", "value"),
    ("goals.reopen", "reopen"),
    ("goals.remove", "remove"),
    ("goals.message", "message"),
)
NO_MESSAGE = "Choose a run: it leads to the message with its result."


class GoalsScreen(ListAndDetail[int]):
    """Lists goal, tasks and what belongs to them; ends with the message that is to be seen.

    Args:
        snapshot: Gives memory as it is.
        carry: Carries out an @command, and returns what it reports.
        chosen: The key of the row to begin with.
    """

    AUTO_FOCUS = "#pane-work"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("g", "do('set')", "goal", id="goals.set"),
        Binding("a", "do('add')", "task", id="goals.add"),
        Binding("e", "do('edit')", "edit", id="goals.edit"),
        Binding("s", "do('start')", "start", id="goals.start"),
        Binding("f", "do('finish')", "finish", id="goals.finish"),
        Binding("x", "do('fail')", "fail", id="goals.fail"),
        Binding("p", "do('progress')", "progress", id="goals.progress"),
        Binding("w", "do('after')", "waits for", id="goals.after"),
        Binding("r", "do('reopen')", "reopen", id="goals.reopen"),
        Binding("delete", "do('remove')", "remove", id="goals.remove"),
        Binding("n", "do('note')", "note", id="goals.note"),
        Binding("v", "do('value')", "value", id="goals.value"),
        Binding("m", "message", "message", id="goals.message"),
        Binding("escape,ctrl+t", "back", "back", id="goals.back"),
    ]
    DETAIL = "#pane-opened-work"
    DEFAULT_CSS = """
    GoalsScreen {
        & #pane-work { height: 3fr; }
        & #pane-opened-work { height: 2fr; }
    }
    """

    def __init__(
        self,
        snapshot: "Callable[[], Snapshot]",
        carry: Callable[[str], Awaitable[str]],
        chosen: str | None = None,
    ) -> None:
        super().__init__()
        self._read = snapshot
        self._carry = carry
        self._wanted = chosen
        self._snapshot = snapshot()

    def compose(self) -> ComposeResult:
        """Head, list, what is chosen, the keys."""
        yield GoalsHead()
        with Container(classes="halves"):
            yield LongList("work", "goal", "working")
            yield Pane("opened_work", "", "working", closable=False)
        yield SaidLine(id="goals-said")
        yield AskedLine()
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Shows memory as it is."""
        self.memory_changed()

    def memory_changed(self) -> None:
        """Takes in that memory has changed; what is chosen stays."""
        snapshot = self._snapshot = self._read()
        now = datetime.now(UTC)
        self.query_one(GoalsHead).show(snapshot.work)
        self._list.show(lambda width: list_rows(snapshot, width, now))
        keys = {key for key in self._list.shown.keys if key is not None}
        wanted = self._wanted or self._list.cursor
        self._list.mark(wanted if wanted in keys else first_key(snapshot.work))
        if keys:
            self._wanted = None
        # It may lie beyond what could be scrolled to before the rows were laid out.
        self.call_after_refresh(self._list_laid)
        self._show_chosen()

    # -- what the user does

    @on(Pane.Moved)
    def _moved(self, event: Pane.Moved) -> None:
        if event.pane == "work":
            self.say("")
            self._show_chosen()
            self._detail.scroll_home(animate=False)

    @on(Pane.Opened)
    def _opened(self, event: Pane.Opened) -> None:
        if event.pane == "work":
            self._show_chosen()
            self._detail.focus()

    def action_do(self, deed: str) -> None:
        """Changes what is chosen, or adds something."""
        self.run_worker(self._do(deed), group="deed", exclusive=True, exit_on_error=False)

    def action_message(self) -> None:
        """Goes to the message with the result of a run."""
        runs = {f"run:{run.id}": run.number for run in self._snapshot.work.executions}
        number = runs.get(self._list.cursor or "")
        if number is None:
            self.say(NO_MESSAGE)
        else:
            self.dismiss(number)

    # -- inside

    def _list_laid(self) -> None:
        keys = self._list.shown.keys
        wanted = self._wanted or self._list.cursor or first_key(self._snapshot.work)
        self._list.mark(wanted if wanted in keys else None)
        self._wanted = None if keys else self._wanted
        self._show_chosen()

    def _show_chosen(self) -> None:
        work, key, now = self._snapshot.work, self._list.cursor, datetime.now(UTC)
        self._detail.name_it(title_of(key))
        self._detail.show(lambda width: detail_rows(work, key, width, now))

    async def _do(self, deed: str) -> None:
        """Asks what has to be asked, and carries it out."""
        self.say("")
        work, key = self._snapshot.work, self._list.cursor or ""
        if not fits(deed, key):
            self.say(NEEDS[deed])
            return
        asked = ask_for(deed, key, work)
        words = await self.query_one(AskedLine).ask(*asked) if asked else ""
        if words is None:
            return
        question = question_for(deed, key, work)
        if question is not None and not await self.app.push_screen_wait(
            Asking(question, yes=deed.capitalize())
        ):
            return
        command = command_for(deed, key, words)
        self.say(await self._carry(command) if command else "")
        self.memory_changed()
