"""What a prompt leaves out or shortens when no compaction has made room yet."""

import pytest

from memory.fitting import Fit, NothingFits, fit
from memory.parts import MessageRef
from memory.tokens import Tally
from tests.memory.doubles import ref

TALLY = Tally()


def fitted(
    run: list[MessageRef], room: int, keep: int = 10, *, question_follows: bool = False
) -> Fit:
    return fit(run, TALLY, room, keep=keep, receipt_chars=10_000, question_follows=question_follows)


def test_what_fits_is_left_alone() -> None:
    """I1: nothing is left out without need."""
    assert fitted([ref(1), ref(2)], 1_000) == Fit()


def test_the_oldest_are_left_out_first() -> None:
    """I2, I4: as few of the oldest as make room, and one receipt stands for them."""
    run = [ref(n, chars=400) for n in range(1, 31)]  # 104 tokens each

    chosen = fitted(run, 20 * 104 + 40)

    assert chosen == Fit((1, 10))


def test_large_messages_among_the_newest_are_shortened_before_any_is_dropped() -> None:
    """I4: large content among the newest may stand as a receipt."""
    run = [ref(1, chars=400_000), *[ref(n) for n in range(2, 11)]]

    chosen = fitted(run, 8_000)

    assert chosen.left_out is None
    assert chosen.shortened == (1,)


def test_excerpts_get_shorter_before_recent_messages_go() -> None:
    """I4: many large ones fit as small excerpts."""
    run = [*[ref(n, "assistant", chars=40_000) for n in range(1, 10)], ref(10)]

    chosen = fitted(run, 6_000)

    assert chosen.left_out is None
    assert chosen.excerpt_chars < 6_000


def test_budget_outranks_recency() -> None:
    """I2: of the newest too is left out what does not fit even shortened."""
    run = [ref(n, chars=700) for n in range(1, 11)]

    chosen = fitted(run, 600)

    assert chosen.left_out is not None
    assert chosen.left_out[1] >= 6


def test_the_newest_question_is_never_cut() -> None:
    """PROMPT-3: it is what the model is asked; the error names it instead."""
    run = [ref(1, chars=400), ref(2, chars=100_000)]

    with pytest.raises(NothingFits) as refused:
        fitted(run, 5_000)

    assert (refused.value.number, refused.value.tokens) == (2, 25_004)


def test_a_question_before_a_long_tool_loop_is_kept() -> None:
    """I4, PROMPT-3: what the tools found is shortened, not what was asked."""
    run = [ref(1, chars=8_000), ref(2, chars=60)]
    for n in range(3, 43, 2):
        run.append(ref(n, "assistant", call_ids=(f"c{n}",)))
        run.append(ref(n + 1, "tool", answers=f"c{n}", chars=6_000))

    chosen = fitted(run, 8_000)

    assert chosen.left_out == (1, 1)
    assert not chosen.omits(run[1])
    assert 2 not in chosen.shortened


def test_an_exchange_in_flight_is_shortened_and_never_dropped() -> None:
    """I3: the call and the results it already has stand together."""
    run = [
        ref(1),
        ref(2, "assistant", call_ids=("a", "b")),
        ref(3, "tool", answers="a", chars=80_000),
    ]

    chosen = fitted(run, 4_000, keep=1, question_follows=True)

    assert chosen.shortened == (3,)
    assert chosen.left_out in (None, (1, 1))


def test_system_messages_survive_word_for_word() -> None:
    """COMPACT-14: neither left out nor shortened."""
    run = [ref(1), ref(2, "system", chars=2_000), *[ref(n, chars=400) for n in range(3, 40)]]

    chosen = fitted(run, 2_000)

    assert chosen.left_out is not None
    assert chosen.left_out[1] > 2
    assert not chosen.omits(run[1])


def test_calls_that_go_with_a_shortened_text_still_count() -> None:
    """I2: only the text gets shorter, not the calls beside it."""
    huge_calls = ref(1, "assistant", chars=40_000, calls="c", call_ids=("a",), extra_chars=40_000)

    with pytest.raises(NothingFits) as refused:
        fitted([huge_calls], 9_000, question_follows=True)

    assert refused.value.number == 1


def test_many_that_must_stay_are_named_together() -> None:
    """PROMPT-3: no single one of them is too large, and the error doesn't claim it."""
    run = [ref(1, "assistant", call_ids=("a", "in flight"))]
    run += [ref(n, "tool", answers="a", chars=700) for n in range(2, 30)]

    with pytest.raises(NothingFits) as refused:
        fitted(run, 2_000, question_follows=True)

    assert refused.value.together
    assert refused.value.tokens > 2_000
