"""The whole conversation from top to bottom: what is here, what is not, and where it stands."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from widgets.entries import Entry, number_of
from widgets.entry_rows import guessed_height
from widgets.transcript.blocks import Block, Gap, neighbours

MOST = 400
"""Logged entries that are here at most; then those far from the reader are let go of."""
AROUND = 120
"""Blocks that stay above and below the reader."""
TAIL = 150
"""Newest messages that always stay."""
STEP = 1 << 10
"""Between the orders of two messages: room for what stands between them."""


class Sheet:
    """Blocks in their order, with the row at which each begins.

    Args:
        width: Cells of a row.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self.plain = False
        """Whether Markdown is shown as it was typed, which is there sooner."""
        self._was_plain = False
        self.blocks: list[Block] = []
        self.rows_per_message = 6.0
        """What a message that is not here is thought to take."""
        self._tops = [0]

    # -- where things stand

    @property
    def height(self) -> int:
        """All rows, those of gaps guessed."""
        return self.top(len(self.blocks))

    @property
    def newest(self) -> int:
        """The number of the newest message."""
        return max((block.number for block in self.blocks[-1:]), default=0)

    def top(self, index: int) -> int:
        """The row at which a block begins."""
        for block in self.blocks[len(self._tops) - 1 : index]:
            self._tops.append(self._tops[-1] + block.height)
        return self._tops[index]

    def at(self, row: int) -> int:
        """The index of the block that a row belongs to; that of the nearest one outside."""
        self.top(len(self.blocks))
        return max(0, min(bisect_right(self._tops, row), len(self.blocks)) - 1)

    def index(self, block: Block) -> int:
        """Where a block stands, or -1."""
        for index in range(len(self.blocks) - 1, -1, -1):
            if self.blocks[index] is block:
                return index
        return -1

    def find(self, number: int) -> int:
        """The index of a message, or of the gap that it is in; -1 where there is none."""
        for index, block in enumerate(self.blocks):
            gap = block.entry
            if isinstance(gap, Gap) and gap.first <= number <= gap.last:
                return index
            if number and number_of(gap) == number:
                return index
        return -1

    def by_order(self, order: int) -> int:
        """The index of the last block whose order is not above this one; -1 before the first."""
        return bisect_right(self.blocks, order, key=lambda block: block.order) - 1

    def moved(self, index: int) -> None:
        """Notes that a block has another height than before, or is another one."""
        del self._tops[index + 1 :]

    # -- what stands in it

    def fill(self, entries: Iterable[Entry]) -> None:
        """Puts entries in place of all others; what is older than their first message is a gap.

        A message that was here already keeps its rows.
        """
        known: dict[Entry, Block] = {}
        if not (self.plain or self._was_plain):
            known = {b.entry: b for b in self.blocks if not isinstance(b.entry, Gap) and b.message}
        self._was_plain = self.plain
        self.blocks, self._tops = [], [0]
        for entry in entries:
            block = known.pop(entry, None)
            if block is None:
                self.insert(len(self.blocks), entry)
            else:
                self.blocks.append(block)
        self._in_order(0)
        self._guess()
        first = next((b.message for b in self.blocks if b.message), 1)
        if first > 1:
            self.blocks.insert(0, self._gap(1, first - 1))
            self._in_order(0)

    def insert(self, index: int, entry: Entry) -> Block:
        """Puts an entry before another one."""
        before = self.blocks[index - 1].number if index else 0
        block = self._block(entry, number_of(entry) or before)
        self.blocks.insert(index, block)
        self._in_order(index)
        return block

    def remove(self, index: int) -> None:
        """Takes a block away."""
        del self.blocks[index]
        self.moved(index - 1 if index else 0)
        self._stand(index - 1, index + 1)

    def replace(self, index: int, entry: Entry) -> None:
        """Puts an entry in the place of another one; a text that was growing is at its end."""
        block = self.blocks[index]
        block.entry, block.growing, block.rows = entry, None, None
        block.pending.clear()
        block.number = number_of(entry) or block.number
        self.remake(index)
        self._stand(index - 1, index + 2)

    def put(self, first: int, last: int, entries: Sequence[Entry]) -> None:
        """Puts messages, and what follows each, where they are missing.

        Args:
            first: The first that is meant; those of the range that don't come are no more missed.
            last: The last that is meant.
            entries: In their order, each followed by what stands between it and the next.
        """
        units: dict[int, list[Block]] = {}
        number = first
        for entry in entries:
            number = number_of(entry) or number
            units.setdefault(number, []).append(self._block(entry, number))
        blocks: list[Block] = []
        for block in self.blocks:
            gap = block.entry
            if not isinstance(gap, Gap) or gap.last < first or gap.first > last:
                blocks.append(block)
                continue
            start, end = max(first, gap.first), min(last, gap.last)
            if gap.first < start:
                blocks.append(self._gap(gap.first, start - 1))
            for number in range(start, end + 1):
                blocks += units.get(number, ())
            if end < gap.last:
                blocks.append(self._gap(end + 1, gap.last))
        self.blocks = blocks
        self._in_order(0)

    def let_go(self, centre: int) -> bool:
        """Lets go of logged entries far from a block, if there are too many.

        Returns:
            Whether there were.
        """
        if sum(block.is_logged for block in self.blocks) <= MOST:
            return False
        newest = self.newest
        gone = {
            block.number
            for index, block in enumerate(self.blocks)
            if block.message and abs(index - centre) > AROUND and block.number <= newest - TAIL
        }
        blocks: list[Block] = []
        for block in self.blocks:
            if not (block.is_logged and block.number in gone):
                self._append(blocks, block)
            elif block.message:
                self._append(blocks, self._gap(block.number, block.number))
        self.blocks = blocks
        self._in_order(0)
        return True

    # -- rows

    def make(self, index: int) -> Block:
        """Makes the rows of a block, unless they are made."""
        block = self.blocks[index]
        if block.rows is None and not isinstance(block.entry, Gap):
            guessed = block.height
            block.make(self.width, plain=self.plain)
            if block.height != guessed:
                self.moved(index)
        return block

    def remake(self, index: int) -> None:
        """Makes the rows of a block anew: it looks different now."""
        self.blocks[index].make(self.width, plain=self.plain)
        self.moved(index)

    def at_width(self, width: int) -> None:
        """Breaks everything anew, most of it when it comes into sight."""
        self.width, self._tops = width, [0]
        for block in self.blocks:
            if isinstance(block.entry, Gap):
                continue
            block.forget_rows(guessed_height(block.entry, width))
            if block.growing is not None:
                block.growing = block.growing.at_width(width)
        self._guess()
        for block in self.blocks:
            if isinstance(block.entry, Gap):
                block.height = self._gap_height(block.entry)

    # -- inside

    def _block(self, entry: Entry, number: int) -> Block:
        return Block(entry, number, height=guessed_height(entry, self.width))

    def _gap(self, first: int, last: int) -> Block:
        gap = Gap(first, last)
        return Block(gap, last, height=self._gap_height(gap))

    def _gap_height(self, gap: Gap) -> int:
        return max(gap.count, round(gap.count * self.rows_per_message))

    def _append(self, blocks: list[Block], block: Block) -> None:
        """Appends a block; two gaps that meet become one."""
        above = blocks[-1].entry if blocks else None
        gap = block.entry
        if isinstance(above, Gap) and isinstance(gap, Gap) and above.last + 1 == gap.first:
            blocks[-1] = self._gap(above.first, gap.last)
        else:
            blocks.append(block)

    def _guess(self) -> None:
        """Guesses what messages that are not here take from those that are."""
        heights = [block.height for block in self.blocks if not isinstance(block.entry, Gap)]
        messages = sum(block.message > 0 for block in self.blocks)
        if messages:
            self.rows_per_message = sum(heights) / messages

    def _in_order(self, index: int) -> None:
        """Gives blocks from one on an order that grows, changing it only where it must."""
        above = self.blocks[index - 1].order if index else 0
        for block in self.blocks[index:]:
            if not block.order and (block.message or isinstance(block.entry, Gap)):
                first = block.entry.first if isinstance(block.entry, Gap) else block.number
                block.order = first * STEP
            if block.order <= above:
                block.order = above + 1
                block.strips.clear()
            above = block.order
        self.moved(max(0, index - 1))
        self._stand(index - 1, len(self.blocks))

    def _stand(self, first: int, end: int) -> None:
        """Sees how blocks stand to their neighbours, from one to before another."""
        blocks = self.blocks
        for index in range(max(0, first), min(end, len(blocks))):
            block = blocks[index]
            above = blocks[index - 1] if index else None
            below = blocks[index + 1] if index + 1 < len(blocks) else None
            stands = neighbours(above, block, below)
            if stands != (block.tight, block.silent):
                block.tight, block.silent = stands
                if block.rows is not None:
                    self.remake(index)
