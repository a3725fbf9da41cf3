"""Tool results that a request has shown in full: a receipt stands for each (CONT-3). Pure."""

from collections.abc import Mapping

from memory.compaction.micro import LEAST_SAVED
from memory.compaction.scope import Call, Proposal, Scope, Standing, result_item, tool_calls
from memory.content.digests import digest_of_result
from memory.content.receipts import result_of, shown_receipt
from memory.state import State

WHY = "shown in full before"


def shown_results(
    state: State, texts: Mapping[str, str], digests: Mapping[str, str]
) -> list[Proposal]:
    """Receipts for the tool results that have been shown, where a receipt is shorter.

    Args:
        state: The session's state.
        texts: Texts by body id, those of all verbatim messages and their calls among them.
        digests: What a model wrote of stored items, by their ids; else a digest is made by rule.
    """
    due = _due(state)
    if not due:
        return []
    scope = Scope.of(state, texts)
    calls = tool_calls(scope.standing)
    proposals: list[Proposal] = []
    following = scope.next_item
    for index, standing in enumerate(scope.standing):
        if standing.ref.number in due and scope.may_change(index):
            proposal = _receipt(standing, calls[index], following, digests, scope.digest_chars)
            if proposal is not None:
                proposals.append(proposal)
                following += len(proposal.items)
    return proposals


def _due(state: State) -> frozenset[int]:
    """Numbers of the results whose time in full is over."""
    mode = state.rules.show_results
    if mode == "always":
        return frozenset()
    verbatim = state.folding.verbatim
    edited = {edit.number for edit in state.folding.edits}
    question = state.folding.question
    last = state.messages if mode == "once" else question.number if question else 0
    return frozenset(
        ref.number
        for ref in verbatim
        if ref.role == "tool"
        and ref.chars > LEAST_SAVED
        and ref.number <= last
        and ref.number not in edited
        and state.carried.has_shown(ref.number)
    )


def _receipt(
    standing: Standing, call: Call, following: int, digests: Mapping[str, str], longest: int
) -> Proposal | None:
    text, ref = standing.text, standing.ref
    id, new = result_item(standing, call.name, following)
    told = digests.get(id) or digest_of_result(text, call.name, call.arguments, longest)
    shown = shown_receipt(id, result_of(call.name), len(text), told)
    if len(shown) + LEAST_SAVED > len(text):
        return None
    return Proposal(ref.number, "shown", shown, WHY, new, (id,))
