"""What is put aside when messages are folded: tool results, which no summary can hold. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

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
    """The tool results among the messages to fold, as content that has no ids yet.

    Args:
        fold: The messages to fold, oldest first.
        state: The session's state; what an edit cites already is not put aside again.
        texts: Texts by body id.
    """
    cited = {edit.number for edit in state.folding.edits if edit.items}
    numbers = {ref.number for ref in fold if ref.role == "tool" and ref.chars >= LEAST_KEPT}
    standing = Scope.of(state, texts).standing
    names = tool_names(standing)
    wanted = [
        (place, entry.ref)
        for place, entry in enumerate(standing)
        if entry.ref.number in numbers - cited
    ]
    return tuple(
        ContentItem(
            id="",
            type="action_result",
            body=ref.body,
            chars=ref.chars,
            number=ref.number,
            source=names.get(place, ""),
        )
        for place, ref in wanted
    )


def with_ids(items: Sequence[ContentItem], first: int) -> tuple[ContentItem, ...]:
    """The items with the ids that are theirs from number `first` on."""
    return tuple(replace(item, id=f"c{number}") for number, item in enumerate(items, start=first))


def naming(items: Sequence[ContentItem]) -> list[str]:
    """Entries of details that name the newest of the items, by the messages they stood in."""
    return [
        f"m{item.number} keeps the {result_of(item.source)}, {item.chars:,} characters"
        for item in items[-MOST_NAMED:]
    ]
