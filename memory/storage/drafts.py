"""An answer while it streams: one row a branch, written again and again."""

import asyncio
from dataclasses import dataclass

from memory.clock import utc_now
from memory.storage.database import Database, Transaction
from memory.storage.leases import Lease, assert_held

LONG = 10_000
"""Characters from which on looking for secrets takes longer than keys should wait."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What had arrived of an answer."""

    request: str
    text: str
    reasoning: str


class Drafts:
    """The draft of a branch."""

    def __init__(self, database: Database, branch: str) -> None:
        self._database = database
        self._branch = branch

    async def write(self, draft: Draft, lease: Lease) -> None:
        """Replaces the draft.

        What may be the beginning of a secret is held back until more of it is there.

        Raises:
            Conflict: The session was taken over.
            StorageError: The database refused.
        """
        now = utc_now()
        text, reasoning = await self._shown(draft.text), await self._shown(draft.reasoning)

        async def write(transaction: Transaction) -> None:
            await assert_held(transaction, lease)
            await transaction.run(
                "INSERT INTO draft VALUES (?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT (branch) DO UPDATE "
                "SET request = ?2, text = ?3, reasoning = ?4, updated_at = ?5",
                (self._branch, draft.request, text, reasoning, now),
            )

        await self._database.write(write)

    async def _shown(self, text: str) -> str:
        clean = self._database.door.clean_growing
        return await asyncio.to_thread(clean, text) if len(text) > LONG else clean(text)

    async def orphan(self) -> Draft | None:
        """The draft that a process left behind, if there is one."""
        row = await self._database.one(
            "SELECT request, text, reasoning FROM draft WHERE branch = ?", (self._branch,)
        )
        return Draft(*row) if row else None

    async def drop(self, lease: Lease) -> None:
        """Removes the draft without making it a message."""

        async def write(transaction: Transaction) -> None:
            await assert_held(transaction, lease)
            await transaction.run("DELETE FROM draft WHERE branch = ?", (self._branch,))

        await self._database.write(write)
