"""Where the work happens: the folder, and how full memory and disk are (GOAL-7)."""

import asyncio
import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

from memory.errors import StrataError
from memory.memory import Memory

LOGGER = logging.getLogger("strata.chat")
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of this machine; None where the system does not tell."""

    memory_used_mb: int | None
    disk_used_percent: float | None


async def note_environment(memory: Memory, folder: Path | None) -> None:
    """Records where a session is held, for itself and as the agent's last workspace.

    A failure is noted in the log: nobody waits for these figures.

    Args:
        memory: The session.
        folder: The workspace, resolved; None where there is none.
    """
    if folder is None:
        return
    measured = await asyncio.to_thread(measure, folder)
    try:
        await memory.execution.seen(
            workspace=str(folder),
            memory_used_mb=measured.memory_used_mb,
            disk_used_percent=measured.disk_used_percent,
        )
        await memory.preferences.used(str(folder))
    except StrataError as error:
        LOGGER.warning("the environment was not recorded: %s", error)


def measure(workspace: Path) -> Measured:
    """The memory in use on this machine, and how full the folder's disk is."""
    return Measured(_memory_used(), _disk_used(workspace))


def _memory_used() -> int | None:
    import psutil  # slow to load, and only wanted here

    try:
        return int(psutil.virtual_memory().used) // MEGABYTE
    except (OSError, RuntimeError, psutil.Error):
        return None


def _disk_used(workspace: Path) -> float | None:
    try:
        usage = shutil.disk_usage(workspace)
    except OSError:
        return None
    return round(100 * usage.used / usage.total, 1) if usage.total else None
