"""The sessions there are: one is found, opened, renamed or deleted (CHAT-4)."""

import asyncio
from collections.abc import Awaitable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Input, Static

from app.chat.names import name_of
from app.screens.asking import Asking
from app.screens.session_fields import FindInput, SessionsLine, TitleInput
from app.screens.session_list import SessionList
from app.screens.session_rows import (
    columns_for,
    detail_pieces,
    found,
    head_pieces,
    said_pieces,
    whole_figures,
)
from memory.errors import StrataError
from widgets.figures import count
from widgets.hint_line import HintLine, Key
from widgets.line import Piece
from widgets.plain import one_line

if TYPE_CHECKING:
    from app.chat.shelf import Hit
    from memory.storage.sessions import SessionInfo

Chosen = Literal["open", "new", "delete"]
KEYS: tuple[Key, ...] = (
    ("sessions.open", "open"),
    ("sessions.save", "save"),
    ("sessions.leave", "leave it"),
    ("sessions.new", "new"),
    ("sessions.rename", "rename"),
    ("sessions.delete", "delete"),
    ("sessions.back", "back"),
)
FIND = "type to find a session, or what was said in one"
NONE_YET = "No session yet: Ctrl+N begins one."
NONE_FOUND = "No session is called that, and in none was it said. Esc shows all of them."
LEAST_HEARD = 2
"""Characters from which on it is looked for what was said."""
PAUSE_S = 0.15
"""Without a key, before it is looked for."""
LOW = 12
"""Rows below which only the list itself is shown."""


@dataclass(frozen=True, slots=True)
class SessionChoice:
    """What is to be done once the screen has gone."""

    kind: Chosen
    """Open `session`; begin a new one; or close `session`, which is open, delete it and begin a
    new one: the user has been asked."""
    session: str | None = None
    """Its id."""
    number: int = 0
    """The message that is to be seen in it; 0 for the newest."""


class Shelf(Protocol):
    """The sessions, as the screen wants them."""

    async def list(self) -> "Sequence[SessionInfo]":
        """All sessions, the one used last first."""
        ...

    async def search(self, text: str) -> "Mapping[str, Hit]":
        """The sessions in which a text was said, each with a place that has it, by their ids."""
        ...

    async def rename(self, session: str, title: str) -> None:
        """Gives the session with an id another title."""
        ...

    async def delete(self, session: str) -> None:
        """Removes the session with an id; never called for the current one."""
        ...


class SessionsScreen(Screen[SessionChoice]):
    """Lists sessions and changes them; knows no memory, only what it is given.

    Dismissed with a `SessionChoice`, or with None where nothing is to be done.

    Args:
        shelf: The sessions.
        current: The id of the session that is open.
    """

    AUTO_FOCUS = "#session-find"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", priority=True, id="sessions.open"),
        Binding("ctrl+n", "new", "new", priority=True, id="sessions.new"),
        Binding("ctrl+e", "rename", "rename", priority=True, id="sessions.rename"),
        Binding("delete,ctrl+d", "delete", "delete", id="sessions.delete"),
        Binding("escape,ctrl+o", "back", "back", id="sessions.back"),
        Binding("up", "move(-1)", show=False, priority=True, id="sessions.up"),
        Binding("down", "move(1)", show=False, priority=True, id="sessions.down"),
        Binding("pageup", "page(-1)", show=False, id="sessions.page_up"),
        Binding("pagedown", "page(1)", show=False, id="sessions.page_down"),
        Binding("ctrl+home", "first", show=False, id="sessions.first"),
        Binding("ctrl+end", "last", show=False, id="sessions.last"),
    ]
    DEFAULT_CSS = """
    SessionsScreen {
        background: $background;
        layers: base edit;
        & > #session-find {
            border: none;
            border-left: outer $stratum-you;
            background: $panel;
            margin: 1 0;
            padding: 0 1;
        }
        & > #session-title {
            display: none;
            layer: edit;
            position: absolute;
            padding: 0;
            border: none;
            background: $panel;
            color: $foreground;
        }
        &.-renaming > #session-title { display: block; }
        & > #session-none { display: none; height: 1fr; padding: 0 3; color: $stratum-dim; }
        &.-none > #session-none { display: block; }
        & > .-columns { padding: 0; }
        &.-none > #session-list { display: none; }
        &.-none > .-columns { visibility: hidden; }
        &.-low > #session-find { margin: 0; }
        &.-low > .-columns { display: none; }
        &.-low > .-detail { display: none; }
    }
    """

    def __init__(
        self,
        shelf: Shelf,
        current: str | None,
    ) -> None:
        super().__init__()
        self._shelf = shelf
        self._current = current
        self._heard: Mapping[str, Hit] = {}
        self._sessions: Sequence[SessionInfo] = ()
        self._renamed: SessionInfo | None = None
        self._told: SessionInfo | None = None
        self._loaded = False

    def compose(self) -> ComposeResult:
        """From top to bottom: figures, what is sought, the list, what is chosen, the keys."""
        yield SessionsLine(self._head, classes="-head")
        yield FindInput(placeholder=FIND, id="session-find", compact=True)
        yield SessionsLine(self._column_names, classes="-columns")
        yield SessionList(self._current)
        yield Static(id="session-none")
        yield SessionsLine(self._detail, classes="-detail")
        yield HintLine(KEYS)
        yield TitleInput(id="session-title", compact=True, select_on_focus=True)

    def on_mount(self) -> None:
        """Reads the sessions once the screen is there."""
        self._work(self._load())

    def on_resize(self, event: Resize) -> None:
        """Leaves out what is beside the list where there is no room; ends a renaming."""
        self.set_class(event.size.height < LOW, "-low")
        self._end_renaming()

    def check_action(self, action: str, _: tuple[object, ...]) -> bool | None:
        """While a title is changed, keys are about the title; some need a chosen session."""
        if action in ("open", "new", "rename", "delete", "back") and self._renamed is not None:
            return False
        if action in ("open", "rename", "delete"):
            return self._list.chosen is not None
        return True

    # -- what the user does

    @on(Input.Changed, "#session-find")
    def _find(self) -> None:
        self._heard = {}
        self._show()
        self.run_worker(self._listen(self._finder.value), exclusive=True, group="search")

    async def _listen(self, text: str) -> None:
        """Finds the sessions in which it was said, once nobody types for a moment."""
        if len(text.strip()) < LEAST_HEARD:
            return
        await asyncio.sleep(PAUSE_S)
        try:
            self._heard = await self._shelf.search(text)
        except StrataError as error:
            self._hint(error.sentence)
        self._show()

    @on(SessionList.Moved)
    def _moved(self) -> None:
        for line in self.query(SessionsLine):
            line.refresh()
        chosen = self._list.chosen
        if chosen is not self._told:
            self._told = chosen
            self._hint("")
        self.refresh_bindings()

    @on(SessionList.Opened)
    def action_open(self) -> None:
        """Opens the chosen session, where what is sought was said; the open one is gone back to."""
        if (chosen := self._list.chosen) is not None:
            said = self._heard.get(chosen.id)
            number = said.number if said is not None else 0
            back = chosen.id == self._current and not number
            self.dismiss(None if back else SessionChoice("open", chosen.id, number))

    def action_new(self) -> None:
        """Begins a new session."""
        self.dismiss(SessionChoice("new"))

    def action_back(self) -> None:
        """Shows all sessions again, or goes back to the conversation."""
        if self._finder.value:
            self._finder.value = ""
        else:
            self.dismiss(None)

    def action_move(self, rows: int) -> None:
        """Chooses the next session, or the one before."""
        self._list.move(rows)

    def action_page(self, pages: int) -> None:
        """Chooses a session a page away."""
        self._list.move(pages * self._list.page)

    def action_first(self) -> None:
        """Chooses the first session."""
        self._list.choose(0)

    def action_last(self) -> None:
        """Chooses the last session."""
        self._list.choose(len(self._list.sessions))

    # -- a new title

    def action_rename(self) -> None:
        """Puts the chosen session's title into a field in its place."""
        chosen = self._list.chosen
        if chosen is None or self._held(chosen):
            return
        self._renamed = chosen
        region = self._list.title_region()
        title = self._title
        title.value = one_line(chosen.title or "")
        title.placeholder = name_of(chosen, datetime.now(UTC))
        title.styles.offset = (region.x, region.y)
        title.styles.width = region.width
        self._list.disabled = True
        self.add_class("-renaming")
        title.focus()

    @on(Input.Submitted, "#session-title")
    def _retitle(self, event: Input.Submitted) -> None:
        session, title = self._renamed, event.value.strip()
        self._end_renaming()
        if session is not None and title and title != session.title:
            self._work(self._change(self._shelf.rename(session.id, title)))

    @on(TitleInput.Left)
    def _end_renaming(self) -> None:
        if self._renamed is not None:
            self._renamed = None
            self._list.disabled = False
            self.remove_class("-renaming")
            self._finder.focus()
            self.refresh_bindings()

    # -- a deletion

    def action_delete(self) -> None:
        """Asks whether the chosen session is to go."""
        chosen = self._list.chosen
        if chosen is None or self._held(chosen):
            return
        here = chosen.id == self._current
        name = name_of(chosen, datetime.now(UTC))
        after = "It is open here: a new session begins then. " if here else ""
        question = Asking(
            f"Delete “{name}” with its {count(chosen.messages, 'message')}?",
            f"{after}It can't be brought back.",
            yes="Delete",
            no="Keep it",
        )

        def answered(yes: bool | None) -> None:
            if yes and here:
                self.dismiss(SessionChoice("delete", chosen.id))
            elif yes:
                self._work(self._change(self._shelf.delete(chosen.id)))

        self.app.push_screen(question, answered)

    def _held(self, session: "SessionInfo") -> bool:
        """Says so where another process has the session."""
        if session.holder is None or session.id == self._current:
            return False
        self._hint(f"It is open in {session.holder}: close it there first.")
        return True

    # -- inside

    def _work(self, work: Coroutine[Any, Any, None]) -> None:
        self.run_worker(work, exit_on_error=True)

    async def _change(self, change: Awaitable[None]) -> None:
        problem = ""
        try:
            await change
        except StrataError as error:
            # What to do next is said for the command line; here the list is in sight.
            problem = error.sentence
        await self._load()
        self._told = self._list.chosen
        self._hint(problem)

    async def _load(self) -> None:
        try:
            self._sessions = await self._shelf.list()
        except StrataError as error:
            self._hint(str(error))
        self._loaded = True
        self._show()

    def _show(self) -> None:
        """Lists what is sought."""
        named = found(self._sessions, self._finder.value, datetime.now(UTC))
        ids = {session.id for session in named}
        told = [each for each in self._sessions if each.id in self._heard and each.id not in ids]
        shown = (*named, *told)
        self.set_class(self._loaded and not shown, "-none")
        none = NONE_FOUND if self._sessions else NONE_YET
        self.query_one("#session-none", Static).update(Content(none))
        self._list.show(shown)

    def _hint(self, text: str) -> None:
        self.query_one(HintLine).show(note=text)

    def _head(self, width: int) -> list[Piece]:
        name = "Sessions"
        figures = whole_figures(self._sessions, len(self._list.sessions)) if self._loaded else ""
        gap = width - len(name) - len(figures)
        return [(name, "name"), (" " * gap + figures if gap > 1 else "", "dim")]

    def _column_names(self, _: int) -> list[Piece]:
        return head_pieces(self._list.columns if self._list.size else columns_for(0))

    def _detail(self, width: int) -> list[Piece]:
        chosen = self._list.chosen
        if chosen is None:
            return []
        if (said := self._heard.get(chosen.id)) is not None:
            return said_pieces(said.text, said.number, self._finder.value, width)
        return detail_pieces(chosen, datetime.now(UTC), self._current, width)

    @property
    def _list(self) -> SessionList:
        return self.query_one(SessionList)

    @property
    def _finder(self) -> FindInput:
        return self.query_one(FindInput)

    @property
    def _title(self) -> TitleInput:
        return self.query_one(TitleInput)
