"""A summary without a model: clipped bullets (S1), the weightiest where not all fit. Pure."""

import re
from collections.abc import Sequence

CHARS_PER_TOKEN = 3
"""Characters allowed for each token of room: bullets with names and numbers are dense."""
LONGEST_BULLET = 160
GOOD_BULLET = 72
"""Characters of a bullet that tells something: where there is room for few, few are chosen."""
SHORTEST_BULLET = 16
"""Characters; a text clipped to less says nothing."""
_WEIGHTY = re.compile(r"\d+|\b[A-Z][a-z]+|https?://|[/\\]\w+|[A-Za-z]{7,}")
_TELLING = re.compile(r"\d+|(?<=[\w,;] )[A-Z]\w+|https?://|[/\\]\w+|[A-Za-z]{7,}")
"""The same but for words that have a capital because they begin a sentence."""
_SAID_BY = re.compile(r"(?:(?:system|user|assistant|tool): )?(?:[A-Z]\w*: )?")
_SENTENCE_END = re.compile(r"[.!?][\"'”’)]*\s+")
LOOKED_AT = 600
"""Characters of an entry in which the part that tells most is looked for."""
_SPACE = re.compile(r"\s+")


def bullets_of(lines: Sequence[str], room: int) -> str:
    """A bullet list of the lines in their order, in at most about `room` tokens.

    Empty where there is room for nothing that could be read.

    Args:
        lines: What is to be summarised: `role: text`, or the bullets of earlier summaries.
        room: Tokens there are.
    """
    characters = room * CHARS_PER_TOKEN
    entries = [_SPACE.sub(" ", line.removeprefix("- ")).strip() for line in lines]
    entries = [entry for entry in entries if entry]
    if not entries or characters < 1:
        return ""
    most = max(1, characters // (GOOD_BULLET + 3))
    chosen = _weightiest(entries, most)
    each = min(LONGEST_BULLET, characters // len(chosen) - 3)
    if each < min(SHORTEST_BULLET, max(map(len, chosen))):
        return ""
    return "\n".join(f"- {_clip(entry, each)}" for entry in chosen)


def lines_of(summary: str) -> list[str]:
    """A summary as lines that `bullets_of` takes: its bullets, or its sentences."""
    lines = [line for line in summary.splitlines() if line.strip()]
    if all(line.startswith("- ") for line in lines):
        return lines
    return [part for line in lines for part in re.split(r"(?<=[.!?])\s+", line)]


def _weightiest(entries: list[str], most: int) -> list[str]:
    """At most so many of the entries, those with the most names and numbers, in their order."""
    ranked = sorted(range(len(entries)), key=lambda i: (-_weight(entries[i]), -i))
    return [entries[i] for i in sorted(ranked[:most])]


def _weight(entry: str) -> int:
    return len(_WEIGHTY.findall(entry[:400]))


def _clip(entry: str, longest: int) -> str:
    """The entry from its most telling sentence on, cut after a word where it is too long."""
    if len(entry) <= longest:
        return entry
    entry = _from_most_telling(entry, longest)
    if len(entry) <= longest:
        return entry
    head = entry[: longest - 1]
    words, _, rest = head.rpartition(" ")
    # A text without spaces, or a very long last word, is cut where it must be.
    return (words if len(rest) < len(head) // 2 else head).rstrip(" ,;:") + "…"


def _from_most_telling(entry: str, longest: int) -> str:
    """Who speaks, and the sentences from which on most is told in so many characters.

    People begin with greetings, and what they tell comes after.
    """
    said_by = _SAID_BY.match(entry)
    begin = said_by.end() if said_by else 0
    starts = [begin, *(end.end() for end in _SENTENCE_END.finditer(entry, begin, LOOKED_AT))]
    room = longest - begin
    best = max(
        starts, key=lambda start: (len(_TELLING.findall(entry, start, start + room)), -start)
    )
    return entry[:begin] + entry[best:]
