"""A content store as it is at a moment, and what has to be done to have it again (S3). Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from memory.content.catalogue import Catalogue
from memory.content.handles import item_handle
from memory.content_events import ContentCleared, ContentListed, ContentMarked, ContentStored
from memory.events import Event
from memory.ids import new_id
from memory.parts import ContentItem
from memory.privacy import Cleaned, Door


@dataclass(frozen=True, slots=True)
class ContentSnapshot:
    """The listed items at a moment, oldest first: data about them, the texts by reference."""

    stream: str
    """The session's stream, to which the bodies belong."""
    items: tuple[ContentItem, ...]


@dataclass(frozen=True, slots=True)
class Return:
    """How the items of a snapshot come into a store.

    Args:
        ids: From each id in the snapshot to the item's id in the store.
        copies: The items that are not there yet, with the bodies they are copied from.
        events: What is to be recorded.
    """

    ids: Mapping[str, str]
    copies: tuple[ContentItem, ...]
    events: tuple[Event, ...]


def returned(catalogue: Catalogue, stream: str, stored: int, snapshot: ContentSnapshot) -> Return:
    """What lets the items of a snapshot stand in a store.

    In the session it was taken from, the lists are again what they were. Another session keeps
    what it has and is given the rest; what it was given before is not copied again.

    Args:
        catalogue: The store.
        stream: The stream that it belongs to.
        stored: Items ever stored in it.
        snapshot: What is to stand there.
    """
    known = {item.origin: item.id for item in catalogue.items.values() if item.origin}
    ids: dict[str, str] = {}
    missing: list[ContentItem] = []
    for item in snapshot.items:
        here = _here(catalogue, stream, snapshot, item) or known.get(_origin(snapshot, item))
        if here is None:
            missing.append(item)
            here = item_handle(stored + len(missing))
        ids[item.id] = here
    copies = tuple(
        replace(
            item,
            id=ids[item.id],
            number=None,
            related=_related(item, ids),
            origin=_origin(snapshot, item),
            at="",
        )
        for item in missing
    )
    events: list[Event] = [ContentStored(copies)] if copies else []
    events += _relisted(catalogue, list(ids.values()))
    if stream == snapshot.stream:
        events += _as_before(catalogue, ids, snapshot)
    return Return(ids, copies, tuple(events))


def _here(
    catalogue: Catalogue, stream: str, snapshot: ContentSnapshot, item: ContentItem
) -> str | None:
    """The id of the very same item; another branch may have given its number to another one."""
    own = catalogue.items.get(item.id)
    same = stream == snapshot.stream and own is not None
    return item.id if same and own is not None and _text(own) == _text(item) else None


def _text(item: ContentItem) -> tuple[str, int, int | None]:
    return item.body, item.start, item.end


def _origin(snapshot: ContentSnapshot, item: ContentItem) -> str:
    return item.origin or f"{snapshot.stream}/{item.body}/{item.start}"


def _related(item: ContentItem, ids: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(ids[id] for id in item.related if id in ids)


def _relisted(catalogue: Catalogue, ids: Sequence[str]) -> list[Event]:
    again = tuple(id for id in ids if id in catalogue.cleared)
    return [ContentListed(again, catalogue.chars(again))] if again else []


def _as_before(
    catalogue: Catalogue, ids: Mapping[str, str], snapshot: ContentSnapshot
) -> list[Event]:
    """Clears what was stored since, and gives back tags and relations that were changed since."""
    wanted = set(ids.values())
    since = tuple(item.id for item in reversed(list(catalogue.listed())) if item.id not in wanted)
    events: list[Event] = [ContentCleared(since, catalogue.chars(since))] if since else []
    for item in snapshot.items:
        own = catalogue.items.get(ids[item.id])
        if own is not None and (own.tags, own.related) != (item.tags, item.related):
            events.append(ContentMarked(own.id, item.tags, item.related))
    return events


def with_own_bodies(
    events: Iterable[Event], texts: Mapping[str, str], door: Door
) -> tuple[list[Event], dict[str, Cleaned]]:
    """The events with copies of the texts that they name in another session, each once.

    Args:
        events: What is to be recorded.
        texts: The texts of the other session by their bodies; empty where it is the same one.
        door: What the copies pass.
    """
    made: list[Event] = []
    bodies: dict[str, Cleaned] = {}
    copied: dict[tuple[str, int, int | None], str] = {}
    for event in events:
        items = event.items if isinstance(event, ContentStored) and texts else ()
        for item in items:
            key = (item.body, item.start, item.end)
            if key not in copied:
                copied[key] = new_id()
                bodies[copied[key]] = door.clean(texts[item.body][item.start : item.end])
        own = tuple(
            replace(item, body=copied[item.body, item.start, item.end], start=0, end=None)
            for item in items
        )
        made.append(ContentStored(own) if own else event)
    return made, bodies
