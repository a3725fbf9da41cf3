"""CHAT-1: text is broken into rows that fit, the same at once and as it streams."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from widgets.entries import LONGEST_SHOWN, MessageEntry, rows_of
from widgets.plain import printable
from widgets.wrapping import GrowingText, wrap

LETTERS = st.sampled_from("ab c  日é\n-")


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("the quick brown fox", 10, ["the quick", "brown fox"]),
        ("    indented code stays", 40, ["    indented code stays"]),
        ("averyverylongword", 6, ["averyv", "erylon", "gword"]),
        ("日本語", 4, ["日本", "語"]),
        ("a\n\nb", 10, ["a", "", "b"]),
        ("\tx", 10, ["    x"]),
        ("", 10, [""]),
    ],
)
def test_rows(text: str, width: int, rows: list[str]) -> None:
    """CHAT-1: rows end at spaces where there are any, and indentation stays."""
    assert wrap(text, width) == rows


@given(text=st.text(LETTERS, max_size=60), width=st.integers(2, 12))
def test_every_row_fits_and_no_letter_is_lost(text: str, width: int) -> None:
    """CHAT-1: nothing is cut off at the right."""
    rows = wrap(text, width)
    assert all(cell_len(row) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == text.replace(" ", "").replace("\n", "")


@given(pieces=st.lists(st.text(LETTERS, max_size=8), max_size=12), width=st.integers(2, 12))
def test_a_stream_gives_the_same_rows_as_its_text(pieces: list[str], width: int) -> None:
    """CHAT-1: the answer does not jump when it is complete."""
    growing = GrowingText(width)
    for piece in pieces:
        growing.grow(piece)
    at_once = GrowingText(width, "".join(pieces))
    assert growing.rows == at_once.rows
    assert growing.at_width(7).rows == GrowingText(7, "".join(pieces)).rows


def test_a_very_long_message_is_shown_in_part_and_says_so() -> None:
    """ALL-8: 5 MB of text in the log take no time to show."""
    started = time.monotonic()
    rows = rows_of(MessageEntry(1, "tool", "x" * 5_000_000), 80)
    assert time.monotonic() - started < 2
    assert len(rows) < LONGEST_SHOWN // 80 + 10
    assert "4,800,000 more characters are in the log" in rows[-2][0][0]


def test_text_is_never_markup() -> None:
    """ALL-8: brackets are letters."""
    rows = rows_of(MessageEntry(1, "strata", "[red]no[/red] [/] [@click=quit]x"), 80)
    assert rows[1][0][0] == "[red]no[/red] [/] [@click=quit]x"
    assert printable("[/]") == "[/]"
