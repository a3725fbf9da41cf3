"""Stored items as lists show them: data about each, and how the next request shows it. Pure."""

from collections.abc import Iterable, Mapping
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
    shown = _shown(folding)
    return tuple(
        ItemView(
            id=item.id,
            type=item.type,
            source=item.source,
            chars=item.chars,
            at=item.at,
            tags=item.tags,
            related=item.related,
            number=item.number,
            digest=digests.get(item.id, ""),
            in_prompt=_how(item, shown, folding),
        )
        for item in items
    )


def _shown(folding: Folding) -> dict[int, bool]:
    """The messages that stand verbatim, and whether each stands as it is."""
    edited = {edit.number for edit in folding.edits}
    return {ref.number: ref.number not in edited for ref in folding.verbatim}


def _how(item: ContentItem, shown: Mapping[int, bool], folding: Folding) -> InPrompt:
    if item.number is not None and shown.get(item.number):
        return "full"
    cited = any(item.id in edit.items for edit in folding.edits)
    return "receipt" if cited else "no"
