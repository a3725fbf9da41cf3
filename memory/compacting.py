"""Compaction of an open session, and what corrects it: undo, other versions, pins, branches."""

from typing import TYPE_CHECKING

from memory import telemetry, undoing
from memory.events import Compacted, CompactionRedone, CompactionUndone
from memory.requesting import Requesting

if TYPE_CHECKING:
    from memory.branching import Branches
    from memory.pinning import Pinning
    from memory.rewriting import Rewriting


class Compacting(Requesting):
    """What stands in the prompts of an open session in the place of what was said."""

    async def compact(self) -> Compacted | None:
        """Compacts now, whatever the thresholds; None where there is nothing to gain."""
        return await self._upkeep.compact("manual")

    @telemetry.operation("memory.undo", lambda undone: {"compactions": len(undone.compactions)})
    async def undo(self, compaction: str | None = None) -> CompactionUndone:
        """Takes back the newest compaction, or the named one with all that came after it.

        Raises:
            NothingToUndo: There is none.
            WouldNotFit: The prompt would no longer fit.
        """
        return await undoing.undo(self._journal, self.budget, compaction)

    @telemetry.operation("memory.redo")
    async def redo(self) -> CompactionRedone:
        """Lets the compaction undone last hold again.

        Raises:
            NothingToUndo: There is none.
        """
        return await undoing.redo(self._journal)

    @property
    def branches(self) -> "Branches":
        """The branches of this session."""
        from memory.branching import Branches

        return Branches(self._journal, self.info)

    @property
    def rewriting(self) -> "Rewriting":
        """Other versions of the summaries in force."""
        from memory.rewriting import Rewriting  # rarely needed

        return Rewriting(self._journal, self._upkeep)

    @property
    def pinning(self) -> "Pinning":
        """What stays word for word."""
        from memory.pinning import Pinning  # rarely needed

        return Pinning(self._journal, self._upkeep.budget)
