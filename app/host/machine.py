"""What this machine has to offer: cores and memory."""

import os
import shutil
from pathlib import Path

# Past eight threads, waiting for each other at every layer eats the gain.
_MOST_THREADS = 8
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def usable_cores() -> int:
    """Cores this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # Linux only
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def answer_threads(cores: int) -> int:
    """Threads for writing an answer: one core stays free.

    Memory is what limits it: on two cores a second thread gains the 1.5B model nothing and costs
    the small one a third of its speed.
    """
    return min(_MOST_THREADS, max(1, cores - 1))


def prompt_threads(cores: int) -> int:
    """Threads for reading a prompt: all cores.

    On two cores it is 1.7 times as fast as one thread, and no slower beside a busy one; the
    screen stays quick, since the host is nice to it and its waiting threads sleep.
    """
    return min(_MOST_THREADS, cores)


def available_memory() -> int | None:
    """Bytes that can be used without swapping, or None where the system doesn't say."""
    known = [size for size in (_from_meminfo(), _from_cgroup()) if size is not None]
    return min(known) if known else _from_sysconf()


def free_disk(folder: Path) -> int:
    """Bytes that can still be written in the folder."""
    return shutil.disk_usage(folder).free


def _from_meminfo() -> int | None:
    try:
        lines = _MEMINFO.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _from_cgroup() -> int | None:
    """What a container's limit leaves; file pages that can be dropped count as free."""
    try:
        limit = (_CGROUP / "memory.max").read_text(encoding="ascii").strip()
        used = int((_CGROUP / "memory.current").read_text(encoding="ascii"))
        stat = (_CGROUP / "memory.stat").read_text(encoding="ascii")
        droppable = dict(line.split() for line in stat.splitlines()).get("inactive_file", "0")
        return None if limit == "max" else max(0, int(limit) - used + int(droppable))
    except (OSError, ValueError):
        return None


def _from_sysconf() -> int | None:
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
