"""The tool-result budget: a very long tool result stands as head and tail (COMPACT-1). Pure."""

from memory.compaction.scope import Proposal, Scope, Standing, result_item, tool_names
from memory.content.receipts import budget_receipt, result_of

SHOWN_SHARE = 0.8
"""Part of the budget that head, tail and receipt take: a cut that frees next to nothing would
break the shared prefix for nothing."""
HEAD_SHARE = 0.8
"""Part of what is shown that comes from the beginning; errors and totals stand at the end."""
SEEK_SHARE = 8
"""A cut moves to the end of a line if there is one within this part of its side."""


def cut_tool_results(scope: Scope) -> list[Proposal]:
    """Head and tail for every tool result over the budget, the newest included.

    The full text becomes a content item, so that the receipt between them can be followed.
    """
    names = tool_names(scope.standing)
    proposals: list[Proposal] = []
    following = scope.next_item
    for index, standing in enumerate(scope.standing):
        if _is_over(scope, index, standing):
            proposal = _cut(standing, names[index], following, scope.tool_budget)
            proposals.append(proposal)
            following += len(proposal.items)
    return proposals


def _cut(standing: Standing, tool: str, following: int, budget: int) -> Proposal:
    id, new = result_item(standing, tool, following)
    text = _head_and_tail(standing.text, id, tool, int(budget * SHOWN_SHARE))
    return Proposal(standing.ref.number, "budget", text, "over the budget", new, (id,))


def _is_over(scope: Scope, index: int, standing: Standing) -> bool:
    return (
        standing.ref.role == "tool"
        and standing.edit is None
        and len(standing.shown) > scope.tool_budget
        and scope.may_change(index)
    )


def _head_and_tail(text: str, item: str, tool: str, room: int) -> str:
    receipt = budget_receipt(item, result_of(tool), len(text))
    room = max(0, room - len(receipt) - 2)
    head_room = int(room * HEAD_SHARE)
    head = _up_to_line_end(text[:head_room])
    tail_room = room - head_room
    tail = _from_line_start(text[len(text) - tail_room :]) if tail_room else ""
    return "\n".join(part for part in (head, receipt, tail) if part)


def _up_to_line_end(head: str) -> str:
    end = head.rfind("\n", len(head) - len(head) // SEEK_SHARE)
    return head[:end] if end > 0 else head


def _from_line_start(tail: str) -> str:
    start = tail.find("\n", 0, len(tail) // SEEK_SHARE)
    return tail[start + 1 :] if start >= 0 else tail
