"""Markdown that grows at its end: what is finished is laid out once and never read again."""

from widgets.markdown.blocks import Placed, Table
from widgets.markdown.open_blocks import (
    OpenBlock,
    OpenCode,
    OpenTable,
    OpenText,
    opened_code,
)
from widgets.markdown.render import LARGEST, LEAST_WIDTH, markdown_rows
from widgets.markdown.tail import Tail
from widgets.plain import complete_part, printable
from widgets.rows import EMPTY, Row


class GrowingMarkdown:
    """A text in Markdown that grows at its end, as rows.

    Finished blocks, items of a list, lines of code and rows of a table are not read again, so a
    piece costs its own length. Until `finish`, a few things may look different than they will:
    code is coloured line by line, a name may be used before its address is known, and the marks of
    the last line are shown as they will probably be.
    """

    def __init__(self, width: int, text: str = "") -> None:
        self._width = max(LEAST_WIDTH, width)
        self._whole: list[str] = []
        self._begun = ""
        self._new = ""
        self._length = 0
        self._rows: list[Row] = []
        self._frozen = 0
        self._tail = Tail(self._width)
        self._open: OpenBlock | None = None
        self.grow(text)

    @property
    def text(self) -> str:
        """All that has come, as it came."""
        return "".join(self._whole)

    @property
    def rows(self) -> list[Row]:
        """The rows so far; a list that changes with the next piece."""
        self._catch_up()
        return self._rows

    @property
    def frozen(self) -> int:
        """How many rows from the first on stay as they are, at least until `finish`.

        It falls to 0 where a text turns out to be too long or too deep, and is shown as it is.
        """
        self._catch_up()
        return self._frozen

    def grow(self, text: str) -> None:
        """Adds a piece; it is read when the rows are asked for."""
        self._whole.append(text)
        shown, self._begun = complete_part(self._begun + text)
        self._new += printable(shown)

    def finish(self) -> None:
        """Makes the rows what they are for the whole text: nothing more will come."""
        self._new = ""
        self._rows = markdown_rows(self.text, self._width)
        self._frozen = len(self._rows)

    def at_width(self, width: int) -> "GrowingMarkdown":
        """The same text in rows of another width."""
        return GrowingMarkdown(width, self.text)

    def _catch_up(self) -> None:
        """Reads what has come since the rows were asked for last."""
        if not self._new:
            return
        new, self._new = self._new, ""
        self._length += len(new)
        del self._rows[self._frozen :]
        if self._length > LARGEST and not isinstance(self._open, OpenText):
            self._show_raw()
        elif self._open is None:
            self._tail.text += new
            self._read()
        elif self._feed(self._open, new):
            self._read()

    def _show_raw(self) -> None:
        """Shows everything as it is, from now on."""
        self._rows, self._frozen = [], 0
        shown, _ = complete_part(self.text)
        self._open = raw = OpenText(self._width)
        self._feed(raw, printable(shown))

    def _feed(self, block: OpenBlock, new: str) -> bool:
        """Adds to a block that grows by its lines; says whether there is more to read behind it."""
        rest = block.grow(new)
        self._rows += block.rows()
        if rest is None:
            return False
        self._open = None
        self._frozen = len(self._rows)
        self._tail.go_on(rest, above=block.block)
        return True

    def _read(self) -> None:
        """Reads the tail; freezes what is finished in it."""
        while self._read_some():
            pass

    def _read_some(self) -> bool:
        """Reads the tail up to where a block goes on alone; says whether there is more behind."""
        tail = self._tail
        if fence := opened_code(tail.text):
            code = OpenCode(fence, self._width)
            return self._begin(code, Placed(code.block, 0, code.gap), tail.text[fence.end() :])
        if raw := tail.rows_with_raw_end():
            self._rows += raw
            return False
        blocks = tail.blocks()
        if blocks is None:
            self._show_raw()
            return False
        if (finished := tail.take_finished(blocks)) is not None:
            self._rows += finished
            self._frozen = len(self._rows)
            return True
        return self._show_unfinished(blocks)

    def _show_unfinished(self, blocks: list[Placed]) -> bool:
        """Shows what the tail is so far; a table goes on alone."""
        table = blocks[0].block if len(blocks) == 1 else None
        if isinstance(table, Table) and (head := self._tail.table_head(blocks[0])):
            opened = OpenTable(head[0], table, self._width, self._tail.references)
            return self._begin(opened, blocks[0], head[1])
        self._rows += self._tail.rows(blocks)
        return False

    def _begin(self, block: OpenBlock, placed: Placed, text: str) -> bool:
        """Goes on with a block that grows by its lines; says whether there is more behind it."""
        if self._tail.is_apart(placed):
            self._rows.append(EMPTY)
            self._frozen = len(self._rows)
        self._open = block
        return self._feed(block, text)
