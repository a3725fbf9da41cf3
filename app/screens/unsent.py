"""What stands in the composer and is not sent: kept with its session, and brought back to it."""

import logging
from typing import TYPE_CHECKING

from app.screens.stage import Stage
from memory.errors import StrataError
from memory.privacy import left_out

if TYPE_CHECKING:
    from memory import Memory
    from memory.storage.unsent import Begun

LOGGER = logging.getLogger("strata.screen")
BACK = "What you had begun to write is here again"
BEHIND = "What you had begun to write comes back once this is sent"
KEPT = "What you had begun to write is kept in the session before."


class Unsent:
    """Goes with the composer from session to session.

    Args:
        stage: Where the composer is.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._memory: Memory | None = None
        self._session = ""
        """The session that was open last: what stands in the composer is its own."""
        self._left = ""
        """What is kept there."""

    async def enter(self, memory: "Memory") -> None:
        """Brings back what was begun in a session, which has just been opened."""
        composer, goes_on = self._stage.composer, self._session == memory.info.id
        if self._left and not goes_on:
            composer.let_go(self._left)
            self._stage.house.say_shortly(KEPT)
        self._session, self._left = memory.info.id, ""
        try:
            begun = await memory.unsent.take_up()
        except StrataError as error:
            LOGGER.warning("what was begun can't be brought back: %s", error.sentence)
            return
        self._memory = memory
        # In another branch of the session it has not left the composer.
        if begun.text and not (goes_on and composer.unsent):
            self._tell(begun, BACK if composer.bring_back(begun.text) else BEHIND)
        if composer.unsent != begun.text:
            self.changed(len(composer.unsent))

    def changed(self, characters: int) -> None:
        """Has what is written kept.

        Args:
            characters: So much of it stands in the composer.
        """
        if self._memory is not None:
            composer = self._stage.composer
            self._memory.unsent.changed(lambda: composer.unsent, emptied=not characters)

    async def leave(self, *, goes: bool) -> None:
        """Keeps it as it is left.

        Args:
            goes: The session is deleted: what is written stays in the composer.
        """
        memory, self._memory = self._memory, None
        if memory is not None:
            text = self._stage.composer.unsent
            kept = await memory.unsent.settle("" if goes else text)
            self._left = text if kept and not goes else ""

    def _tell(self, begun: "Begun", told: str) -> None:
        if begun.kinds:
            kinds = left_out(sum(begun.kinds.values()), list(begun.kinds.items()))
            self._stage.notice(f"{told}; {kinds}.", "note")
        else:
            self._stage.house.say_shortly(f"{told}.")
