"""What memory does now, as a sentence beside a play. Pure."""

from memory.content_events import ContentStored
from memory.events import Compacted, Event, LossReported, ResultsReceipted
from memory.recall_events import Recalled
from memory.snapshot import CompactionProgress
from widgets.figures import count, short_number

WRITERS = {"model": "by the model", "rule": "by rule"}


def caption_of(event: Event) -> str:
    """What an event means to who watches; empty where there is nothing to say."""
    text = ""
    match event:
        case Compacted():
            text = _folded(event)
        case Recalled() if event.facts or event.texts:
            text = _found(event)
        case ContentStored() if event.items:
            text = f"what the tool brought is kept in the content store as {event.items[-1].id}"
        case ResultsReceipted():
            freed = short_number(event.tokens_before - event.tokens_after)
            text = f"a receipt takes the place of what the tool brought: {freed} tokens less"
        case LossReported() if event.items:
            kept = f"of {count(event.items, 'detail')} {event.kept} stand in the summary"
            text = f"{kept}, {event.retrievable} can be found again"
    return text


def caption_of_progress(running: CompactionProgress) -> str:
    """What is being done in a compaction that runs."""
    return f"memory is folded: {running.stage}"


def _folded(event: Compacted) -> str:
    by = WRITERS[event.by]
    short, long = event.short_term, event.long_term
    if not event.folds or short is None:
        freed = short_number(max(0, event.tokens_before - event.tokens_after))
        return f"parts of old messages make way: {freed} tokens less in the prompt"
    text = f"messages {short.first} to {short.last} are folded into the short-term summary {by}"
    if long is not None:
        text += f"; {long.first} to {long.last} are in the long-term one"
    return text


def _found(event: Recalled) -> str:
    parts = [
        count(len(found), word)
        for found, word in ((event.texts, "earlier passage"), (event.facts, "fact"))
        if found
    ]
    return f"{' and '.join(parts)} found again for this question"
