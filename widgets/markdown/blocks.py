"""The blocks of a text in Markdown, as plain data that no width has touched yet."""

from dataclasses import dataclass

from widgets.rows import Piece

Line = tuple[Piece, ...]
"""A line as it was typed, in its looks."""
Lines = tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines of text; the line breaks that were typed stay."""

    lines: Lines


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading, 1 the greatest, 6 the least."""

    level: int
    lines: Lines


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across."""


@dataclass(frozen=True, slots=True)
class Code:
    """Code as it is, without the line break at its end."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; every row has a cell for every column."""

    aligns: tuple[str, ...]
    """`left`, `right`, `center`, or nothing, for every column."""
    header: tuple[Line, ...]
    rows: tuple[tuple[Line, ...], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Blocks that somebody else has said."""

    blocks: "tuple[Placed, ...]"


@dataclass(frozen=True, slots=True)
class Item:
    """What stands behind one mark of a list."""

    blocks: "tuple[Placed, ...]"
    start: int
    """The line it begins at."""
    gap: bool
    """Whether an empty line stands above it."""
    done: bool | None = None
    """Of a task: whether it is done. None: it is no task."""


@dataclass(frozen=True, slots=True)
class Listing:
    """A list with marks, or with numbers."""

    items: tuple[Item, ...]
    first: int | None = None
    """The number of the first item, where they have numbers."""


Block = Paragraph | Heading | Rule | Code | Table | Quote | Listing


@dataclass(frozen=True, slots=True)
class Placed:
    """A block, and where it stood."""

    block: Block
    start: int
    """The line it begins at."""
    gap: bool
    """Whether an empty line stands above it."""
