"""One compaction, opened: why it ran, what it freed, and the summaries it made. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from app.screens.compactions import before
from app.screens.timeline_rows import bar_pieces
from memory.events import Compacted, Stage, SummaryRef
from memory.history import CompactionRecord
from widgets.figures import clock, short_number, short_seconds
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
STAGES = {
    "budget": "long tool results cut",
    "snip": "the inessential left out",
    "micro": "digests of what is long",
    "auto": "folded into summaries",
    "reactive": "cut to what fits",
}
BAR = "▎ "
LONGEST_BAR = 60
STAGE_BAR = 12
FREED_CELLS = 6


def detail_bodies(record: CompactionRecord, records: Sequence[CompactionRecord]) -> list[str]:
    """The texts that are needed to show a compaction."""
    refs = (record.event.short_term, record.event.long_term, *before(record, records))
    return list(dict.fromkeys(ref.body for ref in refs if ref is not None))


def detail_title(record: CompactionRecord) -> str:
    """What stands in the border."""
    return f"at message {record.event.message:,}"


def detail_rows(
    record: CompactionRecord,
    records: Sequence[CompactionRecord],
    texts: Mapping[str, str],
    width: int,
    now: datetime,
) -> PaneView:
    """All there is to know of a compaction.

    Args:
        record: The compaction.
        records: All of the session.
        texts: The summaries by body; those that are missing are being read.
        width: Cells of a row.
        now: The present, which decides how times are told.
    """
    event = record.event
    old_short, old_long = before(record, records)
    rows = [
        *_head(record, width, now),
        *_stages(event.stages, width),
        *_failures(event.failures, width),
        *_summary("short-term", event.short_term, old_short, texts, width),
        *_summary("long-term", event.long_term, old_long, texts, width),
    ]
    figures = "undone" if record.undone else "in force"
    return PaneView(tuple(rows), figures)


def _head(record: CompactionRecord, width: int, now: datetime) -> list[Row]:
    event = record.event
    freed = short_number(event.tokens_before - event.tokens_after)
    tokens = f"{event.tokens_before:,} → {event.tokens_after:,} tokens"
    rows = []
    if record.undone:
        rows += wrapped("Undone: what it folded stands word for word again.", width, "note")
    rows += wrapped(f"{tokens}{PARTS}{record.ratio:.0%} stays{PARTS}{freed} freed", width)
    bar = bar_pieces(
        event.tokens_before,
        event.tokens_after,
        event.tokens_before,
        min(width, LONGEST_BAR),
        "dim" if record.undone else "short-term",
    )
    rows.append(Row(tuple(bar)))
    why = f"{event.trigger}: {WHY.get(event.trigger, '')}"
    took = PARTS.join(
        (
            clock(record.at, now),
            f"{short_seconds(event.duration_s)}",
            _written(event),
            f"policy {event.policy}",
        )
    )
    return [*rows, *wrapped(why, width, "dim"), *wrapped(one_line(took), width, "dim")]


def _written(event: Compacted) -> str:
    ref = event.short_term
    return made_by(event.by, ref.model if ref is not None else None)


def _stages(stages: Sequence[Stage], width: int) -> list[Row]:
    if not stages:
        return []
    most = max(1, *(stage.freed for stage in stages))
    rows = [EMPTY, _heading("stages", "tokens freed by each")]
    for stage in stages:
        name = f"{stage.name:<8} {short_number(stage.freed):>{FREED_CELLS}} "
        filled = max(1, round(STAGE_BAR * stage.freed / most)) if stage.freed > 0 else 0
        words = STAGES.get(stage.name, "")
        room = width - len(name) - STAGE_BAR - 1
        bar = f"{'▆' * filled:<{STAGE_BAR}} "
        rows.append(
            Row((Piece(name), Piece(bar, "short-term"), Piece(clipped(words, room), "dim")))
        )
    return rows


def _failures(failures: Sequence[str], width: int) -> list[Row]:
    if not failures:
        return []
    rows = [EMPTY, _heading("not accepted", "attempts before this one")]
    for failure in failures:
        rows += wrapped(one_line(failure), width, "note")
    return rows


def _summary(
    name: str,
    ref: SummaryRef | None,
    old: SummaryRef | None,
    texts: Mapping[str, str],
    width: int,
) -> list[Row]:
    if ref is None:
        return []
    rows = [EMPTY, *_named(name, ref, width), *wrapped(_text(ref, texts), width)]
    if old is None:
        return [*rows, *wrapped("The first one: nothing stood here before.", width, "dim")]
    if ref.by == "carried" and old.body == ref.body:
        return rows
    covers = span(old.first, old.last)
    label = f"before{PARTS}{covers}{PARTS}v{old.version}{PARTS}{short_number(old.tokens)} tok"
    rows.append(_barred(Row((Piece(clipped(label, width - len(BAR)), "dim"),))))
    return rows + [_barred(row) for row in wrapped(_text(old, texts), width - len(BAR), "dim")]


def _named(name: str, ref: SummaryRef, width: int) -> list[Row]:
    covers, tokens = span(ref.first, ref.last), f"{short_number(ref.tokens)} tok"
    parts = [covers, f"v{ref.version}", tokens, made_by(ref.by, ref.model)]
    if ref.by != "carried":
        parts.append(short_seconds(ref.duration_s))
    figures = PARTS.join(parts)
    if len(name) + 2 + len(figures) <= width:
        return [_heading(name, figures, name)]
    return [Row((Piece(name, name, "b"),)), *wrapped(figures, width, "dim")]


def _heading(name: str, figures: str, ink: str = "text") -> Row:
    return Row((Piece(name, ink, "b"), Piece(f"  {figures}", "dim")))


def _barred(row: Row) -> Row:
    return Row((Piece(BAR, "dim"), *row.pieces), row.glue, len(BAR))


def _text(ref: SummaryRef, texts: Mapping[str, str]) -> str:
    return texts.get(ref.body, "…").strip("\n")
