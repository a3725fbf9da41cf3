"""The end of a text in Markdown that is not finished, and what it needs to know of the rest."""

from dataclasses import replace

from widgets.markdown.blocks import Block, Listing, Placed, Table
from widgets.markdown.layout import block_rows, is_apart, listing_rows
from widgets.markdown.library import References
from widgets.markdown.render import parsed, plain_rows
from widgets.markdown.unfinished import without_loose_ends
from widgets.rows import EMPTY, Row

_LONG = 8_000
"""Characters of an unfinished block from which on it is not read again at every piece."""
_PART = 8
"""A long one is read again when it has grown by this part; till then, what is new is raw."""
_TABLE_HEAD = 2
"""Lines that make a table: the names, and the line below them."""


class Tail:
    """The part of a text that is read again when it has grown."""

    def __init__(self, width: int) -> None:
        self.text = ""
        self.references: References = {}
        """Addresses by their names, of all that is finished."""
        self._width = width
        self._seen: References = {}
        self._above: Block | None = None
        self._gap = False
        self._in_list = False
        self._number: int | None = None
        self._read_rows: list[Row] = []
        self._read_length = 0

    def go_on(self, text: str, *, above: Block, gap: bool = False) -> None:
        """Begins anew with the text behind a block that is finished."""
        self.text, self._above, self._gap = text, above, gap
        self._in_list, self._number = False, None
        self._read_length = 0

    def is_apart(self, placed: Placed) -> bool:
        """Whether an empty row parts the first block from what is above."""
        return is_apart(self._above, replace(placed, gap=placed.gap or self._gap))

    def blocks(self) -> list[Placed] | None:
        """The blocks of the text; None where it cannot be read."""
        self._seen = dict(self.references)
        found = parsed(without_loose_ends(self.text), self._seen)
        if found and not found[0].start:
            found[0] = replace(found[0], gap=self._gap)
        return found

    def take_finished(self, blocks: list[Placed]) -> list[Row] | None:
        """Takes the blocks off that will not change, or items of a list.

        Returns:
            Their rows, or None where there are none.
        """
        settled = sum(self._has_begun(placed) for placed in blocks)
        if settled > 1:
            last = blocks[settled - 1]
            rows = self.rows(blocks[: settled - 1])
            above = blocks[settled - 2].block
            self._commit(last.start)
            self.go_on(self._from(last.start), above=above, gap=last.gap)
            return rows
        return self._take_items(blocks[0]) if blocks else None

    def rows(self, blocks: list[Placed]) -> list[Row]:
        """The rows of blocks of the text."""
        rows: list[Row] = []
        above = self._above
        for index, placed in enumerate(blocks):
            block = placed.block
            if isinstance(block, Listing) and self._in_list and not index:
                rows += [EMPTY] if placed.gap else []
                rows += listing_rows(block.items, self._number, self._width, 0)
            else:
                rows += [EMPTY] if is_apart(above, placed) else []
                rows += block_rows(block, self._width)
            above = block
        self._read_rows, self._read_length = rows, len(self.text)
        return rows

    def rows_with_raw_end(self) -> list[Row]:
        """Where the text is long and has hardly grown: its rows as they were, and what is new."""
        new = len(self.text) - self._read_length
        if len(self.text) < _LONG or not self._read_length or new * _PART > len(self.text):
            return []
        return [*self._read_rows, *plain_rows(self.text[self._read_length :], self._width)]

    def table_head(self, table: Placed) -> tuple[str, str] | None:
        """The lines that make a block a table, and the text behind them, once they are there."""
        lines = self.text.split("\n")
        end = table.start + _TABLE_HEAD
        if len(lines) <= end:
            return None
        return "\n".join(lines[table.start : end]), "\n".join(lines[end:])

    def _take_items(self, placed: Placed) -> list[Row] | None:
        block = placed.block
        if not isinstance(block, Listing):
            return None
        settled = sum(item.start < self._whole_lines for item in block.items)
        if settled <= 1:
            return None
        last = block.items[settled - 1]
        part = replace(block, items=block.items[: settled - 1])
        first = self._number if self._in_list else block.first
        rows = self.rows([replace(placed, block=part)])
        self._commit(last.start)
        self.go_on(self._from(last.start), above=part, gap=last.gap)
        self._in_list = True
        self._number = None if first is None else first + len(part.items)
        return rows

    @property
    def _whole_lines(self) -> int:
        return self.text.count("\n")

    def _has_begun(self, placed: Placed) -> bool:
        """Whether what comes cannot change any more where a block begins, and as what."""
        lines = _TABLE_HEAD if isinstance(placed.block, Table) else 1
        return placed.start + lines <= self._whole_lines

    def _from(self, line: int) -> str:
        return self.text.split("\n", line)[-1]

    def _commit(self, line: int) -> None:
        """Keeps the addresses that are defined above a line."""
        for name, found in self._seen.items():
            if name not in self.references and found["map"][1] <= line:
                self.references[name] = {**found, "map": [0, 0]}
