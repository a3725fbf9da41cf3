"""Where long texts are cut into passages: each is found, compared and shown by itself. Pure."""

import re

LONGEST = 1_600
"""Characters of a text that stays whole: about 400 tokens, a fifth of what recall may inject."""
AIMED = 1_200
"""Characters of a part: embedding models of this size read about 250 tokens."""
MOST_PARTS = 500
"""Parts of one text; those of an enormous one are longer instead."""
_ENDS = tuple(
    map(re.compile, (r"\n\s*\n", r"\n", r"[.!?。!?]['\"”’)\]]*(?:\s|(?<=[。!?]))", r"\s"))
)


def spans(text: str) -> list[tuple[int, int]]:
    """The beginning and end of each part, which together are the whole text.

    Cut at the end of a paragraph where there is one in the second half of a part, else of a line,
    a sentence or a word.
    """
    if len(text) <= LONGEST:
        return [(0, len(text))]
    aimed = max(AIMED, -(-len(text) // MOST_PARTS))
    found: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > aimed + aimed // 3:
        end = _cut(text, start + aimed // 2, start + aimed)
        found.append((start, end))
        start = end
    return [*found, (start, len(text))]


def _cut(text: str, low: int, high: int) -> int:
    """The best place to cut between two places."""
    for ending in _ENDS:
        ends = [match.end() for match in ending.finditer(text, low, high)]
        if ends:
            return ends[-1]
    return high
