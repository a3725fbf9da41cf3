"""The facts screen: what the agent knows, found, looked into and corrected (RECALL-1, RECALL-6)."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.widgets import Input

from app.screens.asked_line import AskedLine
from app.screens.asking import Asking
from app.screens.facts_head import SEARCH, FactsHead
from app.screens.facts_rows import (
    NONE_FOUND,
    NONE_OF,
    NOTHING,
    OTHER,
    SOURCE,
    WHICH,
    Cited,
    detail_rows,
    found,
    list_rows,
)
from app.screens.halves import ListAndDetail
from app.screens.place import Place
from memory.views import FactView
from widgets.hint_line import HintLine, Key
from widgets.panes.long_list import LongList
from widgets.panes.pane import Pane
from widgets.panes.view import PaneView
from widgets.said_line import SaidLine
from widgets.search_line import SearchLine

KEYS: tuple[Key, ...] = (
    ("asked.save", "save"),
    ("asked.leave", "leave it"),
    ("pane.up pane.down", "choose"),
    ("pane.open", "open"),
    ("facts.back", "back"),
    ("facts.search", "search"),
    ("facts.which", "which"),
    ("facts.add", "new"),
    ("facts.edit", "edit"),
    ("facts.pin", "pin"),
    ("facts.end", "end"),
    ("facts.forget", "forget"),
    ("facts.message", "message"),
)
SEARCH_SECONDS = 0.3
"""After the last key, before it is searched by meaning."""
CHOOSE = "Choose a fact first."
NO_MESSAGE = "This fact was learned from no message: somebody had it remembered."
ENDED_ALREADY = "It has ended already: e lets it hold again, with the words you give it."


class Known(Protocol):
    """Reads and changes facts."""

    async def facts(self) -> tuple[FactView, ...]:
        """All facts, those that hold first."""

    def standing(self) -> frozenset[str]:
        """Ids of those in the present prompt."""

    async def near(self, words: str) -> tuple[str, ...]:
        """Ids of facts that have to do with words, the nearest first."""

    async def cited(self, fact: FactView) -> tuple[Cited, ...]:
        """The messages that a fact was learned from."""

    async def carry(self, command: str) -> str:
        """Carries out an @command, and returns what it reports."""

    async def doomed(self, id: str) -> Sequence[str]:
        """What would go if a fact were forgotten, as lines."""


class FactsScreen(ListAndDetail[Place]):
    """Lists facts and opens one; ends with the message that is to be seen, or None.

    Args:
        known: Reads and changes them.
        chosen: The id of the fact to begin with.
        which: Which of them are listed at first.
    """

    AUTO_FOCUS = "#pane-known"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "search", id="facts.search"),
        Binding("y", "which", "which", id="facts.which"),
        Binding("n", "add", "new", id="facts.add"),
        Binding("e", "edit", "edit", id="facts.edit"),
        Binding("p", "pin", "pin", id="facts.pin"),
        Binding("x", "end", "end", id="facts.end"),
        Binding("delete", "forget", "forget", id="facts.forget"),
        Binding("m", "message", "message", id="facts.message"),
        Binding("escape,ctrl+f", "back", "back", id="facts.back"),
    ]
    DETAIL = "#pane-known-opened"
    DEFAULT_CSS = """
    FactsScreen {
        & #facts-found { height: 1fr; }
        & #pane-known { height: 1fr; }
        & #pane-known-opened { height: 1fr; }
    }
    """

    def __init__(self, known: Known, chosen: str | None = None, which: str = "live") -> None:
        super().__init__()
        self._known = known
        self._wanted = chosen or None
        self._which = next((at for at, (name, _) in enumerate(WHICH) if name == which), 0)
        self._facts: dict[str, FactView] = {}
        self._near: tuple[str, ...] = ()
        self._cited: dict[str, tuple[Cited, ...]] = {}

    def compose(self) -> ComposeResult:
        """Head, search, list, the opened fact, the keys."""
        yield FactsHead()
        with Container(classes="halves"):
            with Vertical(id="facts-found"):
                yield SearchLine("facts-filter", SEARCH, "facts")
                yield LongList("known", "facts", "facts")
            yield Pane("known_opened", "", "facts", closable=False)
        yield SaidLine(id="facts-said")
        yield AskedLine()
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Reads all facts."""
        self.memory_changed()

    def memory_changed(self) -> None:
        """Takes in that memory has changed."""
        self._run(self._read(), "read")

    # -- what the user does

    @on(Pane.Moved)
    def _moved(self, event: Pane.Moved) -> None:
        if event.pane == "known":
            self.say("")
            self._open()
            self._detail.scroll_home(animate=False)

    @on(Pane.Opened)
    def _opened(self, event: Pane.Opened) -> None:
        if event.pane == "known":
            self._open()
            self._detail.focus()
        elif event.key.startswith(SOURCE):
            self._go(int(event.key.removeprefix(SOURCE)))
        elif event.key.startswith(OTHER):
            self._show_other(event.key.removeprefix(OTHER))

    @on(Input.Changed, "#facts-filter")
    def _typed(self) -> None:
        self._near = ()
        self._list_found()
        self._run(self._search(self._words), "search")

    @on(Input.Submitted, "#facts-filter")
    def _submitted(self) -> None:
        self._list.focus()

    def action_search(self) -> None:
        """Goes to where one types what is looked for."""
        self.query_one(SearchLine).focus()

    def action_which(self) -> None:
        """Lists others: pinned ones, ended ones, all."""
        self._which = (self._which + 1) % len(WHICH)
        self._list_found()

    def action_add(self) -> None:
        """Asks for a fact that is to be kept."""
        self._run(self._add(), "deed")

    def action_edit(self) -> None:
        """Asks what the fact says; an ended one holds again."""
        self._run(self._edit(), "deed")

    def action_pin(self) -> None:
        """Keeps the fact in every prompt, or no longer."""
        fact = self._fact
        if fact is not None:
            word = "unpin" if fact.pinned else "pin"
            self._run(self._carry(f"@facts {word} {fact.id}"), "deed")

    def action_end(self) -> None:
        """Lets the fact no longer hold; it is kept."""
        fact = self._fact
        if fact is not None and not fact.live:
            self.say(ENDED_ALREADY)
        elif fact is not None:
            self._run(self._carry(f"@facts end {fact.id}"), "deed")

    def action_forget(self) -> None:
        """Shows what would go for good, and asks."""
        self._run(self._forget(), "deed")

    def action_message(self) -> None:
        """Goes to the message that it was learned from."""
        key = self._detail.cursor or ""
        chosen = key.removeprefix(SOURCE) if key.startswith(SOURCE) else "0"
        self._go(int(chosen))

    # -- inside

    @property
    def _words(self) -> str:
        return self.query_one(SearchLine).value

    @property
    def _fact(self) -> FactView | None:
        """The chosen one; says that there is none."""
        fact = self._facts.get(self._list.cursor or "")
        if fact is None:
            self.say(CHOOSE)
        return fact

    async def _read(self) -> None:
        self._facts = {fact.id: fact for fact in await self._known.facts()}
        self._cited.clear()
        if self._wanted in self._facts and not self._facts[self._wanted].live:
            self._which = len(WHICH) - 1
        self._list_found()

    async def _search(self, words: str) -> None:
        if words.split():
            await asyncio.sleep(SEARCH_SECONDS)
            self._near = await self._known.near(words)
            self._list_found()

    def _list_found(self) -> None:
        """Lists what is found; what was chosen stays, or the first is."""
        which, listed = WHICH[self._which]
        facts = found(tuple(self._facts.values()), which, self._words, self._near)
        standing, now = self._known.standing(), datetime.now(UTC)
        told = NONE_FOUND if self._words.split() else NONE_OF.format(listed)
        told = told if self._facts else NOTHING
        self._list.show(lambda width: list_rows(facts, standing, told, width, now))
        ids = [fact.id for fact in facts]
        wanted = self._wanted or self._list.cursor
        self._list.mark(wanted if wanted in ids else next(iter(ids), None))
        self._wanted = None if self._facts else self._wanted
        live = sum(fact.live for fact in self._facts.values())
        self.query_one(FactsHead).show(live, len(self._facts) - live, listed)
        self.call_after_refresh(self._show_marked)
        self._open()

    def _open(self) -> None:
        """Shows the chosen fact."""
        fact = self._facts.get(self._list.cursor or "")
        if fact is None:
            self._detail.name_it("")
            self._detail.show(lambda _: PaneView())
            return
        stands, now = fact.id in self._known.standing(), datetime.now(UTC)
        cited, known = self._cited.get(fact.id), self._facts
        self._detail.name_it(f"fact {fact.id}")
        self._detail.show(lambda width: detail_rows(fact, known, cited, stands, width, now))
        if cited is None:
            self._run(self._cite(fact), "cited")

    async def _cite(self, fact: FactView) -> None:
        self._cited[fact.id] = await self._known.cited(fact)
        if self._list.cursor == fact.id:
            self._open()

    def _go(self, place: int) -> None:
        fact = self._fact
        cited = self._cited.get(fact.id, ()) if fact is not None else ()
        if place < len(cited):
            self.dismiss(cited[place].place)
        elif fact is not None:
            self.say(NO_MESSAGE)

    def _show_other(self, id: str) -> None:
        """Goes to another fact, whichever are listed."""
        if id in self._facts:
            self.query_one(SearchLine).value = ""
            self._which, self._wanted = len(WHICH) - 1, id
            self._list_found()
            self._detail.scroll_home(animate=False)

    async def _add(self) -> None:
        words = await self.query_one(AskedLine).ask("What is to be known")
        if words:
            await self._carry(f"@remember {words}")

    async def _edit(self) -> None:
        fact = self._fact
        if fact is not None:
            words = await self.query_one(AskedLine).ask(f"Fact {fact.id}", fact.text)
            if words:
                await self._carry(f"@facts edit {fact.id} {words}")

    async def _forget(self) -> None:
        fact = self._fact
        if fact is None:
            return
        plan = "\n".join(await self._known.doomed(fact.id))
        question = Asking(plan, "This can't be taken back.", yes="Forget it", no="Keep it")
        if await self.app.push_screen_wait(question):
            await self._carry(f"@forget --yes {fact.id}")

    async def _carry(self, command: str) -> None:
        self.say(await self._known.carry(command))
        await self._read()
