"""Properties of the parts that touch nothing: codec, cuts, fitting, the door, rule summaries."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory.budget import Budget
from memory.codec import decode, encode
from memory.compaction.rule import bullets_of, lines_of
from memory.compaction.transcript import chunked
from memory.cuts import SafeCuts
from memory.events import Event
from memory.fitting import RECEIPT_TOKENS, Fit, NothingFits, excerpt_tokens, fit
from memory.parts import MessageRef, Role
from memory.privacy import Door
from memory.tokens import Tally
from memory.vocabulary import ALL_EVENTS
from tests.memory.doubles import rules
from tests.properties.depth import PURE

st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))


@pytest.mark.parametrize("kind", ALL_EVENTS, ids=lambda kind: str(kind.KIND))
@PURE
@given(data=st.data())
def test_every_event_comes_back_as_it_was(kind: type[Event], data: st.DataObject) -> None:
    """STORE-1, I6: what was written is what is read."""
    event = data.draw(st.from_type(kind))

    assert decode(kind.KIND, kind.VERSION, encode(event)) == event


@st.composite
def conversations(draw: st.DrawFn) -> list[MessageRef]:
    """Messages with exchanges of every shape: parallel, nested, repeated, orphaned, in flight."""
    sizes = st.sampled_from([0, 1, 40, 400, 4_000, 40_000, 400_000])
    ids = st.sampled_from(["a", "b", "c"])
    messages = []
    for number in range(1, draw(st.integers(1, 25)) + 1):
        role: Role = draw(st.sampled_from(["user", "assistant", "assistant", "tool", "system"]))
        calls = tuple(draw(st.lists(ids, max_size=3, unique=True))) if role == "assistant" else ()
        messages.append(
            MessageRef(
                number=number,
                role=role,
                body=f"b{number}",
                chars=draw(sizes),
                calls=f"c{number}" if calls else None,
                call_ids=calls,
                answers=draw(ids) if role == "tool" else None,
                extra_chars=draw(sizes) // 10 if calls else 0,
            )
        )
    return messages


def calls_of(messages: list[MessageRef]) -> dict[int, int]:
    """From the index of each result to the index of its call, told apart from `SafeCuts`."""
    pairs = {}
    for index, message in enumerate(messages):
        if message.role == "tool":
            callers = [i for i in range(index) if message.answers in messages[i].call_ids]
            if callers:
                pairs[index] = callers[-1]
    return pairs


@PURE
@given(conversations())
def test_a_safe_cut_parts_no_call_from_its_result(messages: list[MessageRef]) -> None:
    """I3: whatever the shape of the exchanges."""
    cuts = SafeCuts.of(messages)

    for cut in cuts.indices:
        assert not any(call < cut <= result for result, call in calls_of(messages).items())
    assert 0 in cuts.indices
    assert all(cuts.at_or_before(i) <= i for i in range(len(messages) + 1))


@PURE
@given(
    conversations(), st.integers(-50, 60_000), st.integers(1, 12), st.integers(200, 20_000),
    st.booleans(),
)  # fmt: skip
def test_what_is_fitted_fits(
    messages: list[MessageRef], room: int, keep: int, chars: int, follows: bool
) -> None:
    """I2, I3, COMPACT-14: within the room, whole exchanges, system messages and the question."""
    tally = Tally()
    try:
        chosen = fit(
            messages, tally, room, keep=keep, receipt_chars=chars, question_follows=follows
        )
    except NothingFits as error:
        refused = error
    else:
        check_fit(messages, chosen, room, follows)
        return
    assert refused.number in {None, *(ref.number for ref in messages)}
    assert refused.tokens > room or refused.number is None


def check_fit(messages: list[MessageRef], chosen: Fit, room: int, follows: bool) -> None:
    tally = Tally()
    shown = [ref for ref in messages if not chosen.omits(ref)]
    cost = RECEIPT_TOKENS if chosen.left_out else 0
    for ref in shown:
        text = tally.body(ref.body, ref.chars)
        if ref.number in chosen.shortened:
            text = excerpt_tokens(text, ref.chars, chosen.excerpt_chars)
        cost += tally.around(ref) + text
    assert cost <= room
    numbers = {ref.number for ref in shown}
    for result, call in calls_of(messages).items():
        assert (messages[result].number in numbers) == (messages[call].number in numbers)
    assert all(ref.number in numbers for ref in messages if ref.role == "system")
    assert not any(ref.role == "system" and ref.number in chosen.shortened for ref in messages)
    asked = [ref.number for ref in messages if ref.role == "user"]
    if asked and not follows:
        assert asked[-1] in numbers
        assert asked[-1] not in chosen.shortened


@PURE
@given(st.integers(512, 4_000_000))
def test_the_levels_of_any_window_are_in_order(window: int) -> None:
    """COMPACT-6: warning, trigger, limit, window."""
    budget = Budget.of(window, rules())

    assert 0 < budget.warning <= budget.trigger < budget.limit < window


@PURE
@given(st.text(st.characters(exclude_categories=[])), st.integers(0, 200))
def test_the_door_passes_its_own_work_unchanged(text: str, cut: int) -> None:
    """RECALL-7: a text is never changed twice, and a draft is a beginning of the whole."""
    door = Door()
    cleaned = door.clean(text)

    assert door.clean(cleaned.text) == type(cleaned)(cleaned.text)
    assert cleaned.text.startswith(door.clean_growing(text[:cut]))
    cleaned.text.encode()


@PURE
@given(st.text(alphabet="sk-AKIxobhp_ 0123456789", max_size=120), st.data())
def test_a_draft_never_shows_what_the_whole_hides(text: str, data: st.DataObject) -> None:
    """RECALL-7: however a stream is cut."""
    door = Door()
    whole = door.clean(text).text

    shown = door.clean_growing(text[: data.draw(st.integers(0, len(text)))])

    assert whole.startswith(shown)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@PURE
@given(json_values)
def test_json_without_secrets_passes_as_it_is(value: object) -> None:
    """RECALL-7: structure and texts stay."""
    assume(not Door().clean_json(value).redacted)

    assert json.loads(Door().clean_json(value).text) == value


@PURE
@given(st.lists(st.text(), max_size=30), st.integers(0, 400))
def test_bullets_stay_within_their_room(lines: list[str], room: int) -> None:
    """COMPACT-12: a rule-based summary of anything ends, and is a list of bullets."""
    text = bullets_of(lines, room)

    assert len(text) <= 3 * room
    assert all(line.startswith("- ") for line in text.split("\n") if text)
    assert len(bullets_of(lines_of(text), room)) <= 3 * room


@PURE
@given(st.lists(st.text(), max_size=20), st.integers(8, 60))
def test_chunks_are_whole_and_small(lines: list[str], most: int) -> None:
    """COMPACT-12: nothing is lost between chunks."""
    chunks = chunked(lines, most)

    assert all(0 < len(chunk.encode()) <= most for chunk in chunks)
    assert "".join(chunks).replace("\n", "") == "".join(lines).replace("\n", "")
