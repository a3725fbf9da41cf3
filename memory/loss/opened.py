"""One compaction as a reader sees it opened: before, after, and what it lost. Pure."""

from collections.abc import Mapping

from memory.history import CompactionRecord
from memory.loss.gathering import Change, sources_of, standing_after, ways_of
from memory.loss.report import loss_items
from memory.parts import ContentItem, Edit, SummaryRef, SummarySlot
from memory.pieces import DETAILS_LABEL
from memory.views import CompactionView, EditView, Represented, SummaryChange
from memory.window import Window


def compaction_view(
    record: CompactionRecord,
    change: Change,
    texts: Mapping[str, str],
    items: Mapping[str, ContentItem],
) -> CompactionView:
    """Everything that is shown of a compaction.

    Args:
        record: What the log says of it.
        change: It, with the states on both sides.
        texts: Texts by body id; one that was forgotten says so.
        items: Content items by id.
    """
    event = record.event
    first = change.before.folding.verbatim_from or 0
    numbers = [ref.number for ref in change.folded if ref.number >= first]
    lost = loss_items(
        sources_of(change, texts), standing_after(change, texts), ways_of(change, texts, items)
    )
    measured = record.measured
    return CompactionView(
        id=event.id,
        n=record.n,
        at=record.at,
        message=event.message,
        trigger=event.trigger,
        policy=event.policy,
        stages=event.stages,
        tokens_before=event.tokens_before,
        tokens_after=event.tokens_after,
        duration_s=event.duration_s,
        usage=event.usage,
        undone=record.undone,
        failures=event.failures,
        folded=(min(numbers), max(numbers)) if numbers else None,
        summaries=_summary_changes(change, texts),
        edits=_edit_views(change, texts),
        items=lost,
        represented=tuple(
            Represented(number, percent / 100)
            for number, percent in zip(measured.numbers, measured.percents, strict=False)
        )
        if measured
        else (),
        similarity=record.similarity,
    )


def _summary_changes(change: Change, texts: Mapping[str, str]) -> tuple[SummaryChange, ...]:
    before, after = change.before.folding, change.after.folding
    pairs: tuple[tuple[SummarySlot, SummaryRef | None, SummaryRef | None], ...] = (
        ("long_term", before.long_term, after.long_term),
        ("short_term", before.short_term, after.short_term),
    )
    return tuple(
        SummaryChange(
            slot=slot,
            before=_words(old, texts),
            after=_words(new, texts),
            by=new.by if new else None,
            model=new.model if new else None,
            version=new.version if new else 0,
            first=new.first if new else 0,
            last=new.last if new else 0,
        )
        for slot, old, new in pairs
        if old != new
    )


def _words(summary: SummaryRef | None, texts: Mapping[str, str]) -> str:
    if summary is None:
        return ""
    text = texts.get(summary.body, "")
    if summary.details is None:
        return text
    return f"{text}\n{DETAILS_LABEL}{texts.get(summary.details, '')}"


def _edit_views(change: Change, texts: Mapping[str, str]) -> tuple[EditView, ...]:
    before = {edit.number: edit for edit in change.before.folding.edits}
    refs = {ref.number: ref for ref in change.before.folding.verbatim}
    runs = Window.of(change.after.folding).runs.values()
    receipts = {edit.number: run.receipt for run in runs for edit in run.edits}
    views = []
    for edit in change.event.edits:
        own = refs.get(edit.number)
        old = before.get(edit.number)
        body = old.body if old and old.body else own.body if own else ""
        after = _edited(edit, receipts, texts)
        views.append(EditView(edit.number, edit.stage, texts.get(body, ""), after, edit.why))
    return tuple(views)


def _edited(edit: Edit, receipts: Mapping[int, str], texts: Mapping[str, str]) -> str:
    if edit.body is None:
        return receipts.get(edit.number, "")
    return texts.get(edit.body, "")
