"""COMPACT-11, VIEW-3: differences of two texts, whatever the texts."""

import random
import time

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from widgets.panes.blocks import flat, piece_rows
from widgets.panes.compared import compared
from widgets.rows import Piece
from widgets.word_diff import difference

TEXT = st.text(st.sampled_from("ab \n.é漢字\t\u202e[]"), max_size=60)


@given(TEXT, TEXT)
def test_the_parts_of_a_side_join_to_its_text(before: str, after: str) -> None:
    """VIEW-3: nothing is shown that is not there, and nothing is left out."""
    old, new = difference(before, after)
    assert "".join(part.text for part in old) == before
    assert "".join(part.text for part in new) == after


@given(TEXT, TEXT)
def test_what_is_not_marked_is_the_same_on_both_sides(before: str, after: str) -> None:
    """VIEW-3: words alike, in the same order."""
    old, new = difference(before, after)
    alike = ["".join("".join(p.text.split()) for p in s if not p.changed) for s in (old, new)]
    assert alike[0] == alike[1]


@given(TEXT)
def test_a_text_differs_in_nothing_from_itself(text: str) -> None:
    """VIEW-3."""
    assert not any(part.changed for side in difference(text, text) for part in side)


@given(st.lists(st.tuples(TEXT, st.sampled_from(["text", "lost"]))), st.integers(2, 20))
def test_rows_in_several_inks_join_to_their_text(parts: list[tuple[str, str]], width: int) -> None:
    """VIEW-3, ALL-8: every character stands in one row, in its own ink, and none is too wide."""
    whole = flat("".join(text for text, _ in parts))
    inks = [ink for text, ink in parts for _ in text] + ["text"]
    pieces = [Piece(c, inks[min(i, len(inks) - 1)]) for i, c in enumerate(whole)]
    rows = piece_rows(pieces, width)
    joined = rows[0].text if rows else ""
    for row in rows[1:]:
        joined += ("\n" if row.glue is None else row.glue) + row.text
    assert joined == whole
    assert all(cell_len(row.text) <= width for row in rows)


@given(TEXT, TEXT, st.integers(2, 120))
def test_no_row_is_wider_than_its_room(before: str, after: str, width: int) -> None:
    """VIEW-3: one below the other, or beside each other."""
    titles = ("a", "b")
    assert all(cell_len(row.text) <= width for row in compared(before, after, width, titles))


def test_one_word_that_changed_is_marked() -> None:
    """VIEW-3: it, and nothing around it."""
    old, new = difference("The rent is 1,050 a month.", "The rent is 1,100 a month.")
    assert [part.text for part in old if part.changed] == ["1,050 "]
    assert [part.text for part in new if part.changed] == ["1,100 "]


def test_long_summaries_are_compared_in_time() -> None:
    """VIEW-3: 8,000 tokens, most of them others; figures are of a loaded machine."""
    chance = random.Random(7)
    words = [f"word{n}" for n in range(700)] + ["the", "a", "of"] * 100
    one = " ".join(chance.choices(words, k=6_000))
    other = " ".join(chance.choices(words, k=6_000))
    started = time.process_time()
    difference(one, other)
    assert time.process_time() - started < 3
