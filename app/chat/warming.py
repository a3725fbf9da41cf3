"""Has a local model read what the next prompt begins with, while the user still types."""

import asyncio
import logging
from contextlib import suppress

from app.backend.client import Backend
from app.host.catalogue import is_embedded
from memory.errors import StrataError
from memory.memory import Memory

LOGGER = logging.getLogger("strata.chat")


class Warming:
    """The reading of one conversation; for models elsewhere nothing is done.

    Args:
        memory: The session.
        backend: Who reaches the model.
    """

    def __init__(self, memory: Memory, backend: Backend) -> None:
        self._memory = memory
        self._backend = backend
        self._task: asyncio.Task[None] | None = None

    def begin(self, model: str) -> None:
        """Begins; returns at once."""
        if is_embedded(model):
            self._task = asyncio.create_task(self._warm(model), name="strata warm")

    async def stop(self) -> None:
        """Waits for it no longer."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _warm(self, model: str) -> None:
        try:
            prompt = await self._memory.prompt()
            tools = list(prompt.tools) or None
            await self._backend.warm(model, list(prompt.messages), tools, prompt=prompt.text)
        except StrataError as error:
            # It only saves time; the next turn reads the prefix itself.
            LOGGER.info("warming: %s", error.sentence)
