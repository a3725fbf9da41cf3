"""Digests of plain text: how it begins, where it tells of an error, what it names."""

from memory.content.compactors.sketch import About, Group, Sketch, lines_of
from memory.content.telling import first_line, names, trouble


def draw_plain(text: str, about: About) -> Sketch:
    """Any text."""
    return Sketch(
        f"text, {lines_of(text)}",
        (Group([f"“{first_line(text.lstrip())}”", *trouble(text), *names(text)]),),
    )
