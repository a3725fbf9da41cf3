"""What the Timeline screen asks before it takes something back. Pure."""

from collections.abc import Sequence

from app.screens.compactions import taken_back_with
from memory.history import CompactionRecord
from widgets.figures import short_number
from widgets.panes.summaries import span
from widgets.panes.view import PARTS


def undo_question(record: CompactionRecord, records: Sequence[CompactionRecord]) -> list[str]:
    """What an undo would do, in sentences."""
    after = taken_back_with(record, records)
    newest = (after[-1] if after else record).event
    question = [f"Take back the compaction at message {record.event.message:,}?"]
    if after:
        question.append(_with_it([other.event.message for other in after]))
    first = record.event.short_term.first if record.event.short_term else 1
    question.append(
        f"Messages {span(first, newest.verbatim_from - 1)} stand word for word again, and "
        "nothing is folded by itself until @compact-memories, unless it must be."
    )
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
