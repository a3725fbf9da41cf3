"""What the screen of recalled passages reads, now and at past turns."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.screens.place import Place
from memory.recall_views import FoundView, IndexView, RecallView
from memory.views import TurnPoint

if TYPE_CHECKING:
    from memory import Memory
    from memory.storage.said import Said


def place_of(found: FoundView, said: "Said | None", *, is_here: bool) -> Place | None:
    """Where the message stands that a passage is part of; None where it is part of none.

    Args:
        found: The passage.
        said: Its whole text and where that stands; None where it is not known any more.
        is_here: Whether that is in the branch that is open.
    """
    number = said.number if said is not None else found.number
    if not number or (said is None and not found.here):
        return None
    return Place(number) if said is None or is_here else Place(number, said.branch, said.name)


@dataclass(frozen=True, slots=True)
class Turn:
    """What stood in a turn."""

    view: RecallView | None
    index: IndexView | None
    """How far searches are complete; None for the past."""
    now: datetime
    told: str
    """Which turn it is."""


class Recollections:
    """Reads what was recalled; changes nothing.

    Args:
        memory: The open session.
    """

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory
        self._past = memory.past()

    async def points(self) -> tuple[TurnPoint, ...]:
        """The requests there were, oldest first.

        Raises:
            StorageError: The database refused.
        """
        return tuple(point for point in await self._memory.turn_points() if point.asked)

    async def now(self) -> Turn:
        """The present turn."""
        snapshot = self._memory.snapshot()
        return Turn(snapshot.recalled, snapshot.index, datetime.now(UTC), "this turn")

    async def at(self, point: TurnPoint) -> Turn:
        """The turn of a request.

        Raises:
            StorageError: The database refused.
        """
        snapshot, then = await self._past.moment(point.n)
        return Turn(snapshot.recalled, None, then, f"as of message {point.message:,}")

    async def said(self, view: RecallView) -> "Mapping[int, Said]":
        """The whole texts that were found, by their passages.

        Raises:
            StorageError: The database refused.
        """
        every = (*view.texts, *view.facts, *view.left_out)
        return await self._memory.sessions.passages([one.passage for one in every])

    def is_here(self, said: "Said") -> bool:
        """Whether a text stands in the branch that is open."""
        return self._memory.facts.is_here(said.branch, said.n)
