"""The log as the transcript shows it, stretch by stretch."""

from collections.abc import Sequence
from datetime import UTC, datetime

# Loaded here, away from the first paint: the transcript asks for it when it shows a message.
import widgets.markdown.growing
import widgets.markdown.render  # noqa: F401
from app.screens.brought import with_recalled
from app.screens.pinned import with_pins
from app.screens.recorded import entries_of
from app.screens.recorded_calls import bodies_of
from memory import Memory
from memory.events import Message, Recorded
from widgets.entries import Entry
from widgets.transcript import Transcript

NEWEST = 100
"""Messages that are there from the start."""
CALLS_NEAR, CALLS_FAR = 8, 200
"""Messages before a result among which its call is looked for, first and then."""
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
        ended = last >= memory.state.messages and not memory.read_only
        return await self.entries(await memory.log(before, upto), ended=ended)

    async def entries(self, events: Sequence[Recorded], *, ended: bool = False) -> list[Entry]:
        """What events of the log look like, with the texts of their messages.

        Args:
            events: In the order of the log.
            ended: Whether nothing more will come after them.
        """
        memory = self._memory
        before = await calling_message(memory, events)
        texts = await memory.texts(bodies_of([*before, *events]))
        caller = next((e.event for e in before if isinstance(e.event, Message)), None)
        entries = entries_of(events, texts, datetime.now(UTC), caller=caller, ended=ended)
        entries = with_recalled(entries, events)
        return with_pins(entries, memory.state.pinned_numbers)


async def calling_message(memory: Memory, events: Sequence[Recorded]) -> list[Recorded]:
    """The message before these events whose calls the first message of them answers, if any."""
    first = next((e.event.ref for e in events if isinstance(e.event, Message)), None)
    if first is None or first.role != "tool":
        return []
    last = first.number - 1
    for start in (last - CALLS_NEAR, last - CALLS_FAR):
        for recorded in reversed(await memory.messages(max(1, start), last)):
            event = recorded.event
            if isinstance(event, Message) and event.ref.role != "tool":
                return [recorded] if event.ref.calls is not None else []
    return []
