"""Work that goes on beside the conversation on the stage: guarded, and ended with it."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from app.screens.stage import Stage
from memory.errors import StrataError

LOGGER = logging.getLogger("strata.screen")
BROKEN = "Something went wrong inside Strata; strata.log says what. Everything said is kept."


class Works:
    """Tasks of which none that fails ends another.

    Args:
        stage: Where it is said what went wrong.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Begins a piece of work."""
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def end(self) -> None:
        """Ends all of it, and waits until it has ended."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except StrataError as error:
            self._stage.notice(str(error), "problem")
        except Exception:
            LOGGER.exception("work of the chat screen failed")
            self._stage.notice(BROKEN, "problem")
