"""Digests of web pages and documents: title, headings with their lines, links, how it begins."""

import re
from collections.abc import Iterator
from itertools import islice

from memory.content.compactors.code import signatures
from memory.content.compactors.sketch import (
    SCANNED,
    About,
    Group,
    Sketch,
    at_lines,
    lines_of,
    many,
)
from memory.content.telling import READ, clipped, names, one_line

MOST_HEADINGS = 24
MOST_NAMED = 8
LONGEST_PARAGRAPH = 240
SHORTEST_PARAGRAPH = 40
"""Characters below which a block is a menu or a heading, not a paragraph."""
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,300})", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,4} +(\S[^\n]*)$|<h[1-3][^>]{0,200}>([^<]{1,200})", re.MULTILINE)
_UNDERLINED = re.compile(r"^(\w[^\n]{0,120})\n(?:={3,}|-{3,})$", re.MULTILINE)
_LINK = re.compile(r"\]\(|<a ", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{1,300}>")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_UNSEEN = re.compile(r"<(script|style)\b.{0,20000}?</\1>", re.IGNORECASE | re.DOTALL)


def read_page(text: str, about: About) -> Sketch | None:
    """A page, where it has a title or several headings."""
    head = text[:READ]
    if "#" not in head and "<" not in head:
        return None
    title, found = _TITLE.search(head), _headings(text)
    if title is None:
        # One line that begins with a number sign may as well be a comment of a program.
        named = [name for name, start in found if start < READ]
        if not head.lstrip().startswith("#") or len(named) < 2 or signatures(head):  # noqa: PLR2004
            return None
    return draw_page(text, about)


def draw_page(text: str, about: About) -> Sketch:
    """A page, whether it looks like one or not."""
    head = text[:READ]
    title = _TITLE.search(head)
    found = _headings(text)
    if not found:
        found = [(match[1], match.start()) for match in _UNDERLINED.finditer(text, 0, SCANNED)]
    links = sum(1 for _ in _LINK.finditer(text, 0, SCANNED))
    size = ", ".join([lines_of(text), *([many(links, "link")] if links else [])])
    first = [_unescaped(title[1])] if title else [name for name, _ in found[:1]]
    beginning = first_paragraph(head)
    return Sketch(
        f"page, {size}",
        (
            Group(first or [clipped(beginning or head.strip())]),
            Group([f"“{beginning}”"] if beginning else [], "begins"),
            Group(at_lines(text, found[:MOST_HEADINGS]), "headings"),
            Group(names(_TAG.sub(" ", head))[:MOST_NAMED], "names"),
        ),
    )


def headings(text: str) -> Iterator[str]:
    """The headings of a document, each with its line."""
    return at_lines(text, _headings(text))


def first_paragraph(head: str) -> str:
    """The first block of prose, clipped; empty where there is none."""
    seen = _TAG.sub("\n\n", _UNSEEN.sub(" ", head))
    for block in islice(re.split(r"\n[ \t]*\n", seen), 60):
        said = one_line(_MARKDOWN_LINK.sub(r"\1", block)).lstrip("*>- ")
        if len(said) >= SHORTEST_PARAGRAPH and said[0] not in "#|`" and " " in said:
            return clipped(_unescaped(said), LONGEST_PARAGRAPH)
    return ""


def _unescaped(text: str) -> str:
    """A text with the characters that HTML writes by name."""
    if "&" not in text:
        return text
    from html import unescape  # it has all their names

    return unescape(text)


def _headings(text: str) -> list[tuple[str, int]]:
    found = islice(_HEADING.finditer(text, 0, SCANNED), MOST_HEADINGS * 2)
    return [(_unescaped(match[1] or match[2]), match.start()) for match in found]
