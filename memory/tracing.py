"""Where did it go? The way of any text through memory, from the log (VIEW-10)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from memory.errors import StrataError
from memory.events import Message, Recorded
from memory.journal import Journal
from memory.loss.bearing import CHANGES, bodies_in
from memory.loss.presence import Wanted
from memory.loss.way import way_of_message, way_of_summary
from memory.storage.search import find_said
from memory.views import Trace

MOST = 20
"""Ways that are followed, newest first."""


class NothingToTrace(StrataError):
    """A text that can't be looked for."""


@dataclass(frozen=True, slots=True)
class Traced:
    """The ways of a text."""

    text: str
    ways: tuple[Trace, ...]
    """One for each message it was said in, newest first; or one that begins in a summary."""
    more: bool
    """Whether it was said in older messages too."""


async def trace(journal: Journal, text: str) -> Traced:
    """Searches a text in the session and tells its way.

    Args:
        journal: The open session.
        text: What to look for; case and spaces don't count.

    Raises:
        NothingToTrace: There is no text.
        StorageError: The database refused.
    """
    wanted = Wanted(text)
    if not wanted.text:
        raise NothingToTrace("There is nothing to look for.", "Write it after @trace.")
    said = await find_said(journal.database, journal.log, wanted.text, wanted.is_in, MOST + 1)
    numbers = [entry.number for entry in said[:MOST]]
    messages = [entry for n in numbers for entry in await journal.log.messages(n, n)]
    ways = await _ways(journal, wanted, messages)
    return Traced(wanted.text, ways, len(said) > MOST)


async def trace_message(journal: Journal, number: int) -> Traced:
    """Tells the way of a whole message.

    Raises:
        NothingToTrace: There is no such message.
        StorageError: The database refused.
    """
    messages = await journal.log.messages(number, number)
    refs = [entry.event.ref for entry in messages if isinstance(entry.event, Message)]
    if not refs:
        raise NothingToTrace(f"There is no message {number:,} in this session.")
    texts = await journal.bodies.texts([refs[0].body])
    wanted = Wanted(texts.get(refs[0].body, ""))
    return Traced(wanted.text, await _ways(journal, wanted, messages), more=False)


async def _ways(
    journal: Journal, wanted: Wanted, messages: Sequence[Recorded]
) -> tuple[Trace, ...]:
    changes = await journal.log.read(kinds=CHANGES)
    bodies = bodies_in(changes)
    bodies |= {entry.event.ref.body for entry in messages if isinstance(entry.event, Message)}
    texts = await journal.bodies.texts(bodies)

    def follow() -> tuple[Trace, ...]:
        if messages:
            return tuple(way_of_message(wanted, said, changes, texts) for said in messages)
        way = way_of_summary(wanted, changes, texts)
        return (way,) if way is not None else ()

    # Long sessions take some tenths of a second: the screen goes on meanwhile.
    return await asyncio.to_thread(follow)
