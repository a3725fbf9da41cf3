"""Messages of the transcript with what long-term memory brought to their turn (RECALL-4)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from memory.events import Event, Recorded
from memory.recall_events import Recalled
from widgets.entries import Entry, MessageEntry
from widgets.figures import count
from widgets.transcript import Transcript


def with_recalled(entries: Sequence[Entry], events: Iterable[Recorded]) -> list[Entry]:
    """The entries, the user's messages with what was found for them."""
    found = {e.event.number: e.event for e in events if isinstance(e.event, Recalled)}
    return [
        _told(entry, found[entry.number])
        if isinstance(entry, MessageEntry) and entry.number in found
        else entry
        for entry in entries
    ]


def tell_recalled(transcript: Transcript, event: Event) -> None:
    """Puts what has just been found to the message that it was searched for."""
    if not isinstance(event, Recalled):
        return
    block = transcript.block_of(event.number)
    if block is not None and isinstance(block.entry, MessageEntry):
        transcript.replace(block, _told(block.entry, event))


def _told(entry: MessageEntry, found: Recalled) -> MessageEntry:
    parts = (
        count(len(found.texts), "passage") if found.texts else "",
        count(len(found.facts), "fact") if found.facts else "",
    )
    words = ", ".join(filter(None, parts))
    if not words or entry.recalled:
        return entry
    return replace(entry, figures=(*entry.figures, f"{words} recalled"), recalled=True)
