"""The rows of tasks, values and archived goals, in a pane or on a screen of their own. Pure."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len

from widgets.figures import count
from widgets.panes.ages import age
from widgets.panes.blocks import Keyed
from widgets.panes.fitting import indented, line, padded, paragraph
from widgets.panes.task_tree import Branch, task_tree
from widgets.panes.view import clipped
from widgets.plain import one_line
from widgets.rows import Piece, Row

if TYPE_CHECKING:
    from datetime import datetime

    from memory.work_views import ArchiveView, TaskView, ValueView, WorkView

STEP_CELLS = 2
SHARE_FOR_DEPTH = 3
"""At most one cell in so many is indentation."""
TASK, ARCHIVE, VALUE, NOTE = "task:", "archive:", "value:", "note:"
"""What the keys of rows begin with."""
SIGNS = {
    "running": ("▸", "live", "text"),
    "done": ("✓", "working", "dim"),
    "failed": ("✗", "lost", "lost"),
}
"""A mark, its ink, and the ink of the text, by the status of a task or goal."""
SHORT = len("ready")
READY, WAITING = ("○", "working", "text"), ("·", "dim", "dim")
SHORTEST_GOAL = 18
ERROR_ROWS = 2
KEPT_TASKS = 2_048
"""Tasks whose rows are not made anew with every snapshot."""
LONGEST_NAMED = 24
"""Cells of a task that another names."""


def task_rows(tasks: Sequence["TaskView"], width: int, *, ids: bool = False) -> list[Keyed]:
    """The tree: marks for what is ready, running, done, failed; a row opens its task.

    Args:
        tasks: All tasks, in their order.
        width: Cells of a row.
        ids: Whether each is told with its id.
    """
    rows: list[Keyed] = []
    for branch in task_tree(tasks):
        task, indent = branch.task, _indent(branch, width)
        key = TASK + task.id
        rows += [(row, key) for row in _task(task, _beside(branch), indent, width, ids)]
    return rows


def done_of(work: "WorkView") -> tuple[int, int]:
    """How many tasks of the goal are done, and how many there are, those that have left too."""
    listed = Counter(task.status for task in work.tasks)
    left_done = max(0, work.tasks_done - listed["done"])
    left_failed = max(0, work.tasks_failed - listed["failed"])
    return left_done + listed["done"], len(work.tasks) + left_done + left_failed


def progress_of(work: "WorkView") -> float:
    """How much of the goal's tasks is done, from 0 to 1."""
    done, whole = done_of(work)
    begun = sum(task.progress for task in work.tasks if task.status != "done")
    return min(1.0, (done + begun) / whole) if whole else 0.0


def value_rows(values: Sequence["ValueView"], width: int) -> list[Keyed]:
    """A row a working value: its name, what it is."""
    longest = max((cell_len(one_line(value.name)) for value in values), default=0)
    cells = min(longest, max(4, width // SHARE_FOR_DEPTH))
    rows: list[Keyed] = []
    for value in values:
        left = [Piece(f"  {padded(value.name, cells)} ", "working")]
        row = line(left, Piece(value.text), [Piece(f" {value.type}", "dim")], width)
        rows.append((row, VALUE + value.name))
    return rows


def archive_rows(archives: Sequence["ArchiveView"], width: int, now: "datetime") -> list[Keyed]:
    """A row a goal that has ended: text, executions, success rate, when."""
    return [(_archive_row(archive, width, now), ARCHIVE + archive.id) for archive in archives]


def archive_figures(archive: "ArchiveView") -> str:
    """How often something was executed for a goal, and how often it went well."""
    if not archive.executions:
        return "nothing run"
    return f"{count(archive.executions, 'run')} {archive.success_rate:.0%}".replace("%", " %")


def _archive_row(archive: "ArchiveView", width: int, now: "datetime") -> Row:
    sign, ink, _ = SIGNS["done" if archive.status == "completed" else "failed"]
    right = [
        Piece(f"  {archive_figures(archive)}", "dim"),
        Piece(f"  {age(archive.ended_at, now)}", "dim"),
    ]
    return line(
        [Piece(f"{sign} ", ink)], Piece(archive.text, "dim"), right, width, least=SHORTEST_GOAL
    )


@lru_cache(maxsize=KEPT_TASKS)
def _task(
    task: "TaskView", beside: tuple[str, str], indent: int, width: int, ids: bool
) -> list[Row]:
    waiting = READY if task.ready else WAITING
    sign, ink, text_ink = SIGNS.get(task.status, waiting)
    left = [Piece(" " * indent, "dim"), Piece(f"{sign} ", ink)]
    left += [Piece(f"{one_line(task.id)} ", "dim")] if ids else []
    told, told_ink = beside
    room = width - sum(len(piece.text) for piece in left) - cell_len(one_line(task.text)) - 2
    below = bool(told) and cell_len(told) > max(room, SHORT)
    right = [Piece(f"  {told}", told_ink)] if told and not below else []
    rows = [line(left, Piece(task.text, text_ink), right, width)]
    room = width - indent - 2
    rows += indented(paragraph(told, room), indent + 2) if below else ()
    if task.status == "failed" and task.error:
        rows += indented(paragraph(task.error, room, "lost", most=ERROR_ROWS), indent + 2)
    return rows


def _beside(branch: Branch) -> tuple[str, str]:
    """What stands right of a task, or below it where it is long; and its ink."""
    task = branch.task
    if task.status == "running":
        return f"{task.progress:.0%}".replace("%", " %"), "dim"
    if task.status != "open" or task.ready:
        return ("ready", "working") if task.ready else ("", "dim")
    others = [named(other) for other in branch.beside if other.status != "done"]
    return (f"and after {', '.join(others)}", "dim") if others else ("", "dim")


def named(task: "TaskView") -> str:
    """A task as another one names it."""
    return clipped(one_line(task.text), LONGEST_NAMED)


def _indent(branch: Branch, width: int) -> int:
    return min(STEP_CELLS * branch.depth, width // SHARE_FOR_DEPTH)
