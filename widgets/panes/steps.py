"""Execution memory as a pane shows it: the steps of the task, and what was learned. Pure."""

from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from widgets.failure_words import pattern_words
from widgets.figures import call_seconds, clock, count
from widgets.panes.blocks import Keyed, plain
from widgets.panes.fitting import indented, line, paragraph
from widgets.panes.task_rows import TASK
from widgets.panes.view import PARTS, PaneView
from widgets.plain import one_line
from widgets.rows import Piece, Row

if TYPE_CHECKING:
    from memory.snapshot import Snapshot
    from memory.work_views import StepType, StepView, WorkView

NO_STEPS = (
    "No steps yet: when a task is started, what is thought, run and checked for it will stand here."
)
LETTERS: dict["StepType", str] = {
    "reasoning": "R",
    "tool_execution": "T",
    "validation": "V",
    "replanning": "P",
}
WORDS: dict["StepType", str] = {
    "reasoning": "thought",
    "tool_execution": "tool",
    "validation": "check",
    "replanning": "new plan",
}
STEP = "step:"
DISCOVERED_ROWS = 2
SHORTEST_TEXT = 22
KEPT_STEPS = 1_024
"""Steps whose rows are not made anew with every snapshot."""


def step_rows(snapshot: "Snapshot", width: int, now: datetime) -> PaneView:
    """The task's steps, newest on top, then the patterns; a row opens its task."""
    work = snapshot.work
    if not has_steps(snapshot):
        return PaneView(tuple(paragraph(NO_STEPS, width)))
    rows = [*_task(work, width), *_steps(work, width, now)]
    rows += plain(pattern_rows(work, width))
    return PaneView(tuple(row for row, _ in rows), figures(work), tuple(key for _, key in rows))


def step_lines(work: "WorkView", width: int, now: datetime) -> list[Row]:
    """The steps alone, newest on top."""
    return [row for row, _ in _steps(work, width, now)]


def has_steps(snapshot: "Snapshot") -> bool:
    """Whether anything was ever recorded."""
    work = snapshot.work
    return bool(work.steps or work.success_patterns or work.error_patterns)


def figures(work: "WorkView") -> str:
    """Steps, how many went well, changed plans."""
    parts = [count(len(work.steps), "step")]
    failed = sum(not step.success for step in work.steps)
    parts += [f"{failed} failed"] if failed else []
    parts += [count(work.plan_changes, "new plan")] if work.plan_changes else []
    parts += [count(work.insights, "insight")] if work.insights else []
    return PARTS.join(parts)


def pattern_rows(work: "WorkView", width: int) -> list[Row]:
    """What went well together and how often; failures, and what solved them."""
    success, errors = work.success_patterns, work.error_patterns
    names = {task.id: task.text for task in work.tasks}
    rows = [
        line(
            [Piece("↑ ", "working")],
            Piece(_told(pattern, names)),
            [Piece(f"  ×{often}", "dim")],
            width,
        )
        for pattern, often in sorted(success.items(), key=lambda pair: -pair[1])
    ]
    for kind, solved in errors.items():
        told = f"solved by {one_line(solved)}" if solved else "not solved yet"
        left = [Piece("↓ ", "lost"), Piece(f"{pattern_words(kind)}: ")]
        rows.append(line(left, Piece(told, "dim"), [], width))
    return rows


def _told(pattern: str, names: Mapping[str, str]) -> str:
    """A tool and a task as people call them."""
    tool, _, id = pattern.rpartition(" ")
    return f"{tool}{PARTS}{names[id]}" if id in names else pattern


def _task(work: "WorkView", width: int) -> list[Keyed]:
    task = next((task for task in work.tasks if task.id == work.current_task), None)
    if task is None:
        return []
    row = line([Piece("▸ ", "live")], Piece(task.text, "text", "b"), [], width)
    return [(row, TASK + task.id)]


def _steps(work: "WorkView", width: int, now: datetime) -> list[Keyed]:
    # A run and its step are recorded together.
    took = {run.at: run.duration_s for run in work.executions}
    steps = [
        _step(step, took.get(step.at) if step.type == "tool_execution" else None, width, now)
        for step in reversed(work.steps)
    ]
    return [row for rows in steps for row in rows]


def _step(step: "StepView", seconds: float | None, width: int, now: datetime) -> list[Keyed]:
    right = []
    if seconds is not None:
        right.append(Piece(f"  {call_seconds(seconds)}", "dim"))
    if step.confidence is not None:
        right.append(Piece(f"  {step.confidence:.0%}".replace("%", " %"), "dim"))
    right.append(Piece(f"  {clock(step.at, now)}", "dim"))
    told = step.description.rstrip(": ") or WORDS[step.type]
    found = PARTS.join(f"{name} {value}" for name, value in step.discovered.items())
    rows = _step_rows(LETTERS[step.type], step.success, told, found, tuple(right), width)
    return [(row, STEP + step.id) for row in rows]


@lru_cache(maxsize=KEPT_STEPS)
def _step_rows(
    letter: str, success: bool, told: str, found: str, right: tuple[Piece, ...], width: int
) -> list[Row]:
    sign, ink = ("✓", "working") if success else ("✗", "lost")
    left = [Piece(f"{letter} ", "dim"), Piece(f"{sign} ", ink)]
    text = Piece(told, "text" if success else "lost")
    rows = [line(left, text, right, width, least=SHORTEST_TEXT)]
    if found:
        rows += indented(paragraph(found, width - 4, most=DISCOVERED_ROWS), 4)
    return rows
