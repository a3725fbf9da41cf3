"""Text of others inside a block of ours: it can neither close the block nor open one (ALL-8). Pure.

Models read a mark also where it is not written to the letter: capital letters, blanks, characters
that nobody sees and wider forms of `<` and `/` don't make it another one.
"""

import re

_UNSEEN = (
    "\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
_BETWEEN = f"[\\s{_UNSEEN}]*"
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
