"""Stored items as lists show them: data about each, and how the next request shows it. Pure."""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from memory.parts import ContentItem
from memory.state import Folding
from memory.work_views import ItemView

NEWEST = 50
"""Items that a snapshot shows; the content store has them all."""
LINE_CHARS = 100
"""Characters of a digest in a list."""

InPrompt = Literal["full", "receipt", "no"]


def item_views(
    items: Iterable[ContentItem], digests: Mapping[str, str], folding: Folding
) -> tuple[ItemView, ...]:
    """The items as lists show them, in their order.

    Args:
        items: The items.
        digests: What each is in one line, by id, as far as it is known.
        folding: What stands in the prompt.
    """
    full = _in_full(folding)
    cited = {id for edit in folding.edits for id in edit.items}
    return tuple(
        item_view(item, digests.get(item.id, ""), _how(item, full, cited)) for item in items
    )


def item_view(item: ContentItem, digest: str = "", in_prompt: InPrompt = "no") -> ItemView:
    """Data about an item.

    Args:
        item: The item.
        digest: What it is, in one line.
        in_prompt: How the next request shows it.
    """
    return ItemView(
        id=item.id,
        type=item.type,
        source=item.source,
        chars=item.chars,
        at=item.at,
        tags=item.tags,
        related=item.related,
        number=item.number,
        digest=digest,
        in_prompt=in_prompt,
    )


def _in_full(folding: Folding) -> dict[str | int, int]:
    """The messages that stand as they are, by number, and the items that they are about, by id.

    With the characters of each: what tells of an item in fewer than it has does not show it.
    """
    edited = {edit.number for edit in folding.edits}
    standing = [ref for ref in folding.verbatim if ref.number not in edited]
    shown: dict[str | int, int] = {ref.number: ref.chars for ref in standing}
    for ref in standing:
        if ref.item:
            shown[ref.item] = max(ref.chars, shown.get(ref.item, 0))
    return shown


def _how(item: ContentItem, full: Mapping[str | int, int], cited: Collection[str]) -> InPrompt:
    if item.number in full or full.get(item.id, -1) >= item.chars:
        return "full"
    return "receipt" if item.id in cited else "no"
