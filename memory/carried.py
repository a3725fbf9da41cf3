"""Which tool results the model has been shown in full: a part of the fold (CONT-3)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from memory.events import RequestEnded, RequestPrepared
from memory.parts import MessageRef


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
        self, event: RequestPrepared, window: Sequence[MessageRef], edited: Collection[int]
    ) -> "Carried":
        """A request is about to be sent.

        Args:
            event: The request.
            window: The messages that no summary covers, oldest first.
            edited: Numbers of those that stand otherwise.
        """
        ledger = event.ledger
        first, last = ledger.left_out or (0, -1)
        without = frozenset(
            ref.number
            for ref in window
            if ref.role == "tool"
            and not self.has_shown(ref.number)
            and (
                ref.number in edited
                or ref.number in ledger.shortened
                or first <= ref.number <= last
            )
        )
        # What was folded before it was ever shown comes back so where the folding is undone.
        folded = self.unshown.difference(ref.number for ref in window)
        return replace(self, request=event.request, upto=ledger.last, without=without | folded)

    def ended(self, event: RequestEnded) -> "Carried":
        """An attempt at a request has ended; what it carried counts where it was completed."""
        if event.request != self.request or event.outcome != "ok":
            return self
        return Carried(shown=max(self.shown, self.upto), unshown=self.without)

    def has_shown(self, number: int) -> bool:
        """Whether the model has been shown a tool result in full."""
        return number <= self.shown and number not in self.unshown
