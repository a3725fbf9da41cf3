"""Ranges of lines as they are written: `20-40`, `20`, `20-`. Pure."""

import re

from memory.errors import StrataError

LAST = 10**9
"""A line that no text has."""
_RANGE = re.compile(r"(\d{1,9})\s*(?:(-|–|to|:|,|\.\.)\s*(\d{1,9})?)?")


class NoRange(StrataError):
    """A text that names no lines."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text[:40]!r} names no lines.", "Write 20-40, or 20 for one line.")


def line_range(text: str) -> tuple[int, int]:
    """The first and the last line that are meant, counted from 1.

    Raises:
        NoRange: It names no lines.
    """
    match = _RANGE.fullmatch(text.strip())
    if match is None:
        raise NoRange(text)
    first, between, last = int(match[1]), match[2], match[3]
    return first, int(last) if last else (LAST if between else first)
