"""Tasks: a directed acyclic graph below the goal (GOAL-2)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from memory import telemetry
from memory.events import Event
from memory.state import State
from memory.task_graph import cycle, ready_ids, waits_for
from memory.work import Work, worked
from memory.work_events import TaskAdded, TaskChanged, TaskRemoved
from memory.work_keeping import WorkError, WorkKeeping, Writing
from memory.work_parts import Task
from memory.work_viewing import task_view, task_views
from memory.work_views import TaskView

Named = TaskView | str
"""A task, or its id."""
LONGEST_TASK = 2_000
"""Characters of a task: it stands in every prompt in full until it is done."""
LONGEST_WHY = 1_000

TaskEvent = TaskAdded | TaskChanged | TaskRemoved
Decide = Callable[[State, Writing], TaskEvent | None]
Change = Callable[[Task, Work, Writing], Task]
"""From a task, all that it is among, and the texts that may be written, to the task changed."""


class Tasks:
    """What is to be done for the goal, and in which order.

    What is returned is a task as it was then; it may stand wherever an id is asked for.
    """

    def __init__(self, keeping: WorkKeeping) -> None:
        self._keeping = keeping

    def all(self) -> tuple[TaskView, ...]:
        """All tasks, in the order in which they were added."""
        return task_views(self._keeping.work, self._keeping.journal.texts)

    def ready(self) -> tuple[TaskView, ...]:
        """The tasks that can be started."""
        return tuple(task for task in self.all() if task.ready)

    @telemetry.operation("memory.task.add")
    async def add(self, text: str, after: Named | Iterable[Named] = ()) -> TaskView:
        """Adds a task.

        Args:
            text: What is to be done.
            after: Tasks that have to be done first.

        Raises:
            WorkError: There is nothing in it, it is too long, or a task to wait for is unknown.
            StorageError: The database refused; nothing was changed.
        """
        text = self._keeping.checked(text, "task", LONGEST_TASK)
        waiting = _ids(after)

        def decide(state: State, writing: Writing) -> TaskAdded:
            for id in waiting:
                _find(state.work, id)
            return TaskAdded(f"t{state.work.task_count + 1}", writing.text(text), waiting)

        return await self._carry_out(decide)

    @telemetry.operation("memory.task.start")
    async def start(self, task: Named) -> TaskView:
        """Starts a task, or goes back to one; the steps of the one before are let go of.

        Raises:
            WorkError: There is none of the id, or it waits for others.
            StorageError: The database refused; nothing was changed.
        """

        def change(task: Task, work: Work, _writing: Writing) -> Task:
            _assert_may_begin(task, work)
            progress = 0.0 if task.status == "done" else task.progress
            return replace(task, status="running", progress=progress, error=None)

        return await self._change(task, change, begins=True)

    @telemetry.operation("memory.task.finish")
    async def finish(self, task: Named) -> TaskView:
        """Finishes a task.

        Raises:
            WorkError: There is none of the id, or it waits for others.
            StorageError: The database refused; nothing was changed.
        """

        def change(task: Task, work: Work, _writing: Writing) -> Task:
            _assert_may_begin(task, work)
            return replace(task, status="done", progress=1.0, error=None)

        done = await self._change(task, change)
        self._keeping.finished("task")
        return done

    @telemetry.operation("memory.task.fail")
    async def fail(self, task: Named, why: str = "") -> TaskView:
        """Notes that a task failed, and why.

        Raises:
            WorkError: There is none of the id, or the reason is too long.
            StorageError: The database refused; nothing was changed.
        """
        why = self._keeping.checked(why, "reason", LONGEST_WHY) if why.strip() else ""

        def change(task: Task, _work: Work, writing: Writing) -> Task:
            return replace(task, status="failed", error=writing.text(why) if why else None)

        failed = await self._change(task, change)
        self._keeping.finished("task")
        return failed

    @telemetry.operation("memory.task.reopen")
    async def reopen(self, task: Named) -> TaskView:
        """Opens a task again that was running, done or failed.

        Raises:
            WorkError: There is none of the id, or it is open.
            StorageError: The database refused; nothing was changed.
        """

        def change(task: Task, _work: Work, _writing: Writing) -> Task:
            if task.status == "open":
                raise WorkError(f"Task {task.id} is open.")
            progress = 0.0 if task.status == "done" else task.progress
            return replace(task, status="open", progress=progress, error=None)

        return await self._change(task, change)

    @telemetry.operation("memory.task.progress")
    async def progress(self, task: Named, share: float) -> TaskView:
        """Notes how far a task is.

        Args:
            task: The task.
            share: 0 to 1.

        Raises:
            WorkError: There is none of the id, it is done, or the share is another.
            StorageError: The database refused; nothing was changed.
        """
        if not 0 <= share <= 1:
            raise WorkError("Progress is a share from 0 to 1, or from 0% to 100%.")

        def change(task: Task, _work: Work, _writing: Writing) -> Task:
            if task.status in ("done", "failed"):
                way_out = f"@task reopen {task.id} opens it."
                raise WorkError(f"Task {task.id} is {task.status}.", way_out)
            return replace(task, progress=share)

        return await self._change(task, change)

    @telemetry.operation("memory.task.edit")
    async def edit(self, task: Named, text: str) -> TaskView:
        """Has a task say something else.

        Raises:
            WorkError: There is none of the id, nothing in the text, or it is too long.
            StorageError: The database refused; nothing was changed.
        """
        text = self._keeping.checked(text, "task", LONGEST_TASK)

        def change(task: Task, _work: Work, writing: Writing) -> Task:
            return replace(task, text=writing.text(text))

        return await self._change(task, change)

    @telemetry.operation("memory.task.depend")
    async def depend(self, task: Named, after: Named | Iterable[Named]) -> TaskView:
        """Has a task wait for others, and for no more than these.

        Raises:
            WorkError: One of them is unknown, or they would wait for each other in a circle,
                which is named.
            StorageError: The database refused; nothing was changed.
        """
        waiting = _ids(after)

        def change(task: Task, work: Work, _writing: Writing) -> Task:
            for other in waiting:
                _find(work, other)
            circle = cycle(task.id, waiting, work.tasks)
            if circle is not None:
                raise WorkError(
                    f"Tasks would wait for each other: {' → '.join(circle)}.",
                    "Leave out one of them.",
                )
            return replace(task, after=waiting)

        return await self._change(task, change)

    @telemetry.operation("memory.task.remove")
    async def remove(self, task: Named) -> TaskView:
        """Removes a task; those that waited for it no longer do.

        Raises:
            WorkError: There is none of the id.
            StorageError: The database refused; nothing was changed.
        """
        id = _id(task)

        def decide(state: State, _writing: Writing) -> TaskRemoved:
            return TaskRemoved(_find(state.work, id).id)

        return await self._carry_out(decide)

    async def _change(self, named: Named, change: Change, *, begins: bool = False) -> TaskView:
        """The task once it is changed; `begins` has it be the task at hand."""
        id = _id(named)

        def decide(state: State, writing: Writing) -> TaskChanged | None:
            task = _find(state.work, id)
            changed = change(task, state.work, writing)
            if changed == task and (not begins or state.work.steps.task == id):
                return None
            return replace(_changed(changed), begins=begins)

        return await self._carry_out(decide, id)

    async def _carry_out(self, decide: Decide, id: str = "") -> TaskView:
        """The task of the event that is decided on, or of the id, before any cap takes it away."""
        seen: list[tuple[Work, Writing, TaskEvent | None]] = []

        def decided(state: State, writing: Writing) -> Sequence[Event]:
            event = decide(state, writing)
            seen[:] = [(state.work, writing, event)]
            return () if event is None else (event,)

        recorded = await self._keeping.carry_out(decided)
        work, writing, event = seen[0]
        if isinstance(event, TaskAdded | TaskChanged):
            work = worked(event, work, recorded[0].at, recorded[0].n)
        task = _find(work, event.id if event is not None else id)
        return task_view(task, ready_ids(work.tasks), writing.readable)


def _id(named: Named) -> str:
    return named if isinstance(named, str) else named.id


def _ids(named: Named | Iterable[Named]) -> tuple[str, ...]:
    several = (named,) if isinstance(named, TaskView | str) else named
    return tuple(dict.fromkeys(map(_id, several)))


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
