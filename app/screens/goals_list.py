"""The goal, its tasks and all that belongs to it, as the goals screen lists them. Pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from widgets.failure_words import failure_words
from widgets.figures import call_seconds, clock, count
from widgets.panes.blocks import Keyed, heading, plain
from widgets.panes.fitting import line, paragraph
from widgets.panes.goals import GOAL, cap_level, cap_rows, figures, goal_head
from widgets.panes.task_rows import NOTE, archive_rows, task_rows, value_rows
from widgets.panes.view import PaneView
from widgets.plain import one_line
from widgets.rows import Piece

if TYPE_CHECKING:
    from memory.snapshot import Snapshot
    from memory.work_views import ExecutionView, WorkView

RUN = "run:"
NOTHING = "No goal yet. g sets one; a adds a task, n notes what matters, v keeps a value."


def list_rows(snapshot: "Snapshot", width: int, now: datetime) -> PaneView:
    """Goal and tasks, values, notes, what was run, goals that have ended; a row opens its own."""
    work = snapshot.work
    rows = [
        *plain(cap_rows(work, width)),
        *(goal_head(work, width) if work.goal else plain(paragraph(NOTHING, width))),
        *task_rows(work.tasks, width, ids=True),
        *_part("values", value_rows(work.values, width), width),
        *_part("notes", _notes(work, width), width),
        *_part("runs", [_run(run, width, now) for run in work.executions], width, _runs(work)),
        *_part("ended goals", archive_rows(work.archives, width, now), width, _ended(work)),
    ]
    keys = tuple(key for _, key in rows)
    return PaneView(tuple(row for row, _ in rows), figures(work), keys, cap_level(work))


def first_key(work: "WorkView") -> str | None:
    """What is chosen at first: the task at hand, else the goal, else what there is."""
    if work.current_task is not None and any(t.id == work.current_task for t in work.tasks):
        return f"task:{work.current_task}"
    if work.goal is not None:
        return GOAL
    return f"archive:{work.archives[0].id}" if work.archives else None


def _part(title: str, rows: Sequence[Keyed], width: int, told: str = "") -> list[Keyed]:
    """Rows below a heading; nothing where there are none."""
    return [*plain(heading(title, told, width, "dim")), *rows] if rows else []


def _notes(work: "WorkView", width: int) -> list[Keyed]:
    return [
        (line([Piece(f"{id:>3} ", "dim")], Piece(text), [], width), NOTE + id)
        for id, text in work.notes
    ]


def _run(run: "ExecutionView", width: int, now: datetime) -> Keyed:
    sign, ink = ("✓", "working") if run.ok else ("✗", "lost")
    left = [Piece(f"{sign} ", ink), Piece(f"{one_line(run.tool)} ")]
    right = [
        Piece(f"  {call_seconds(run.duration_s)}", "dim"),
        Piece(f"  {clock(run.at, now)}", "dim"),
    ]
    told = failure_words(run.error) or run.result
    return line(left, Piece(told, "dim"), right, width), RUN + run.id


def _runs(work: "WorkView") -> str:
    if work.goal is None:
        return ""
    failed = f", {work.goal.failures:,} failed" if work.goal.failures else ""
    shown = len(work.executions)
    newest = f", the newest {shown}" if work.goal.executions > shown else ""
    return f"{work.goal.executions:,}{failed}{newest}"


def _ended(work: "WorkView") -> str:
    hidden = work.completed + work.failed - len(work.archives)
    older = f", {count(hidden, 'older one')} kept as counts only" if hidden > 0 else ""
    return f"{work.completed:,} completed, {work.failed:,} failed{older}"
