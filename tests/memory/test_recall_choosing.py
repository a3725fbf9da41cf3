"""RECALL-3, RECALL-4: what of the found passages is brought to a turn, and why not the others."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from memory.recall.choosing import (
    BEST_LEFT_OUT,
    ENOUGH,
    IN_PROMPT,
    NO_ROOM,
    SAME_TEXT,
    WEAK,
    Choice,
    Limits,
    Standing,
    choose,
)
from memory.recall.corpus import Passage
from memory.recall.searching import Found
from memory.tokens import Tally, estimate
from memory.words import index_words

HERE = "here"


def found(id: int, text: str, relevance: float = 5.0, **more: Any) -> Found:
    values: dict[str, Any] = {
        "kind": "message",
        "role": "user",
        "at": "2026-05-08T10:00:00Z",
        "session": HERE,
    }
    values |= {"body": f"b{id}", "text": text, "length": len(index_words(text))}
    passage = Passage(id, episode=1, number=id, **values | more)
    parts = {"words": relevance, "recency": 1.0}
    return Found(passage, relevance + 1, parts, coverage=relevance / 5)


def chosen(*candidates: Found, standing: Standing | None = None, **limits: Any) -> Choice:
    rules = {"budget": 1_000, "passage_tokens": 300, "passages": 5, "facts": 3} | limits
    return choose(candidates, (), standing or Standing(HERE), Limits(**rules), Tally())


def reasons(choice: Choice) -> dict[int, str]:
    return {text.passage: text.why_not for text in choice.left_out}


def test_the_best_come_first_with_what_their_score_is_made_of() -> None:
    choice = chosen(found(1, "Green tea."), found(2, "Black coffee."))
    assert [text.passage for text in choice.texts] == [1, 2]
    assert choice.texts[0].parts == {"words": 5.0, "recency": 1.0}
    assert choice.texts[0].shown is None


def test_what_the_prompt_shows_is_told_as_such() -> None:
    standing = Standing(HERE, frozenset({1}), frozenset({"b2"}), frozenset({"Water."}))
    choice = chosen(
        found(1, "Green tea."),
        found(2, "Black coffee."),
        found(3, "Water."),
        found(4, "Wine."),
        found(5, "wine!", session="other"),
        standing=standing,
    )
    assert [text.passage for text in choice.texts] == [4]
    assert reasons(choice) == {1: IN_PROMPT, 2: IN_PROMPT, 3: SAME_TEXT, 5: SAME_TEXT}


def test_a_message_of_the_same_number_in_another_session_is_another_one() -> None:
    standing = Standing(HERE, frozenset({1}))
    choice = chosen(found(1, "Green tea.", session="other"), standing=standing)
    assert [text.passage for text in choice.texts] == [1]


def test_weak_ones_and_more_than_enough_are_left_out() -> None:
    choice = chosen(
        *(found(id, f"Drink {id}.") for id in range(1, 7)),
        found(8, "Rain.", 0.4),
        *(found(id, f"Fact {id}.", kind="fact") for id in range(10, 14)),
    )
    assert len(choice.texts) == 5
    assert len(choice.facts) == 3
    assert reasons(choice) == {6: ENOUGH, 8: WEAK, 13: ENOUGH}


def test_of_a_long_one_the_beginning_stands_and_a_fact_is_never_cut() -> None:
    choice = chosen(found(1, "tea " * 390), found(2, "fact " * 390, kind="fact"))
    assert choice.texts[0].shown is not None
    assert estimate(choice.texts[0].shown) <= 300
    assert reasons(choice) == {2: NO_ROOM}


def test_a_part_of_a_longer_text_says_where_it_begins() -> None:
    choice = chosen(found(1, "the second part", start=1_500))
    assert (choice.texts[0].first, choice.texts[0].shown) == (1_500, len("the second part"))


@given(
    st.lists(st.tuples(st.text(max_size=3_000), st.floats(0, 9)), max_size=30),
    st.integers(0, 3_000),
)
def test_the_budget_holds_whatever_was_found(said: list[tuple[str, float]], budget: int) -> None:
    """RECALL-3: within a token budget, never everything."""
    candidates = [found(id, text, score) for id, (text, score) in enumerate(said, 1)]
    choice = chosen(*candidates, budget=budget)
    spent = sum(estimate(text.chars if text.shown is None else text.shown) for text in choice.texts)
    assert spent <= budget
    assert len(choice.left_out) <= BEST_LEFT_OUT
    assert all(text.why_not for text in choice.left_out)


def test_dense_scripts_keep_to_the_budget() -> None:
    """RECALL-3: a character of theirs is nearly a token."""
    long = found(1, "記憶は大切です。" * 50)
    choice = chosen(long, passage_tokens=100)
    assert choice.texts[0].shown is not None
    assert 80 <= choice.texts[0].shown <= 150
    assert chosen(long, budget=150, passage_tokens=400).texts[0].shown in range(80, 160)
