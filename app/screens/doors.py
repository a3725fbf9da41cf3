"""What a key, a click or a mark in the chat asks of the conversation that is open."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.binding import Binding, BindingType

from app.screens.regions import Regions
from widgets.panes.facts import ENDED, FACT, PIN
from widgets.plain import one_line
from widgets.transcript import Transcript

if TYPE_CHECKING:
    from app.screens.place import Place
    from app.screens.talk import Talk
    from widgets.panes.pane import Pane


FOLDED = frozenset({"long_term", "short_term", "timeline"})
"""Panes whose rows are compactions."""
LISTED = {ENDED: "ended"}
"""Rows of the pane of facts that lead to others than those that hold."""
WORKING = frozenset({"working", "steps", "tools"})
"""Panes whose rows lead to goal and tasks."""


class Doors(Regions):
    """Hands on what only a conversation can do; while none is open, nothing happens."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "prompt", "prompt", priority=True, id="chat.prompt"),
        Binding("f3", "timeline", "timeline", priority=True, id="chat.timeline"),
        Binding("f4", "travel", "past", priority=True, id="chat.travel"),
        Binding("f5", "plot", "plot", priority=True, id="chat.plot"),
        Binding("f12", "content", "content", priority=True, id="chat.content"),
        Binding("ctrl+f", "facts", "facts", priority=True, id="chat.facts"),
        Binding("f10", "recalled", "recalled", priority=True, id="chat.recalled"),
        Binding("ctrl+t", "goals", "goals", priority=True, id="chat.goals"),
        Binding("ctrl+o", "sessions", "sessions", priority=True, id="chat.sessions"),
        Binding("ctrl+l", "agents", "agents", priority=True, id="chat.agents"),
        Binding("ctrl+n", "new", "new", priority=True, id="chat.new"),
        Binding("ctrl+b", "branch", "branch", priority=True, id="chat.branch"),
        Binding("ctrl+g", "copy", "copy", priority=True, id="chat.copy"),
    ]

    @property
    def talk(self) -> "Talk | None":
        """The conversation that is open."""
        raise NotImplementedError

    def action_prompt(self, file: str = "") -> None:
        """Shows the next request, piece by piece; a memory file of it opened where it is named."""
        self._ask(lambda talk: talk.run(self._show_prompt(talk, file)))

    def action_timeline(self, selected: str = "") -> None:
        """Shows the compactions, one of them opened where it is named."""
        self._ask(lambda talk: talk.run(talk.errands.show_timeline(selected or None)))

    def action_travel(self) -> None:
        """Goes back in time."""
        self._ask(lambda talk: talk.run(talk.errands.show_past()))

    def action_plot(self) -> None:
        """Shows the prompt's tokens over the turns."""
        self._ask(lambda talk: talk.run(talk.errands.show_plot()))

    def action_content(self, item: str = "") -> None:
        """Shows what is stored, one item of it opened where it is named."""
        self._ask(lambda talk: talk.run(self._show_content(talk, item)))

    def action_goals(self, chosen: str = "") -> None:
        """Shows goal and tasks, one of them chosen where it is named."""
        self._ask(lambda talk: talk.run(self._show_goals(talk, chosen)))

    def action_facts(self, chosen: str = "", which: str = "live") -> None:
        """Shows what the agent knows, one fact of it opened where it is named."""
        self._ask(lambda talk: talk.run(self._show_facts(talk, chosen, which)))

    def action_recalled(self, chosen: str = "") -> None:
        """Shows what was recalled for this turn, one passage of it opened where it is named."""
        self._ask(lambda talk: talk.run(self._show_recalled(talk, chosen)))

    def action_sessions(self) -> None:
        """Shows the sessions."""
        self._ask(lambda talk: talk.run(talk.errands.show_sessions()))

    def action_agents(self) -> None:
        """Shows the agents."""
        self._ask(lambda talk: talk.run(talk.errands.show_agents()))

    def action_new(self) -> None:
        """Begins a new session."""
        self._ask(lambda talk: talk.open_session(None))

    def action_branch(self) -> None:
        """Goes to the next branch."""
        self._ask(lambda talk: talk.branching.next())

    def action_copy(self) -> None:
        """Copies the last answer."""
        self._ask(lambda talk: talk.copy_answer())

    @on(Transcript.Wanted)
    def _bring(self, event: Transcript.Wanted) -> None:
        if self.talk is None:
            self.query_one(Transcript).give_up()
        else:
            self.talk.run(self.talk.paging.show(event.first, event.last))

    @on(Transcript.MarkOpened)
    def _mark_opened(self, event: Transcript.MarkOpened) -> None:
        self.action_timeline(event.compaction)

    @on(Transcript.RecalledWanted)
    def _recalled_wanted(self, event: Transcript.RecalledWanted) -> None:
        self._ask(lambda talk: talk.run(self._show_recalled(talk, "", event.number)))

    @on(Transcript.PinWanted)
    def _pin_wanted(self, event: Transcript.PinWanted) -> None:
        self._ask(lambda talk: talk.run(talk.pins.toggle(event.number)))

    @on(Transcript.TraceWanted)
    def _trace_wanted(self, event: Transcript.TraceWanted) -> None:
        self._ask(lambda talk: talk.run(talk.errands.show_way(event.number)))

    @on(Transcript.Wished)
    def _wished(self, event: Transcript.Wished) -> None:
        self._ask(lambda talk: talk.branching.wish(event.wish, event.entry))

    @on(Transcript.HelperWanted)
    def _helper_wanted(self, event: Transcript.HelperWanted) -> None:
        self._ask(lambda talk: talk.open_helper(event.number))

    def on_pane_opened(self, event: "Pane.Opened") -> None:
        """Goes to a message of the window, or to a compaction."""
        if event.pane in FOLDED:
            self.action_timeline(event.key)
        elif event.pane == "content":
            self.action_content(event.key)
        elif event.pane == "files":
            self.action_prompt(event.key)
        elif event.pane == "recalled":
            self.action_recalled(event.key)
        elif event.pane == "facts":
            self._open_fact(event.key)
        elif event.pane in WORKING:
            self.action_goals(event.key)
        elif event.pane == "window" and self.talk is not None:
            self.talk.run(self._go_to(self.talk, int(event.key)))

    async def _show_prompt(self, talk: "Talk", file: str) -> None:
        place = await talk.errands.show_prompt(file)
        if place is not None:
            await self._visit(talk, place)

    async def _show_content(self, talk: "Talk", item: str) -> None:
        number = await talk.errands.show_content(item or None)
        if number is not None:
            await self._go_to(talk, number)

    async def _show_goals(self, talk: "Talk", chosen: str) -> None:
        number = await talk.errands.show_goals(chosen or None)
        if number is not None:
            await self._go_to(talk, number)

    def _open_fact(self, key: str) -> None:
        """Opens what a row of the pane stands for: a fact, the ended ones, a pinned sentence."""
        if key.startswith(PIN):
            number = key.removeprefix(PIN)
            if number and self.talk is not None:
                self.talk.run(self._go_to(self.talk, int(number)))
            return
        self.action_facts(
            key.removeprefix(FACT) if key.startswith(FACT) else "", LISTED.get(key, "live")
        )

    async def _show_facts(self, talk: "Talk", chosen: str, which: str) -> None:
        place = await talk.errands.show_facts(chosen or None, which)
        if place is not None:
            await self._visit(talk, place)

    async def _show_recalled(self, talk: "Talk", chosen: str, message: int = 0) -> None:
        place = await talk.errands.show_recalled(chosen or None, message)
        if place is not None:
            await self._visit(talk, place)

    async def _visit(self, talk: "Talk", place: "Place") -> None:
        """Goes to a message, after asking where that is in another session."""
        from app.chat.happenings import BranchWanted

        if not place.branch:
            await self._go_to(talk, place.number)
        elif await talk.errands.may_leave(place):
            told = f"Message {place.number:,} of “{one_line(place.name)}”."
            talk.open_branch(BranchWanted(place.branch, told=told, number=place.number))

    async def _go_to(self, talk: "Talk", number: int) -> None:
        if self._beside is not None:
            self._beside.close_drawer()
        await talk.paging.go_to(number)

    def _ask(self, deed: "Callable[[Talk], object]") -> None:
        if self.talk is not None:
            deed(self.talk)
