"""Rows of text as everything that scrolls draws them: pieces with an ink, and how rows join."""

from dataclasses import dataclass
from typing import NamedTuple


class Piece(NamedTuple):
    """A stretch of text in one look."""

    text: str
    ink: str = "text"
    """The end of the component class that gives its colour, such as `dim`."""
    style: str = ""
    """Letters: b bold, i italic, s struck through, u underlined."""
    link: str = ""
    """The address that it leads to."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a width that was known when it was made."""

    pieces: tuple[Piece, ...] = ()
    glue: str | None = None
    """What stood where the row above was broken to fit: a space or nothing. None: a new line."""
    bare: int = 0
    """Characters at its start that are drawn but are no text: indentation, a bar, a mark."""

    @property
    def text(self) -> str:
        """All that is drawn, as text."""
        return "".join(piece.text for piece in self.pieces)


EMPTY = Row()
