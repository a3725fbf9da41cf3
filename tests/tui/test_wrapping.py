"""CHAT-1: text is broken into rows that fit, and entries stand on rows of their own."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from widgets.copying import plain_text
from widgets.entries import LiveEntry, LiveMarkEntry, MarkEntry, MessageEntry, NoticeEntry
from widgets.entry_rows import LONGEST_SHOWN, guessed_height, rows_of
from widgets.plain import printable
from widgets.wrapping import plain_rows, wrap

LETTERS = st.sampled_from("ab c  日é\n-")
MARK = "folded 66–129 into the short-term summary · 9.1k → 5.0k tokens"


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


@given(text=st.text(LETTERS, max_size=60), width=st.integers(2, 12))
def test_rows_join_to_the_text_they_were_broken_from(text: str, width: int) -> None:
    """CHAT-5: what is copied has no line breaks that only the width of the screen made."""
    lines = [line.rstrip() for line in text.split("\n")]
    assert plain_text(plain_rows(text, width)) == "\n".join(lines)


def test_a_very_long_message_is_shown_in_part_and_says_so() -> None:
    """ALL-8: 5 MB of text in the log take no time to show."""
    started = time.process_time()
    rows = rows_of(MessageEntry(1, "tool", "x" * 5_000_000), 80)
    assert time.process_time() - started < 2
    assert len(rows) < LONGEST_SHOWN // 80 + 10
    assert "4,900,000 more characters are in the log" in rows[-2].text


def test_text_is_never_markup() -> None:
    """ALL-8: brackets are letters."""
    text = "[red]no[/red] [/] [@click=quit]x"
    assert rows_of(MessageEntry(1, "tool", text), 80)[1].text == text
    assert rows_of(MessageEntry(1, "strata", text), 80)[1].text == text
    assert printable("[/]") == "[/]"


def test_the_heading_tells_time_and_figures() -> None:
    """CHAT-1: name, time and figures on one row where they fit, else below each other."""
    entry = MessageEntry(1, "strata", "Hello.", ("14:02", "1.9 s", "31 tokens"))
    assert [row.text for row in rows_of(entry, 60)] == [
        "strata  14:02  1.9 s · 31 tokens",
        "Hello.",
        "",
    ]
    assert [row.text for row in rows_of(entry, 20)][:2] == ["strata  14:02", "1.9 s · 31 tokens"]
    live = LiveEntry("strata", "answering  31 tokens/s", ("14:09",))
    assert rows_of(live, 60)[0].text == "strata  14:09  ● answering  31 tokens/s"


def test_a_mark_is_one_row_where_it_fits() -> None:
    """VIEW-5: a mark is broken between its figures where there is no room."""
    assert [row.text for row in rows_of(MarkEntry(MARK, "c1"), 100)] == [f"── {MARK} ──", ""]
    narrow = rows_of(MarkEntry(MARK, "c1"), 50)
    assert [row.text for row in narrow] == [
        "── folded 66–129 into the short-term summary",
        "   9.1k → 5.0k tokens ──",
        "",
    ]
    assert plain_text(narrow[:-1]).startswith(MARK)
    assert {piece.ink for row in narrow for piece in row.pieces} == {"short-term"}


def test_notices_differ_by_more_than_their_hue() -> None:
    """VIEW-8: a sign tells what is noted from what did not work; it is no part of the text."""
    text = "The connection was refused, so it is asked again."
    for tone, sign in (("plain", ""), ("note", "! "), ("problem", "✗ ")):
        rows = rows_of(NoticeEntry(text, tone), 30)[:-1]  # type: ignore[arg-type]
        assert rows[0].text.startswith(f"{sign}The connection")
        assert all(row.text.startswith(" " * len(sign)) for row in rows[1:])
        assert plain_text(rows) == text


@pytest.mark.parametrize("width", [2, 5, 17, 22, 40, 80])
def test_every_entry_fits_every_width(width: int) -> None:
    """ALL-2: nothing is cut off, however narrow the terminal."""
    entries = (
        MarkEntry(MARK),
        LiveMarkEntry("folding 66–129: short-term summary", 3.2),
        NoticeEntry("There is no command @statsu.", "problem", "@statsu"),
        MessageEntry(7, "you", "Some words to break, and averyveryverylongone.", ("14:02", "1 s")),
        LiveEntry("strata", "waiting for the model", ("14:02",)),
    )
    for entry in entries:
        assert all(cell_len(row.text) <= width for row in rows_of(entry, width)), entry


@given(words=st.lists(st.text("abcdef", min_size=1, max_size=9), max_size=200))
def test_the_guess_of_a_height_is_near(words: list[str]) -> None:
    """ALL-7: what has not been in sight yet takes about the rows that it is thought to take."""
    entry = MessageEntry(1, "you", " ".join(words))
    assert abs(guessed_height(entry, 60) - len(rows_of(entry, 60))) <= 4
