"""Calls and results as every provider takes them: each call has its result behind it (I3). Pure.

A result that never came is made up: a message of a reference of its own, so that whoever renders,
counts or compares messages need not know of it. A result whose call is not right before it is told
by the user.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memory.parts import MessageRef
from memory.tokens import Tally, estimate

NOT_RUN = "Not run: it was interrupted."
"""Stands in the place of a tool's result that never came."""
STRAY = "Result of a tool that was called before:\n"
"""Begins a result that does not stand behind its call."""
MISSING_BODY = "missing:"
"""Begins the made-up body of a result that never came; no stored body has a colon."""


@dataclass(frozen=True, slots=True)
class Paired:
    """A message as it is sent."""

    ref: MessageRef
    how: Literal["own", "missing", "stray"] = "own"

    @property
    def before(self) -> str:
        """What stands before its text."""
        return STRAY if self.how == "stray" else ""

    def extra_tokens(self, tally: Tally) -> int:
        """Tokens of it beyond those of the message that the log has."""
        if self.how == "missing":
            return tally.message(self.ref)
        return estimate(len(STRAY)) if self.how == "stray" else 0


def paired(messages: Sequence[MessageRef]) -> list[Paired]:
    """The messages in the order in which they are sent, with what stands for missing results."""
    sent: list[Paired] = []
    for exchange in _exchanges(messages):
        owed = list(exchange[0].call_ids)
        strays: list[Paired] = []
        for ref in exchange:
            if ref.role != "tool":
                sent.append(Paired(ref))
            elif ref.answers in owed:
                owed.remove(ref.answers)
                sent.append(Paired(ref))
            else:
                strays.append(Paired(replace(ref, role="user", answers=None), "stray"))
        sent += [Paired(_missing(exchange[0], id), "missing") for id in owed]
        sent += strays
    return sent


def pairing_tokens(messages: Sequence[MessageRef], tally: Tally) -> int:
    """Tokens that pairing adds to the messages."""
    if all(ref.role != "tool" and not ref.call_ids for ref in messages):
        return 0
    return sum(message.extra_tokens(tally) for message in paired(messages))


def open_calls(messages: Sequence[MessageRef]) -> tuple[str, ...]:
    """The calls at the end of a conversation that are still to be answered, in their order."""
    spoken = (place for place in reversed(range(len(messages))) if messages[place].role != "tool")
    last = messages[next(spoken, len(messages)) :]
    return tuple(call.ref.answers or "" for call in paired(last) if call.how == "missing")


def _missing(caller: MessageRef, id: str) -> MessageRef:
    return MessageRef(
        caller.number, "tool", f"{MISSING_BODY}{caller.number}:{id}", len(NOT_RUN), answers=id
    )


def _exchanges(messages: Sequence[MessageRef]) -> list[list[MessageRef]]:
    """Each message that is no result, with the results right behind it."""
    exchanges: list[list[MessageRef]] = []
    for message in messages:
        if message.role == "tool" and exchanges:
            exchanges[-1].append(message)
        else:
            exchanges.append([message])
    return exchanges
