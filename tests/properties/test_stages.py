"""The deterministic stages over random conversations: nothing parted, nothing lost, all shorter."""

from itertools import groupby
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memory.compaction.micro import micro
from memory.compaction.scope import Proposal, Scope
from memory.compaction.snip import MESSAGE_COST, snip
from memory.compaction.tool_budget import cut_tool_results
from memory.content.digests import LONGEST, digest
from memory.content.receipts import handles_in, run_receipt
from tests.memory.talks import Line, Talk
from tests.properties.depth import PURE

STAGES = (cut_tool_results, snip, micro)
SETTINGS = {
    "keep_recent_messages": st.integers(1, 6),
    "immediate_window": st.integers(1, 20),
    "tool_result_budget": st.sampled_from([200, 500, 10_000]),
}
TEXTS = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            "", " ", "ok", "Thanks a lot, that is great!", "You're welcome! Let me know.", "yes",
            "Which one?", "Error: not found", "exit code 1", "Use port 8443 in Lisbon.", "👍", "1.",
            "[… left out; retrieve c77 …]", "[… retrieve m1 …]", "``` \n```", "谢谢", "\ud800",
        ]
    ),
    st.builds(
        lambda part, times, mark: mark.join([part] * times),
        st.text(min_size=1, max_size=12),
        st.sampled_from([3, 90, 1_300]),
        st.sampled_from(["", " ", "\n", "\n\n", ",", "\r\n"]),
    ),
    st.builds(
        lambda fence, lines, after: f"See:\n{fence}py\n{'x = 1' * 3}\n" + "y = 2\n" * lines + after,
        st.sampled_from(["```", "~~~~"]),
        st.sampled_from([1, 45, 200]),
        st.sampled_from(["```", "~~~~\nend", "", "```\n```c\n" + "z;\n" * 50 + "```"]),
    ),
)  # fmt: skip
IDS = st.sampled_from("abc")
CALL = st.tuples(
    IDS,
    st.sampled_from(["read_file", "web_fetch", ""]),
    st.sampled_from(["{}", '{"p": 1}', "no JSON"]),
)
CALLS = st.lists(CALL, min_size=1, max_size=3)
OWN_CALLS = st.lists(CALL, min_size=1, max_size=3, unique_by=lambda call: call[0])
LINES = st.one_of(
    st.builds(Line, st.sampled_from(["user", "assistant", "system"]), TEXTS),
    st.builds(lambda text: Line("user", text), TEXTS),
    st.builds(lambda text: Line("assistant", text), TEXTS),
    st.builds(lambda text, calls: Line("assistant", text, tuple(calls)), TEXTS, CALLS),
    st.builds(lambda text, id: Line("tool", text, answers=id), TEXTS, IDS),
)
PLEASANT = st.lists(
    st.sampled_from(
        [
            Line("user", "Thanks a lot, that is really great, very good, perfect!"),
            Line("assistant", "You're welcome! Let me know if you need anything else, any time."),
            Line("assistant", "Happy to help! Feel free to ask if there is anything more."),
            Line("user", "ok"),
        ]
    ),
    min_size=2,
    max_size=5,
)


@st.composite
def exchanges(draw: st.DrawFn) -> list[Line]:
    """Calls with their results in any order, perhaps with one missing or another call between."""
    named = draw(OWN_CALLS)
    results = [Line("tool", draw(TEXTS), answers=id) for id, _, _ in named]
    results = draw(st.permutations(results))[: draw(st.integers(0, 4)) or None]
    return [Line("assistant", draw(st.sampled_from(["", "Let me look."])), tuple(named)), *results]


@st.composite
def talks(draw: st.DrawFn) -> Talk:
    """A conversation under random thresholds, some of it pinned, some of it said twice."""
    parts = st.one_of(st.lists(LINES, max_size=6), exchanges(), exchanges(), PLEASANT)
    lines = [line for part in draw(st.lists(parts, max_size=10)) for line in part]
    if lines:
        again = draw(st.lists(st.sampled_from(lines), max_size=6))
        lines += [*again, *draw(st.lists(LINES, max_size=3))]
    settings: dict[str, Any] = draw(st.fixed_dictionaries(SETTINGS))
    numbers = st.integers(1, max(1, len(lines)))
    return Talk(lines, settings, pinned=draw(st.lists(numbers, max_size=3)))


@PURE
@given(talks())
def test_a_stage_keeps_what_must_stay(talk: Talk) -> None:
    """I4, COMPACT-14: neither the newest, nor what is pinned, nor the newest question."""
    scope = talk.scope
    for stage in STAGES:
        for proposal in stage(scope):
            index = proposal.number - 1
            standing = scope.standing[index]
            assert proposal.number not in talk.pinned
            assert standing.ref.role != "system"
            assert index != scope.question
            if stage is cut_tool_results:
                assert standing.ref.role == "tool"
            else:
                assert index < scope.recent


@PURE
@given(talks())
def test_every_proposal_is_shorter(talk: Talk) -> None:
    """I7: each message for itself, and what is left out together with its receipt."""
    scope = talk.scope
    for stage in STAGES:
        proposals = stage(scope)
        for proposal in proposals:
            shown = scope.standing[proposal.number - 1].shown
            assert proposal.text is None or len(proposal.text) < len(shown)
        after = scope.after(proposals)
        assert not proposals or size(after) < size(scope)
        scope = after


@PURE
@given(talks())
def test_no_exchange_is_parted(talk: Talk) -> None:
    """I3: a call and its results stand or leave together."""
    scope = talk.scope
    after = scope.after(snip(scope))
    called: dict[str, int] = {}
    for index, entry in enumerate(after.standing):
        answers = entry.ref.answers
        if answers in called:
            assert entry.left_out == after.standing[called[answers]].left_out
        called.update(dict.fromkeys(entry.ref.call_ids, index))


@PURE
@given(talks())
def test_no_answer_leaves_its_question_gone(talk: Talk) -> None:
    """COMPACT-2: what was answered to a user's message that left has left as well."""
    scope = talk.scope
    gone = False
    for entry in scope.after(snip(scope)).standing:
        if entry.ref.role == "user":
            gone = entry.left_out
        elif gone:
            assert entry.left_out


@PURE
@given(talks())
def test_every_receipt_leads_to_the_text_it_stands_for(talk: Talk) -> None:
    """I10: with the texts of its items in the place of its receipts a message is what it was."""
    scope = talk.scope
    items = {}
    for stage in STAGES:
        proposals = stage(scope)
        for proposal in proposals:
            items.update({item.id: item for item in proposal.items})
        for proposal in filter(lambda proposal: proposal.text, proposals):
            text = scope.standing[proposal.number - 1].text
            for id in proposal.cites:
                assert id in handles_in(proposal.text or "")
                item = items[id]
                original = talk.texts[item.body][item.start : item.end]
                assert original in text
                assert len(original) == item.chars
                assert item.number == proposal.number
            if scope.standing[proposal.number - 1].ref.role == "tool":
                assert original == text
            else:
                assert restored(proposal, items, talk.texts) == text
        scope = scope.after(proposals)
    assert sorted(items) == sorted(f"c{n}" for n in range(1, len(items) + 1))


@PURE
@given(talks())
def test_a_second_time_nothing_is_left_to_do(talk: Talk) -> None:
    """I7: a stage is deterministic, and what it has done it does not do again."""
    scope = talk.scope
    for stage in STAGES:
        proposals = stage(scope)
        assert stage(scope) == proposals
        scope = scope.after(proposals)
        assert stage(scope) == []
    for stage in STAGES:
        assert stage(scope) == []


@PURE
@given(TEXTS, st.sampled_from(["action_result", "code", "custom"]), st.integers(0, LONGEST))
def test_a_digest_is_one_short_line(text: str, type: Any, longest: int) -> None:
    """CONT-5: whatever the text."""
    told = digest(text, type, longest)
    assert len(told) <= longest
    assert len(told.splitlines()) <= 1


def size(scope: Scope) -> int:
    """Characters that the messages cost, with the receipts of the runs that are left out."""
    total = 0
    for gone, run in groupby(scope.standing, key=lambda entry: entry.left_out):
        entries = list(run)
        if gone:
            total += len(run_receipt([e.edit for e in entries if e.edit])) + MESSAGE_COST
        else:
            total += sum(len(e.shown) + e.ref.extra_chars + MESSAGE_COST for e in entries)
    return total


def restored(proposal: Proposal, items: dict[str, Any], texts: dict[str, str]) -> str:
    """A message with what its items name in the place of the receipts that cite them."""
    text = proposal.text or ""
    for id in proposal.cites:
        mark = f"; retrieve {id} …]"
        start = text.rindex("[…", 0, text.index(mark))
        end = text.index(mark) + len(mark)
        item = items[id]
        text = text[:start] + texts[item.body][item.start : item.end] + text[end:]
    return text
