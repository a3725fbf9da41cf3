"""From events of the log to what stands in the transcript. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from app.screens.recorded_calls import OpenCalls, executions
from memory.events import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Event,
    Forked,
    Message,
    Recorded,
    RequestEnded,
)
from memory.parts import Role
from memory.privacy import left_out
from widgets.entries import Entry, MarkEntry, MessageEntry, Speaker
from widgets.figures import clock, count, short_number, short_seconds, token_rate

if TYPE_CHECKING:
    from memory.answer import StoredMessage

SPEAKERS: dict[Role, Speaker] = {
    "user": "you",
    "assistant": "strata",
    "tool": "tool",
    "system": "system",
}
LEAST_SECONDS = 0.2
"""A shorter time says nothing about speed."""
START_LENGTH = len("2026-11-21T08:00:00.000Z")
CUT_SHORT = "cut short: the longest answer allowed was reached"
STOPPED = "stopped"
INTERRUPTED = "interrupted"


def entries_of(
    events: Sequence[Recorded],
    texts: Mapping[str, str],
    now: datetime,
    *,
    caller: Message | None = None,
    ended: bool = False,
) -> list[Entry]:
    """What a stretch of the log looks like: messages, calls, and marks of what changed.

    Args:
        events: In the order of the log.
        texts: The bodies of the messages among them, and of `caller`.
        now: The present, which decides how times are told.
        caller: The message before them whose calls the first of them answer, if they do.
        ended: Whether nothing more will come after them.
    """
    attempts = {e.event.request: e.event for e in events if isinstance(e.event, RequestEnded)}
    entries: list[Entry] = []
    calls = OpenCalls(texts, executions(events))
    if caller is not None:
        calls.begin(caller)
    for recorded in events:
        event = recorded.event
        if isinstance(event, Message):
            text = texts.get(event.ref.body, "")
            answered = calls.answered(event, text) if event.ref.role == "tool" else None
            if event.ref.role != "tool":
                entries += calls.unanswered()
                calls.begin(event)
            attempt = attempts.get(event.request) if event.request else None
            entries.append(answered or logged_message(event, recorded.at, text, attempt, now))
        elif (mark := mark_of(event)) is not None:
            entries.append(mark)
    return [*entries, *calls.unanswered()] if ended else entries


def logged_message(
    event: Message, at: str, text: str, attempt: RequestEnded | None, now: datetime
) -> MessageEntry:
    """A message of the log, with the figures of the request that it answers."""
    figures = [clock(event.said_at or at, now)]
    if attempt is not None and attempt.outcome == "ok":
        figures += speed(attempt.usage.output, attempt.duration_s, attempt.first_token_s)
    mark = ""
    if event.ref.interrupted:
        mark = STOPPED if attempt is not None and attempt.outcome == "stopped" else INTERRUPTED
    if event.redacted:
        figures.append(left_out(event.redacted, event.kinds))
    speaker = SPEAKERS[event.ref.role]
    calls = event.ref.calls is not None
    return MessageEntry(event.ref.number, speaker, text, tuple(figures), mark, calls)


def new_message(
    message: "StoredMessage",
    now: datetime,
    figures: Sequence[str] = (),
    mark: str = "",
    *,
    calls: bool = False,
) -> MessageEntry:
    """A message that has just come."""
    shown = [clock(message.at, now), *figures]
    if message.redacted:
        shown.append(left_out(message.redacted, message.kinds))
    if message.item and message.role == "user":
        shown.append(f"kept as {message.item}")
    speaker = SPEAKERS[message.role]
    return MessageEntry(message.number, speaker, message.content, tuple(shown), mark, calls)


def speed(tokens: int | None, seconds: float, first_token_s: float | None) -> list[str]:
    """Duration, length and speed of an answer, as far as they are known."""
    figures = [short_seconds(seconds)]
    if tokens:
        figures.append(count(tokens, "token"))
        # Reading takes the most of it where nobody knows when the model began to write.
        writing = 0.0 if first_token_s is None else seconds - first_token_s
        if writing >= LEAST_SECONDS:
            figures.append(token_rate(tokens, writing))
    return figures


def mark_of(event: Event) -> MarkEntry | None:
    """The mark of a change of memory or of a branch, or None for any other event."""
    match event:
        case Compacted():
            return MarkEntry(_folded(event), event.id)
        case CompactionUndone():
            first = event.restored[0].number if event.restored else 0
            last = event.restored[-1].number if event.restored else 0
            number = count(len(event.compactions), "compaction")
            text = f"took back {number}: {first}–{last} stand verbatim again"
            return MarkEntry(text, event.compactions[-1] if event.compactions else "")
        case CompactionRedone():
            text = f"the compaction at message {event.message} holds again"
            return MarkEntry(text, event.compaction)
        case Forked():
            return MarkEntry(_branched(event))
    return None


def _branched(event: Forked) -> str:
    where = f"branch from message {event.message}" if event.message else "branch from the beginning"
    why = {"fork": "", "edit": " · message edited", "regenerate": " · answered again"}
    return f"{where}{why[event.reason]}"


def _folded(event: Compacted) -> str:
    figures = f"{short_number(event.tokens_before)} → {short_number(event.tokens_after)} tokens"
    if event.short_term is None:
        return f"compacted · {figures}"
    by = "" if event.by == "model" else " · by rule"
    span = f"{event.short_term.first}–{event.short_term.last}"
    return f"folded {span} into the short-term summary · {figures}{by}"
