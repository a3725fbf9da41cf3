"""Where a conversation may be cut."""

from memory.cuts import SafeCuts
from tests.memory.doubles import ref


def test_plain_messages_may_be_cut_anywhere() -> None:
    """I3: only tool exchanges bind messages to each other."""
    assert SafeCuts.of([ref(1), ref(2, "assistant"), ref(3)]).indices == (0, 1, 2, 3)


def test_a_call_stays_with_all_its_parallel_results() -> None:
    """I3: one message may call several tools."""
    run = [
        ref(1),
        ref(2, "assistant", call_ids=("a", "b")),
        ref(3, "tool", answers="b"),
        ref(4, "tool", answers="a"),
        ref(5, "assistant"),
    ]

    cuts = SafeCuts.of(run)

    assert cuts.indices == (0, 1, 4, 5)
    assert cuts.at_or_before(3) == 1


def test_nested_exchanges_are_one() -> None:
    """I3: a call made while another is unanswered belongs to the outer exchange."""
    run = [
        ref(1, "assistant", call_ids=("outer",)),
        ref(2, "assistant", call_ids=("inner",)),
        ref(3, "tool", answers="inner"),
        ref(4, "tool", answers="outer"),
        ref(5),
    ]

    assert SafeCuts.of(run).indices == (0, 4, 5)


def test_a_repeated_call_id_belongs_to_its_newest_call() -> None:
    """I3: small models number their calls from nought each time."""
    run = [
        ref(1, "assistant", call_ids=("call_0",)),
        ref(2, "tool", answers="call_0"),
        ref(3, "assistant", call_ids=("call_0",)),
        ref(4, "tool", answers="call_0"),
    ]

    assert SafeCuts.of(run).indices == (0, 2, 4)


def test_a_repeated_call_id_in_flight_is_not_taken_for_answered() -> None:
    """I3: the answer to the first call says nothing about the second."""
    run = [
        ref(1, "assistant", call_ids=("call_0",)),
        ref(2, "tool", answers="call_0"),
        ref(3, "assistant", call_ids=("call_0",)),
    ]

    assert SafeCuts.of(run).indices == (0, 2)


def test_nothing_after_a_call_in_flight_is_cut_off() -> None:
    """I3: a call in flight is never dropped."""
    run = [ref(1), ref(2, "assistant", call_ids=("a",)), ref(3, "tool", answers="x")]

    assert SafeCuts.of(run).indices == (0, 1)


def test_a_call_that_the_user_spoke_over_is_no_longer_in_flight() -> None:
    """I3: else one lost result would hold everything for ever."""
    run = [ref(1, "assistant", call_ids=("a",)), ref(2), ref(3, "assistant")]

    assert SafeCuts.of(run).indices == (0, 1, 2, 3)


def test_a_result_that_comes_after_the_user_spoke_still_belongs_to_its_call() -> None:
    """I3: a tool call and its results are never parted."""
    run = [ref(1, "assistant", call_ids=("a",)), ref(2), ref(3, "tool", answers="a"), ref(4)]

    assert SafeCuts.of(run).indices == (0, 3, 4)


def test_a_result_without_a_call_stays_with_what_precedes_it() -> None:
    """I3: an import may have lost the call."""
    run = [ref(1), ref(2, "tool", answers="gone"), ref(3)]

    assert SafeCuts.of(run).indices == (0, 2, 3)
