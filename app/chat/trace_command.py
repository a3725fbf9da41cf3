"""The @command that tells where something went (VIEW-10)."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, Reported, TraceWanted
from memory.views import Trace
from widgets.figures import clock, count
from widgets.plain import one_line, short_line

if TYPE_CHECKING:
    from memory.tracing import Traced

USAGE = "Say what to look for: @trace TEXT."
LONGEST_NAMED = 60
"""Characters of the text that are named when it is nowhere."""


async def _trace(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if not argument:
        yield Reported(USAGE, "note")
        return
    traced = await conversation.memory.trace(argument)
    yield Reported("\n".join(trace_lines(traced, datetime.now(UTC))))
    if traced.ways:
        yield TraceWanted(traced)


def trace_lines(traced: "Traced", now: datetime) -> list[str]:
    """The ways of a text, a line a station.

    Args:
        traced: The ways.
        now: The present, which decides how times are told.
    """
    if not traced.ways:
        return [nowhere(traced)]
    lines: list[str] = []
    for way in traced.ways:
        lines += ["", *_way_lines(way, now)] if lines else _way_lines(way, now)
    return [*lines, "", more(traced)] if traced.more else lines


def nowhere(traced: "Traced") -> str:
    """The sentence for a text that nobody said."""
    return f"“{short_line(traced.text, LONGEST_NAMED)}” was said nowhere in this session."


def more(traced: "Traced") -> str:
    """The sentence for a text that was said more often than is told."""
    told = count(len(traced.ways), "message")
    return f"It was said before these {told} as well; a longer text finds fewer."


def answer(way: Trace) -> str:
    """Where a text of one message is today, in a sentence."""
    told = one_line(way.answer)
    if way.number is None:
        return told
    told = told.replace(f": message {way.number:,} ", ": it ")
    return f"Message {way.number:,}: {told[:1].lower()}{told[1:]}"


def _way_lines(way: Trace, now: datetime) -> list[str]:
    lines = [answer(way)]
    for step in way.steps:
        lines.append(f"  {clock(step.at, now)}  {one_line(step.what)}")
        if step.excerpt:
            lines.append(f"    {one_line(step.excerpt)}")
    return lines


TRACE_COMMANDS = (Command("trace", "TEXT", "where something said has gone", _trace),)
