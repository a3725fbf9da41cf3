"""Kinds of failures as people read them (CHAT-10, GOAL-4, GOAL-7)."""

import pytest

from widgets.calls import call_rows, call_text
from widgets.entries import CallEntry
from widgets.failure_words import failure_words, failures_in_words, pattern_words


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("NotAllowed", "not allowed"),
        ("NotText", "not text"),
        ("OutsideWorkspace", "outside the workspace"),
        ("ServerGone", "the server is gone"),
        ("FileNotFound", "file not found"),
        ("HTTPError", "HTTP error"),
        ("Http404", "http404"),
        ("Stopped", "stopped"),
        ("", ""),
        ("no such tool", "no such tool"),
        ("ZU_GROSS", "ZU_GROSS"),
        ("a\x1b[2J\nb", "a b"),
        ("日本", "日本"),
    ],
)
def test_a_kind_is_told_in_words(kind: str, words: str) -> None:
    """CHAT-10: what the tables don't know is taken apart; what is no name stays."""
    assert failure_words(kind) == words


def test_a_pattern_names_the_tool_and_what_went_wrong() -> None:
    """GOAL-7: the tool's own name stays."""
    assert pattern_words("srv__Read: ServerGone") == "srv__Read: the server is gone"
    assert pattern_words("NotText") == "not text"


def test_kinds_with_the_same_words_are_counted_as_one() -> None:
    """GOAL-4: nothing stands twice."""
    assert failures_in_words({"TimedOut": 2, "NotText": 1, "TimeLimit": 3}) == {
        "took too long": 5,
        "not text": 1,
    }


def test_a_call_is_told_and_copied_in_words() -> None:
    """CHAT-10: nobody reads the name of an exception."""
    entry = CallEntry("read_file", "{}", "failed", result="No.", error="NotText", number=3)
    rows = "\n".join(row.text for row in call_rows(entry, 80, unfolded=True))
    assert "✗ failed: not text" in rows
    assert "not text" in call_text(entry)
    assert "NotText" not in rows + call_text(entry)
