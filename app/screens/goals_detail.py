"""One row of the goals screen, opened: all that is known of it. Pure."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from app.screens.goals_list import RUN
from widgets.failure_words import failure_words, failures_in_words
from widgets.figures import call_seconds, clock, short_number
from widgets.panes.ages import age
from widgets.panes.blocks import heading
from widgets.panes.fitting import at_ends, padded, paragraph, thin_bar
from widgets.panes.goals import GOAL
from widgets.panes.labelled import labelled
from widgets.panes.steps import step_lines
from widgets.panes.task_rows import ARCHIVE, NOTE, TASK, VALUE, archive_figures, progress_of
from widgets.panes.tools import stats_rows
from widgets.panes.view import PaneView, wrapped
from widgets.plain import one_line
from widgets.rows import EMPTY, Piece, Row

if TYPE_CHECKING:
    from memory.work_views import ArchiveView, ExecutionView, TaskView, WorkView

BAR_CELLS = 24
STATUS = {"open": "waiting", "running": "running", "done": "done", "failed": "failed"}


def detail_rows(work: "WorkView", key: str | None, width: int, now: datetime) -> PaneView:
    """What is known of the chosen row.

    Args:
        work: Working memory.
        key: The key of the row.
        width: Cells of a row.
        now: The present.
    """
    kind, _, id = (key or "").partition(":")
    laid = PARTS.get(kind)
    return PaneView(tuple(laid(work, id, width, now)) if laid else ())


def title_of(key: str | None) -> str:
    """What stands over it."""
    kind, _, id = (key or "").partition(":")
    return f"{NAMES.get(kind, '')} {id}".strip()


def _goal(work: "WorkView", _: str, width: int, now: datetime) -> list[Row]:
    goal = work.goal
    if goal is None:
        return []
    facts = {
        "goal": goal.id,
        "set": f"{clock(goal.set_at, now)} ({age(goal.set_at, now)})",
        "runs": f"{goal.executions:,}, {goal.failures:,} failed",
        "tokens": f"{short_number(work.tokens)} of {short_number(work.cap)}",
    }
    rows = [*wrapped(goal.text, width), EMPTY, *labelled(facts, width)]
    if work.tasks:
        rows += [EMPTY, _bar(progress_of(work), width)]
    if work.tools.total:
        rows += [*heading("tools of the session", "", width, "dim")]
        rows += [row for row, _ in stats_rows(work.tools, width)]
    return rows


def _task(work: "WorkView", id: str, width: int, now: datetime) -> list[Row]:
    task = next((task for task in work.tasks if task.id == id), None)
    if task is None:
        return []
    known = {other.id: other for other in work.tasks}
    follows = [other for other in work.tasks if id in other.after]
    status = "ready" if task.ready else STATUS[task.status]
    facts = {
        "status": status,
        "changed": f"{clock(task.updated_at, now)} ({age(task.updated_at, now)})",
        "waits for": ", ".join(_named(known.get(other), other) for other in task.after),
        "before": ", ".join(_named(other, other.id) for other in follows),
    }
    rows = [*wrapped(task.text, width), EMPTY, *labelled(facts, width)]
    if task.status == "running":
        rows += [EMPTY, _bar(task.progress, width)]
    if task.error:
        rows += [EMPTY, *wrapped(task.error, width, "lost")]
    if id == work.current_task and work.steps:
        rows += [*heading("steps", "the newest first", width, "dim"), *step_lines(work, width, now)]
    return rows


def _note(work: "WorkView", id: str, width: int, _: datetime) -> list[Row]:
    return [row for note, text in work.notes if note == id for row in wrapped(text, width)]


def _value(work: "WorkView", name: str, width: int, _: datetime) -> list[Row]:
    value = next((value for value in work.values if value.name == name), None)
    if value is None:
        return []
    return [*labelled({"name": value.name, "type": value.type}, width), EMPTY,
            *wrapped(value.text, width)]  # fmt: skip


def _run(work: "WorkView", id: str, width: int, now: datetime) -> list[Row]:
    run = next((run for run in work.executions if run.id == id), None)
    return [] if run is None else _run_rows(run, width, now)


def _run_rows(run: "ExecutionView", width: int, now: datetime) -> list[Row]:
    facts = {
        "tool": run.tool,
        "came out": "well" if run.ok else failure_words(run.error) or "failed",
        "at": f"{clock(run.at, now)} ({age(run.at, now)})",
        "took": call_seconds(run.duration_s),
        "message": "" if run.number is None else f"{run.number:,}",
    }
    rows = labelled(facts, width)
    for title, text in (("arguments", run.arguments), ("result", run.result)):
        if text.strip():
            rows += [*heading(title, "", width, "dim"), *wrapped(text, width)]
    return rows


def _archive(work: "WorkView", id: str, width: int, now: datetime) -> list[Row]:
    archive = next((archive for archive in work.archives if archive.id == id), None)
    if archive is None:
        return []
    ended = "replaced" if archive.replaced else archive.status
    facts = {
        "ended": f"{ended}, {clock(archive.ended_at, now)} ({age(archive.ended_at, now)})",
        "why": archive.why,
        "runs": archive_figures(archive),
        "between": _between(archive, now),
        "tasks": _counts(archive),
        "tokens": f"{short_number(archive.tokens_before)} → {short_number(archive.tokens)}",
    }
    rows = [*wrapped(archive.text, width), EMPTY, *labelled(facts, width)]
    rows += _shares("by tool", archive.by_tool, width, "working")
    rows += _shares("failures", failures_in_words(archive.errors), width, "lost")
    if archive.themes:
        rows += heading("tasks by theme", "", width, "dim")
        for theme in archive.themes:
            told = f"{theme.tasks:,}, {theme.done:,} done, {theme.failed:,} failed"
            words = " ".join(theme.words) or "others"
            rows += paragraph(f"{words}: {told}", width, "text")
    if archive.context.strip():
        rows += [*heading("context", "", width, "dim"), *wrapped(archive.context, width)]
    return rows


def _between(archive: "ArchiveView", now: datetime) -> str:
    if archive.first_at is None or archive.last_at is None:
        return ""
    return f"{clock(archive.first_at, now)} and {clock(archive.last_at, now)}"


def _counts(archive: "ArchiveView") -> str:
    if not archive.tasks:
        return ""
    return f"{archive.tasks:,}, {archive.done:,} done, {archive.failed:,} failed"


def _shares(title: str, numbers: Mapping[str, int], width: int, ink: str) -> list[Row]:
    """A bar for each name."""
    if not numbers:
        return []
    most = max(1, *numbers.values())
    cells = max(6, width // 3)
    rows = heading(title, "", width, "dim")
    for name, number in sorted(numbers.items(), key=lambda pair: -pair[1]):
        right = [Piece(f" {number:,}")]
        room = max(0, min(BAR_CELLS, width - cells - len(right[0].text) - 2))
        left = [Piece(f"{padded(name, cells)} "), *thin_bar(number / most, room, ink)]
        rows.append(at_ends(left, right, width))
    return rows


def _bar(share: float, width: int) -> Row:
    percent = f" {share:.0%}".replace("%", " %")
    bar = thin_bar(share, max(2, min(BAR_CELLS, width - len(percent))), "working")
    return at_ends([*bar, Piece(percent, "dim")], [], width)


def _named(task: "TaskView | None", id: str) -> str:
    if task is None:
        return f"{id} (gone)"
    done = " ✓" if task.status == "done" else ""
    return f"{id} {one_line(task.text)}{done}"


Laid = Callable[["WorkView", str, int, datetime], Iterable[Row]]
PARTS: Mapping[str, Laid] = {
    GOAL: _goal,
    TASK[:-1]: _task,
    NOTE[:-1]: _note,
    VALUE[:-1]: _value,
    RUN[:-1]: _run,
    ARCHIVE[:-1]: _archive,
}
NAMES = {
    GOAL: "goal",
    TASK[:-1]: "task",
    NOTE[:-1]: "note",
    VALUE[:-1]: "value",
    RUN[:-1]: "run",
    ARCHIVE[:-1]: "goal",
}
