"""Work behind the conversation: begun, waited for, ended."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from memory import telemetry


class Background:
    """A place for one piece of work at a time, beside whatever else goes on.

    It is no part of the operation that began it: it may go on for the rest of the session.

    Args:
        name: What the task is called where tasks are listed.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._task: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether something is being done."""
        return self._task is not None and not self._task.done()

    def begin(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begins the work, unless something is being done."""
        if not self.busy:
            self._task = asyncio.create_task(work(), name=self._name, context=telemetry.apart())

    async def settled(self) -> None:
        """Waits until nothing is left to do.

        Raises:
            Exception: What went wrong in the work, if it has not been raised here before.
        """
        while (task := self._task) is not None:
            await asyncio.wait({task})
            if self._task is task:
                self._task = None
            if not task.cancelled():
                task.result()

    async def stop(self) -> None:
        """Ends the work, and waits until it has ended."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})
