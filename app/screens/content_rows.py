"""Stored items as the content screen lists and describes them. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, overload

from memory.work_views import ItemView
from widgets.figures import clock, count, short_count
from widgets.panes.ages import age
from widgets.panes.content import SHOWN_WORDS, item_row, type_word
from widgets.panes.view import PARTS, PaneView, wrapped
from widgets.plain import one_line
from widgets.rows import Row

Shown = Literal["full", "receipt", "no"]
NOTHING = "Nothing is stored yet. @store TEXT keeps a text outside the prompt; tools do it too."
NONE_FOUND = "No item has that in its source, tags, digest or content."
MOST_NAMED = 8
"""Messages or items that a line names."""


@dataclass(frozen=True, slots=True)
class Cited:
    """Where the next request shows an item."""

    in_full: bool = False
    places: tuple[str, ...] = ()
    """The pieces whose receipts cite it, such as `message 12`."""


NOWHERE = Cited()


@dataclass(frozen=True, slots=True)
class ItemRows(Sequence[Row]):
    """The rows of items, each made when it comes into sight."""

    items: tuple[ItemView, ...]
    handles: int
    width: int
    now: datetime

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return ItemRows(self.items[index], self.handles, self.width, self.now)
        return item_row(self.items[index], self.handles, self.width, self.now)

    def __len__(self) -> int:
        return len(self.items)


def list_rows(items: Sequence[ItemView], total: int, width: int, now: datetime) -> PaneView:
    """A row an item; it opens the item.

    Args:
        items: Those that were found.
        total: How many there are.
        width: Cells of a row.
        now: The present.
    """
    if not items:
        told = NONE_FOUND if total else NOTHING
        return PaneView(tuple(wrapped(told, width, "dim")))
    handles = max(len(item.id) for item in items)
    chars = short_count(sum(item.chars for item in items), "character")
    number = count(total, "item") if len(items) == total else f"{len(items):,} of {total:,} items"
    rows = ItemRows(tuple(items), handles, width, now)
    return PaneView(rows, f"{number}{PARTS}{chars}", tuple(item.id for item in items))


def found(
    items: Sequence[ItemView], type: str | None, words: str, inside: Collection[str] = ()
) -> tuple[ItemView, ...]:
    """The items of a type that have all words in what is known of them, or are known to inside.

    Args:
        items: All of them.
        type: Of this type; None for any.
        words: What is looked for.
        inside: Ids of items that have the words in their content.
    """
    wanted = words.casefold().split()
    return tuple(
        item
        for item in items
        if type in (None, item.type) and (item.id in inside or _has(item, wanted))
    )


def types_of(items: Sequence[ItemView]) -> tuple[str, ...]:
    """The types there are, by name."""
    return tuple(sorted({item.type for item in items}))


def about(item: ItemView, cited: Cited, now: datetime) -> list[str]:
    """What is known of an item; lines."""
    facts = [
        f"{one_line(item.type.replace('_', ' '))} from {one_line(item.source) or 'nowhere named'}",
        f"{clock(item.at, now)} ({age(item.at, now)})",
        count(item.chars, "character"),
    ]
    lines = [PARTS.join(facts)]
    if item.tags:
        lines.append(f"tags: {_listed(item.tags)}")
    if item.related:
        lines.append(f"belongs with {_listed(item.related)}")
    if item.number is not None:
        lines.append(f"stands in message {item.number:,}")
    lines.append(f"next request: {_shown(item, cited)}")
    return lines


def title_of(item: ItemView) -> str:
    """What stands over the text of an item."""
    return f"{item.id}{PARTS}{type_word(item.type).strip()}"


def with_cited(items: Sequence[ItemView], cited: Mapping[str, Cited]) -> tuple[ItemView, ...]:
    """The items with how the next request shows them."""

    def shown(item: ItemView) -> ItemView:
        place = cited.get(item.id, NOWHERE)
        status: Shown = "full" if place.in_full else "receipt" if place.places else "no"
        return replace(item, in_prompt=status)

    return tuple(map(shown, items))


def _has(item: ItemView, words: Sequence[str]) -> bool:
    told = " ".join((item.id, item.type, item.source, item.digest, *item.tags)).casefold()
    return all(word in told for word in words)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(one_line(name) for name in names[:MOST_NAMED])
    more = len(names) - MOST_NAMED
    return f"{shown} and {more} more" if more > 0 else shown


def _shown(item: ItemView, cited: Cited) -> str:
    told = SHOWN_WORDS[item.in_prompt]
    return f"{told}, cited in {_listed(cited.places)}" if cited.places else told
