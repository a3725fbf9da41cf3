"""One compaction, opened: why it ran, what it freed, and what it lost. Pure."""

from collections.abc import Sequence
from datetime import datetime

from app.screens.timeline_edits import edit_rows
from app.screens.timeline_heat import heat_rows
from app.screens.timeline_loss import loss_rows, lost_sentence
from app.screens.timeline_rows import bar_pieces
from app.screens.timeline_waterfall import waterfall_rows
from memory.events import Compacted
from memory.parts import Usage
from memory.versions import SummaryVersion
from memory.views import CompactionView, SummaryChange
from widgets.figures import clock, count, short_number, short_seconds
from widgets.panes.blocks import flat, heading, plain
from widgets.panes.compared import compared, legend
from widgets.panes.summaries import made_by, span
from widgets.panes.view import PARTS, PaneView, clipped, wrapped
from widgets.plain import one_line
from widgets.rows import EMPTY, Piece, Row

WHY = {
    "count": "enough messages had left the window",
    "tokens": "the prompt had grown to the trigger",
    "manual": "you asked for it",
    "overflow": "the model refused the prompt as too long",
}
NAMES = {"short_term": "short-term", "long_term": "long-term"}
LONGEST_BAR = 60
READING = "Reading what it did …"


def detail_title(message: int) -> str:
    """What stands in the border."""
    return f"at message {message:,}"


def detail_rows(
    view: CompactionView,
    event: Compacted,
    versions: Sequence[SummaryVersion],
    pinned: frozenset[str],
    unfolded: frozenset[str],
    width: int,
    now: datetime,
) -> PaneView:
    """All there is to know of a compaction.

    Args:
        view: What it did.
        event: Its event.
        versions: Every summary of the session.
        pinned: Texts that are pinned.
        unfolded: The keys of what shows more of itself.
        width: Cells of a row.
        now: The present, which decides how times are told.
    """
    rows = [
        *plain(_head(view, event, width, now)),
        *plain(_failures(view.failures, width)),
        *plain(waterfall_rows(view.tokens_before, view.tokens_after, view.stages, width)),
        *plain(_summaries(view, versions, width, now)),
        *loss_rows(view.items, pinned, unfolded, width),
    ]
    if view.folded is not None:
        rows += heat_rows(view.represented, view.similarity, unfolded, width)
    rows += edit_rows(view.edits, unfolded, width)
    figures = PARTS.join(("undone" if view.undone else "in force", lost_sentence(view.items)))
    return PaneView(tuple(row for row, _ in rows), figures, tuple(key for _, key in rows))


def _head(view: CompactionView, event: Compacted, width: int, now: datetime) -> list[Row]:
    before, after = view.tokens_before, view.tokens_after
    share = after / before if before else 1.0
    rows = []
    if view.undone:
        rows += wrapped("Undone: what it folded stands word for word again.", width, "note")
    freed = short_number(before - after)
    figures = f"{before:,} → {after:,} tokens{PARTS}{share:.0%} stays{PARTS}{freed} freed"
    rows += wrapped(figures, width)
    bar = bar_pieces(
        before, after, before, min(width, LONGEST_BAR), "dim" if view.undone else "short-term"
    )
    if not view.stages:
        rows.append(Row(tuple(bar)))
    why = f"{view.trigger}: {WHY.get(view.trigger, '')}"
    if view.folded is not None:
        number = view.folded[1] - view.folded[0] + 1
        why += f"{PARTS}{count(number, 'message')} folded, {span(*view.folded)}"
    took = (clock(view.at, now), short_seconds(view.duration_s), _written(view, event))
    told = PARTS.join((*took, *_spent(view.usage), f"policy {one_line(view.policy)}"))
    return [*rows, *wrapped(why, width, "dim"), *wrapped(told, width, "dim")]


def _spent(usage: Usage) -> list[str]:
    """What the model was sent and answered for the summaries, and what that cost."""
    if not usage.input and not usage.output:
        return []
    tokens = f"{short_number(usage.input)} tokens in, {short_number(usage.output)} out"
    return [tokens] if usage.cost is None else [tokens, f"${usage.cost:.4f}"]


def _written(view: CompactionView, event: Compacted) -> str:
    if not event.folds:
        return "by rule, no summary"
    model = next((change.model for change in view.summaries if change.model), None)
    return made_by(event.by, model)


def _failures(failures: Sequence[str], width: int) -> list[Row]:
    if not failures:
        return []
    rows = heading("not accepted", "attempts before this one", width)
    for failure in failures:
        rows += wrapped(one_line(failure), width, "note")
    return rows


def _summaries(
    view: CompactionView, versions: Sequence[SummaryVersion], width: int, now: datetime
) -> list[Row]:
    rows: list[Row] = []
    differ = False
    for change in view.summaries:
        rows += _named(change, width)
        if not change.before:
            rows += wrapped(change.after.strip("\n"), width)
            rows += wrapped("The first one: nothing stood here before.", width, "dim")
        elif flat(change.before) == flat(change.after):
            rows += wrapped(change.after.strip("\n"), width)
            rows += wrapped("It said the same before.", width, "dim")
        else:
            differ = True
            rows += compared(change.before, change.after, width)
        rows += _since(change, versions, width, now)
    return [*rows, EMPTY, *legend(width)] if differ else rows


def _named(change: SummaryChange, width: int) -> list[Row]:
    parts = [span(change.first, change.last), f"v{change.version}"]
    if change.by is not None:
        parts.append(made_by(change.by, change.model))
    name = NAMES[change.slot]
    figures = PARTS.join(parts)
    if len(name) + 2 + len(figures) <= width:
        return heading(name, figures, width, name)
    return [*heading(name, "", width, name), *wrapped(figures, width, "dim")]


def _since(
    change: SummaryChange, versions: Sequence[SummaryVersion], width: int, now: datetime
) -> list[Row]:
    """The versions that were written in its place since."""
    rows = []
    for one in versions:
        of_it = one.slot == change.slot and (one.ref.first, one.ref.last) == (
            change.first,
            change.last,
        )
        if one.rewritten and of_it:
            by = made_by(one.ref.by, one.ref.model)
            asked = f"{PARTS}“{one_line(one.instructions)}”" if one.instructions else ""
            told = f"rewritten {clock(one.at, now)}{PARTS}v{one.ref.version}{PARTS}{by}{asked}"
            rows.append(Row((Piece(clipped(told, width), "live"),)))
    return rows
