"""A text in Markdown as rows of a width; and the code in it, for copying."""

from collections.abc import Iterable, Iterator

from widgets.markdown.blocks import Block, Code, Listing, Placed, Quote
from widgets.markdown.breaking import line_rows
from widgets.markdown.layout import rows_of
from widgets.markdown.library import References, TooDeep
from widgets.markdown.parsing import parse
from widgets.plain import printable
from widgets.rows import Piece, Row
from widgets.wrapping import TAB

LARGEST = 100_000
"""Characters that are read as Markdown; a longer text is shown as it is."""
LEAST_WIDTH = 2
"""Cells of a row, so that a wide character has room."""


def markdown_rows(text: str, width: int) -> list[Row]:
    """The rows of a text in Markdown.

    Line breaks inside of a paragraph stay as they were typed: people and models who begin a line
    mean to. HTML is shown as text; addresses lead to the web and to mailboxes only.

    Args:
        text: Anything, from anywhere.
        width: Cells of a row; less than 2 counts as 2.
    """
    text, width = printable(text), max(LEAST_WIDTH, width)
    blocks = parsed(text)
    return plain_rows(text, width) if blocks is None else rows_of(blocks, width)


def code_blocks(text: str) -> list[str]:
    """The code in a text, block by block as it was typed, without the line break at its end."""
    blocks = parsed(printable(text))
    return [] if blocks is None else list(_code(placed.block for placed in blocks))


def parsed(text: str, references: References | None = None) -> list[Placed] | None:
    """The blocks of a printable text, as `parse` gives them; None: it is shown as it is."""
    if len(text) > LARGEST:
        return None
    try:
        return parse(text, references)
    except TooDeep:
        return None


def plain_rows(text: str, width: int) -> list[Row]:
    """The rows of a printable text as it is."""
    rows: list[Row] = []
    for line in text.split("\n"):
        shown = line.expandtabs(TAB).rstrip(" ")
        rows += line_rows((Piece(shown),) if shown else (), width)
    return rows


def _code(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Code(text):
                yield text
            case Quote(inner):
                yield from _code(placed.block for placed in inner)
            case Listing(items):
                yield from _code(placed.block for item in items for placed in item.blocks)
            case _:
                pass
