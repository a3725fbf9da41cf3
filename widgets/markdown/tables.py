"""Tables: columns as wide as what stands in them, or as the room allows."""

from collections.abc import Iterator, Sequence

from widgets.markdown.blocks import Line, Table
from widgets.markdown.breaking import cells, line_rows
from widgets.rows import EMPTY, Piece, Row

_GAP = "  "
_NARROWEST = 6
"""Cells of a column below which a table is rather a list."""


class Columns:
    """A table that grows by rows. Rows stay as they are laid out while their widths hold."""

    def __init__(self, table: Table, width: int) -> None:
        self._header = table.header
        self._aligns = table.aligns
        self._width = width
        self._cells: list[tuple[Line, ...]] = []
        self._sizes = [max(1, cells(cell)) for cell in table.header]
        self._shape: tuple[list[int], bool] | None = None
        self._laid: list[Row] = []
        self._done = 0
        self.add(table.rows)

    def add(self, rows: Sequence[tuple[Line, ...]]) -> None:
        """Adds rows."""
        self._cells += rows
        self._sizes = self._sizes_with(rows)

    def rows(self, more: Sequence[tuple[Line, ...]] = ()) -> list[Row]:
        """The table as rows of text.

        Args:
            more: Rows of the table that may still change, and are not kept.
        """
        sizes = self._sizes_with(more)
        widths = _widths(sizes, self._width)
        if widths is None:
            return list(self._as_list(more))
        # Where cells may be broken, rows of the table need something between them.
        shape = widths, widths != sizes
        if shape != self._shape:
            self._shape, self._done = shape, 0
            self._laid = [*self._lines(self._header, widths), _rule(widths, "─")]
        for row in self._cells[self._done :]:
            self._laid += self._row(row, first=not self._done)
            self._done += 1
        last: list[Row] = []
        for row in more:
            last += self._row(row, first=not self._done and not last)
        return [*self._laid, *last]

    def _sizes_with(self, rows: Sequence[tuple[Line, ...]]) -> list[int]:
        sizes = list(self._sizes)
        for row in rows:
            for index, cell in enumerate(row):
                sizes[index] = max(sizes[index], cells(cell))
        return sizes

    def _row(self, row: tuple[Line, ...], *, first: bool) -> list[Row]:
        widths, ruled = self._shape or ([], False)
        lines = list(self._lines(row, widths))
        return [_rule(widths, "┈"), *lines] if ruled and not first else lines

    def _lines(self, row: tuple[Line, ...], widths: list[int]) -> Iterator[Row]:
        """A row of the table, as high as its highest cell."""
        columns = [
            [part.pieces for part in line_rows(cell, width)]
            for cell, width in zip(row, widths, strict=True)
        ]
        for level in range(max(len(column) for column in columns)):
            pieces: list[Piece] = []
            for index, column in enumerate(columns):
                part = column[level] if level < len(column) else ()
                pieces += _aligned(part, widths[index], self._aligns[index])
                pieces.append(Piece(_GAP))
            yield Row(_trimmed(pieces))

    def _as_list(self, more: Sequence[tuple[Line, ...]]) -> Iterator[Row]:
        """Every cell behind the name of its column, for where there is no room for columns."""
        for number, row in enumerate([*self._cells, *more]):
            if number:
                yield EMPTY
            for name, cell in zip(self._header, row, strict=True):
                if cell:
                    named = (*name, Piece(": ", "dim"), *cell) if name else cell
                    yield from line_rows(named, self._width)
        if not self._cells and not more:
            for name in self._header:
                yield from line_rows(name, self._width)


def _widths(sizes: list[int], width: int) -> list[int] | None:
    """The width of every column; the widest ones give way first. None: there is no room."""
    room = width - len(_GAP) * (len(sizes) - 1)
    if sum(sizes) <= room:
        return sizes
    if room < len(sizes) * _NARROWEST:
        return None
    widths = [0] * len(sizes)
    left = len(sizes)
    for index in sorted(range(len(sizes)), key=sizes.__getitem__):
        widths[index] = min(sizes[index], room // left)
        room -= widths[index]
        left -= 1
    return widths


def _rule(widths: list[int], character: str) -> Row:
    text = _GAP.join(character * width for width in widths)
    return Row((Piece(text, "dim"),), bare=len(text))


def _aligned(line: Line, width: int, align: str) -> list[Piece]:
    free = max(0, width - cells(line))
    before = {"right": free, "center": free // 2}.get(align, 0)
    padded = [Piece(" " * before), *line, Piece(" " * (free - before))]
    return [piece for piece in padded if piece.text]


def _trimmed(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Without spaces at the end, which nobody wants to copy."""
    while pieces and not pieces[-1].text.strip(" "):
        pieces.pop()
    return tuple(pieces)
