"""What follows from tasks waiting for each other: order, readiness, pruning (GOAL-2). Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from memory.clock import parse_time
from memory.work_parts import Task

PRUNE_HOURS = 24
"""Since its last update, after which a done task leaves (S1)."""


def waits_for(task: Task, tasks: Iterable[Task]) -> tuple[str, ...]:
    """Ids of what a task still waits for."""
    if not task.after:
        return ()
    done = {other.id for other in tasks if other.status == "done"}
    return tuple(id for id in task.after if id not in done)


def ready_ids(tasks: Sequence[Task]) -> frozenset[str]:
    """Ids of the tasks that are open and whose dependencies are all done.

    What a task waits for and is no longer among them had failed: done ones stay.
    """
    done = {task.id for task in tasks if task.status == "done"}
    return frozenset(
        task.id for task in tasks if task.status == "open" and done.issuperset(task.after)
    )


def cycle(id: str, after: Sequence[str], tasks: Iterable[Task]) -> tuple[str, ...] | None:
    """The way from a task back to itself if it waited for `after`; None where there is none.

    Returns:
        Such as `("t1", "t3", "t1")`: each waits for the next.
    """
    waiting = {task.id: task.after for task in tasks} | {id: tuple(after)}
    came_from: dict[str, str] = {}
    front = [id]
    while front:
        here = front.pop()
        for there in waiting.get(here, ()):
            if there == id:
                return _way(id, here, came_from)
            if there not in came_from:
                came_from[there] = here
                front.append(there)
    return None


def old_tasks(tasks: Sequence[Task], now: datetime) -> tuple[str, ...]:
    """Ids of the tasks that were done more than a day ago and that no task that stays waits for."""
    limit = now - timedelta(hours=PRUNE_HOURS)
    old = {t.id for t in tasks if t.status == "done" and parse_time(t.updated_at) < limit}
    return unneeded(tasks, old)


def unneeded(tasks: Sequence[Task], candidates: Iterable[str]) -> tuple[str, ...]:
    """Those of the candidates that no task that stays waits for, in the order of the tasks."""
    leaving = set(candidates)
    while leaving:
        needed = {id for task in tasks if task.id not in leaving for id in task.after}
        if leaving.isdisjoint(needed):
            break
        leaving -= needed
    return tuple(task.id for task in tasks if task.id in leaving)


def _way(id: str, last: str, came_from: dict[str, str]) -> tuple[str, ...]:
    way: list[str] = []
    while last != id:
        way.append(last)
        last = came_from[last]
    return (id, *reversed(way), id)
