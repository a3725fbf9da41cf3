"""The model of a conversation: which one answers, whether it is there, how it is asked."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

from app.backend.client import Backend
from app.backend.protocol import ModelInfo
from app.chat.asking import Asking
from app.chat.choice import chosen_model, needs_choice
from app.host.catalogue import canonical, is_embedded
from app.settings import Settings
from memory.agents import Agent
from memory.errors import StrataError
from memory.memory import Memory


class Answerer(ABC):
    """Who answers in a session; may be chosen, changed, and away for a while.

    Args:
        memory: The session.
        backend: Speaks to models.
        settings: The configuration.
        agent: Whom the session is with.
    """

    def __init__(
        self, memory: Memory, backend: Backend, settings: Settings, agent: Agent | None
    ) -> None:
        self.memory = memory
        self.backend = backend
        self.settings = settings
        recorded = memory.state.model
        session_model = recorded.name if recorded else None
        agent_model = agent.model if agent else None
        self.model = chosen_model(settings, session_model, agent_model)
        self.undecided = needs_choice(settings, session_model, agent_model)
        """Whether the user has to choose a model, since none is here that could answer."""
        self.info: ModelInfo | None = None
        self._ready: asyncio.Task[None] | None = None
        self._loads: set[asyncio.Task[None]] = set()
        """Those that are under way; of several only the newest has an effect."""
        self._taking_over = asyncio.Lock()

    def load_model(self) -> None:
        """Begins to find out about the model; a local one starts."""
        self._ready = asyncio.create_task(self._load(), name="strata model")
        self._loads.add(self._ready)
        self._ready.add_done_callback(self._loads.discard)

    def decide(self, model: str) -> None:
        """Lets a model answer that was chosen where there was none."""
        self.model = canonical(model)
        self.undecided = False
        self.load_model()

    async def ready(self) -> None:
        """Waits until the model is known.

        Raises:
            ModelFailure: It can't be reached; asking again tries again.
        """
        if self._ready is None or self.unreachable:
            self.load_model()
        loading = None
        while loading is not self._ready:
            loading = self._loading()
            try:
                await asyncio.shield(loading)
            except StrataError:
                # Where another one was chosen meanwhile, that one is waited for.
                if loading is self._ready:
                    raise

    async def use_model(self, name: str) -> ModelInfo:
        """Lets another model answer from here on.

        Raises:
            ModelFailure: It can't be reached; the old one stays.
            UnknownModel: There is no embedded model of that name.
        """
        before, loading = self.model, self._ready
        under_way = loading is not None and not loading.done()
        self.model = canonical(name)
        self.load_model()
        try:
            await asyncio.shield(self._loading())
        except BaseException:
            self.model, self._ready = before, loading
            if under_way and loading is not None and loading.done():
                self.load_model()  # nothing came of it, since another one was wanted
            raise
        if self.info is None:
            raise LookupError("a loaded model has no description")
        return self.info

    @property
    def unreachable(self) -> bool:
        """Whether the model could not be reached when it was last tried."""
        task = self._ready
        return task is not None and task.done() and bool(task.cancelled() or task.exception())

    @property
    def asking(self) -> Asking:
        """How the model is asked."""
        model = self.settings.model
        return Asking(
            model=self.model,
            timeout_s=model.timeout_s,
            stall_s=model.stall_s,
            temperature=model.temperature,
            max_tokens=model.max_output_tokens,
            local=is_embedded(self.model),
        )

    @property
    def is_loading(self) -> bool:
        """Whether it is still being found out about the model."""
        return self._ready is not None and not self._ready.done()

    # -- inside

    @abstractmethod
    async def _found(self, name: str) -> Callable[[], Awaitable[None]]:
        """Finds out about a model; what is returned lets it answer from then on.

        Raises:
            ModelFailure: It can't be reached.
        """

    async def _load(self) -> None:
        """Lets the model answer; nothing comes of it where another was chosen meanwhile."""
        name = self.model
        take_over = await self._found(name)
        async with self._taking_over:
            if name == self.model:
                await take_over()

    async def _stop_loading(self) -> None:
        loads = tuple(self._loads)
        for load in loads:
            load.cancel()
        if loads:
            await asyncio.wait(loads)

    def _loading(self) -> asyncio.Task[None]:
        if self._ready is None:
            self.load_model()
        if self._ready is None:
            raise LookupError("no model is loading")
        return self._ready
