"""Waiting that the user can end."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def done_before(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> bool:
    """Waits for `work`; False where the user stopped the wait, which cancels it.

    What `work` raises is raised.
    """
    waiting = asyncio.ensure_future(work)
    stopping = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({waiting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not waiting.done():
            return False
        await waiting
        return True
    finally:
        for task in (waiting, stopping):
            task.cancel()
