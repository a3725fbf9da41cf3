"""Ends a process with everything that it started, wherever that went.

Out of reach is only what has emptied its environment, made a session of its own and lost its
parent, all three, and what runs as another user.
"""

import os
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psutil import Process

MARK = "STRATA_RUN"
"""A variable that children inherit: who carries it belongs to the run, even where it has made a
session of its own and its parent is gone."""

_ROUNDS = 20  # a tree that grows while it is killed is smaller each time
_PAUSE_S = 0.02
_CLOCK_SLACK_S = 60.0  # the system's clock may have been set meanwhile


def end_tree(root: int, mark: str, started: float) -> int:
    """Kills a process, its descendants, its session, and all who carry the mark; waits for them.

    Blocks for some milliseconds: run it in a thread.

    Args:
        root: The id of the process, which leads a session of its own.
        mark: The value of `MARK` in its environment.
        started: When it was started, in seconds since the epoch.

    Returns:
        How many besides the process itself were still running.
    """
    ended: set[int] = set()
    for _ in range(_ROUNDS):
        # All are found before the first is killed: who loses a parent is harder to find.
        living = _members(root, mark, started - _CLOCK_SLACK_S)
        for process in living:
            _kill(process)
        ended.update(process.pid for process in living)
        if not living:
            break
        time.sleep(_PAUSE_S)
    return len(ended - {root})


def _members(root: int, mark: str, since: float) -> "list[Process]":
    """Who belongs to the run and lives."""
    import psutil

    members: dict[int, Process] = {}
    parents: dict[int, int] = {}
    processes: dict[int, Process] = {}
    for process in psutil.process_iter():
        try:
            with process.oneshot():
                if process.create_time() < since or process.status() == psutil.STATUS_ZOMBIE:
                    continue
                processes[process.pid], parents[process.pid] = process, process.ppid()
            if process.pid == root or _is_marked(process, root, mark):
                members[process.pid] = process
        except psutil.Error:
            continue  # it has ended, or belongs to somebody else
    _add_descendants(members, parents, processes)
    members.pop(os.getpid(), None)
    return list(members.values())


def _is_marked(process: "Process", root: int, mark: str) -> bool:
    import psutil

    if os.name == "posix":
        try:
            if os.getsid(process.pid) == root:
                return True
        except OSError:
            return False
    try:
        return bool(process.environ().get(MARK) == mark)
    except (psutil.Error, OSError):
        return False


def _add_descendants(
    members: "dict[int, Process]", parents: dict[int, int], processes: "dict[int, Process]"
) -> None:
    """Adds the children of members, and theirs, until there are no more."""
    grew = True
    while grew:
        found = [pid for pid, parent in parents.items() if parent in members and pid not in members]
        members.update((pid, processes[pid]) for pid in found)
        grew = bool(found)


def _kill(process: "Process") -> None:
    import psutil

    try:
        process.kill()
    except psutil.Error:
        return  # it has ended meanwhile, or it is not ours to end
