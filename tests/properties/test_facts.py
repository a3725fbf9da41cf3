"""RECALL-1: whatever happens to facts, what is known stays whole."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memory.codec import decode, encode
from memory.events import Event, Recorded
from memory.fact_events import (
    FactConfirmed,
    FactEdited,
    FactEnded,
    FactForgotten,
    FactLearned,
    FactPinned,
    FactsSought,
    FactUnpinned,
)
from memory.facts.folding import Facts, fold_facts
from memory.parts import FactSource

TIME = "2027-03-01T10:00:00.000Z"
IDS = st.integers(1, 8).map(lambda n: f"f{n}")
SOURCES = st.lists(
    st.builds(
        FactSource,
        st.just("s"),
        st.sampled_from("ab"),
        st.lists(st.integers(1, 30), min_size=1, max_size=3, unique=True).map(tuple),
    ),
    max_size=2,
).map(tuple)
BODIES = st.uuids().map(str)
WEIGHT = st.floats(0, 1)
CHANGES = st.one_of(
    st.builds(FactConfirmed, IDS, SOURCES, WEIGHT),
    st.builds(FactEdited, IDS, BODIES, st.just(9)),
    st.builds(FactEnded, IDS, st.just(TIME), st.sampled_from(["user", "contradicted"]), IDS),
    st.builds(FactPinned, IDS),
    st.builds(FactUnpinned, IDS),
    st.builds(FactForgotten, IDS),
    st.builds(
        lambda branch, first, length: FactsSought("s", branch, first, first + length, "m"),
        st.sampled_from("ab"),
        st.integers(1, 30),
        st.integers(0, 5),
    ),
    st.tuples(BODIES, WEIGHT, SOURCES),
)


def logged(changes: list[object]) -> list[Recorded]:
    """The changes as they may stand in a log: what is learned has the next id."""
    recorded: list[Recorded] = []
    learned = 0
    for n, change in enumerate(changes, start=1):
        if isinstance(change, tuple):
            learned += 1
            body, weight, sources = change
            change = FactLearned(f"f{learned}", body, 9, TIME, weight, "user", sources)  # noqa: PLW2901
        assert isinstance(change, Event)
        recorded.append(Recorded(n, TIME, decode(change.KIND, change.VERSION, encode(change))))
    return recorded


@given(st.lists(CHANGES, max_size=60), st.integers(0, 60))
def test_a_fold_in_two_steps_is_the_fold_in_one(changes: list[object], cut: int) -> None:
    """STORE-1: a fold that goes on where another has ended; it changes none that is held."""
    recorded = logged(changes)
    before = fold_facts(recorded[:cut])
    held = dict(before.facts), dict(before.sought), before.learned
    assert fold_facts(recorded[cut:], before) == fold_facts(recorded)
    assert held == (dict(before.facts), dict(before.sought), before.learned)


@given(st.lists(CHANGES, max_size=60))
def test_what_has_ended_holds_again_only_by_an_edit(changes: list[object]) -> None:
    """RECALL-1: and what was forgotten never comes back."""
    facts, gone = Facts(), set[str]()
    for entry in logged(changes):
        before, facts = facts, fold_facts([entry], facts)
        event = entry.event
        for id, fact in facts.facts.items():
            held = before.facts.get(id)
            if held is not None and not held.live and fact.live:
                assert isinstance(event, FactEdited)
                assert event.id == id
            if held is None:
                assert isinstance(event, FactLearned)
        gone |= before.facts.keys() - facts.facts.keys()
        assert not gone & facts.facts.keys()
        assert facts.next_id not in facts.facts
        assert facts.learned >= before.learned


@given(st.lists(CHANGES, max_size=60))
def test_messages_that_were_read_are_known(changes: list[object]) -> None:
    """RECALL-1: nothing is read twice, in whatever order it was read."""
    recorded = logged(changes)
    facts = fold_facts(recorded)
    read = {
        (event.branch, number)
        for event in (entry.event for entry in recorded)
        if isinstance(event, FactsSought)
        for number in range(event.first, event.last + 1)
    }
    for branch in "ab":
        for number in range(1, 40):
            assert facts.is_sought(branch, number) == ((branch, number) in read)
        spans = facts.sought.get(branch, ())
        assert all(before[1] + 1 < after[0] for before, after in pairwise(spans))
