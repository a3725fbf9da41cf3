"""The content store of an open session: what stands outside the prompt, cited (CONT-1)."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice

from memory import telemetry
from memory.content.catalogue import (
    CONTENT_KINDS,
    MOST_FOUND,
    Catalogue,
    Wanted,
    cited,
    ids_there,
    item_id,
    one_listed,
    there,
)
from memory.content.compactors import digest_of
from memory.content.copying import ContentSnapshot, returned, with_own_bodies
from memory.content.handles import ItemHandle, UnknownItem, parse_handle
from memory.content.handles import item_handle as handle_of
from memory.content.moments import TimeRange, span
from memory.content.transforms import FIRST_LINES, How, several
from memory.content.transforms import transform as transformed
from memory.content_events import ContentCleared, ContentMarked, ContentStored
from memory.events import Event
from memory.ids import new_id
from memory.journal import Journal
from memory.parts import ContentItem, ItemType
from memory.privacy import Cleaned
from memory.resolving import text_of_messages
from memory.state import State
from memory.storage.bodies import ERASED
from memory.telling import told_of_item

READ_AT_ONCE = 100
"""Items whose texts are searched at a time."""
FOLDED_AT_ONCE = 1_000
"""Events of the log that are gone through before others get their turn: at most 20 ms."""
LONG = 100_000
"""Characters of a text beyond which it is taken apart beside the screen's own work."""

Named = ContentItem | str
"""An item, or its handle."""
Made = tuple[Sequence[Event], Mapping[str, Cleaned]] | None


class Content:
    """Stores content and finds it again.

    Items that stand in a message are parts of its body; only what is stored by itself is a text
    of its own. What is known of the items is folded from the log when it is first asked for, and
    only from what came since from then on.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._catalogue = Catalogue()
        self._reading = asyncio.Lock()

    # -- storing

    @telemetry.operation("memory.content.store", told_of_item)
    async def store(
        self,
        text: str,
        type: ItemType = "custom",
        source: str = "",
        tags: str | Iterable[str] = (),
        related: Named | Iterable[Named] = (),
    ) -> ContentItem:
        """Keeps a text outside the prompt; it is on disk when this returns.

        Args:
            text: What to keep; secrets in it are replaced.
            type: What it is.
            source: Where it came from: a tool's name, `user`, …
            tags: Words to find it by.
            related: Items that belong with it.

        Raises:
            UnknownItem: A related item is not there.
            ReadOnly, Conflict, StorageError: It was not stored.
        """
        await self._journal.door.ahead(text)
        body, cleaned = new_id(), self._journal.door.clean(text)
        tags, with_it = self._all_clean(tags), named(related)

        def make(catalogue: Catalogue, state: State) -> Made:
            item = ContentItem(
                id=handle_of(state.content_items + 1),
                type=type,
                body=body,
                chars=len(cleaned.text),
                source=self._journal.cleaned(source),
                tags=tags,
                related=ids_there(catalogue, with_it),
            )
            return [ContentStored((item,))], {body: cleaned}

        await self._append(make)
        return next(item for item in self._catalogue.listed() if item.body == body)

    @telemetry.operation("memory.content.mark")
    async def mark(
        self,
        item: Named,
        *,
        tags: str | Iterable[str] = (),
        without: str | Iterable[str] = (),
        related: Named | Iterable[Named] = (),
    ) -> ContentItem:
        """Gives an item tags and relations, or takes tags from it.

        Args:
            item: The item.
            tags: Tags it gets.
            without: Tags it loses.
            related: Items that belong with it.

        Raises:
            UnknownItem: One of the items is not there.
            ReadOnly, Conflict, StorageError: Nothing was changed.
        """
        id, more, less, with_it = (
            item_id(item),
            self._all_clean(tags),
            several(without),
            named(related),
        )

        def make(catalogue: Catalogue, state: State) -> Made:
            known = one_listed(catalogue, id)
            kept = [tag for tag in (*known.tags, *more) if tag not in less]
            relations = (*known.related, *ids_there(catalogue, with_it))
            marked = ContentMarked(id, tuple(dict.fromkeys(kept)), tuple(dict.fromkeys(relations)))
            unchanged = (marked.tags, marked.related) == (known.tags, known.related)
            return None if unchanged else ([marked], {})

        await self._append(make)
        return self._catalogue.items[id]

    @telemetry.operation("memory.content.clear", lambda cleared: {"items": cleared})
    async def clear(self, items: Named | Iterable[Named] | None = None) -> int:
        """Takes items off the lists: all of them, or the named ones; returns how many.

        Their texts stay in the log, as all that was said does, so a receipt that cites one can
        still be followed (I10); only forgetting erases a text.

        Raises:
            UnknownItem: One of them is not there; nothing was cleared.
            ReadOnly, Conflict, StorageError: Nothing was cleared.
        """
        wanted = None if items is None else [item_id(item) for item in named(items)]
        cleared: list[str] = []

        def make(catalogue: Catalogue, state: State) -> Made:
            listed = [item.id for item in catalogue.listed()][::-1]
            chosen = listed if wanted is None else [one_listed(catalogue, id).id for id in wanted]
            cleared[:] = dict.fromkeys(chosen)
            event = ContentCleared(tuple(cleared), catalogue.chars(cleared))
            return ([event], {}) if cleared else None

        await self._append(make)
        return len(cleared)

    # -- finding

    async def items(self) -> list[ContentItem]:
        """Every listed item, oldest first."""
        return list((await self._up_to_date()).listed())[::-1]

    async def item(self, item: Named) -> ContentItem:
        """What is known of an item, also where it was cleared.

        Raises:
            UnknownItem: It is not there.
        """
        return there(await self._up_to_date(), item_id(item))

    @telemetry.operation("memory.content.query", lambda found: {"items": len(found)})
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
        """The newest items that are all that is asked for, newest first; data, never the content.

        Args:
            type: Of this type only.
            source: With this in their source only.
            tags: With all of these tags only.
            time_range: Stored at the first time or later and before the second only: moments,
                or texts such as `2h` or `2026-11-20T14:00`, in UTC where they name no zone.
            limit: At most so many.
            text: With all of its words in source, tags or content only.

        Raises:
            NoMoment: An end of the range tells no time.
            StorageError: The database refused.
        """
        since, until = span(time_range, datetime.now(UTC))
        catalogue = await self._up_to_date()
        found = catalogue.find(Wanted(type, source or "", frozenset(several(tags)), since, until))
        if text.split():
            return await self._with_words(list(found), text, limit)
        return list(islice(found, max(0, limit)))

    # -- reading

    @telemetry.operation("memory.content.retrieve", lambda text: {"characters": len(text)})
    async def retrieve(
        self,
        item: Named,
        transform: How | str = "full",
        *,
        n: int = FIRST_LINES,
        words: str | Sequence[str] = (),
        lines: tuple[int, int] | None = None,
        numbered: bool = False,
    ) -> str:
        """What a handle names: a content item, a message, or a run of messages.

        A single message without tool calls is its text and nothing else; several stand one after
        the other, each under its number and role.

        Args:
            item: As a receipt cites it: `c3`, `m14`, `m14-m16`; or the item itself.
            transform: In full or which part; see `transforms.transform`.
            n: Lines, for the first and the last ones.
            words: What lines are looked for.
            lines: The first and the last line.
            numbered: Whether each line begins with its number.

        Raises:
            UnknownItem: There is nothing of that name, or it was forgotten.
            BadPattern: A pattern among the words can't be used.
            NoTransform: There is no such way to show a text.
            StorageError: The database refused.
        """
        handle = parse_handle(cited(item))
        type: ItemType = "custom"
        if isinstance(handle, ItemHandle):
            kept, text = await self._text(handle.id)
            type = kept.type
            if transform == "summary":
                return await self._digest(kept, text)
        else:
            text = await text_of_messages(self._journal, handle)

        def taken() -> str:
            return transformed(
                text, transform, n=n, words=words, lines=lines, numbered=numbered, type=type
            )

        return await asyncio.to_thread(taken) if len(text) > LONG else taken()

    # -- sharing

    @telemetry.operation("memory.content.snapshot")
    async def snapshot(self) -> ContentSnapshot:
        """What is listed now: data about the items, their texts by reference."""
        return ContentSnapshot(self._journal.log.stream, tuple(await self.items()))

    @telemetry.operation("memory.content.restore", lambda restored: {"items": len(restored)})
    async def restore(self, snapshot: ContentSnapshot) -> dict[str, str]:
        """Lets the items of a snapshot stand here.

        In the session it was taken from, the lists are again what they were then. Another session
        of the data directory keeps what it has and gets the rest, each text copied once.

        Returns:
            From each id in the snapshot to the item's id here.

        Raises:
            ReadOnly, Conflict, StorageError: Nothing was changed.
        """
        texts: Mapping[str, str] = {}
        if snapshot.stream != self._journal.log.stream:
            texts = await self._journal.bodies.texts({item.body for item in snapshot.items})
        ids: dict[str, str] = {}

        def make(catalogue: Catalogue, state: State) -> Made:
            stream = self._journal.log.stream
            back = returned(catalogue, stream, state.content_items, snapshot)
            ids.clear()
            ids.update(back.ids)
            if not back.events:
                return None
            return with_own_bodies(back.events, texts, self._journal.door)

        await self._append(make)
        return ids

    # -- inside

    async def _up_to_date(self) -> Catalogue:
        """The catalogue with all that came since it was asked for last."""
        async with self._reading:
            journal, catalogue = self._journal, self._catalogue
            upto = journal.state.n
            while catalogue.n < upto:
                last = min(catalogue.n + FOLDED_AT_ONCE, upto)
                for recorded in await journal.log.read(catalogue.n, last, CONTENT_KINDS):
                    catalogue.take(recorded)
                catalogue.n = last
            return catalogue

    async def _append(self, make: Callable[[Catalogue, State], Made]) -> None:
        """Records what is decided on, seeing the newest state and a catalogue that goes with it."""
        behind = True
        while behind:
            catalogue = await self._up_to_date()

            def decided(state: State, catalogue: Catalogue = catalogue) -> Made:
                nonlocal behind
                behind = catalogue.n != state.n
                return None if behind else make(catalogue, state)

            await self._journal.append(decided)
        await self._up_to_date()

    async def _with_words(
        self, items: Sequence[ContentItem], text: str, limit: int
    ) -> list[ContentItem]:
        """The first of the items that have all the words in source, tags or content."""
        words = text.casefold().split()
        found: list[ContentItem] = []
        for start in range(0, len(items), READ_AT_ONCE):
            if len(found) >= limit:
                break
            part = items[start : start + READ_AT_ONCE]
            texts = await self._journal.bodies.texts({item.body for item in part})
            for item in part:
                content = texts.get(item.body, "")[item.start : item.end]
                place = " ".join((item.source, *item.tags, content)).casefold()
                if all(word in place for word in words):
                    found.append(item)
        return found[: max(0, limit)]

    async def _digest(self, item: ContentItem, text: str) -> str:
        """What the model wrote of an item, or else its digest by rule."""
        body = self._catalogue.digests.get(item.id)
        if body is not None:
            written = (await self._journal.bodies.texts([body])).get(body, ERASED)
            if written != ERASED:
                return written
        return digest_of(text, item.type, item.source, item.source)

    def _all_clean(self, texts: str | Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self._journal.cleaned, several(texts))))

    async def _text(self, id: str) -> tuple[ContentItem, str]:
        item = there(await self._up_to_date(), id)
        text = (await self._journal.bodies.texts([item.body])).get(item.body, ERASED)
        if text == ERASED:
            raise UnknownItem(f"{id} was forgotten.", "Its text is no longer kept anywhere.")
        return item, text[item.start : item.end]


def named(items: Named | Iterable[Named]) -> tuple[Named, ...]:
    """Items, also where somebody named one."""
    return (items,) if isinstance(items, ContentItem | str) else tuple(items)
