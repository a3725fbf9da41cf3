"""Patterns that can't run away."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.content.patterns import BadPattern, compiled

PATTERNS = (
    r"a+b", r"^foo", r"foo$", r"\bfoo\b", r"fo{2,3}", r"[^a-c]x", r"(ab|cd)+e", r"\d+\.\d*",
    r"a.*z", r"(a*)*b", r"x?y??z", r"\Bfoo", r"[\w.]+@[\w.]+", r"", r"^$", r"É", r"[À-É]",
    r"\S\s\S", r"(?i)abc", r"a{0}b", r"(a|b){2}c", r"a|", r"[\d_]{3}", r"\w+\W\w+$", r".",
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(PATTERNS), st.text("abcdefoxyz019_. @ÉéàF\t", max_size=14))
def test_a_pattern_means_what_it_means_to_python(pattern: str, line: str) -> None:
    """CONT-2: the same lines are found, in capitals or not."""
    assert compiled(pattern)(line) == bool(re.search(pattern, line, re.IGNORECASE))


@pytest.mark.parametrize(
    "pattern", [r"(a+)+b", r"(a|aa)*b", r"a*a*a*a*a*b", r"(a|b)*a(a|b){20}c", r"(.*)*x"]
)
def test_a_pattern_with_countless_ways_ends(pattern: str) -> None:
    """CONT-2: where Python's own engine would not end in our time."""
    begun = time.process_time()
    matches = compiled(pattern)
    assert [matches("ad" * 10_000), matches("a" * 20_000)] == [False, False]
    assert time.process_time() - begun < 5


@pytest.mark.parametrize(
    "pattern",
    [
        r"(a)\1", "(?=a)b", "(?<!a)b", "(", "[", "*a", "a{2000}", "((a{1,99}){1,99}){1,99}",
        "(" * 300, "(?>a)", "a++", "\\", "x" * 600, "(?P<n>a)(?(n)b|c)", "a{1,999999999999}",
    ],
)  # fmt: skip
def test_what_can_not_be_looked_for_is_said(pattern: str) -> None:
    """CONT-2: in plain words, with the next step."""
    with pytest.raises(BadPattern) as told:
        compiled(pattern)
    assert told.value.next_step
