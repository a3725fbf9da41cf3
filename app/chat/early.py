"""Loads the embedding model before it is needed, where a question comes at once (CHAT-8)."""

import asyncio
from contextlib import suppress

from memory.errors import StrataError
from memory.protocols import Embedder, at_once


class Early:
    """Embeds a text that is about to be said, so that the model is there for the search."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None

    def begin(self, embedder: Embedder | None, text: str) -> None:
        """Begins it beside everything else; what fails here fails again where it is needed."""
        if embedder is not None and self._task is None:
            self._task = asyncio.create_task(_embedded(embedder, text), name="strata early")

    async def stop(self) -> None:
        """Ends it."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task


async def _embedded(embedder: Embedder, text: str) -> None:
    with suppress(StrataError):
        await at_once(embedder).embed([text])
