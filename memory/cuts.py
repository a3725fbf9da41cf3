"""Where a conversation may be cut: never inside a tool exchange (I3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.parts import MessageRef


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


def whole_exchanges(messages: Sequence[MessageRef], numbers: frozenset[int]) -> frozenset[int]:
    """The numbers, and with each that of every message of its tool exchange."""
    if not numbers:
        return frozenset()
    whole = {ref.number for ref in messages if ref.number in numbers}
    for start, end in _exchanges(messages):
        exchange = {ref.number for ref in messages[start : end + 1]}
        if exchange & numbers:
            whole |= exchange
    return frozenset(whole)


def _exchanges(messages: Sequence[MessageRef]) -> list[tuple[int, int]]:
    """Index ranges (inclusive) from a message with tool calls to its last result.

    Call ids may be used again: a result belongs to the newest call of its id. A result without
    a call stays with the message before it.
    """
    exchanges: list[tuple[int, int]] = []
    called: dict[str, int] = {}
    in_flight: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message.role == "tool":
            answers = message.answers or ""
            exchanges.append((called.get(answers, max(0, index - 1)), index))
            in_flight.pop(answers, None)
        elif message.role == "user":
            # What a user has spoken over is no longer in flight.
            in_flight.clear()
        for call_id in message.call_ids:
            called[call_id] = in_flight[call_id] = index
    if in_flight:
        exchanges.append((min(in_flight.values()), len(messages)))
    return exchanges
