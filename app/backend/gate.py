"""Lets background requests to a local model yield to the chat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class Gate:
    """One for each model host: while chat requests run, background ones are stopped and wait."""

    def __init__(self) -> None:
        self._chats = 0
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._one_at_a_time = asyncio.Lock()
        self._background: asyncio.Task[Any] | None = None

    @asynccontextmanager
    async def chat(self) -> AsyncIterator[None]:
        """Holds the gate for a chat request; what runs in the background is stopped."""
        self._chats += 1
        self._quiet.clear()
        if self._background is not None:
            self._background.cancel()
        try:
            yield
        finally:
            self._chats -= 1
            if self._chats == 0:
                self._quiet.set()

    async def quiet(self) -> None:
        """Waits until no chat request runs."""
        await self._quiet.wait()

    async def background(self, run: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Runs a request when no chat runs, and anew from its start when one came between."""
        async with self._one_at_a_time:
            while True:
                await self._quiet.wait()
                self._background = task = asyncio.ensure_future(run())
                try:
                    await asyncio.wait({task})
                finally:
                    self._background = None
                    task.cancel()
                if not task.cancelled():
                    return task.result()
