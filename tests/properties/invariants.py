"""What must hold of a session at every moment."""

from collections.abc import Iterable, Mapping, Sequence

from memory.budget import Budget
from memory.events import Compacted, Message, Recorded
from memory.parts import MessageRef
from memory.pieces import left_out_text
from memory.prompt import Prompt, PromptTooLarge, build_prompt, section_tokens
from memory.state import State, fold
from memory.tokens import Tally


def check_coverage(state: State) -> None:
    """I1: verbatim or under one live summary, each message once, without a gap."""
    folding = state.folding
    spans = [(s.first, s.last) for s in (folding.long_term, folding.short_term) if s]
    covered = [number for first, last in spans for number in range(first, last + 1)]
    verbatim = [ref.number for ref in folding.verbatim]

    assert covered + verbatim == list(range(1, state.messages + 1))
    assert all(ref.role == "system" and ref.number in covered for ref in folding.pinned)


def check_prompt(
    state: State, texts: Mapping[str, str], tally: Tally, budget: Budget
) -> Prompt | None:
    """I2, I3 and I1 again, in the prompt that would be sent now; None where it is refused."""
    try:
        prompt = build_prompt(state, texts, tally, budget)
    except PromptTooLarge as error:
        refusal = error
    else:
        _check_shown(prompt, state, texts)
        assert budget.fits(prompt.tokens)
        return prompt
    assert refusal.number is None or 1 <= refusal.number <= state.messages
    assert "Message" in str(refusal) or "system prompt" in str(refusal) or refusal.number
    return None


def _check_shown(prompt: Prompt, state: State, texts: Mapping[str, str]) -> None:
    left_out = prompt.ledger.left_out
    shown = [
        number
        for piece in prompt.pieces
        if piece.place == "message" and piece.sources and piece.sources != left_out
        for number in range(piece.sources[0], piece.sources[1] + 1)
    ]
    named = set(range(left_out[0], left_out[1] + 1)) if left_out else set()
    # The first message, if a system message, stands in the system prompt itself.
    leading = {r.number for r in state.folding.verbatim if r.role == "system" and r.number == 1}
    verbatim = {ref.number for ref in state.folding.verbatim}
    assert set(shown) | named | leading >= verbatim
    assert sorted(set(shown)) == shown
    if left_out:
        receipt = left_out_text(left_out)
        assert any(receipt in str(message["content"]) for message in prompt.messages)
    for ref in (*state.folding.pinned, *state.folding.verbatim):
        if ref.role == "system":
            assert any(texts[ref.body] in str(m["content"]) for m in prompt.messages)
    _check_pairs([ref for ref in state.folding.verbatim if ref.number in set(shown) | leading])
    _check_whole(state.folding.verbatim, set(shown) | leading)


def _check_pairs(shown: Sequence[MessageRef]) -> None:
    """I3: a result that is shown stands after its call, if it has one among the verbatim."""
    called: set[str] = set()
    for ref in shown:
        called.update(ref.call_ids)
        if ref.role == "tool" and ref.answers not in called:
            assert ref.answers is not None
            assert ref.answers.startswith("lost")


def _check_whole(verbatim: Sequence[MessageRef], shown: set[int]) -> None:
    """I3: of a call and its results all are shown, or none."""
    caller: dict[str, int] = {}
    for ref in verbatim:
        if ref.role == "tool" and ref.answers in caller:
            assert (ref.number in shown) == (caller[ref.answers] in shown)
        caller.update(dict.fromkeys(ref.call_ids, ref.number))


def check_log(log: Sequence[Recorded], before: Sequence[Recorded], state: State) -> None:
    """I6 and the fold: the log only grew, and gives the state."""
    assert list(log[: len(before)]) == list(before)
    assert [recorded.n for recorded in log] == list(range(1, len(log) + 1))
    assert fold(log) == state
    numbers = [r.event.ref.number for r in log if isinstance(r.event, Message)]
    assert numbers == list(range(1, state.messages + 1))


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
        rules = before.rules
        kept = min(rules.keep_recent, rules.immediate_window)
        newest = range(max(1, event.message - kept + 1), event.message + 1)
        assert not any(number < event.verbatim_from for number in newest)
        _check_cut(before.folding.verbatim, event.verbatim_from)


def _check_cut(verbatim: Iterable[MessageRef], verbatim_from: int) -> None:
    """I3: no call is folded away from its results."""
    caller: dict[str, int] = {}
    for ref in verbatim:
        if ref.role == "tool" and ref.answers in caller:
            assert (ref.number < verbatim_from) == (caller[ref.answers] < verbatim_from)
        caller.update(dict.fromkeys(ref.call_ids, ref.number))


def _tokens(state: State, tally: Tally) -> int:
    return sum(section_tokens(state, tally).values())
