"""Text of others inside a block of ours: it can neither close the block nor open one (ALL-8). Pure.

Models read a mark also where it is not written to the letter: capital letters, blanks, characters
that nobody sees and wider forms of `<` and `/` don't make it another one.
"""

import re

from memory.unseen import UNSEEN

_BETWEEN = f"[\\s{UNSEEN}]*"
_MARK = re.compile(
    f"[<\uff1c\ufe64](?={_BETWEEN}[/\uff0f\u2044\u2215]?{_BETWEEN}{_BETWEEN.join('memory')})",
    re.IGNORECASE,
)
"""Begins what a text could close its own block with, or open another one of ours."""
SET_IN = "  "


def unmarked(text: str) -> str:
    """The text without what begins a mark of ours: it reads the same, and marks nothing."""
    return _MARK.sub("&lt;", text)


def set_in(text: str) -> str:
    """The text with every line but the first set in, so that none passes for a line of ours."""
    return f"\n{SET_IN}".join(text.splitlines())
