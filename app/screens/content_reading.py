"""What the content screen reads and does, done by the open session."""

import asyncio
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from app.screens.content_rows import Cited
from app.screens.prompt_words import name_of
from memory.content.listing import item_view
from memory.content.receipts import handles_in
from memory.views import PieceView
from memory.work_views import ItemView
from widgets.long_text import LongText
from widgets.panes.summaries import span

if TYPE_CHECKING:
    from memory import Memory
    from memory.content.transforms import How

LONG = 100_000
"""Characters of a text that is made ready beside the screen's own work."""
MOST_SEARCHED = 10_000


class StoredContent:
    """Reads stored items.

    Args:
        memory: The open session.
    """

    def __init__(self, memory: "Memory") -> None:
        self._memory = memory

    async def items(self) -> tuple[ItemView, ...]:
        """All items, the newest first."""
        known = {item.id: item for item in self._memory.snapshot().items}
        items = await self._memory.content.items()
        return tuple(known.get(item.id) or item_view(item) for item in reversed(items))

    async def cited(self, items: Sequence[ItemView]) -> dict[str, Cited]:
        """Where the next request shows items."""
        view = await self._memory.inspecting.inspect()
        places: dict[str, list[str]] = {}
        verbatim: set[int] = set()
        for piece in view.pieces:
            for handle in handles_in(piece.text):
                places.setdefault(handle, []).append(_place(piece))
            if piece.section == "messages" and piece.sources and not piece.stage:
                first, last = piece.sources
                verbatim.update(range(first, last + 1) if not piece.receipt else ())
        return {
            item.id: Cited(
                item.number in verbatim and item.id not in places,
                tuple(dict.fromkeys(places.get(item.id, ()))),
            )
            for item in items
        }

    async def inside(self, words: str) -> frozenset[str]:
        """Ids of the items that have all words in their content."""
        items = await self._memory.content.query(text=words, limit=MOST_SEARCHED)
        return frozenset(item.id for item in items)

    async def text(self, id: str, how: "How", words: Collection[str]) -> LongText:
        """The text of an item, or a part of it.

        Raises:
            StrataError: It can't be had, or a pattern among the words can't be used.
        """
        text = await self._memory.content.retrieve(id, how, words=tuple(words))
        return await asyncio.to_thread(LongText.of, text) if len(text) > LONG else LongText.of(text)

    async def tag(self, item: ItemView, tags: Sequence[str]) -> None:
        """Gives an item these tags, and no others.

        Raises:
            StrataError: Nothing was changed.
        """
        gone = set(item.tags) - set(tags)
        await self._memory.content.mark(item.id, tags=tags, without=gone)


def _place(piece: PieceView) -> str:
    if piece.sources is None:
        return name_of(piece)
    noun = "message" if piece.sources[0] == piece.sources[1] else "messages"
    return f"{noun} {span(*piece.sources)}"
