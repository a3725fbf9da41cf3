"""Where what stands in a request is from, and the ways that lead there (VIEW-2)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from app.screens.place import Place
from app.screens.prompt_rows import Entry
from app.screens.recalled_reading import place_of
from memory.errors import StrataError
from memory.recall_views import FoundView
from memory.views import FactView

if TYPE_CHECKING:
    from memory import Memory
    from memory.storage.said import Said

NO_SOURCE = "It is not from a message: what it says stands here."
NO_FACT = "This fact is no longer known."
Way = Callable[[], Awaitable[Place | None]]
"""Shows another screen; ends with the message that is to be seen then."""


class Screens(Protocol):
    """Shows other screens until the user goes back; each ends with what is to be seen then."""

    async def show_facts(self, chosen: str | None, which: str) -> Place | None:
        """What the agent knows, from one fact on."""

    async def show_recalled(self, chosen: str | None, message: int) -> Place | None:
        """What was recalled, for a message."""

    async def show_goals(self, chosen: str | None) -> int | None:
        """Goal and tasks."""


class PromptSources:
    """Leads from pieces to messages, facts, goals, and to what was recalled.

    Args:
        memory: The open session.
        screens: Shows other screens.
    """

    def __init__(self, memory: "Memory", screens: Screens) -> None:
        self._memory = memory
        self._screens = screens

    async def said(self, found: Sequence[FoundView]) -> "Mapping[int, Said]":
        """The whole texts of passages, and where they stand.

        Raises:
            StorageError: The database refused.
        """
        ids = [one.passage for one in found if one.passage]
        return await self._memory.sessions.passages(ids) if ids else {}

    def way_of(self, entry: Entry, said: "Said | None") -> Place | Way:
        """The message that a row is from, or the way to what it is from.

        Raises:
            StrataError: It is from no message, or that is gone.
        """
        found, piece, gone = entry.found, entry.piece, entry.gone
        if found is not None and found.kind == "fact":
            return self._to_fact(said.text if said is not None else found.text)
        if found is not None:
            place = place_of(found, said, is_here=said is not None and self._is_here(said))
        elif gone is not None:
            place = Place(gone.first)
        elif piece is not None and piece.section == "working":
            return self._to_goals
        else:
            place = Place(piece.sources[0]) if piece is not None and piece.sources else None
        if place is None:
            raise StrataError(NO_SOURCE)
        return place

    async def recalled(self, number: int) -> Place | None:
        """Shows what was recalled for a message."""
        return await self._screens.show_recalled(None, number)

    # -- inside

    def _is_here(self, said: "Said") -> bool:
        return self._memory.facts.is_here(said.branch, said.n)

    def _to_fact(self, text: str) -> Way:
        fact = fact_of(self._memory.facts.all(), text)
        if fact is None:
            raise StrataError(NO_FACT)
        which = "live" if fact.live else "ended"
        return lambda: self._screens.show_facts(fact.id, which)

    async def _to_goals(self) -> Place | None:
        number = await self._screens.show_goals(None)
        return None if number is None else Place(number)


def fact_of(facts: Sequence[FactView], text: str) -> FactView | None:
    """The fact that says a text, or said it before it was edited."""
    says = (fact for fact in facts if fact.text == text)
    said = (fact for fact in facts if text in fact.earlier)
    return next(says, None) or next(said, None)
