"""The log as the transcript shows it, stretch by stretch."""

from collections.abc import Sequence
from datetime import UTC, datetime

# Loaded here, away from the first paint: the transcript asks for it when it shows a message.
import widgets.markdown.growing
import widgets.markdown.render  # noqa: F401
from app.screens.pinned import with_pins
from app.screens.recorded import entries_of
from memory import Memory
from memory.events import Message, Recorded
from widgets.entries import Entry
from widgets.transcript import Transcript

NEWEST = 100
"""Messages that are there from the start."""
AROUND = 30
"""Messages read before and after one that is to be seen."""


class Paging:
    """Brings messages from the log into the transcript.

    Args:
        memory: The open session.
        transcript: Where they are shown.
    """

    def __init__(self, memory: Memory, transcript: Transcript) -> None:
        self._memory = memory
        self._transcript = transcript

    async def show_newest(self) -> list[Entry]:
        """Shows the end of the conversation, and returns what that is."""
        last = self._memory.state.messages
        entries = await self.stretch(max(1, last - NEWEST + 1), last)
        self._transcript.show(entries)
        return entries

    async def show(self, first: int, last: int) -> None:
        """Puts messages where the transcript misses them."""
        try:
            entries = await self.stretch(first, last)
        except BaseException:
            self._transcript.give_up()
            raise
        self._transcript.put(first, last, entries)

    async def go_to(self, number: int) -> None:
        """Brings a message into sight and chooses it."""
        transcript = self._transcript
        block = transcript.block_of(number)
        if block is None:
            await self.show(max(1, number - AROUND), number + AROUND)
            block = transcript.block_of(number)
        if block is not None:
            transcript.go_to(block)
            transcript.choose(block)
            transcript.focus(scroll_visible=False)

    async def stretch(self, first: int, last: int) -> list[Entry]:
        """What the log looks like from message `first` to message `last` and what follows it."""
        memory = self._memory
        # A restored session's log begins with its window; what was before is in its summaries.
        first = max(first, memory.state.before_log + 1)
        if last < first:
            return []
        ends = await memory.messages(first, first) + await memory.messages(last + 1, last + 1)
        before = ends[0].n - 1
        upto = ends[1].n - 1 if len(ends) > 1 else memory.state.n
        return await self.entries(await memory.log(before, upto))

    async def entries(self, events: Sequence[Recorded]) -> list[Entry]:
        """What events of the log look like, with the texts of their messages."""
        bodies = [e.event.ref.body for e in events if isinstance(e.event, Message)]
        entries = entries_of(events, await self._memory.texts(bodies), datetime.now(UTC))
        return with_pins(entries, self._memory.state.pinned_numbers)
