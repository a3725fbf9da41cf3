"""Lets go of what another process has forgotten, and tells it so (RECALL-6, STORE-5)."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable

from memory.background import Background
from memory.codec import decode
from memory.errors import StrataError
from memory.events import Event
from memory.finishing import finish
from memory.forgetting_events import Forgotten
from memory.ids import new_id
from memory.journal import Journal
from memory.privacy import Cleaned
from memory.state import State
from memory.storage import purging
from memory.storage.purging import Reader

LOGGER = logging.getLogger("strata.memory")
LOOK_SECONDS = 0.5
"""Between two looks at whether another process has written."""
PATIENCE_S = 10.0
"""Longest wait for the others: they look twice a second, and finish what they write."""


class LettingGo:
    """What an open session has to do with others that forget, and they with it.

    Args:
        journal: The open session.
        let_go: Ends what is done behind the conversation and reads every text anew.
    """

    def __init__(self, journal: Journal, let_go: Callable[[], Awaitable[None]]) -> None:
        self._journal = journal
        self._database = journal.database
        self._reader = Reader(new_id(), f"another Strata (process {os.getpid()})")
        self._let_go = let_go
        self._seen = 0
        self.turn = asyncio.Lock()
        """Held while texts go here or are let go of: what goes here is not also looked for."""
        self._background = Background("strata letting go")

    async def begin(self) -> None:
        """Tells that texts are held here, and begins to look in the background.

        Raises:
            StorageError: The database refused.
        """
        self._seen = await purging.enter(self._database, self._reader)
        if await self._database.data_version() != self._database.opened_version:
            # What is held was read before this was noted: it may have been forgotten between.
            await self._let_go()
        await self._append_tombstones()
        self._background.begin(self._work)

    async def stop(self) -> None:
        """Looks no more in the background; what was being let go of is gone by then."""
        await self._background.stop()

    async def leave(self) -> None:
        """Tells that nothing is held here any more, once the last of it was let go of."""
        try:
            await self._look()
            await purging.leave(self._database, self._reader.id)
        except StrataError as error:
            # Who forgets looks whether this process lives.
            LOGGER.warning("leaving was not noted: %s", error.sentence)

    def mine(self, id: int) -> None:
        """Notes that this forgetting is done here."""
        self._seen = max(self._seen, id)

    async def others(self, id: int) -> list[str]:
        """Waits until nobody else holds what went; those that do not answer, by their labels.

        Raises:
            StorageError: The database refused.
        """
        deadline = asyncio.get_running_loop().time() + PATIENCE_S
        while True:
            late = await purging.holding_on(self._database, id, self._reader.id)
            if not late or asyncio.get_running_loop().time() > deadline:
                return [reader.label for reader in late]
            await asyncio.sleep(LOOK_SECONDS / 5)

    async def _work(self) -> None:
        version = -1
        while True:
            try:
                current = await self._database.data_version()
                if current != version:
                    version = current
                    await finish(self._look())
            except StrataError as error:
                LOGGER.warning("looking for what others have forgotten: %s", error.sentence)
                version = -1
            await asyncio.sleep(LOOK_SECONDS)

    async def _look(self) -> None:
        async with self.turn:
            newest = await purging.newest(self._database)
            if newest > self._seen:
                await self._let_go()
                await self._append_tombstones()
                await purging.answer(self._database, self._reader.id, newest)
                self._seen = newest

    async def _append_tombstones(self) -> None:
        """Appends what others left for whoever writes to this branch."""
        if self._journal.read_only:
            return
        waiting = await purging.tombstones(self._database, self._journal.log.branch)
        if not waiting:
            return
        events = [decode(Forgotten.KIND, Forgotten.VERSION, data) for _, data in waiting]

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]]:
            return events, {}

        await self._journal.append(make)
        await purging.drop_tombstones(self._database, [id for id, _ in waiting])
