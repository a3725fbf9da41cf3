"""Blocks as rows of a width: calm, without boxes, and readable without colours."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from rich.cells import cell_len

from widgets.markdown.blocks import (
    Block,
    Code,
    Heading,
    Item,
    Line,
    Listing,
    Paragraph,
    Placed,
    Quote,
    Rule,
    Table,
)
from widgets.markdown.breaking import cells, line_rows
from widgets.markdown.code import code_lines
from widgets.markdown.tables import Columns
from widgets.rows import EMPTY, Piece, Row

CODE_INDENT = "  "
_BAR = "▎ "
_LEAST = 10
"""Cells that text needs; where there are fewer, indentations and bars are left out."""
_LONG_CODE = 20
"""Lines of code from which on their number is told."""
_BULLETS = "•◦·"
_DIGITS = 2
_AIRY = (Code, Table, Quote, Rule)


def rows_of(blocks: Sequence[Placed], width: int, depth: int = 0) -> list[Row]:
    """The rows of blocks that stand below each other.

    Args:
        blocks: The blocks.
        width: Cells of a row, at least 2.
        depth: In how many lists they stand.
    """
    rows: list[Row] = []
    above: Block | None = None
    for placed in blocks:
        if is_apart(above, placed):
            rows.append(EMPTY)
        rows += block_rows(placed.block, width, depth)
        above = placed.block
    return rows


def is_apart(above: Block | None, placed: Placed) -> bool:
    """Whether an empty row parts a block from the one above it."""
    if above is None or isinstance(above, Heading):
        return False
    return placed.gap or isinstance(placed.block, (Heading, *_AIRY)) or isinstance(above, _AIRY)


def block_rows(block: Block, width: int, depth: int = 0) -> list[Row]:
    """The rows of one block."""
    match block:
        case Paragraph(lines):
            rows = text_rows(lines, width)
        case Heading():
            rows = _heading_rows(block, width)
        case Rule():
            rows = [_rule("─" * width)]
        case Code(text, language):
            code = code_lines(text, language)
            rows = [*label_rows(language, width, len(code)), *code_rows(code, width)]
        case Table():
            rows = Columns(block, width).rows()
        case Quote(blocks):
            rows = _quote_rows(blocks, width, depth)
        case Listing(items, first):
            rows = list(listing_rows(items, first, width, depth))
    return rows


def _quote_rows(blocks: Sequence[Placed], width: int, depth: int) -> list[Row]:
    room = width - len(_BAR)
    if room < _LEAST:
        return rows_of(blocks, width, depth)
    bar = (Piece(_BAR, "dim"),)
    return list(_beside(bar, bar, rows_of(blocks, room, depth)))


def _rule(text: str) -> Row:
    """A row that is only drawn."""
    return Row((Piece(text, "dim"),), bare=len(text))


def text_rows(lines: Iterable[Line], width: int) -> list[Row]:
    """The rows of lines of text."""
    return list(chain.from_iterable(line_rows(line, width) for line in lines))


def label_rows(language: str, width: int, lines: int = 0) -> list[Row]:
    """What stands above code: the name of its language, and how much it is if that is much."""
    length = f"{lines} lines" if lines > _LONG_CODE else ""
    label = " · ".join(part for part in (language, length) if part)
    room = width - len(CODE_INDENT)
    if not label or cell_len(label) > room:
        return []
    return [_rule(CODE_INDENT + label)]


def code_rows(lines: Iterable[Line], width: int) -> list[Row]:
    """The rows of lines of code: broken only where the width ends."""
    room = width - len(CODE_INDENT)
    indent = (Piece(CODE_INDENT, "code"),)
    rows: list[Row] = []
    for line in lines:
        if room < _LEAST:
            rows += line_rows(line, width, exact=True)
        else:
            rows += _beside(indent, indent, line_rows(line, room, exact=True))
    return rows


def listing_rows(items: Sequence[Item], first: int | None, width: int, depth: int) -> Iterator[Row]:
    """The rows of a list's items, each with its mark or its number."""
    for index, item in enumerate(items):
        if index and item.gap:
            yield EMPTY
        number = None if first is None else first + index
        yield from _item_rows(item, number, width, depth)


def _item_rows(item: Item, number: int | None, width: int, depth: int) -> Iterator[Row]:
    mark = _mark(item, number, depth)
    room = width - len(mark)
    text = mark.lstrip()
    indent = len(mark) - len(text)
    if room < _LEAST:
        yield from line_rows((Piece(text.rstrip(), "dim"),), width)
        yield from rows_of(item.blocks, width, depth + 1)
        return
    rows = rows_of(item.blocks, room, depth + 1) or [EMPTY]
    rest = (Piece(" " * len(mark)),)
    start = (Piece(" " * indent), Piece(text, "dim")) if indent else (Piece(text, "dim"),)
    for index, row in enumerate(_beside(start, rest, rows)):
        yield row if index else Row(row.pieces, bare=indent)


def _mark(item: Item, number: int | None, depth: int) -> str:
    if item.done is not None:
        return " ✓ " if item.done else " ○ "
    if number is not None:
        return f"{number:>{_DIGITS}} "
    return f" {_BULLETS[min(depth, len(_BULLETS) - 1)]} "


def _heading_rows(heading: Heading, width: int) -> list[Row]:
    rows = text_rows(heading.lines, width)
    size = max((cells(row.pieces) for row in rows), default=0)
    return [*rows, _rule("─" * size)] if heading.level == 1 and size else rows


def _beside(first: Line, rest: Line, rows: Iterable[Row]) -> Iterator[Row]:
    """Rows with something before them that is no text; an empty row gets nothing but a bar."""
    for index, row in enumerate(rows):
        start = rest if index else first
        if row.pieces or any(piece.text.strip(" ") for piece in start):
            added = sum(len(piece.text) for piece in start)
            yield Row((*start, *row.pieces), row.glue, added + row.bare)
        else:
            yield row
