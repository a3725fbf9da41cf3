"""The agents there are: one is looked at, gone to, made, changed or removed (CHAT-12)."""

from collections.abc import Awaitable, Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from app.chat.agent_shelf import AgentDraft
from app.screens.agent_form import AgentForm
from app.screens.agents_rows import detail_rows, list_rows
from app.screens.asking import Asking
from app.screens.halves import ListAndDetail
from app.screens.session_fields import SessionsLine
from memory.errors import StrataError
from widgets.figures import count
from widgets.hint_line import HintLine, Key
from widgets.line import Piece
from widgets.panes.long_list import LongList
from widgets.panes.pane import Pane
from widgets.plain import one_line
from widgets.said_line import SaidLine

if TYPE_CHECKING:
    from memory.agents import Agent

KEYS: tuple[Key, ...] = (
    ("pane.up pane.down", "choose"),
    ("pane.open", "talk with it"),
    ("agents.new", "new"),
    ("agents.edit", "edit"),
    ("agents.remove", "remove"),
    ("agents.back", "back"),
)
TITLE = "Agents"
READING = "The session is only read here: agents can't be changed."


class Shelf(Protocol):
    """Lists agents and changes them."""

    @property
    def current(self) -> str:
        """With whom the user talks."""
        ...

    @property
    def read_only(self) -> bool:
        """Whether nothing can be changed."""
        ...

    def list(self) -> "Awaitable[Sequence[Agent]]":
        """Every agent, by name."""
        ...

    def keep(self, draft: AgentDraft) -> "Awaitable[Agent]":
        """Makes an agent, or changes the one of the name."""
        ...

    def remove(self, name: str) -> Awaitable[None]:
        """Removes an agent without sessions."""
        ...


class AgentsScreen(ListAndDetail[str]):
    """Dismissed with the name of the agent to go to, or with None.

    Args:
        shelf: The agents.
    """

    AUTO_FOCUS = "#pane-agents"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "new", "new", id="agents.new"),
        Binding("e", "edit", "edit", id="agents.edit"),
        Binding("delete", "remove", "remove", id="agents.remove"),
        Binding("escape,ctrl+l", "back", "back", id="agents.back"),
    ]
    DETAIL = "#pane-opened-agent"
    DEFAULT_CSS = """
    AgentsScreen {
        & #pane-agents { height: 2fr; }
        & #pane-opened-agent { height: 3fr; }
    }
    """

    def __init__(self, shelf: Shelf) -> None:
        super().__init__()
        self._shelf = shelf
        self._agents: dict[str, Agent] = {}

    def compose(self) -> ComposeResult:
        """Head, list, what is chosen, the keys."""
        yield SessionsLine(self._head, classes="-head")
        with Container(classes="halves"):
            yield LongList("agents", "agents", "files")
            yield Pane("opened_agent", "", "files", closable=False)
        yield SaidLine(id="agents-said")
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Reads the agents once the screen is there."""
        self.run_worker(self._load(self._shelf.current))

    @property
    def chosen(self) -> "Agent | None":
        """The agent that the keys are about."""
        return self._agents.get(self._list.cursor or "")

    # -- what the user does

    @on(Pane.Moved)
    def _moved(self, event: Pane.Moved) -> None:
        if event.pane == "agents":
            self.say("")
            self._show_chosen()
            self._detail.scroll_home(animate=False)

    @on(Pane.Opened)
    def _opened(self, event: Pane.Opened) -> None:
        if event.pane == "agents" and (chosen := self.chosen) is not None:
            here = chosen.name == self._shelf.current
            self.dismiss(None if here else chosen.name)

    def action_new(self) -> None:
        """Makes an agent."""
        self._change(AgentDraft(""), tuple(self._agents))

    def action_edit(self) -> None:
        """Changes the chosen agent."""
        if (chosen := self.chosen) is not None:
            self._change(AgentDraft.of(chosen), None)

    def action_remove(self) -> None:
        """Asks whether the chosen agent is to go."""
        chosen = self.chosen
        if chosen is None or self._refused():
            return
        if chosen.sessions:
            has = count(chosen.sessions, "session")
            self.say(f"{chosen.name} has {has}: they would have nobody to go on with.")
            return
        question = Asking(
            f"Remove the agent {one_line(chosen.name)} and all that it knows?",
            "It can't be brought back.",
            yes="Remove",
            no="Keep it",
        )

        def answered(yes: bool | None) -> None:
            if yes:
                self.run_worker(self._remove(chosen.name))

        self.app.push_screen(question, answered)

    # -- inside

    def _change(self, draft: AgentDraft, taken: tuple[str, ...] | None) -> None:
        """Asks how an agent is to be."""
        if self._refused():
            return

        async def keep(typed: AgentDraft) -> str:
            return (await self._shelf.keep(typed)).name

        def kept(name: str | None) -> None:
            if name is not None:
                self.run_worker(self._load(name))

        self.app.push_screen(AgentForm(draft, keep, taken), kept)

    def _refused(self) -> bool:
        """Says so where nothing can be changed."""
        if self._shelf.read_only:
            self.say(READING)
        return self._shelf.read_only

    async def _remove(self, name: str) -> None:
        try:
            await self._shelf.remove(name)
        except StrataError as error:
            self.say(str(error))
        await self._load(self._shelf.current)

    async def _load(self, chosen: str) -> None:
        """Lists the agents, one of them chosen."""
        try:
            agents = await self._shelf.list()
        except StrataError as error:
            self.say(str(error))
            return
        self._agents = {agent.name: agent for agent in agents}
        current = self._shelf.current
        self._list.show(lambda width: list_rows(agents, current, width))
        self._list.mark(chosen)
        self._show_chosen()
        self.call_after_refresh(self._list.mark, chosen)
        self.query_one(SessionsLine).refresh()

    def _show_chosen(self) -> None:
        chosen, current = self.chosen, self._shelf.current
        self._detail.name_it(one_line(chosen.name) if chosen else "")
        self._detail.show(lambda width: detail_rows(chosen, current, width))

    def _head(self, _: int) -> list[Piece]:
        return [(TITLE, "name"), (f"  you talk with {one_line(self._shelf.current)}", "dim")]
