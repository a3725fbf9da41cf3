"""A text of any length as rows that are made when they come into sight. Pure."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import overload

from widgets.plain import printable
from widgets.rows import Piece, Row
from widgets.wrapping import TAB, plain_rows

LONGEST_WRAPPED = 100_000
"""Characters of a text that is broken at spaces; a longer one is broken where a row is full."""


@dataclass(frozen=True, slots=True)
class LongText:
    """A text, ready to be broken into rows of any width; making it takes a look at all of it."""

    text: str
    lines: tuple[str, ...] = field(repr=False)

    @classmethod
    def of(cls, text: str) -> "LongText":
        """A text of any origin: no terminal obeys it, nothing in it is markup."""
        clean = printable(text).strip("\n")
        lines = (line.expandtabs(TAB).rstrip() for line in clean.split("\n"))
        return cls(clean, tuple(lines))

    def rows(self, width: int, ink: str = "text") -> Sequence[Row]:
        """Its rows.

        Args:
            width: Cells of a row.
            ink: The look of all of it.
        """
        width = max(2, width)
        if len(self.text) <= LONGEST_WRAPPED:
            return tuple(plain_rows("\n".join(self.lines), width, ink))
        ends = tuple(accumulate(max(1, -(-len(line) // _step(line, width))) for line in self.lines))
        return CutRows(self, width, ink, ends)


@dataclass(frozen=True, slots=True, eq=False)
class CutRows(Sequence[Row]):
    """The rows of a long text, each cut out when it is asked for."""

    text: LongText
    width: int
    ink: str
    ends: tuple[int, ...]
    """The number of rows up to the end of each line."""

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)
        number = bisect_right(self.ends, index)
        line = self.text.lines[number]
        place = index - (self.ends[number - 1] if number else 0)
        step = _step(line, self.width)
        part = line[place * step : (place + 1) * step]
        return Row((Piece(part, self.ink),) if part else (), "" if place else None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CutRows):
            return NotImplemented
        same_look = (self.width, self.ink) == (other.width, other.ink)
        return same_look and (self.text is other.text or self.text.text == other.text.text)

    def __hash__(self) -> int:
        return hash((self.width, self.ink, len(self.text.text)))


def _step(line: str, width: int) -> int:
    """Characters of a row: any character of a line that is not ASCII may take two cells."""
    return width if line.isascii() else width // 2
