"""What must hold of a session at every moment."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from memory.budget import Budget
from memory.events import Compacted, Message, Recorded, ResultsReceipted
from memory.fold import fold
from memory.parts import MessageRef
from memory.prompt import Prompt, PromptTooLarge, build_prompt, section_tokens
from memory.state import Folding, State, with_edits
from memory.tokens import Tally
from tests.properties.shown import (
    Receipt,
    callers_of,
    check_kept_word_for_word,
    check_pairs,
    check_shown,
    in_flight,
)

SHORT = 32
"""Tokens of a question that is short, however small the window."""


def check_coverage(state: State) -> None:
    """I1: verbatim or under one live summary, each message once, without a gap."""
    folding = state.folding
    spans = [(s.first, s.last) for s in (folding.long_term, folding.short_term) if s]
    covered = [number for first, last in spans for number in range(first, last + 1)]
    verbatim = [ref.number for ref in folding.verbatim]

    assert covered + verbatim == list(range(1, state.messages + 1))
    assert all(ref.number in covered for ref in folding.pinned)
    edited = [edit.number for edit in folding.edits]
    assert edited == sorted(set(edited))
    assert set(edited) <= set(verbatim)


def check_prompt(
    state: State, texts: Mapping[str, str], tally: Tally, budget: Budget, said: Sequence[MessageRef]
) -> tuple[Prompt, list[Receipt]] | None:
    """I2, I3 and I1 again, in the prompt that would be sent now; None where it is refused.

    Returns:
        The prompt, and the receipts that stand in it.
    """
    try:
        prompt = build_prompt(state, texts, tally, budget)
    except PromptTooLarge as error:
        refusal = error
    else:
        receipts = check_shown(prompt, state, texts)
        check_kept_word_for_word(prompt, state, texts)
        check_pairs(prompt, said)
        assert budget.fits(prompt.tokens)
        assert prompt.tokens == sum(prompt.sections.values())
        return prompt, receipts
    assert refusal.number is None or 1 <= refusal.number <= state.messages
    assert "Message" in str(refusal) or "system prompt" in str(refusal) or refusal.number
    return None


def check_shown_once(state: State, carried: Collection[str]) -> None:
    """CONT-3: what stands as a receipt since it was shown has really been shown in full."""
    shown = {edit.number for edit in state.folding.edits if edit.stage == "shown"}
    for ref in state.folding.verbatim:
        assert ref.number not in shown or ref.body in carried


def check_log(log: Sequence[Recorded], before: Sequence[Recorded], state: State) -> None:
    """I6 and the fold: the log only grew, and gives the state."""
    assert list(log[: len(before)]) == list(before)
    assert [recorded.n for recorded in log] == list(range(1, len(log) + 1))
    assert fold(log) == state
    numbers = [r.event.ref.number for r in log if isinstance(r.event, Message)]
    assert numbers == list(range(1, state.messages + 1))


def check_restored(state: State, folding: Folding, since: Sequence[Recorded] = ()) -> None:
    """I8: the folding is what it was then, with the messages and the receipts since."""
    now = state.folding
    receipts = [e for r in since if isinstance(r.event, ResultsReceipted) for e in r.event.edits]
    later = with_edits(replace(folding, verbatim=now.verbatim), receipts).edits
    folding = replace(folding, edits=later)
    known = len(folding.verbatim)
    assert replace(now, verbatim=now.verbatim[:known]) == folding
    last = folding.verbatim[-1].number if folding.verbatim else state.messages
    assert [ref.number for ref in now.verbatim[known:]] == list(range(last + 1, state.messages + 1))


def check_compactions(log: Sequence[Recorded], since: int, counts: Mapping[str, int]) -> None:
    """I3, I4, I5, I7: what each new compaction did to the state it was committed to."""
    for recorded in log[since:]:
        event = recorded.event
        if not isinstance(event, Compacted):
            continue
        before = fold(log[: recorded.n - 1])
        after = fold([recorded], before)
        check_coverage(before)
        check_coverage(after)
        assert event.tokens_after < event.tokens_before
        tally = Tally.for_model(before.model, counts)
        assert _tokens(after, tally) < _tokens(before, tally)
        assert (
            sum(stage.freed for stage in event.stages) == event.tokens_before - event.tokens_after
        )
        first = min([_first_of_the_newest(before, event.message), *_in_flight(before, event)])
        assert event.verbatim_from <= first
        assert all(edit.number < first for edit in event.edits if edit.stage != "budget")
        _check_cut(before.folding.verbatim, event.verbatim_from)
        _check_edits(before, after, event)
        _check_question(before, event, tally)


def _first_of_the_newest(state: State, message: int) -> int:
    """Number of the first of the newest messages up to one, back to a safe cut (I4)."""
    kept = min(state.rules.keep_recent, state.rules.immediate_window)
    verbatim = [ref for ref in state.folding.verbatim if ref.number <= message]
    callers = callers_of(verbatim)
    first = max(verbatim[0].number if verbatim else 1, message - kept + 1)
    while opened := [c for result, c in callers.items() if c < first <= result]:
        first = min(opened)
    return first


def _in_flight(state: State, event: Compacted) -> set[int]:
    """The messages whose calls waited for a result when a compaction was planned."""
    return in_flight([ref for ref in state.folding.verbatim if ref.number <= event.message])


def _check_edits(before: State, after: State, event: Compacted) -> None:
    """COMPACT-14, I3: what was edited stood, may be edited, and goes with its exchange."""
    standing = {ref.number: ref for ref in before.folding.verbatim}
    edits = {edit.number: edit for edit in after.folding.edits}
    assert all(edit.number in standing for edit in event.edits)
    for edit in event.edits:
        assert standing[edit.number].role != "system"
        assert edit.number not in before.pinned_numbers
    assert all(number >= event.verbatim_from for number in edits)
    verbatim = after.folding.verbatim
    gone = {number for number, edit in edits.items() if edit.body is None}
    for result, caller in callers_of(verbatim).items():
        assert (result in gone) == (caller in gone)


def _check_question(before: State, event: Compacted, tally: Tally) -> None:
    """COMPACT-14: what was asked last is not folded, unless it is long."""
    refs = [*before.folding.pinned, *before.folding.verbatim]
    asked = [ref for ref in refs if ref.role == "user" and ref.number <= event.message][-1:]
    for ref in asked:
        kept = ref.number >= event.verbatim_from or ref in event.pinned
        assert kept or tally.message(ref) > SHORT


def _check_cut(verbatim: Sequence[MessageRef], verbatim_from: int) -> None:
    """I3: no call is folded away from its results."""
    for result, caller in callers_of(verbatim).items():
        assert (result < verbatim_from) == (caller < verbatim_from)


def _tokens(state: State, tally: Tally) -> int:
    return sum(section_tokens(state, tally).values())
