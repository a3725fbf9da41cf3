"""The content store of a helper that shares the one of the session it works for (CHAT-11, S3)."""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from memory.content.catalogue import MOST_FOUND, cited
from memory.content.copying import ContentSnapshot
from memory.content.handles import ItemHandle, parse_handle
from memory.content.moments import TimeRange
from memory.content.transforms import How, several
from memory.content_store import Content, Named, named
from memory.errors import StrataError
from memory.fold import fold
from memory.journal import Journal
from memory.parts import HELPERS_OWN, ContentItem, ItemType
from memory.storage.checkpoints import state_at
from memory.storage.log import Log


class SharedContent(Content):
    """Two stores as one: the owner's, and what this session keeps by itself.

    A handle means the same here and there (I10): what this session keeps by itself has numbers
    that the owner's never reach. While the helper works, all that it stores is the owner's.

    Args:
        journal: The helper's session.
        owner: The owner's store while the helper works for it; without it, the owner's log is
            read, and what is stored stays here.
    """

    def __init__(self, journal: Journal, owner: Content | None = None) -> None:
        super().__init__(journal)
        self.working_for = owner
        """The owner's store, while the helper works."""
        self._owner = owner
        self._read: Journal | None = None
        """The owner's session, where this one reads its log."""

    async def store(
        self,
        text: str,
        type: ItemType = "custom",
        source: str = "",
        tags: str | Iterable[str] = (),
        related: Named | Iterable[Named] = (),
    ) -> ContentItem:
        """Keeps a text: with the owner while the helper works, later here."""
        if self.working_for is not None:
            return await self.working_for.store(text, type, source, tags, related)
        return await super().store(text, type, source, tags, related)

    async def mark(
        self,
        item: Named,
        *,
        tags: str | Iterable[str] = (),
        without: str | Iterable[str] = (),
        related: Named | Iterable[Named] = (),
    ) -> ContentItem:
        """Gives an item tags and relations, where it is kept."""
        if (owner := await self._keeper(item)) is not None:
            return await owner.mark(item, tags=tags, without=without, related=related)
        return await super().mark(item, tags=tags, without=without, related=related)

    async def clear(self, items: Named | Iterable[Named] | None = None) -> int:
        """Takes items of this session off the lists; those of the owner stay.

        Raises:
            StrataError: One of them is the owner's; nothing was cleared.
        """
        wanted = None if items is None else named(items)
        for item in wanted or ():
            if await self._keeper(item) is not None:
                raise StrataError(
                    f"{cited(item)} belongs to the session that this one works for.",
                    "It is cleared there: @delegate back goes to it.",
                )
        return await super().clear(wanted)

    async def items(self) -> list[ContentItem]:
        """Every listed item, the owner's before those of this session."""
        return [*await (await self._owners()).items(), *await super().items()]

    async def item(self, item: Named) -> ContentItem:
        """What is known of an item."""
        owner = await self._keeper(item)
        return await (owner.item(item) if owner is not None else super().item(item))

    async def query(
        self,
        type: ItemType | None = None,
        source: str | None = None,
        tags: str | Iterable[str] = (),
        time_range: TimeRange = (None, None),
        limit: int = MOST_FOUND,
        *,
        text: str = "",
    ) -> list[ContentItem]:
        """The newest items of both that are all that is asked for, newest first."""
        wanted = (type, source, several(tags), time_range, limit)
        found = await (await self._owners()).query(*wanted, text=text)
        found += await super().query(*wanted, text=text)
        return sorted(found, key=attrgetter("at"), reverse=True)[: max(0, limit)]

    async def retrieve(self, item: Named, transform: How | str = "full", **part: Any) -> str:
        """What a handle names: an item of either, or messages of this session."""
        if (owner := await self._keeper(item)) is not None:
            return await owner.retrieve(item, transform, **part)
        return await super().retrieve(item, transform, **part)

    async def snapshot(self) -> ContentSnapshot:
        """What this session itself has listed."""
        return ContentSnapshot(self._journal.log.stream, tuple(await super().items()))

    async def _keeper(self, item: Named) -> Content | None:
        """The owner's store where it keeps the item; None for what this session has itself."""
        handle = parse_handle(cited(item))
        if isinstance(handle, ItemHandle) and int(handle.id[1:]) <= HELPERS_OWN:
            return await self._owners()
        return None

    async def _owners(self) -> Content:
        if self._owner is None:
            self._read = await self._opened()
            self._owner = Content(self._read)
        elif self._read is not None:
            # The helper may still be at work in another process, and store more.
            since = await self._read.log.read(after=self._read.state.n)
            self._read.state = fold(since, self._read.state)
        return self._owner

    async def _opened(self) -> Journal:
        """The owner's session, to be read only."""
        helping, database = self._journal.state.helping, self._journal.database
        if helping is None:
            raise LookupError("this session works for no other")
        log = await Log.open(database, helping.branch)
        return Journal(database, log, None, await state_at(database, log))
