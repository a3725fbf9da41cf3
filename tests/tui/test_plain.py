"""ALL-8: text from anywhere is shown, never obeyed."""

import time

import pytest

from widgets.markdown.growing import GrowingMarkdown
from widgets.plain import complete_part, one_line, printable

ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text", "plain text"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("[bold]brackets[/] stay", "[bold]brackets[/] stay"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;a title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq sixel\x1b\\after", "after"),
        ("\x9b31mred", "red"),
        ("\x1b", ""),
        ("bell\x07 back\x08 null\x00", "bell back null"),
        ("one\r\ntwo\rthree\x85four\u2028five", "one\ntwo\nthree\nfour\nfive"),
        ("abc\u202edef", "abc\\u202edef"),
        ("half \ud800", "half \\ud800"),
        ("שלום עולם", "שלום עולם"),
        ("👩‍👩‍👧 é 日本", "👩‍👩‍👧 é 日本"),
        (f"{ENGLAND}, \U000e0067\U000e0062", f"{ENGLAND}, \\U000e0067\\U000e0062"),
    ],
)
def test_what_a_terminal_would_obey_is_gone(text: str, shown: str) -> None:
    """ALL-8: escapes and controls go, tricks are shown, all else stays."""
    assert printable(text) == shown
    printable(text).encode("utf-8")


def test_one_line_has_no_breaks() -> None:
    """ALL-8: a name can't push what follows out of its line."""
    assert one_line("a\nb\x1b[2J\tc") == "a b c"


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_an_escape_cut_in_two_by_the_stream_is_still_one(size: int) -> None:
    """ALL-8: pieces of a stream are as safe as the whole."""
    text = "red \x1b[31mtext\x1b[0m, \x1b]0;title\x07end\r\nnew"
    growing = GrowingMarkdown(80)
    for start in range(0, len(text), size):
        growing.grow(text[start : start + size])
    assert [row.text for row in growing.rows] == ["red text, end", "new"]


def test_a_begun_escape_waits() -> None:
    """ALL-8: what an escape or a flag begins is held back."""
    assert complete_part(f"text{ENGLAND[:3]}") == ("text", ENGLAND[:3])
    assert complete_part(f"text{ENGLAND}") == (f"text{ENGLAND}", "")
    assert complete_part("text\x1b[3") == ("text", "\x1b[3")
    assert complete_part("text\x1b[3m") == ("text\x1b[3m", "")


@pytest.mark.parametrize("start", ["\x9d", "\x90", "\x1b]", "\x9b", "\x1b["])
def test_many_begun_escapes_cost_no_time(start: str) -> None:
    """ALL-8: a text made of beginnings of escapes is read once, not once for each."""
    began = time.process_time()
    printable(start * 50_000)
    assert time.process_time() - began < 2
