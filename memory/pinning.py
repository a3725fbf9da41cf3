"""Messages and sentences that stay in the prompt word for word (COMPACT-14)."""

from collections.abc import Callable
from typing import cast

from memory import telemetry
from memory.budget import Budget
from memory.errors import StrataError
from memory.events import Event, Message, Pinned, Unpinned
from memory.ids import new_id
from memory.journal import Journal
from memory.parts import MessageRef
from memory.privacy import Cleaned
from memory.state import Pin, State
from memory.tokens import estimate

SHARE = 4
"""All pins together may have one part in so many of the room of a prompt."""


class CantPin(StrataError):
    """Something can't be pinned, or there is no such pin."""


class Pinning:
    """What the user keeps in the prompt, whatever is compacted.

    Args:
        journal: The open session.
        budget: The levels of the model's window, as they are now.
    """

    def __init__(self, journal: Journal, budget: Callable[[], Budget]) -> None:
        self._journal = journal
        self._budget = budget

    def pins(self) -> tuple[Pin, ...]:
        """Everything pinned, oldest first."""
        return self._journal.state.pins

    @telemetry.operation("memory.pin")
    async def pin_message(self, number: int) -> Pin:
        """Keeps a whole message; one that is kept already stays as it is.

        Raises:
            CantPin: There is no such message, it stays anyway, or there is no room for it.
            StorageError: The database refused; nothing was changed.
        """
        recorded = await self._journal.log.messages(number, number)
        refs = [entry.event.ref for entry in recorded if isinstance(entry.event, Message)]
        if not refs:
            raise CantPin(f"There is no message {number:,} in this session.")
        ref = refs[0]
        if ref.role == "system":
            raise CantPin(f"Message {number:,} is a system message: it always stays.")
        known = await self._journal.bodies.counts([ref.body], self._journal.tokenizer or "")
        tokens = known.get(ref.body, estimate(ref.chars))

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
            if number in state.pinned_numbers:
                return None
            self._assert_room(state, tokens)
            return [_whole(ref, state)], {}

        await self._journal.append(make)
        return next(pin for pin in self.pins() if pin.whole and pin.number == number)

    @telemetry.operation("memory.pin")
    async def pin_text(self, text: str, number: int | None = None) -> Pin:
        """Keeps a sentence.

        Args:
            text: The sentence; kept as it is, but for blanks at its ends.
            number: The message it was taken from.

        Raises:
            CantPin: It is empty, or there is no room for it.
            StorageError: The database refused; nothing was changed.
        """
        cleaned = self._journal.door.clean(text.strip())
        if not cleaned.text:
            raise CantPin("There is nothing to pin.")
        body, tokens = new_id(), estimate(len(cleaned.text))

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]]:
            self._assert_room(state, tokens)
            event = Pinned(_next_id(state), body, len(cleaned.text), number, whole=False)
            return [event], {body: cleaned}

        (recorded,) = await self._journal.append(make)
        event = cast(Pinned, recorded.event)
        return next(pin for pin in self.pins() if pin.id == event.id)

    @telemetry.operation("memory.unpin")
    async def unpin(self, id: str) -> Pin:
        """Lets go of a pin, which is compacted like everything else from then on.

        Raises:
            CantPin: There is none of this id.
            StorageError: The database refused; nothing was changed.
        """
        held: list[Pin] = []

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]]:
            held.extend(pin for pin in state.pins if pin.id == id)
            if not held:
                raise CantPin(f"Nothing is pinned as {id}.", "@pins lists what is.")
            return [Unpinned(id)], {}

        await self._journal.append(make)
        return held[0]

    def _assert_room(self, state: State, tokens: int) -> None:
        """Refuses what would leave too little room for the conversation."""
        tally = self._journal.tally
        held = sum(tally.body(pin.body, pin.chars) for pin in state.pins)
        most = self._budget().room // SHARE
        if held + tokens > most:
            already = f" besides the {held:,} that are pinned" if held else ""
            raise CantPin(
                f"This has about {tokens:,} tokens{already}, but pins may have {most:,} together: "
                "a quarter of what fits into a prompt.",
                "Pin a shorter part of it, or unpin something first.",
            )


def _next_id(state: State) -> str:
    """Short enough to type, and never used twice: the number of the event."""
    return f"p{state.n + 1}"


def _whole(ref: MessageRef, state: State) -> Pinned:
    return Pinned(_next_id(state), ref.body, ref.chars, ref.number, whole=True)
