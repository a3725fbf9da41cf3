"""What is put aside when messages are folded: tool results, which no summary can hold. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

from memory.compaction.scope import Scope, tool_names
from memory.content.receipts import result_of
from memory.parts import ContentItem, MessageRef
from memory.state import State

LEAST_KEPT = 500
"""Characters of a tool result below which its line in the summary is as good."""
MOST_NAMED = 3
"""Results, the newest ones, that the details of a summary name."""


def kept_results(
    fold: Sequence[MessageRef], state: State, texts: Mapping[str, str]
) -> tuple[ContentItem, ...]:
    """The tool results among the messages to fold, as content; what is not stored yet has no id.

    Args:
        fold: The messages to fold, oldest first.
        state: The session's state; what an edit cites already is not put aside again.
        texts: Texts by body id.
    """
    cited = {edit.number for edit in state.folding.edits if edit.items}
    results = [ref for ref in fold if ref.role == "tool"]
    numbers = {ref.number for ref in results if ref.item or ref.chars >= LEAST_KEPT}
    standing = Scope.of(state, texts).standing
    names = tool_names(standing)
    wanted = [
        (place, entry.ref)
        for place, entry in enumerate(standing)
        if entry.ref.number in numbers - cited
    ]
    return tuple(
        ContentItem(
            id=ref.item or "",
            type="action_result",
            body=ref.body,
            chars=ref.chars,
            number=ref.number,
            source=names.get(place, ""),
        )
        for place, ref in wanted
    )


def with_ids(items: Sequence[ContentItem], first: int) -> tuple[ContentItem, ...]:
    """The items, those without an id with ids from number `first` on."""
    numbers = count(first)
    return tuple(item if item.id else replace(item, id=f"c{next(numbers)}") for item in items)


def naming(items: Sequence[ContentItem]) -> list[str]:
    """Entries of details that name the newest of the items, by the messages they stood in."""
    long = [item for item in items if item.chars >= LEAST_KEPT]
    return [
        f"m{item.number} keeps the {result_of(item.source)}, {item.chars:,} characters"
        for item in long[-MOST_NAMED:]
    ]
