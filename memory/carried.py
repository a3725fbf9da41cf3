"""Which tool results the model has been shown in full: a part of the fold (CONT-3)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from memory.events import RequestEnded, RequestPrepared
from memory.parts import Edit, MessageRef

FOLDED = 200
"""Results that were folded before they were ever shown, the newest ones: an undo brings them back
as what they were."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What completed requests have carried, and what the one on its way carries."""

    request: str | None = None
    """The request that is on its way."""
    upto: int = 0
    """Its newest message."""
    without: frozenset[int] = frozenset()
    """Tool results up to it that neither it nor any before has carried in full."""
    shown: int = 0
    """The newest message that a completed request has carried."""
    unshown: frozenset[int] = frozenset()
    """Tool results up to it that none has carried in full."""

    def prepared(
        self, event: RequestPrepared, window: Sequence[MessageRef], edits: Sequence[Edit]
    ) -> "Carried":
        """A request is about to be sent; costs what came since the last one.

        Args:
            event: The request.
            window: The messages that no summary covers, oldest first.
            edits: What stands in the place of some of them, by their numbers.
        """
        ledger = event.ledger
        fresh = takewhile(lambda ref: ref.number > self.shown, reversed(window))
        unseen = self.unshown.union(ref.number for ref in fresh if ref.role == "tool")
        oldest = min(unseen, default=0)
        edited = {edit.number for edit in takewhile(lambda e: e.number >= oldest, reversed(edits))}
        first, last = ledger.left_out or (0, -1)
        begins = window[0].number if window else ledger.last + 1
        folded = sorted(number for number in unseen if number < begins)[-FOLDED:]
        hidden = (
            number
            for number in unseen
            if number >= begins
            and (number in edited or number in ledger.shortened or first <= number <= last)
        )
        without = frozenset((*folded, *hidden))
        return replace(self, request=event.request, upto=ledger.last, without=without)

    def ended(self, event: RequestEnded) -> "Carried":
        """An attempt at a request has ended; what it carried counts where it was completed."""
        if event.request != self.request or event.outcome != "ok":
            return self
        return Carried(shown=max(self.shown, self.upto), unshown=self.without)

    def has_shown(self, number: int) -> bool:
        """Whether the model has been shown a tool result in full."""
        return number <= self.shown and number not in self.unshown
