"""The items of a content store, folded from the events about them (CONT-1). Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from memory.content.handles import ItemHandle, UnknownItem, parse_handle
from memory.content_events import (
    ContentCleared,
    ContentDigested,
    ContentListed,
    ContentMarked,
    ContentStored,
)
from memory.events import Recorded
from memory.parts import ContentItem, ItemType

MOST_FOUND = 10
"""Items that a query names (S3)."""
CONTENT_KINDS = (
    ContentStored.KIND,
    ContentMarked.KIND,
    ContentCleared.KIND,
    ContentListed.KIND,
    ContentDigested.KIND,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items are looked for: those that are all that is asked for.

    Args:
        type: Of this type.
        source: With this in their source; upper and lower case are the same.
        tags: With all of these tags.
        since: Stored at this time or later (UTC, ISO 8601).
        until: Stored before this time.
    """

    type: ItemType | None = None
    source: str = ""
    tags: frozenset[str] = frozenset()
    since: str = ""
    until: str = ""

    def fits(self, item: ContentItem) -> bool:
        """Whether an item is all that is asked for."""
        return (
            (self.type is None or item.type == self.type)
            and (not self.tags or self.tags.issubset(item.tags))
            and (not self.source or self.source.casefold() in item.source.casefold())
            and item.at >= self.since
            and (not self.until or item.at < self.until)
        )


@dataclass(slots=True)
class Catalogue:
    """What is known of the items; the content stays in the body table."""

    items: dict[str, ContentItem] = field(default_factory=dict)
    """Every item by id, oldest first, those that were cleared included."""
    cleared: set[str] = field(default_factory=set)
    digests: dict[str, str] = field(default_factory=dict)
    """Bodies with what a model wrote of items, by the items' ids."""
    n: int = 0
    """The event up to which it is complete."""

    def take(self, recorded: Recorded) -> None:
        """Takes one more event in; what it says of unknown items is passed over."""
        match recorded.event:
            case ContentStored(items=items):
                self.items |= {item.id: replace(item, at=recorded.at) for item in items}
            case ContentMarked(item=id, tags=tags, related=related) if id in self.items:
                self.items[id] = replace(self.items[id], tags=tags, related=related)
            case ContentCleared(items=ids):
                self.cleared.update(ids)
            case ContentDigested(item=id, body=body):
                self.digests[id] = body
            case ContentListed(items=ids):
                self.cleared.difference_update(ids)
        self.n = max(self.n, recorded.n)

    def listed(self) -> Iterator[ContentItem]:
        """The items that were not cleared, newest first."""
        return (item for id, item in reversed(self.items.items()) if id not in self.cleared)

    def find(self, wanted: Wanted) -> Iterator[ContentItem]:
        """The listed items that are all that is asked for, newest first."""
        return filter(wanted.fits, self.listed())

    def chars(self, ids: Sequence[str]) -> int:
        """Characters of some items."""
        return sum(self.items[id].chars for id in ids)


def cited(item: ContentItem | str) -> str:
    """The handle of an item that is named by itself or by its handle."""
    return item if isinstance(item, str) else item.id


def item_id(item: ContentItem | str) -> str:
    """The id of the item that is named, whether there is one or not.

    Raises:
        UnknownItem: Its handle names messages, or nothing.
    """
    handle = cited(item)
    named = parse_handle(handle)
    if isinstance(named, ItemHandle):
        return named.id
    raise UnknownItem(f"{handle} is no stored item.", "Stored items are named c1, c2, …")


def there(catalogue: Catalogue, id: str) -> ContentItem:
    """An item, also where it was cleared.

    Raises:
        UnknownItem: There is none of the id.
    """
    item = catalogue.items.get(id)
    if item is None:
        count = len(catalogue.items)
        has = f"There are c1 to c{count}." if count else "Nothing is stored yet."
        raise UnknownItem(f"There is no stored item {id} in this session.", has)
    return item


def one_listed(catalogue: Catalogue, id: str) -> ContentItem:
    """An item that was not cleared.

    Raises:
        UnknownItem: There is none of the id, or it was cleared.
    """
    item = there(catalogue, id)
    if id in catalogue.cleared:
        raise UnknownItem(f"{id} was cleared.", f"Its text can still be had: retrieve {id}.")
    return item


def ids_there(catalogue: Catalogue, items: Iterable[ContentItem | str]) -> tuple[str, ...]:
    """The ids of items that are all there.

    Raises:
        UnknownItem: One of them is not.
    """
    return tuple(there(catalogue, item_id(item)).id for item in items)
