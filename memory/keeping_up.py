"""Keeping up with the database: the lease while it is ours, else what its holder writes.

What the door of the database needs for numbers is loaded meanwhile.
"""

import asyncio
import logging

from memory.background import Background
from memory.errors import StrataError
from memory.fact_reading import FactReading
from memory.journal import Journal
from memory.storage import leases

LOGGER = logging.getLogger("strata.memory")
FOLLOW_SECONDS = 0.5
"""Between two looks at whether another process has written."""
QUIET_SECONDS = 1.5
"""After a start, until what can wait is loaded: by then the screen stands and keys are echoed."""


class KeepingUp:
    """Renews the lease of an open session, or follows the process that holds it.

    Args:
        journal: The open session.
        facts: What its agent knows, which any process may change.
    """

    def __init__(self, journal: Journal, facts: FactReading) -> None:
        self._journal = journal
        self._facts = facts
        self._background = Background("strata lease")
        self._preparing = Background("strata door")

    def begin(self) -> None:
        """Begins it in the background."""
        self._background.begin(self._work)
        if not self._journal.read_only:
            self._preparing.begin(self._prepare)

    async def stop(self) -> None:
        """Ends it."""
        await self._preparing.stop()
        await self._background.stop()

    async def _prepare(self) -> None:
        await asyncio.sleep(QUIET_SECONDS)
        await asyncio.to_thread(self._journal.door.prepare)

    async def _work(self) -> None:
        journal, version = self._journal, -1
        while True:
            try:
                if not journal.read_only:
                    await asyncio.sleep(leases.RENEW_SECONDS)
                    await journal.renew()
                    await self._facts.refresh()
                    continue
                current = await journal.database.data_version()
                if current != version:
                    version = current
                    await journal.refresh()
                    await self._facts.refresh()
            except StrataError as error:
                LOGGER.warning("keeping up with the database: %s", error)
            await asyncio.sleep(FOLLOW_SECONDS)
