"""What the user wants that takes another screen: the compactions, the sessions, deleting one."""

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Protocol

from app.chat.commands import find_command
from app.chat.conversation import Conversation
from app.chat.happenings import DeletionWanted, ForgettingWanted
from app.chat.names import session_name
from app.chat.shelf import Shelf
from app.screens.stage import Stage
from app.screens.standing import stands
from memory.errors import StrataError
from memory.history import CompactionRecord
from memory.snapshot import Snapshot
from widgets.figures import count

if TYPE_CHECKING:
    from app.screens.content import ContentScreen
    from app.screens.facts import FactsScreen
    from app.screens.goals import GoalsScreen
    from app.screens.place import Place
    from app.screens.plot import PlotScreen
    from app.screens.prompt import PromptScreen
    from app.screens.recalled import RecalledScreen
    from app.screens.timeline import TimelineScreen
    from app.screens.travel import TravelScreen
    from memory.tracing import Traced

NO_PAST = "There is no past yet: nothing has been said."


class Owner(Protocol):
    """The conversation on the stage, which other sessions follow."""

    def open_session(self, name: str | None, number: int = 0) -> None:
        """Opens another session at a message, or a new one where there is no name."""

    def open_agent(self, name: str) -> None:
        """Opens the newest session of another agent, or its first."""

    def delete_this(self) -> None:
        """Ends the session, deletes it, and begins a new one."""


class Errands:
    """Shows other screens over the conversation, and does what comes of them.

    Args:
        stage: Where the conversation is shown.
        conversation: The open one.
        owner: Who goes on to another session.
    """

    def __init__(self, stage: Stage, conversation: Conversation, owner: Owner) -> None:
        self._stage = stage
        self._conversation = conversation
        self._memory = conversation.memory
        self._shelf = Shelf(conversation.memory)
        self._owner = owner
        self._timeline: TimelineScreen | None = None
        self._travel: TravelScreen | None = None
        self._plot: PlotScreen | None = None
        self._prompt: PromptScreen | None = None
        self._content: ContentScreen | None = None
        self._goals: GoalsScreen | None = None
        self._facts: FactsScreen | None = None
        self._recalled: RecalledScreen | None = None
        self._records: dict[str, CompactionRecord] = {}

    def memory_changed(self, snapshot: Snapshot) -> None:
        """Keeps a screen that shows memory true."""
        if self._timeline is not None:
            self._records |= {r.event.id: r for r in snapshot.recent_compactions}
            self._timeline.update(tuple(self._records.values()), snapshot)
        # A screen that is still coming reads memory as it is once it is there.
        for screen in (self._travel, self._plot):
            if screen is not None and stands(screen):
                screen.grew(snapshot.messages)
        kept_true = (self._prompt, self._content, self._goals, self._facts, self._recalled)
        for shown in kept_true:
            if shown is not None and stands(shown):
                shown.memory_changed()

    async def show_timeline(self, selected: str | None) -> None:
        """Shows every compaction until the user goes back."""
        from app.screens.mending import timeline_deeds
        from app.screens.timeline import TimelineScreen

        if self._timeline is not None:
            return
        memory = self._memory
        self._records = {record.event.id: record for record in await memory.compactions()}
        self._timeline = TimelineScreen(
            tuple(self._records.values()),
            memory.snapshot(),
            timeline_deeds(self._conversation),
            selected,
        )
        try:
            await self._stage.house.ask(self._timeline)
        finally:
            self._timeline = None

    async def show_trace(self, traced: "Traced") -> None:
        """Shows where something went, and the compactions on its way."""
        from app.screens.trace import TraceScreen

        ids = {record.n: record.event.id for record in await self._memory.compactions()}
        screen = TraceScreen(traced, ids)
        while (compaction := await self._stage.house.ask(screen)) is not None:
            await self.show_timeline(compaction)
            screen = TraceScreen(traced, ids, screen.chosen)

    async def show_way(self, number: int) -> None:
        """Shows where a message went."""
        await self.show_trace(await self._memory.trace_message(number))

    async def show_past(self) -> None:
        """Shows past moments until the user comes back to now."""
        from app.screens.journey import Journey
        from app.screens.travel import TravelScreen

        if self._travel is not None:
            return
        journey = Journey(self._memory)
        turns = await journey.turns()
        if not turns.points:
            self._stage.house.say_shortly(NO_PAST)
            return
        self._travel = TravelScreen(journey, turns, self._memory.state.messages)
        try:
            await self._stage.house.ask(self._travel)
        finally:
            self._travel = None

    async def show_plot(self) -> None:
        """Shows the prompt's tokens over the turns until the user goes back."""
        from app.screens.journey import Journey
        from app.screens.plot import PlotScreen

        if self._plot is not None:
            return
        self._plot = PlotScreen(Journey(self._memory), self._memory.snapshot())
        try:
            await self._stage.house.ask(self._plot)
        finally:
            self._plot = None

    async def show_prompt(self, file: str = "") -> "Place | None":
        """Shows the next request, and the past ones, until the user goes back.

        Args:
            file: The memory file that is opened first; empty for none.

        Returns:
            The message that is to be seen then.
        """
        from app.screens.prompt import PromptScreen
        from app.screens.prompt_sources import PromptSources

        if self._prompt is not None:
            return None
        memory = self._memory
        snapshot = memory.snapshot()
        self._prompt = PromptScreen(
            memory.inspecting,
            PromptSources(memory, self),
            session_name(snapshot.title, snapshot.session_id, datetime.now(UTC)),
            self._draft,
            self._stage.house.put_on_clipboard,
            file,
        )
        try:
            return await self._stage.house.ask(self._prompt)
        finally:
            self._prompt = None

    async def show_content(self, item: str | None) -> int | None:
        """Shows what is stored until the user goes back.

        Args:
            item: The item to begin with.

        Returns:
            The message that is to be seen then.
        """
        from app.screens.content import ContentScreen
        from app.screens.content_reading import StoredContent

        if self._content is not None:
            return None
        copy = self._stage.house.put_on_clipboard
        self._content = ContentScreen(StoredContent(self._memory), copy, item)
        try:
            return await self._stage.house.ask(self._content)
        finally:
            self._content = None

    async def show_facts(self, chosen: str | None, which: str = "live") -> "Place | None":
        """Shows what the agent knows until the user goes back.

        Args:
            chosen: The id of the fact to begin with.
            which: Which facts are listed at first.

        Returns:
            The message that is to be seen then.
        """
        from app.screens.facts import FactsScreen
        from app.screens.facts_reading import KnownFacts

        if self._facts is not None:
            return None
        self._facts = FactsScreen(KnownFacts(self._conversation), chosen, which)
        try:
            return await self._stage.house.ask(self._facts)
        finally:
            self._facts = None

    async def show_recalled(self, chosen: str | None, message: int = 0) -> "Place | None":
        """Shows what long-term memory brought to this turn, and to earlier ones.

        Args:
            chosen: The key of the row to begin with.
            message: The message whose turn is shown first; 0 for the present one.

        Returns:
            The message that is to be seen then.
        """
        from app.screens.recalled import RecalledScreen
        from app.screens.recalled_reading import Recollections

        if self._recalled is not None:
            return None
        self._recalled = RecalledScreen(Recollections(self._memory), chosen, message)
        try:
            return await self._stage.house.ask(self._recalled)
        finally:
            self._recalled = None

    async def may_leave(self, place: "Place") -> bool:
        """Asks before another session is opened at a message."""
        from app.screens.asking import Asking

        question = f"Open “{place.name}” at message {place.number:,}? This session is kept."
        answer = await self._stage.house.ask(Asking(question, yes="Open it", no="Stay here"))
        return bool(answer)

    async def show_goals(self, chosen: str | None) -> int | None:
        """Shows goal and tasks, to be corrected by hand, until the user goes back.

        Args:
            chosen: The key of the row to begin with.

        Returns:
            The message that is to be seen then.
        """
        from app.screens.carrying import carried
        from app.screens.goals import GoalsScreen

        if self._goals is not None:
            return None
        carry = partial(carried, self._conversation)
        self._goals = GoalsScreen(self._memory.snapshot, carry, chosen)
        try:
            return await self._stage.house.ask(self._goals)
        finally:
            self._goals = None

    def _draft(self) -> str:
        """What is being written, where it is for the model."""
        text = self._stage.composer.message
        try:
            is_command = find_command(text) is not None
        except StrataError:
            is_command = True  # a mistyped one
        return "" if is_command or not text.strip() else text

    async def show_sessions(self) -> None:
        """Shows the sessions, and does with one of them what the user wants."""
        from app.screens.sessions import SessionsScreen

        shelf = self._shelf
        screen = SessionsScreen(shelf, shelf.current)
        choice = await self._stage.house.ask(screen)
        if choice is None:
            return
        if choice.kind == "delete":
            self._owner.delete_this()
        else:
            name = choice.session if choice.kind == "open" else None
            self._owner.open_session(name, choice.number)

    async def show_agents(self) -> None:
        """Shows the agents, and goes to the one that the user chooses."""
        from app.chat.agent_shelf import AgentShelf
        from app.screens.agents import AgentsScreen

        name = await self._stage.house.ask(AgentsScreen(AgentShelf(self._memory)))
        if name is not None:
            self._owner.open_agent(name)

    async def delete(self, wanted: DeletionWanted) -> None:
        """Asks, and deletes a session."""
        from app.screens.asking import Asking

        messages = count(wanted.messages, "message")
        question = f"Delete {wanted.name} with its {messages}? This can't be taken back."
        if not await self._stage.house.ask(Asking(question, yes="Delete", no="Keep it")):
            return
        if wanted.session == self._shelf.current:
            self._owner.delete_this()
        else:
            await self._shelf.delete(wanted.session)
            self._stage.notice(f"{wanted.name} is deleted.", "note")

    async def forget(self, wanted: ForgettingWanted) -> None:
        """Shows what would go, asks, and takes it away."""
        from app.screens.asking import Asking
        from app.tools.forget_words import told_done, told_plan

        plan = "\n".join(told_plan(wanted.plan))
        question = "This can't be taken back."
        if not await self._stage.house.ask(Asking(plan, question, yes="Forget it", no="Keep it")):
            return
        done = await self._memory.forgetting.carry_out(wanted.plan)
        self._stage.notice(told_done(wanted.plan, done), "note")
