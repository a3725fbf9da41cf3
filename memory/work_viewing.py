"""From the state to what screens see of goals, tasks and executions. Pure."""

from collections.abc import Collection, Mapping

from memory.archiving import context, read_record
from memory.parts import WorkCaps
from memory.state import State
from memory.steps import Steps
from memory.task_graph import ready_ids
from memory.work import Work
from memory.work_caps import archived_tokens, session_tokens
from memory.work_parts import Archive, ErrorPattern, Execution, Step, Task
from memory.work_views import (
    ArchiveView,
    EnvironmentView,
    ExecutionView,
    GoalView,
    StepView,
    TaskView,
    ValueView,
    WorkView,
)

NOTHING = Work()


def work_view(state: State, texts: Mapping[str, str]) -> WorkView:
    """Working and execution memory of a state.

    Args:
        state: The session's state.
        texts: Texts by body id, at least those that the work names.
    """
    work = state.work
    caps = state.thresholds.work if state.thresholds else WorkCaps()
    levels = WorkView(
        cap=caps.session_tokens, warning=caps.warning_tokens, archived_cap=caps.archive_tokens
    )
    if work == NOTHING:
        return levels
    steps = work.steps
    return WorkView(
        goal=goal_view(work, texts),
        tasks=task_views(work, texts),
        context=context(work, texts),
        values=tuple(ValueView(v.name, v.type, texts[v.text.body]) for v in work.values),
        executions=tuple(_execution(e, texts) for e in reversed(work.executions)),
        archives=tuple(archive_view(a, texts) for a in reversed(work.archives)),
        completed=work.completed,
        failed=work.failed,
        current_task=steps.task or None,
        steps=tuple(_step(step, texts) for step in steps.taken),
        success_patterns=steps.successes,
        error_patterns={_pattern(p): _solution(p, texts) for p in steps.errors},
        plan_changes=steps.plan_changes,
        insights=steps.insights,
        tokens=session_tokens(work),
        cap=levels.cap,
        warning=levels.warning,
        archived_tokens=archived_tokens(work),
        archived_cap=levels.archived_cap,
        tools=work.tools,
        environment=_environment(work, texts),
        tasks_done=work.counts.left_done + sum(t.status == "done" for t in work.tasks),
        tasks_failed=work.counts.left_failed + sum(t.status == "failed" for t in work.tasks),
        discovered=_discovered(steps, texts),
        preferences={p.name: texts[p.text.body] for p in work.preferences},
        notes=tuple((note.id, texts[note.text.body]) for note in work.notes),
    )


def task_views(work: Work, texts: Mapping[str, str]) -> tuple[TaskView, ...]:
    """All tasks, in the order in which they were added."""
    ready = ready_ids(work.tasks)
    return tuple(task_view(task, ready, texts) for task in work.tasks)


def task_view(task: Task, ready: Collection[str], texts: Mapping[str, str]) -> TaskView:
    """A task; `ready` has the ids of those that can be started."""
    return TaskView(
        id=task.id,
        text=texts[task.text.body],
        status=task.status,
        progress=task.progress,
        after=task.after,
        ready=task.id in ready,
        updated_at=task.updated_at,
        error=texts[task.error.body] if task.error else "",
    )


def goal_view(work: Work, texts: Mapping[str, str]) -> GoalView | None:
    """The active goal."""
    goal, counts = work.goal, work.counts
    if goal is None:
        return None
    text = texts[goal.text.body]
    return GoalView(goal.id, text, goal.set_at, counts.executions, counts.failures)


def _execution(execution: Execution, texts: Mapping[str, str]) -> ExecutionView:
    return ExecutionView(
        execution.id,
        execution.tool,
        texts[execution.arguments.body],
        texts[execution.result.body],
        execution.ok,
        execution.error,
        execution.at,
        execution.duration_s,
        execution.number,
    )


def archive_view(archive: Archive, texts: Mapping[str, str]) -> ArchiveView:
    """What is kept of a goal that has ended."""
    record = read_record(texts[archive.record.body])
    return ArchiveView(
        id=archive.id,
        text=texts[archive.text.body],
        status=archive.status,
        ended_at=archive.ended_at,
        executions=record.executions,
        success_rate=record.success_rate,
        by_tool=record.by_tool or {},
        errors=record.errors or {},
        first_at=record.first_at,
        last_at=record.last_at,
        themes=record.themes,
        context=record.context,
        tokens=archive.tokens,
        tokens_before=archive.tokens_before,
        why=record.why,
        replaced=record.replaced,
        tasks=record.tasks,
        done=record.done,
        failed=record.failed,
    )


def _step(step: Step, texts: Mapping[str, str]) -> StepView:
    text = texts[step.text.body]
    return StepView(
        id=step.id,
        type=step.type,
        task=step.task,
        description=f"{step.tool}: {text}" if step.tool else text,
        success=step.success,
        discovered={found.name: texts[found.text.body] for found in step.found},
        confidence=step.confidence,
        at=step.at,
    )


def _discovered(steps: Steps, texts: Mapping[str, str]) -> dict[str, str]:
    """Pieces of context by name; of one name the newest."""
    return {found.name: texts[found.text.body] for found in steps.found}


def _pattern(pattern: ErrorPattern) -> str:
    return f"{pattern.tool}: {pattern.error}"


def _solution(pattern: ErrorPattern, texts: Mapping[str, str]) -> str:
    return f"{pattern.tool} {texts[pattern.solved.body]}" if pattern.solved else ""


def _environment(work: Work, texts: Mapping[str, str]) -> EnvironmentView | None:
    seen = work.environment
    if seen is None:
        return None
    return EnvironmentView(
        texts[seen.workspace.body], seen.memory_used_mb, seen.disk_used_percent, seen.at
    )
