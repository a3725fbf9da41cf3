"""Work that must not be cut in two when whoever asked for it is cancelled."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


async def finish(work: Coroutine[Any, Any, Result]) -> Result:
    """Runs `work` to its end; a caller cancelled meanwhile learns of it only then.

    For short work whose halves must not be seen apart, such as a commit and what follows from it.

    Raises:
        asyncio.CancelledError: The caller was cancelled; `work` has ended all the same.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # seen here, lest asyncio complain that nobody did
    raise cancelled
