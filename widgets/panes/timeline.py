"""The compactions as a pane shows them, newest on top. Pure."""

from typing import TYPE_CHECKING

from rich.cells import cell_len

from widgets.figures import short_number, short_seconds
from widgets.panes.upcoming import empty_sentence, next_fold, why_not
from widgets.panes.view import PARTS, PaneView, clipped, spread, wrapped
from widgets.plain import one_line
from widgets.rows import Piece, Row

if TYPE_CHECKING:
    from datetime import datetime

    from memory.events import Compacted
    from memory.snapshot import CompactionProgress, Snapshot

TRIGGER_CELLS = len("overflow")
TOKEN_CELLS = 4
BY_RULE = "by rule  "
WHOLE = ""
"""The key that opens the timeline as a whole."""


def timeline_rows(snapshot: "Snapshot", width: int, now: "datetime") -> PaneView:
    """A row a compaction; it opens the compaction's id."""
    records = snapshot.recent_compactions[::-1]
    if not records and snapshot.running is None:
        sentence = empty_sentence(snapshot, "No compaction yet", "the first comes", now)
        return PaneView(tuple(wrapped(sentence, width, "dim")))
    hindered = why_not(snapshot, now)
    rows = wrapped(hindered, width, "note") if hindered else []
    keys: list[str | None] = [None] * len(rows)
    events = [record.event for record in records]
    digits = len(str(snapshot.messages))
    trigger = max((len(event.trigger) for event in events), default=TRIGGER_CELLS)
    if snapshot.running is not None:
        rows.append(_running(snapshot.running, digits, trigger, width))
        keys.append(None)
    for record in records:
        rows.append(_row(record.event, record.undone, digits, trigger, width))
        keys.append(record.event.id)
    if snapshot.compactions > len(records):
        older = f"{snapshot.compactions - len(records):,} older"
        rows.append(Row((Piece(clipped(older, width), "dim"),)))
        keys.append(WHOLE)
    figures = [str(snapshot.compactions), next_fold(snapshot)]
    return PaneView(tuple(rows), PARTS.join(filter(None, figures)), tuple(keys))


def _row(event: "Compacted", undone: bool, digits: int, trigger: int, width: int) -> Row:
    number, why = f"{event.message:>{digits}}", f"{event.trigger:<{trigger}}"
    before = f"{short_number(event.tokens_before):>{TOKEN_CELLS}}"
    after = f"{short_number(event.tokens_after):>{TOKEN_CELLS}}"
    if undone:
        text = f"{number} {why} {before} → {after}"
        return spread([Piece(text, "dim", "s")], [Piece("undone", "dim")], width)
    left = [
        Piece(number),
        Piece(f" {why} ", "dim"),
        Piece(before),
        Piece(" → ", "dim"),
        Piece(after),
    ]
    seconds = short_seconds(event.duration_s)
    by = BY_RULE if event.by == "rule" else ""
    taken = sum(cell_len(piece.text) for piece in left)
    if taken + 1 + len(by) + len(seconds) > width:
        by = ""
    return spread(left, [Piece(by + seconds, "dim")], width)


def _running(running: "CompactionProgress", digits: int, trigger: int, width: int) -> Row:
    head = f"{running.message:>{digits}} {running.trigger:<{trigger}} "
    stage = clipped(f"● {one_line(running.stage)}", width - len(head))
    return Row((Piece(head, "live"), Piece(stage, "live")))
