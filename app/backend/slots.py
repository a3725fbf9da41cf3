"""Which of the model host's two slots a request uses, so that the chat's prefix stays read.

The host keeps in each slot the prompt that it read last. Reading is what makes a local model
slow, so nothing may push the chat's conversation out of its slot; and a prefix that was warmed in
the other slot is used by the chat request that begins with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from app.backend.protocol import JsonObject, Priority

SLOTS = 2


@dataclass
class SlotPlan:
    """Remembers what each slot read last, for one host."""

    chat_slot: int = 0
    _read: list[Sequence[JsonObject]] = field(default_factory=lambda: [()] * SLOTS)

    def choose(self, priority: Priority, messages: Sequence[JsonObject]) -> int:
        """Picks the slot for a request and remembers what it will hold.

        A chat request goes where most of its messages are read already, by default where the
        chat was before; everything else goes to the other slot.
        """
        if priority == "chat":
            self.chat_slot = max(
                range(SLOTS),
                key=lambda slot: (_shared(self._read[slot], messages), slot == self.chat_slot),
            )
            slot = self.chat_slot
        else:
            slot = 1 - self.chat_slot
        self._read[slot] = messages
        return slot


def _shared(before: Sequence[JsonObject], now: Sequence[JsonObject]) -> int:
    """Counts the messages at the beginning that are the same."""
    count = 0
    for one, other in zip(before, now, strict=False):
        if one != other:
            break
        count += 1
    return count
