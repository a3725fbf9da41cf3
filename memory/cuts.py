"""Where a conversation may be cut: never inside a tool exchange (I3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.events import MessageRef


@dataclass(frozen=True, slots=True)
class SafeCuts:
    """The safe places to cut a run of messages.

    A cut at index i parts the messages before i from message i and what follows;
    0 and the run's length (where no call is in flight) are always among them.
    """

    indices: tuple[int, ...]

    @classmethod
    def of(cls, messages: Sequence[MessageRef]) -> "SafeCuts":
        """The safe cuts of a run of consecutive messages."""
        unsafe: set[int] = set()
        for start, end in _exchanges(messages):
            unsafe.update(range(start + 1, end + 1))
        return cls(tuple(i for i in range(len(messages) + 1) if i not in unsafe))

    def at_or_before(self, index: int) -> int:
        """The last safe cut not after `index`: a cut inside an exchange moves to before it."""
        return max((i for i in self.indices if i <= index), default=0)


def _exchanges(messages: Sequence[MessageRef]) -> list[tuple[int, int]]:
    """Index ranges (inclusive) from a message with tool calls to its last result."""
    exchanges: list[tuple[int, int]] = []
    waiting: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message.role == "tool":
            call = waiting.get(message.answers or "", max(0, index - 1))
            exchanges.append((call, index))
        elif message.role == "user":
            # What a user has spoken over is no longer in flight.
            waiting.clear()
        for call_id in message.call_ids:
            waiting[call_id] = index
    answered = {message.answers for message in messages if message.role == "tool"}
    in_flight = [start for id, start in waiting.items() if id not in answered]
    if in_flight:
        exchanges.append((min(in_flight), len(messages)))
    return exchanges
