"""How much of a command's report stands in the transcript at once. Pure."""

from app.chat.happenings import Reported
from widgets.figures import count

MOST_LINES = 60
"""Two screens: more would push what was said out of sight."""
MOST_CHARS = 12_000
"""Of few long lines: as much as so many ordinary ones have."""


def clipped(reported: Reported) -> str:
    """The text of a report; of a long one that can be read on, its first lines and how to go on."""
    if reported.lines_of is None:
        return reported.text
    lines = reported.text.split("\n")
    shown = _that_fit(lines)
    text = "\n".join(lines[:shown])[:MOST_CHARS]
    left = len(lines) - shown
    if not left and len(text) == len(reported.text):
        return text
    if not left:
        return f"{text}…\n({count(len(reported.text) - len(text), 'more character')}.)"
    first = reported.lines_of.first + shown
    last = first + min(left, MOST_LINES) - 1
    more = count(left, "more line")
    return f"{text}\n({more}: {reported.lines_of.command} lines {first}-{last})"


def _that_fit(lines: list[str]) -> int:
    """How many lines there is room for; one at least."""
    room = MOST_CHARS
    for place, line in enumerate(lines[:MOST_LINES]):
        room -= len(line) + 1
        if room < 0:
            return max(1, place)
    return min(len(lines), MOST_LINES)
