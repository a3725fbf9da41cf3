"""The part of the fold that is working memory: goals, tasks, context, values, executions.

Each event costs the same however much was done before: details are capped, the rest is counts.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import singledispatch

from memory.steps import Steps, counted
from memory.work_events import (
    ContextChanged,
    ContextNoted,
    EnvironmentSeen,
    GoalChanged,
    GoalEnded,
    GoalRemoved,
    GoalReopened,
    GoalSet,
    PreferencesSeen,
    StepTaken,
    TaskAdded,
    TaskChanged,
    TaskRemoved,
    TasksPruned,
    ToolExecuted,
    ValueRemoved,
    ValueSet,
    WorkCompacted,
    WorkEvent,
)
from memory.work_parts import (
    Archive,
    Counts,
    Environment,
    Execution,
    Goal,
    Note,
    Preference,
    Task,
    Text,
    Value,
)
from memory.work_views import ToolStatsView

MOST_NAMES = 200
"""Tools and kinds of failure that are counted by name."""


@dataclass(frozen=True, slots=True)
class Work:
    """Working and execution memory at a moment."""

    goal: Goal | None = None
    goals: int = 0
    """Goals ever set; ids are never used twice."""
    completed: int = 0
    failed: int = 0
    archives: tuple[Archive, ...] = ()
    """Oldest first."""
    counts: Counts = field(default_factory=Counts)
    """Of the active goal."""
    tasks: tuple[Task, ...] = ()
    task_count: int = 0
    notes: tuple[Note, ...] = ()
    """The context, oldest first."""
    note_count: int = 0
    values: tuple[Value, ...] = ()
    executions: tuple[Execution, ...] = ()
    """The newest ones of the active goal, oldest first."""
    tools: ToolStatsView = field(default_factory=ToolStatsView)
    steps: Steps = field(default_factory=Steps)
    environment: Environment | None = None
    preferences: tuple[Preference, ...] = ()

    def texts(self) -> Iterator[Text]:
        """Every text that is named here."""
        if self.goal is not None:
            yield self.goal.text
        for task in self.tasks:
            yield task.text
            if task.error is not None:
                yield task.error
        for archive in self.archives:
            yield archive.text
            yield archive.record
        for execution in self.executions:
            yield execution.arguments
            yield execution.result
        yield from (note.text for note in self.notes)
        yield from (value.text for value in self.values)
        yield from (preference.text for preference in self.preferences)
        yield from (found.text for found in self.steps.found)
        for step in self.steps.taken:
            yield step.text
            yield from (found.text for found in step.found)
        yield from (pattern.solved for pattern in self.steps.errors if pattern.solved)
        if self.environment is not None:
            yield self.environment.workspace


@singledispatch
def worked(event: WorkEvent, work: Work, at: str, n: int) -> Work:
    """Working memory after one more event, which is number `n` of the log. Pure."""
    return work


@worked.register
def _(event: GoalSet, work: Work, at: str, n: int) -> Work:
    return replace(work, goal=Goal(event.id, event.text, at), goals=work.goals + 1)


@worked.register
def _(event: GoalChanged, work: Work, at: str, n: int) -> Work:
    if work.goal is None or work.goal.id != event.id:
        return work
    return replace(work, goal=replace(work.goal, text=event.text))


@worked.register
def _(event: GoalEnded, work: Work, at: str, n: int) -> Work:
    goal = work.goal
    if goal is None or goal.id != event.id:
        return work
    archive = Archive(
        id=goal.id,
        text=goal.text,
        status=event.status,
        ended_at=at,
        n=n,
        record=event.record,
        tokens=event.tokens,
        tokens_before=event.tokens_before,
    )
    failed = event.status == "failed"
    return replace(
        _without_goal(work),
        archives=(*work.archives, archive),
        completed=work.completed + (not failed),
        failed=work.failed + failed,
    )


@worked.register
def _(event: GoalRemoved, work: Work, at: str, n: int) -> Work:
    if work.goal is not None and work.goal.id == event.id:
        return _without_goal(work)
    return _without_archive(work, event.id)


@worked.register
def _(event: GoalReopened, work: Work, at: str, n: int) -> Work:
    return replace(
        _without_archive(work, event.goal.id),
        goal=event.goal,
        counts=event.counts,
        tasks=event.tasks,
        notes=event.notes,
        executions=event.executions,
    )


@worked.register
def _(event: TaskAdded, work: Work, at: str, n: int) -> Work:
    task = Task(event.id, event.text, at, at, after=event.after)
    return replace(
        work,
        tasks=(*work.tasks, task),
        task_count=work.task_count + 1,
        counts=replace(
            work.counts,
            tasks=work.counts.tasks + 1,
            chars=work.counts.chars + event.text.chars,
        ),
    )


@worked.register
def _(event: TaskChanged, work: Work, at: str, n: int) -> Work:
    before = next((task for task in work.tasks if task.id == event.id), None)
    if before is None:
        return work
    changed = replace(
        before,
        text=event.text,
        updated_at=at,
        status=event.status,
        progress=event.progress,
        after=event.after,
        error=event.error,
    )
    steps = work.steps
    if event.begins:
        steps = steps.started(event.id)
    elif event.status != "running":
        steps = steps.left(event.id)
    tasks = tuple(changed if task.id == event.id else task for task in work.tasks)
    return replace(work, tasks=tasks, steps=steps)


@worked.register
def _(event: TaskRemoved, work: Work, at: str, n: int) -> Work:
    tasks = tuple(
        replace(task, after=tuple(id for id in task.after if id != event.id))
        for task in work.tasks
        if task.id != event.id
    )
    counts = replace(work.counts, tasks=max(0, work.counts.tasks - 1))
    return replace(work, tasks=tasks, counts=counts, steps=work.steps.left(event.id))


@worked.register
def _(event: TasksPruned, work: Work, at: str, n: int) -> Work:
    return _without_tasks(work, frozenset(event.ids))


@worked.register
def _(event: ContextNoted, work: Work, at: str, n: int) -> Work:
    return replace(
        work,
        notes=(*work.notes, Note(event.id, event.text)),
        note_count=work.note_count + 1,
        counts=replace(
            work.counts,
            notes=work.counts.notes + 1,
            chars=work.counts.chars + event.text.chars,
        ),
    )


@worked.register
def _(event: ContextChanged, work: Work, at: str, n: int) -> Work:
    text = event.text
    if text is None:
        return replace(work, notes=tuple(note for note in work.notes if note.id != event.id))
    notes = tuple(Note(note.id, text) if note.id == event.id else note for note in work.notes)
    return replace(work, notes=notes)


@worked.register
def _(event: ValueSet, work: Work, at: str, n: int) -> Work:
    value = Value(event.name, event.type, event.text)
    if any(known.name == event.name for known in work.values):
        values = tuple(value if known.name == event.name else known for known in work.values)
    else:
        values = (*work.values, value)
    return replace(work, values=values)


@worked.register
def _(event: ValueRemoved, work: Work, at: str, n: int) -> Work:
    return replace(work, values=tuple(v for v in work.values if v.name != event.name))


@worked.register
def _(event: ToolExecuted, work: Work, at: str, n: int) -> Work:
    under = work.steps.task or (work.goal.id if work.goal else "")
    work = replace(
        work,
        tools=_called(work.tools, event),
        steps=work.steps.executed(event, under, at),
    )
    if work.goal is None:
        return work
    execution = Execution(
        id=event.id,
        tool=event.tool,
        arguments=event.arguments,
        result=event.result,
        ok=event.ok,
        error=event.error,
        at=at,
        duration_s=event.duration_s,
        number=event.number,
    )
    return replace(
        work,
        executions=(*work.executions, execution),
        counts=_executed(work.counts, event, at),
    )


@worked.register
def _(event: StepTaken, work: Work, at: str, n: int) -> Work:
    return replace(work, steps=work.steps.stepped(event, at))


@worked.register
def _(event: EnvironmentSeen, work: Work, at: str, n: int) -> Work:
    seen = Environment(event.workspace, event.memory_used_mb, event.disk_used_percent, at)
    return replace(work, environment=seen)


@worked.register
def _(event: PreferencesSeen, work: Work, at: str, n: int) -> Work:
    return replace(work, preferences=event.items)


@worked.register
def _(event: WorkCompacted, work: Work, at: str, n: int) -> Work:
    work = _without_tasks(work, frozenset(event.tasks))
    executions, notes, archives = map(frozenset, (event.executions, event.notes, event.archives))
    return replace(
        work,
        executions=tuple(e for e in work.executions if e.id not in executions),
        notes=tuple(note for note in work.notes if note.id not in notes),
        archives=tuple(archive for archive in work.archives if archive.id not in archives),
    )


def _without_goal(work: Work) -> Work:
    return replace(
        work,
        goal=None,
        counts=Counts(),
        tasks=(),
        notes=(),
        executions=(),
        steps=work.steps.left(work.steps.task),
    )


def _without_archive(work: Work, id: str) -> Work:
    found = [archive for archive in work.archives if archive.id == id]
    failed = sum(archive.status == "failed" for archive in found)
    return replace(
        work,
        archives=tuple(archive for archive in work.archives if archive.id != id),
        completed=work.completed - (len(found) - failed),
        failed=work.failed - failed,
    )


def _without_tasks(work: Work, ids: frozenset[str]) -> Work:
    if not ids:
        return work
    leaving = [task for task in work.tasks if task.id in ids]
    failed = sum(task.status == "failed" for task in leaving)
    return replace(
        work,
        tasks=tuple(task for task in work.tasks if task.id not in ids),
        counts=replace(
            work.counts,
            left_done=work.counts.left_done + len(leaving) - failed,
            left_failed=work.counts.left_failed + failed,
        ),
    )


def _called(tools: ToolStatsView, event: ToolExecuted) -> ToolStatsView:
    failures = tools.failures_by_tool
    if not event.ok:
        failures = counted(failures, event.tool, MOST_NAMES)
    seconds = tools.seconds_by_tool
    spent = round(seconds.get(event.tool, 0.0) + event.duration_s, 3)
    by_tool = counted(tools.by_tool, event.tool, MOST_NAMES)
    seconds = {**seconds, event.tool: spent}
    return ToolStatsView(
        total=tools.total + 1,
        failures=tools.failures + (not event.ok),
        by_tool=by_tool,
        failures_by_tool=failures,
        seconds_by_tool={tool: seconds[tool] for tool in by_tool if tool in seconds},
    )


def _executed(counts: Counts, event: ToolExecuted, at: str) -> Counts:
    return replace(
        counts,
        executions=counts.executions + 1,
        failures=counts.failures + (not event.ok),
        by_tool=counted(counts.by_tool, event.tool, MOST_NAMES),
        errors=counts.errors if event.ok else counted(counts.errors, event.error, MOST_NAMES),
        first_at=counts.first_at or at,
        last_at=at,
        chars=counts.chars + event.arguments.chars + event.result.chars,
    )
