"""What the user has begun to write, kept until it is sent: no kill takes it away (STORE-2)."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress

from memory.background import Background
from memory.errors import StrataError
from memory.journal import Journal
from memory.storage.unsent import Begun, UnsentTexts

LOGGER = logging.getLogger("strata.memory")
WRITE_SECONDS = 1.0
"""From the first key after a writing to the next one: so much of what was typed a kill may take."""
CHARS_A_SECOND = 40_000
"""A longer text is written more seldom: looking for secrets takes 1 ms for 1,000 characters."""


class Unsent:
    """Keeps what is being written in an open session; a session that is only read keeps nothing.

    Args:
        journal: The open session.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._texts = UnsentTexts(journal.database, journal.log.branch)
        self._kept: str | None = ""
        """What was typed when it was kept last; None where nobody knows what is kept."""
        self._whole = True
        """Whether nothing of it was held back."""
        self._read: Callable[[], str] = str
        self._changed = asyncio.Event()
        self._emptied = asyncio.Event()
        self._writing = Background("strata unsent text")

    async def take_up(self) -> Begun:
        """What was begun when the session was open last; nothing where it is only read.

        Raises:
            Conflict, StorageError: It can't be had now, and stays where it is.
        """
        if self._journal.read_only:
            return Begun()
        self._kept = None
        begun = await self._texts.take_up(self._journal.held())
        self._kept, self._whole = begun.text, True
        # Killed between the two, it stands in both places.
        return Begun() if begun.text and begun.text == self._said_last else begun

    def changed(self, read: Callable[[], str], *, emptied: bool = False) -> None:
        """Takes in that something was typed; it is on disk a second later.

        Args:
            read: Gives the whole text as it is then.
            emptied: There is nothing any more, as after sending: at once nothing is kept.
        """
        if self._journal.read_only:
            return
        self._read = read
        self._changed.set()
        if emptied:
            self._emptied.set()
        self._writing.begin(self._keep_writing)

    async def settle(self, text: str) -> bool:
        """Keeps a text as it is left, and stops.

        Args:
            text: The whole of it; empty for nothing.

        Returns:
            Whether it is kept; False where the session is only read here, or the disk refused.
        """
        await self.stop()
        if not self._journal.read_only:
            await self._write(text, rests=True)
        return self._kept == text

    async def stop(self) -> None:
        """Stops writing; what is kept stays."""
        await self._writing.stop()

    # -- inside

    @property
    def _said_last(self) -> str:
        newest = self._journal.state.folding.question
        return self._journal.texts[newest.body] if newest is not None else ""

    @property
    def _pause(self) -> float:
        """Seconds until the next writing."""
        return max(WRITE_SECONDS, len(self._kept or "") / CHARS_A_SECOND)

    async def _keep_writing(self) -> None:
        while True:
            await self._changed.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pause):
                    await self._emptied.wait()
            self._changed.clear()
            self._emptied.clear()
            await self._write(self._read(), rests=False)

    async def _write(self, text: str, *, rests: bool) -> None:
        if text == self._kept and (self._whole or not rests):
            return
        # Where it is cut off in the middle, nobody knows what is kept.
        self._kept = None
        try:
            await self._texts.write(text, self._journal.held(), rests=rests)
            self._kept, self._whole = text, rests
        except StrataError as error:
            # It stands on the screen still; the next key tries again.
            LOGGER.warning("what is being written could not be kept: %s", error.sentence)
