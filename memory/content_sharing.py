"""The content store of a helper that shares the one of the session it works for (CHAT-11, S3)."""

from collections.abc import Collection, Sequence
from operator import attrgetter
from typing import Any

from memory.content.catalogue import MOST_FOUND
from memory.content.copying import ContentSnapshot
from memory.content.handles import ItemHandle, parse_handle
from memory.content.transforms import How
from memory.content_store import Content
from memory.errors import StrataError
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

    async def store(
        self,
        text: str,
        type: ItemType = "custom",
        source: str = "",
        tags: Sequence[str] = (),
        related: Sequence[str] = (),
    ) -> ContentItem:
        """Keeps a text: with the owner while the helper works, later here."""
        if self.working_for is not None:
            return await self.working_for.store(text, type, source, tags, related)
        return await super().store(text, type, source, tags, related)

    async def mark(
        self,
        handle: str,
        *,
        tags: Sequence[str] = (),
        without: Collection[str] = (),
        related: Sequence[str] = (),
    ) -> ContentItem:
        """Gives an item tags and relations, where it is kept."""
        if (owner := await self._keeper(handle)) is not None:
            return await owner.mark(handle, tags=tags, without=without, related=related)
        return await super().mark(handle, tags=tags, without=without, related=related)

    async def clear(self, handles: Collection[str] | None = None) -> int:
        """Takes items of this session off the lists; those of the owner stay.

        Raises:
            StrataError: One of them is the owner's; nothing was cleared.
        """
        for handle in handles or ():
            if await self._keeper(handle) is not None:
                raise StrataError(
                    f"{handle} belongs to the session that this one works for.",
                    "It is cleared there: @delegate back goes to it.",
                )
        return await super().clear(handles)

    async def items(self) -> list[ContentItem]:
        """Every listed item, the owner's before those of this session."""
        return [*await (await self._owners()).items(), *await super().items()]

    async def item(self, handle: str) -> ContentItem:
        """What is known of an item."""
        owner = await self._keeper(handle)
        return await (owner.item(handle) if owner is not None else super().item(handle))

    async def query(
        self,
        type: ItemType | None = None,
        source: str | None = None,
        tags: Collection[str] = (),
        limit: int = MOST_FOUND,
        **more: str,
    ) -> list[ContentItem]:
        """The newest items of both that are all that is asked for, newest first."""
        owner = await self._owners()
        found = await owner.query(type, source, tags, limit, **more)
        found += await super().query(type, source, tags, limit, **more)
        return sorted(found, key=attrgetter("at"), reverse=True)[: max(0, limit)]

    async def retrieve(self, handle: str, how: How = "full", **part: Any) -> str:
        """What a handle names: an item of either, or messages of this session."""
        if (owner := await self._keeper(handle)) is not None:
            return await owner.retrieve(handle, how, **part)
        return await super().retrieve(handle, how, **part)

    async def snapshot(self) -> ContentSnapshot:
        """What this session itself has listed."""
        return ContentSnapshot(self._journal.log.stream, tuple(await super().items()))

    async def _keeper(self, handle: str) -> Content | None:
        """The owner's store where it keeps the item; None for what this session has itself."""
        named = parse_handle(handle)
        if isinstance(named, ItemHandle) and int(named.id[1:]) <= HELPERS_OWN:
            return await self._owners()
        return None

    async def _owners(self) -> Content:
        helping = self._journal.state.helping
        if self._owner is None and helping is not None:
            database = self._journal.database
            log = await Log.open(database, helping.branch)
            state = await state_at(database, log)
            self._owner = Content(Journal(database, log, None, state))
        if self._owner is None:
            raise LookupError("this session works for no other")
        return self._owner
