"""The newest stored items, kept at hand for snapshots with a line on each (VIEW-1)."""

import asyncio
import logging
from itertools import islice

from memory.background import Background
from memory.content.catalogue import CONTENT_KINDS, Catalogue
from memory.content.compactors import digest_of
from memory.content.listing import LINE_CHARS, NEWEST, item_views
from memory.content.telling import clipped
from memory.content_events import ContentDigested, ContentStored
from memory.events import Recorded
from memory.journal import Journal
from memory.parts import ContentItem
from memory.state import Folding
from memory.storage.bodies import ERASED
from memory.storage.failures import StorageError
from memory.storage.log import ALL
from memory.work_views import ItemView

LOGGER = logging.getLogger("strata.memory")
LONGEST_READ = 1_000_000
"""Characters of an item above which no line is made of it: reading it would take too long."""
MOST_HELD = 20 * NEWEST
"""Items held before the oldest are let go of."""


class Shelf:
    """The newest items of an open session; what the lines say is found out in the background."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._catalogue = Catalogue()
        self._lines: dict[str, str] = {}
        self._background = Background("strata content lines")
        journal.listen(self._note)

    async def begin(self) -> None:
        """Reads the newest items.

        Raises:
            StorageError: The database refused.
        """
        self._catalogue = await newest_items(self._journal)

    async def renew(self) -> None:
        """Lets go of all lines, and finds out anew what they say: texts were forgotten.

        Raises:
            StorageError: The database refused.
        """
        await self.stop()
        self._lines.clear()
        await self.begin()
        self.describe()

    def describe(self) -> None:
        """Begins to find out what the lines say: about a millisecond each, so not while opening."""
        self._background.begin(self._describe)

    def views(self, folding: Folding) -> tuple[ItemView, ...]:
        """The newest items, newest first."""
        return item_views(self._newest(), self._lines, folding)

    async def settled(self) -> None:
        """Waits until every item has its line."""
        await self._background.settled()

    async def stop(self) -> None:
        """Ends what is done in the background."""
        await self._background.stop()

    def _newest(self) -> list[ContentItem]:
        return list(islice(self._catalogue.listed(), NEWEST))

    def _note(self, recorded: Recorded) -> None:
        self._catalogue.take(recorded)
        if isinstance(recorded.event, ContentStored):
            items = self._catalogue.items
            for id in list(islice(items, max(0, len(items) - MOST_HELD))):
                del items[id]
                self._lines.pop(id, None)
            self.describe()
        elif isinstance(recorded.event, ContentDigested):
            self._lines.pop(recorded.event.item, None)
            self.describe()

    async def _describe(self) -> None:
        try:
            while (item := self._undescribed()) is not None:
                digest = self._catalogue.digests.get(item.id)
                line = await line_of(self._journal, item, digest)
                # Where a model has written of it meanwhile, the next round takes that.
                if self._catalogue.digests.get(item.id) == digest:
                    self._lines[item.id] = line
                await asyncio.sleep(0)
        except StorageError as error:
            # A line only helps to tell items apart; the next item that is stored tries again.
            LOGGER.warning("stored items could not be read: %s", error.sentence)

    def _undescribed(self) -> ContentItem | None:
        return next((item for item in self._newest() if item.id not in self._lines), None)


async def newest_items(journal: Journal, upto: int = ALL) -> Catalogue:
    """The newest items as they were after event `upto`.

    Raises:
        StorageError: The database refused.
    """
    catalogue = Catalogue()
    newest = await journal.log.read_newest((ContentStored.KIND,), NEWEST, upto)
    if newest:
        for recorded in await journal.log.read(newest[0].n - 1, upto, CONTENT_KINDS):
            catalogue.take(recorded)
    return catalogue


async def line_of(journal: Journal, item: ContentItem, digest: str | None) -> str:
    """What an item is, in one line; empty where its text is gone or too long to be read now.

    Args:
        journal: The open session.
        item: The item.
        digest: The body of what a model wrote of it; None for a digest by rule.

    Raises:
        StorageError: The database refused.
    """
    if digest is not None and (written := await _read(journal, digest)):
        return clipped(written, LINE_CHARS)
    if item.chars > LONGEST_READ:
        return ""
    text = await _read(journal, item.body)
    return digest_of(text[item.start : item.end], item.type, chars=LINE_CHARS) if text else ""


async def _read(journal: Journal, body: str) -> str:
    """A text; empty where it was forgotten."""
    text = journal.texts.get(body)
    if text is None:
        text = (await journal.bodies.texts([body])).get(body, ERASED)
    return "" if text == ERASED else text
