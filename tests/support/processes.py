"""Waiting for something to happen, and looking whether a process lives."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from app.backend.client import Backend


def is_alive(pid: int) -> bool:
    """Whether there is such a process, and it has not ended already."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@asynccontextmanager
async def standing_still(backend: Backend) -> AsyncIterator[None]:
    """A backend that does nothing meanwhile: who waits for it, waits to the end."""
    pid = (await backend.ping())["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


async def until(condition: Callable[[], bool], limit_s: float) -> float:
    """Waits for a condition; returns how long it took, in seconds."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < limit_s, "it did not happen in time"
        await asyncio.sleep(0.01)
    return time.monotonic() - began
