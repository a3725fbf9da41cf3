"""A conversation: a session of memory, a model that answers, and commands. No screen."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

from app.backend.client import Backend
from app.backend.protocol import ModelInfo
from app.chat.answerer import Answerer
from app.chat.backing import backend_settings
from app.chat.desk import Bench
from app.chat.early import Early
from app.chat.environment import note_environment
from app.chat.exchange import failed
from app.chat.happenings import AnswerAdded, Happening, Noted, UserAdded, Waiting
from app.chat.helper_by_hand import by_hand
from app.chat.helpers import Helpers
from app.chat.memory_files import MemoryFiles
from app.chat.models import chosen_summariser, embedder, exact_counter, model_chosen, summariser
from app.chat.naming import Naming
from app.chat.offered import Offered
from app.chat.stopping import done_before
from app.chat.too_large import TooLargeToAccept
from app.chat.tool_loop import answer
from app.chat.warming import Warming
from app.host.catalogue import is_embedded
from app.host.store import ModelStore
from app.settings import Settings
from app.tools.delegate import NAME as DELEGATE
from app.tools.tool import HelperTask, Tool
from memory import telemetry
from memory.agents import Agent
from memory.answer import EmptyMessage
from memory.errors import StrataError
from memory.events import Compacted
from memory.memory import Memory
from memory.protocols import Embedder
from memory.tokens import estimate
from memory.wish import Wish

SERVERS_S = 5.0
"""Longest wait of the first turns for MCP servers that still start; then they begin without."""
SERVERS_ONCE_S = 30.0
"""The same where only one turn is to come, which no later one makes good."""


class Conversation(Answerer):
    """What a user does with a session: say something, give a command, stop an answer.

    Made by `Conversation.open`.
    """

    def __init__(
        self,
        memory: Memory,
        backend: Backend,
        settings: Settings,
        *,
        agent: Agent | None = None,
        lingers: bool = True,
        talks: bool = True,
        tools: Sequence[Tool] | None = None,
    ) -> None:
        super().__init__(memory, backend, settings, agent)
        self.files: MemoryFiles = MemoryFiles(memory, settings)
        """The memory files that stand in its prompts."""
        self._warming = Warming(memory, backend)
        self._early = Early()
        self._stop = asyncio.Event()
        self._busy = False
        self._naming = Naming(memory)
        self._lingers = lingers
        self._servers_s = SERVERS_S if lingers else SERVERS_ONCE_S
        self._talks = talks
        self.own_tools = tools
        """Tools in the place of Strata's own; None for those."""
        wanted = settings.tools
        if memory.state.helping is None:
            self._bench = replace(Bench.of(memory, backend, wanted), helpers=Helpers(self))
        else:
            # A helper has no helpers of its own: nobody would see what they do.
            self._bench = Bench.of(memory, backend, wanted)
            wanted = wanted.model_copy(update={"without": (*wanted.without, DELEGATE)})
        self._offered = Offered(memory, backend, wanted, settings.model.mode, tools, on_need=True)
        memory.watch_compaction(self._warm_after_compaction)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings,
        wish: Wish,
        backend: Backend | None = None,
        *,
        lingers: bool = True,
        talks: bool = True,
        tools: Sequence[Tool] | None = None,
    ) -> AsyncIterator["Conversation"]:
        """Opens a session and starts the backend; the model loads while the user already types.

        Args:
            settings: The configuration.
            wish: Which session.
            backend: One that runs already, which then outlives the conversation.
            lingers: There is time after an answer, to ask the model for a title and to measure
                what compactions kept. Else the title is made by rule, and a later start measures.
            talks: A model may be asked to answer. Else no server of tools is started, and what
                the session offers stays as it is.
            tools: Tools in the place of Strata's own; None for those.

        Raises:
            StrataError: The session can't be opened.
        """
        own = backend is None
        backend = backend or await Backend.start(backend_settings(settings, tools=talks))
        try:
            # Passive until the model is known: else what is due would be folded by rule.
            passive = replace(wish, passive=True)
            async with Memory.open(
                settings.paths.data.path,
                config=settings.memory,
                index=backend.vectors,
                wish=passive,
            ) as memory:
                agent = await memory.agents.find(memory.info.agent)
                conversation = cls(
                    memory,
                    backend,
                    settings,
                    agent=agent,
                    lingers=lingers,
                    talks=talks,
                    tools=tools,
                )
                if not lingers and (briefly := conversation._embedder()) is not None:
                    memory.use_briefly(briefly)
                if not (memory.read_only or conversation.undecided):
                    conversation.load_model()
                try:
                    yield conversation
                    await memory.wind_up()
                finally:
                    await conversation._end()
        finally:
            if own:
                await backend.close()

    # -- what is offered

    def expect(self, text: str) -> None:
        """Has a text embedded that is about to be said, while the model is found out about.

        Where both are waited for, the embedding model then is there when memory is searched.
        """
        self._early.begin(self._embedder(), text)

    @property
    def offers_tools(self) -> bool:
        """Whether the model is offered tools, so that what it says may be no answer yet."""
        offered = self.memory.state.tools
        return offered is not None and offered.body is not None

    @property
    def offers_servers(self) -> bool:
        """Whether the model is offered the tools of MCP servers."""
        return self._offered.has_servers(self.model)

    # -- a turn

    def turn(self, text: str) -> AsyncGenerator[Happening, None]:
        """Says `text` and lets the model answer; reports what happens.

        A message that could never fit, or that no model could be found for, is refused before it
        is taken; everything else is on disk when `UserAdded` comes.
        """
        return self._as_one("chat.turn", self._said(text))

    async def _said(self, text: str) -> AsyncGenerator[Happening, None]:
        self._stop.clear()
        try:
            await self.refuse_too_large(text)
            if self.unreachable and not await self._ready_or_stopped():
                return
            await self.memory.answer_open_calls()
            message = await self.memory.add("user", text, origin="user")
        except StrataError as error:
            yield failed(error)
            return
        yield UserAdded(message)
        async with aclosing(self._occupied(self._answer)) as happenings:
            async for happening in happenings:
                yield happening

    def respond(self) -> AsyncGenerator[Happening, None]:
        """Lets the model answer the conversation as it stands."""
        return self._as_one("chat.turn", self._begun(self._answer))

    def delegate(self, task: HelperTask) -> AsyncGenerator[Happening, None]:
        """Has a helper work on a task of the user's; what it answers is said here (CHAT-11)."""
        working = self._begun(lambda: by_hand(self._bench, task, self._stop))
        return self._as_one("chat.delegate", working)

    async def look_at_files(self) -> None:
        """Takes in memory files that have changed; not while an answer is on its way.

        Raises:
            StorageError: It could not be recorded; the files of before stay.
        """
        if not self._busy and await self.files.refresh() and self.info is not None:
            self._begin_warming()

    def stop(self) -> None:
        """Ends the answer that is on its way; what had arrived is kept."""
        self._stop.set()

    @property
    def busy(self) -> bool:
        """Whether an answer is on its way."""
        return self._busy

    # -- inside

    def _as_one(
        self, name: str, happenings: AsyncGenerator[Happening, None]
    ) -> AsyncGenerator[Happening, None]:
        """The same happenings, as one operation with all that memory does for them (ALL-4)."""
        how: dict[str, telemetry.Value | None] = {"gen_ai.operation.name": "invoke_agent"}
        return telemetry.around(name, self.memory, happenings, **how)

    async def _begun(
        self, work: Callable[[], AsyncGenerator[Happening, None]]
    ) -> AsyncGenerator[Happening, None]:
        self._stop.clear()
        async with aclosing(self._occupied(work)) as happenings:
            async for happening in happenings:
                yield happening

    async def _occupied(
        self, work: Callable[[], AsyncGenerator[Happening, None]]
    ) -> AsyncGenerator[Happening, None]:
        """Does what needs the model, once it is ready, until it ends or the user stops it."""
        self._busy = True
        try:
            if not self._loading().done():
                yield Waiting(f"{self.model} is loading.")
            elif self.backend.mcp.delays(self._servers_s):
                yield Waiting("MCP servers are starting.")
            if not await self._ready_or_stopped():
                return
            async with aclosing(work()) as happenings:
                async for happening in happenings:
                    yield happening
        except StrataError as error:
            yield failed(error)
        finally:
            self._busy = False

    async def _answer(self) -> AsyncGenerator[Happening, None]:
        await self.files.refresh()
        for note in self.files.take_notes():
            yield Noted(note)
        answering = answer(
            self._bench, await self._offered.box(self.model), self.asking, self._stop
        )
        async with aclosing(answering) as happenings:
            async for happening in happenings:
                if isinstance(happening, AnswerAdded) and not happening.calls:
                    self._name_session()
                yield happening

    async def _all_ready(self) -> None:
        """Waits for the model, and at the beginning for MCP servers as well."""
        await self.ready()
        await self.backend.mcp.begun(self._servers_s)

    async def _ready_or_stopped(self) -> bool:
        """Waits for what an answer needs; False where the user stopped the wait."""
        return await done_before(self._stop, self._all_ready())

    async def _found(self, name: str) -> Callable[[], Awaitable[None]]:
        info = await self.backend.describe(name)
        if is_embedded(name):
            # Its host starts here: a model that is not there is neither recorded nor called ready.
            await self.backend.count(name, [""])
        return lambda: self._take_over(info)

    async def _take_over(self, info: ModelInfo) -> None:
        model = self.settings.model
        chosen = model_chosen(info, model.context_window, model.mode)
        await self.memory.use_model(
            chosen,
            exact_counter(self.backend, info),
            await chosen_summariser(self.backend, info, self.settings.model),
            embedder=self._embedder() if self._lingers else None,
        )
        self.info = info
        if self._talks and not self.memory.read_only:
            await note_environment(self.memory, self._bench.folder)
            await self.files.refresh()
            # While servers start, their tools stay offered as they were: the first turn knows.
            if self._offered.is_known(self.model):
                await self.memory.offer_tools((await self._offered.box(self.model)).schemas)
            self._begin_warming()

    def _embedder(self) -> Embedder | None:
        return embedder(self.backend, ModelStore(self.settings.paths.models.path))

    def _name_session(self) -> None:
        """Has a title found for a session that the user gave none."""
        if not self.settings.ui.auto_title:
            return
        asked = None
        if self._lingers and self.info is not None:
            asked = summariser(self.backend, self.info, self.settings.model)
        self._naming.answered(asked)

    async def refuse_too_large(self, text: str) -> None:
        """Refuses what no prompt could hold, while the composer still has it.

        Raises:
            EmptyMessage: There is nothing in it.
            TooLargeToAccept: It is larger than the room beside system prompt and summaries.
            ModelFailure: It is too large for a window that is only assumed, and the model
                can't be reached.
        """
        if not text.strip():
            raise EmptyMessage
        tokens = estimate(len(text))
        if tokens > self.memory.room_for_message and self.info is None:
            await self.ready()
        if tokens > self.memory.room_for_message:
            raise TooLargeToAccept(tokens, self.memory.room_for_message)

    def _warm_after_compaction(self, notice: object) -> None:
        """Has a local model read the new prefix before it is needed."""
        if isinstance(notice, Compacted):
            self._begin_warming()

    def _begin_warming(self) -> None:
        if self._lingers and not self._busy:
            self._warming.begin(self.model)

    async def _end(self) -> None:
        self.stop()
        await self._naming.stop()
        await self._warming.stop()
        await self._early.stop()
        await self._stop_loading()
