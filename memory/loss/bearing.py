"""Which summary stands for a message or for an earlier summary, from event to event. Pure."""

from collections.abc import Iterable

from memory.content_events import ContentStored
from memory.events import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Pinned,
    Recorded,
    ResultsReceipted,
    SummaryRewritten,
    Unpinned,
)
from memory.parts import SummaryRef

CHANGES = (
    Compacted.KIND,
    CompactionUndone.KIND,
    CompactionRedone.KIND,
    SummaryRewritten.KIND,
    Pinned.KIND,
    Unpinned.KIND,
    ContentStored.KIND,
    ResultsReceipted.KIND,
)
"""Kinds of events after which a text may stand elsewhere."""


def bodies_in(changes: Iterable[Recorded]) -> set[str]:
    """The bodies of every text that the changes put in force."""
    bodies: set[str] = set()
    for recorded in changes:
        for _, summary in summaries_in(recorded):
            bodies.update(filter(None, (summary.body, summary.details)))
        match recorded.event:
            case (
                Compacted(edits=edits)
                | CompactionRedone(edits=edits)
                | ResultsReceipted(edits=edits)
            ):
                bodies.update(edit.body for edit in edits if edit.body is not None)
            case Pinned(body=body):
                bodies.add(body)
    return bodies


def summaries_in(recorded: Recorded) -> list[tuple[str, SummaryRef]]:
    """The summaries that an event puts in force, each with its name."""
    match recorded.event:
        case Compacted() | CompactionRedone() | CompactionUndone() as event:
            known = (("long-term", event.long_term), ("short-term", event.short_term))
            return [(name, summary) for name, summary in known if summary is not None]
        case SummaryRewritten(slot=slot, summary=summary):
            return [(name_of(slot), summary)]
    return []


def message_of(recorded: Recorded) -> int | None:
    """The newest message when a compaction was planned."""
    event = recorded.event
    return event.message if isinstance(event, Compacted | CompactionRedone) else None


def window_from(recorded: Recorded, before: int) -> int:
    """The first message of the window after an event, given that before it."""
    match recorded.event:
        case Compacted(folds=True) | CompactionRedone(folds=True) as event:
            return event.verbatim_from
        case CompactionUndone(restored=restored) if restored:
            return min(before, *(ref.number for ref in restored))
    return before


def name_of(slot: str) -> str:
    """How a reader calls a summary."""
    return "short-term" if slot == "short_term" else "long-term"


def bearer_of(
    number: int | None, long_term: SummaryRef | None, short_term: SummaryRef | None
) -> tuple[str, SummaryRef] | None:
    """The summary that stands for a message."""
    for name, summary in (("short-term", short_term), ("long-term", long_term)):
        if number is not None and summary and summary.first <= number <= summary.last:
            return name, summary
    return None


def successor_of(
    old: SummaryRef,
    number: int | None,
    long_term: SummaryRef | None,
    short_term: SummaryRef | None,
) -> tuple[str, SummaryRef] | None:
    """What stands now for what a summary stood for."""
    known = (("long-term", long_term), ("short-term", short_term))
    for name, summary in known:
        if summary is not None and (summary.body == old.body or old.body in summary.parents):
            return name, summary
    return bearer_of(number if number is not None else old.last, long_term, short_term)
