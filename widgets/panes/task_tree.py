"""Tasks in the order of their dependencies: each once, below what it waits for. Pure."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.work_views import TaskView


@dataclass(frozen=True, slots=True)
class Branch:
    """A task and where it stands in the tree."""

    task: "TaskView"
    depth: int
    beside: tuple["TaskView", ...] = ()
    """What it waits for besides the task that it stands below."""


def task_tree(tasks: Sequence["TaskView"]) -> list[Branch]:
    """The tasks as a tree; what waits for each other in a circle stands at the root.

    Args:
        tasks: In their order; what they wait for may be gone.
    """
    known = {task.id: task for task in tasks}
    waits = {id: _waits_for(task, known) for id, task in known.items()}
    below = _parents(waits)
    children: dict[str | None, list[str]] = {}
    for id in known:
        children.setdefault(below[id], []).append(id)
    branches: list[Branch] = []
    stack = [(id, 0) for id in reversed(children.get(None, []))]
    while stack:
        id, depth = stack.pop()
        beside = tuple(known[other] for other in waits[id] if other != below[id])
        branches.append(Branch(known[id], depth, beside))
        stack += [(child, depth + 1) for child in reversed(children.get(id, []))]
    return branches


def _waits_for(task: "TaskView", known: Mapping[str, "TaskView"]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(id for id in task.after if id in known and id != task.id))


def _parents(waits: Mapping[str, tuple[str, ...]]) -> dict[str, str | None]:
    """What each task stands below: of all it waits for the one that can be done last."""
    followers: dict[str, list[str]] = {}
    for id, others in waits.items():
        for other in others:
            followers.setdefault(other, []).append(id)
    missing = {id: len(others) for id, others in waits.items()}
    queue = deque(id for id, number in missing.items() if not number)
    below: dict[str, str | None] = dict.fromkeys(waits)
    levels = dict.fromkeys(queue, 0)
    while queue:
        id = queue.popleft()
        for follower in followers.get(id, ()):
            missing[follower] -= 1
            if not missing[follower]:
                # Of several at the same level the one named last.
                last = max(enumerate(waits[follower]), key=lambda at: (levels[at[1]], at[0]))[1]
                below[follower], levels[follower] = last, levels[last] + 1
                queue.append(follower)
    return below
