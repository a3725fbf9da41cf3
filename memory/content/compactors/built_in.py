"""Strata's own compactors: which form is looked for first, by what a text is stored as."""

from dataclasses import replace
from pathlib import PurePath

from memory.content.compactors.code import draw_code, read_code, read_diff
from memory.content.compactors.hits import read_hits
from memory.content.compactors.listing import read_listing
from memory.content.compactors.page import draw_page, read_page
from memory.content.compactors.plain import draw_plain
from memory.content.compactors.rows import read_rows
from memory.content.compactors.shape import read_json
from memory.content.compactors.sketch import About, Reader, Sketch, packed
from memory.parts import ItemType

_BY_FORM: tuple[Reader, ...] = (
    read_json, read_page, read_diff, read_hits, read_listing, read_code, read_rows, draw_plain,
)  # fmt: skip
_FIRST: dict[ItemType, tuple[Reader, ...]] = {
    "code": (draw_code,),
    "database_result": (read_json, read_rows),
    "json": (read_json,),
    "search_results": (read_hits,),
    "web_content": (read_json, draw_page),
}
"""What is tried before the form decides."""
_DOCUMENTS = frozenset({".md", ".markdown", ".rst", ".html", ".htm"})
LONGEST_PATH = 120


def compact(text: str, about: About) -> str:
    """The digest of a text by Strata's own rules: one line of at most `about.chars` characters."""
    # What stands above stays: the lines are counted from the text's own beginning.
    text = text.rstrip()
    longest = max(0, about.chars)
    if not text:
        return "empty"[:longest]
    return packed(_drawn(text, about), text, longest)


def _drawn(text: str, about: About) -> Sketch:
    if about.type == "file":
        return _file(text, about)
    for read in (*_FIRST.get(about.type, ()), *_BY_FORM):
        sketch = read(text, about)
        if sketch is not None:
            return sketch
    return draw_plain(text, about)


def _file(text: str, about: About) -> Sketch:
    """A file by what it holds, under its path."""
    path = about.source[-LONGEST_PATH:]
    document = PurePath(path).suffix.lower() in _DOCUMENTS
    inner = draw_page(text, about) if document else _drawn(text, replace(about, type="custom"))
    return replace(inner, kind=f"{path}, {inner.kind}") if path else inner
