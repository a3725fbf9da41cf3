"""Messages of the transcript that are pinned: marked, and pinned by a key (COMPACT-14)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from memory import Memory
from memory.events import Event, Pinned, Unpinned
from widgets.entries import CallEntry, Entry, MessageEntry
from widgets.transcript import Transcript

PINNED = "◆ pinned"
"""Stands among the figures of a message that stays word for word."""


def with_pins(entries: Sequence[Entry], pinned: Collection[int]) -> list[Entry]:
    """The entries, those of pinned messages marked and no others."""
    return [
        _marked(entry, pinned=entry.number in pinned)
        if isinstance(entry, MessageEntry | CallEntry)
        else entry
        for entry in entries
    ]


class Pins:
    """Pins messages that the reader has chosen, and keeps their marks true.

    Args:
        memory: The open session.
        transcript: Where they are shown.
        say: Says something that need not stay.
    """

    def __init__(self, memory: Memory, transcript: Transcript, say: Callable[[str], None]) -> None:
        self._memory = memory
        self._transcript = transcript
        self._say = say
        self._shown = memory.state.pinned_numbers

    async def toggle(self, number: int) -> None:
        """Pins a message, or lets go of it.

        Raises:
            StrataError: It can't be pinned.
        """
        pinning = self._memory.pinning
        held = [pin for pin in pinning.pins() if pin.whole and pin.number == number]
        if held:
            await pinning.unpin(held[0].id)
            self._say(f"Message {number:,} is no longer pinned.")
        else:
            await pinning.pin_message(number)
            self._say(f"Message {number:,} stays word for word.")

    def recorded(self, event: Event) -> None:
        """Marks what has just been pinned, and no longer what was let go."""
        if isinstance(event, Pinned | Unpinned):
            pinned = self._memory.state.pinned_numbers
            for number in pinned ^ self._shown:
                self._mark(number, pinned=number in pinned)
            self._shown = pinned

    def _mark(self, number: int, *, pinned: bool) -> None:
        block = self._transcript.block_of(number)
        if block is not None and isinstance(block.entry, MessageEntry | CallEntry):
            self._transcript.replace(block, _marked(block.entry, pinned=pinned))


def _marked(entry: MessageEntry | CallEntry, *, pinned: bool) -> MessageEntry | CallEntry:
    figures = tuple(figure for figure in entry.figures if figure != PINNED)
    return replace(entry, figures=(*figures, PINNED) if pinned else figures)
