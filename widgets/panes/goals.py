"""Working memory as a pane shows it: goal, tasks, values, goals that have ended. Pure."""

from typing import TYPE_CHECKING

from widgets.figures import count, short_number
from widgets.panes.blocks import Keyed, plain
from widgets.panes.fitting import cut, indented, paragraph, thin_bar
from widgets.panes.task_rows import NOTE, archive_rows, done_of, progress_of, task_rows, value_rows
from widgets.panes.view import PARTS, PaneView
from widgets.rows import EMPTY, Piece, Row

if TYPE_CHECKING:
    from datetime import datetime

    from memory.snapshot import Snapshot
    from memory.work_views import WorkView

GOAL = "goal"
"""The key of rows that open the goal."""
NO_GOAL = "No goal yet: @goal TEXT sets one. Its tasks and what is done for it will stand here."
GOAL_ROWS, NOTE_ROWS = 3, 4
LONGEST_BAR = 24


def goal_rows(snapshot: "Snapshot", width: int, now: "datetime") -> PaneView:
    """The goal, the tree of its tasks, values, context; then the goals that have ended."""
    work = snapshot.work
    if not has_work(snapshot):
        return PaneView(tuple(paragraph(NO_GOAL, width)))
    rows = [
        *plain(cap_rows(work, width)),
        *goal_head(work, width),
        *task_rows(work.tasks, width),
        *_parted([*value_rows(work.values, width), *_context(work, width)]),
        *_parted(archive_rows(work.archives, width, now)),
    ]
    return PaneView(
        tuple(row for row, _ in rows),
        figures(work),
        tuple(key for _, key in rows),
        cap_level(work),
    )


def has_work(snapshot: "Snapshot") -> bool:
    """Whether a goal was ever set, or anything noted."""
    work = snapshot.work
    return bool(work.goal or work.tasks or work.archives or work.values or work.context)


def cap_level(work: "WorkView") -> str:
    """How close working memory is to its caps, as an ink; empty where it is far."""
    if work.tokens >= work.cap or work.archived_tokens > work.archived_cap:
        return "lost"
    return "note" if work.tokens >= work.warning else ""


def cap_rows(work: "WorkView", width: int) -> list[Row]:
    """What is said near a cap."""
    level = cap_level(work)
    if not level:
        return []
    cap = short_number(work.cap)
    told = f"! Working memory is nearly full: at {cap} tokens its oldest details are shortened."
    return paragraph(told, width, level)


def figures(work: "WorkView") -> str:
    """What stands in the border: tasks done, tokens against the cap; near it, these first."""
    parts = []
    if work.tasks:
        done, whole = done_of(work)
        parts.append(f"{done:,} of {whole:,} done")
    elif work.archives:
        parts.append(f"{count(work.completed + work.failed, 'goal')} ended")
    tokens = f"{short_number(work.tokens)} of {short_number(work.cap)} tok"
    if work.archived_tokens > work.archived_cap:
        over = f"{short_number(work.archived_tokens)} of {short_number(work.archived_cap)}"
        parts.append(f"ended {over}")
    parts.insert(0 if cap_level(work) else len(parts), tokens)
    return PARTS.join(parts)


def _parted(rows: list[Keyed]) -> list[Keyed]:
    """Rows with a free one above them."""
    return [(EMPTY, None), *rows] if rows else []


def goal_head(work: "WorkView", width: int) -> list[Keyed]:
    """The goal's text, and how far its tasks are."""
    if work.goal is None:
        return plain(paragraph("No goal now: @goal TEXT sets the next one.", width))
    told = paragraph(work.goal.text, width - 2, "text", most=GOAL_ROWS)
    rows = indented([Row(tuple(p._replace(style="b") for p in r.pieces), r.glue) for r in told], 2)
    first = rows[0]
    rows[0] = Row((Piece("● ", "working"), *first.pieces[1:]), first.glue, 2)
    if work.tasks:
        rows.append(_progress(work, width))
    return [(row, GOAL) for row in rows]


def _progress(work: "WorkView", width: int) -> Row:
    share = progress_of(work)
    percent = f" {share:.0%}".replace("%", " %")
    cells = max(2, min(LONGEST_BAR, width - len(percent) - 2))
    bar = thin_bar(share, cells, "working")
    return Row(tuple(cut([Piece("  ", "dim"), *bar, Piece(percent, "dim")], width)))


def _context(work: "WorkView", width: int) -> list[Keyed]:
    return [
        (row, NOTE + id)
        for id, text in work.notes[-NOTE_ROWS:]
        for row in indented(paragraph(text, width - 2, most=1), 2)
    ]
