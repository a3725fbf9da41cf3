"""What the Timeline screen asks before it takes something back. Pure."""

from collections.abc import Sequence

from app.screens.compactions import first_folded, taken_back_with
from memory.history import CompactionRecord
from widgets.figures import short_number
from widgets.panes.summaries import span
from widgets.panes.view import PARTS

WAITS = "Nothing is folded by itself until @compact-memories, unless it must be."


def undo_question(record: CompactionRecord, records: Sequence[CompactionRecord]) -> list[str]:
    """What an undo would do, in sentences."""
    after = taken_back_with(record, records)
    question = [f"Take back the compaction at message {record.event.message:,}?"]
    if after:
        question.append(_with_it([other.event.message for other in after]))
    folding = [one.event for one in (record, *after) if one.event.folds]
    if folding:
        first, last = first_folded(record, records), folding[-1].verbatim_from - 1
        question.append(f"Messages {span(first, last)} stand word for word again. {WAITS}")
    else:
        question.append(f"What was left out or shortened stands in full again. {WAITS}")
    return question


def _with_it(messages: Sequence[int]) -> str:
    *others, last = (f"{number:,}" for number in messages)
    if not others:
        return f"With it goes the one that came after, at message {last}."
    names = f"{', '.join(others)} and {last}"
    return f"With it go the {len(messages)} that came after, at messages {names}."


def redo_question(record: CompactionRecord) -> list[str]:
    """What a redo would do, in sentences."""
    event = record.event
    figures = PARTS.join(
        (
            f"{short_number(event.tokens_before)} → {short_number(event.tokens_after)} tokens then",
            f"verbatim from message {event.verbatim_from:,} on",
        )
    )
    return [f"Let the compaction at message {event.message:,} hold again?", f"{figures}."]
