"""How large working memory is, and what leaves when a cap is passed (GOAL-5). Pure.

Sizes are estimates of each entry written as JSON: its texts, and what frames them.
"""

from dataclasses import dataclass, field, replace

from memory.parts import WorkCaps
from memory.task_graph import unneeded
from memory.tokens import estimate
from memory.work import Work, worked
from memory.work_events import WorkCompacted
from memory.work_parts import Archive, Counts, Execution, Note, Task, Value

EXECUTION_FRAME = 140
TASK_FRAME = 130
NOTE_FRAME = 24
VALUE_FRAME = 36
GOAL_FRAME = 60
"""Characters of the names of an entry's fields, its ids, times and figures as JSON."""


def execution_tokens(execution: Execution) -> int:
    """Tokens of an execution's details."""
    chars = execution.arguments.chars + execution.result.chars + len(execution.tool)
    return estimate(EXECUTION_FRAME + chars)


def task_tokens(task: Task) -> int:
    """Tokens of a task."""
    return estimate(TASK_FRAME + task.text.chars + (task.error.chars if task.error else 0))


def note_tokens(note: Note) -> int:
    """Tokens of a piece of context."""
    return estimate(NOTE_FRAME + note.text.chars)


def value_tokens(value: Value) -> int:
    """Tokens of a working value."""
    return estimate(VALUE_FRAME + len(value.name) + value.text.chars)


def archived_tokens(work: Work) -> int:
    """Tokens of all archived goals."""
    return sum(archive.tokens for archive in work.archives)


def goal_details_tokens(work: Work) -> int:
    """Tokens of all that was recorded under the active goal: what its archive takes the place of.

    Details that have left as counts are part of it.
    """
    counts = work.counts
    frames = (
        counts.executions * EXECUTION_FRAME
        + counts.tasks * TASK_FRAME
        + counts.notes * NOTE_FRAME
        + GOAL_FRAME
    )
    goal = work.goal.text.chars if work.goal else 0
    return estimate(frames + goal + counts.chars + _tool_chars(counts))


def session_tokens(work: Work) -> int:
    """Tokens of session memory: goal, tasks, context, values, executions, archives."""
    goal = estimate(GOAL_FRAME + work.goal.text.chars) if work.goal else 0
    return (
        goal
        + sum(map(task_tokens, work.tasks))
        + sum(map(note_tokens, work.notes))
        + sum(map(value_tokens, work.values))
        + sum(map(execution_tokens, work.executions))
        + archived_tokens(work)
    )


def kept_tokens(work: Work) -> int:
    """Tokens of what no cap may take away: the goal, its tasks to do, values."""
    left = _without_details(work)
    return session_tokens(left)


def context_chars(work: Work) -> int:
    """Characters of the context: its notes, one a line."""
    return sum(note.text.chars for note in work.notes) + max(0, len(work.notes) - 1)


@dataclass(slots=True)
class _Leaving:
    """What is about to leave."""

    executions: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    archives: list[str] = field(default_factory=list)

    def event(self, before: int, after: int) -> WorkCompacted:
        return WorkCompacted(
            before,
            after,
            tuple(self.executions),
            tuple(self.tasks),
            tuple(self.notes),
            tuple(self.archives),
        )

    def __bool__(self) -> bool:
        return bool(self.executions or self.tasks or self.notes or self.archives)


def compacted(work: Work, caps: WorkCaps) -> WorkCompacted | None:
    """What leaves so that every cap holds; None where all of them hold.

    What was executed longest ago goes first, then done tasks, failed ones, context, and the
    oldest archives. The goal, tasks to do and values never leave.
    """
    leaving = _Leaving()
    leaving.executions += [e.id for e in work.executions[: -caps.executions or None]]
    failed = [task.id for task in work.tasks if task.status == "failed"]
    leaving.tasks += failed[: -caps.failed_tasks or None]
    _trim_context(work, caps, leaving)
    _trim_archives(work.archives, caps, leaving)
    left = _after(work, leaving)
    if session_tokens(left) > caps.session_tokens:
        _relieve(left, caps.session_tokens, leaving)
        left = _after(work, leaving)
    if not leaving:
        return None
    return leaving.event(session_tokens(work), session_tokens(left))


def _trim_context(work: Work, caps: WorkCaps, leaving: _Leaving) -> None:
    chars = context_chars(work)
    for note in work.notes:
        if chars <= caps.context_chars:
            return
        leaving.notes.append(note.id)
        chars -= note.text.chars + 1


def _trim_archives(archives: tuple[Archive, ...], caps: WorkCaps, leaving: _Leaving) -> None:
    tokens = sum(archive.tokens for archive in archives)
    for place, archive in enumerate(archives):
        if len(archives) - place <= caps.archives and tokens <= caps.archive_tokens:
            return
        leaving.archives.append(archive.id)
        tokens -= archive.tokens


def _relieve(work: Work, most: int, leaving: _Leaving) -> None:
    """Takes more, oldest first, until session memory has at most so many tokens."""
    over = session_tokens(work) - most
    done = unneeded(work.tasks, [task.id for task in work.tasks if task.status == "done"])
    failed = [task.id for task in work.tasks if task.status == "failed"]
    sizes = {task.id: task_tokens(task) for task in work.tasks}
    for kind, entries in (
        (leaving.executions, [(e.id, execution_tokens(e)) for e in work.executions]),
        (leaving.tasks, [(id, sizes[id]) for id in (*done, *failed)]),
        (leaving.notes, [(note.id, note_tokens(note)) for note in work.notes]),
        (leaving.archives, [(archive.id, archive.tokens) for archive in work.archives]),
    ):
        for id, tokens in entries:
            if over <= 0:
                return
            kind.append(id)
            over -= tokens


def _without_details(work: Work) -> Work:
    done = unneeded(work.tasks, [task.id for task in work.tasks if task.status == "done"])
    staying = tuple(t for t in work.tasks if t.id not in done and t.status != "failed")
    return replace(work, tasks=staying, executions=(), notes=(), archives=())


def _after(work: Work, leaving: _Leaving) -> Work:
    return worked(leaving.event(0, 0), work, "", 0) if leaving else work


def _tool_chars(counts: Counts) -> int:
    return sum(len(tool) * times for tool, times in counts.by_tool.items())
