"""Tasks: a directed acyclic graph below the goal (GOAL-2)."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from memory.events import Event
from memory.state import State
from memory.task_graph import cycle, ready_ids, waits_for
from memory.work import Work
from memory.work_events import TaskAdded, TaskChanged, TaskRemoved
from memory.work_keeping import WorkError, WorkKeeping, Writing, checked
from memory.work_parts import Task

LONGEST_TASK = 2_000
"""Characters of a task: it stands in every prompt in full until it is done."""
LONGEST_WHY = 1_000


class Tasks:
    """What is to be done for the goal, and in which order."""

    def __init__(self, keeping: WorkKeeping) -> None:
        self._keeping = keeping

    def all(self) -> tuple[Task, ...]:
        """All tasks, in the order in which they were added."""
        return self._keeping.work.tasks

    def ready(self) -> frozenset[str]:
        """Ids of the tasks that can be started."""
        return ready_ids(self._keeping.work.tasks)

    def text(self, task: Task) -> str:
        """What a task says."""
        return self._keeping.read(task.text)

    async def add(self, text: str, after: Sequence[str] = ()) -> Task:
        """Adds a task.

        Args:
            text: What is to be done.
            after: Ids of the tasks that have to be done first.

        Raises:
            WorkError: There is nothing in it, it is too long, or a task to wait for is unknown.
            StorageError: The database refused; nothing was changed.
        """
        text = checked(text, "task", LONGEST_TASK)
        ids: list[str] = []

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            work = state.work
            waiting = tuple(dict.fromkeys(after))
            for id in waiting:
                _find(work, id)
            ids[:] = [f"t{work.task_count + 1}"]
            return (TaskAdded(ids[0], writing.text(text), waiting),)

        await self._keeping.carry_out(decide)
        return _find(self._keeping.work, ids[0])

    async def start(self, id: str) -> Task:
        """Starts a task, or goes back to one; the steps of the one before are let go of.

        Raises:
            WorkError: There is none of the id, or it waits for others.
            StorageError: The database refused; nothing was changed.
        """
        started: list[Task] = []

        def decide(state: State, _writing: Writing) -> Sequence[Event]:
            work = state.work
            task = _find(work, id)
            _assert_may_begin(task, work)
            progress = 0.0 if task.status == "done" else task.progress
            started[:] = [replace(task, status="running", progress=progress, error=None)]
            if started[0] == task and work.steps.task == id:
                return ()
            return (replace(_changed(started[0]), begins=True),)

        await self._keeping.carry_out(decide)
        return started[0]

    async def finish(self, id: str) -> Task:
        """Finishes a task.

        Raises:
            WorkError: There is none of the id, or it waits for others.
            StorageError: The database refused; nothing was changed.
        """

        def change(task: Task, work: Work) -> Task:
            _assert_may_begin(task, work)
            return replace(task, status="done", progress=1.0, error=None)

        task = await self._change(id, change)
        self._keeping.finished("task")
        return task

    async def fail(self, id: str, why: str = "") -> Task:
        """Notes that a task failed, and why.

        Raises:
            WorkError: There is none of the id, or the reason is too long.
            StorageError: The database refused; nothing was changed.
        """
        why = checked(why, "reason", LONGEST_WHY) if why.strip() else ""
        recorded: list[Task] = []

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            task = _find(state.work, id)
            error = writing.text(why) if why else None
            recorded[:] = [replace(task, status="failed", error=error)]
            return (_changed(recorded[0]),)

        await self._keeping.carry_out(decide)
        self._keeping.finished("task")
        return recorded[0]

    async def reopen(self, id: str) -> Task:
        """Opens a task again that was running, done or failed.

        Raises:
            WorkError: There is none of the id, or it is open.
            StorageError: The database refused; nothing was changed.
        """

        def change(task: Task, work: Work) -> Task:
            if task.status == "open":
                raise WorkError(f"Task {id} is open.")
            progress = 0.0 if task.status == "done" else task.progress
            return replace(task, status="open", progress=progress, error=None)

        return await self._change(id, change)

    async def progress(self, id: str, share: float) -> Task:
        """Notes how far a task is.

        Args:
            id: The task.
            share: 0 to 1.

        Raises:
            WorkError: There is none of the id, it is done, or the share is another.
            StorageError: The database refused; nothing was changed.
        """
        if not 0 <= share <= 1:
            raise WorkError("Progress is a share from 0 to 1, or from 0% to 100%.")

        def change(task: Task, work: Work) -> Task:
            if task.status in ("done", "failed"):
                raise WorkError(f"Task {id} is {task.status}.", f"@task reopen {id} opens it.")
            return replace(task, progress=share)

        return await self._change(id, change)

    async def edit(self, id: str, text: str) -> Task:
        """Has a task say something else.

        Raises:
            WorkError: There is none of the id, nothing in the text, or it is too long.
            StorageError: The database refused; nothing was changed.
        """
        text = checked(text, "task", LONGEST_TASK)

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            task = _find(state.work, id)
            return (_changed(replace(task, text=writing.text(text))),)

        await self._keeping.carry_out(decide)
        return _find(self._keeping.work, id)

    async def depend(self, id: str, after: Sequence[str]) -> Task:
        """Has a task wait for others, and for no more than these.

        Raises:
            WorkError: One of them is unknown, or they would wait for each other in a circle,
                which is named.
            StorageError: The database refused; nothing was changed.
        """

        def change(task: Task, work: Work) -> Task:
            waiting = tuple(dict.fromkeys(after))
            for other in waiting:
                _find(work, other)
            circle = cycle(id, waiting, work.tasks)
            if circle is not None:
                raise WorkError(
                    f"Tasks would wait for each other: {' → '.join(circle)}.",
                    "Leave out one of them.",
                )
            return replace(task, after=waiting)

        return await self._change(id, change)

    async def remove(self, id: str) -> Task:
        """Removes a task; those that waited for it no longer do.

        Raises:
            WorkError: There is none of the id.
            StorageError: The database refused; nothing was changed.
        """
        gone: list[Task] = []

        def decide(state: State, _writing: Writing) -> Sequence[Event]:
            gone[:] = [_find(state.work, id)]
            return (TaskRemoved(id),)

        await self._keeping.carry_out(decide)
        return gone[0]

    async def _change(self, id: str, change: Callable[[Task, Work], Task]) -> Task:
        changed: list[Task] = []

        def decide(state: State, _writing: Writing) -> Sequence[Event]:
            task = _find(state.work, id)
            changed[:] = [change(task, state.work)]
            return () if changed[0] == task else (_changed(changed[0]),)

        await self._keeping.carry_out(decide)
        return changed[0]


def _find(work: Work, id: str) -> Task:
    for task in work.tasks:
        if task.id == id:
            return task
    raise WorkError(f"There is no task {id}.", "@task list shows all of them.")


def _assert_may_begin(task: Task, work: Work) -> None:
    waiting = waits_for(task, work.tasks)
    if waiting:
        raise WorkError(
            f"Task {task.id} waits for {', '.join(waiting)}.",
            f"Finish what it waits for, or let it wait for nothing: @task after {task.id} none.",
        )


def _changed(task: Task) -> TaskChanged:
    return TaskChanged(task.id, task.text, task.status, task.progress, task.after, task.error)
