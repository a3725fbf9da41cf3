"""The transcript as others use it: entries come, grow, change and go."""

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from textual.geometry import Region
from textual.timer import Timer

from widgets.entries import Entry, LiveEntry
from widgets.scrollbar import thin_scrollbar
from widgets.transcript.blocks import Block, Gap, Growing
from widgets.transcript.reader import Reader

FRAME_SECONDS = 0.05
"""Between two drawings of an answer that grows: 20 a second look like flowing text."""


class Transcript(Reader):
    """Shows entries; follows the end unless the reader has scrolled away from it."""

    ALLOW_MAXIMIZE = False
    DEFAULT_CSS: ClassVar[str] = """
    Transcript {
        height: 1fr;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
    }
    """ + thin_scrollbar("Transcript")

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self._growing: list[Block] = []
        self._frame: Timer | None = None

    @property
    def entries(self) -> list[Entry]:
        """All entries that are here, oldest first."""
        return [b.entry for b in self.sheet.blocks if not isinstance(b.entry, Gap)]

    def block_of(self, number: int) -> Block | None:
        """Where a message stands, if it is here."""
        index = self.sheet.find(number)
        block = self.sheet.blocks[index] if index >= 0 else None
        return block if block is not None and block.message else None

    def show(self, entries: Iterable[Entry], *, quick: bool = False) -> None:
        """Shows these entries in place of all others, the end in sight.

        What comes before the first message among them is asked for when it comes into sight.

        Args:
            entries: Oldest first.
            quick: Whether Markdown stays as it was typed, which is there sooner.
        """
        self.forget_reader()
        self.sheet.plain = quick
        self.sheet.fill(entries)
        self.go_to_end()

    def add(self, entry: Entry, *, before: Block | None = None) -> Block:
        """Adds an entry at the end, or before another one."""
        with self._changing() as sheet:
            index = -1 if before is None else sheet.index(before)
            return sheet.insert(index if index >= 0 else len(sheet.blocks), entry)

    def replace(self, block: Block, entry: Entry) -> None:
        """Puts another entry in the place of one; a text that was growing is at its end."""
        index = self.sheet.index(block)
        if index >= 0:
            self.hold_place()
            with self._changing() as sheet:
                sheet.replace(index, entry)

    def remove_entry(self, block: Block) -> None:
        """Takes an entry away."""
        index = self.sheet.index(block)
        if index >= 0:
            self.leave_block(index)
            with self._changing() as sheet:
                sheet.remove(index)

    def say_state(self, block: Block, state: str) -> None:
        """Changes the heading of an answer that is on its way."""
        entry, index = block.entry, self.sheet.index(block)
        if isinstance(entry, LiveEntry) and entry.state != state and index >= 0:
            block.change_heading(replace(entry, state=state), self.sheet.width)
            self._drawn_anew(index, 0, block.head or block.height)

    def grow(self, block: Block, text: str) -> None:
        """Adds text to an answer that is on its way; it is drawn within a frame."""
        block.pending.append(text)
        if block not in self._growing:
            self._growing.append(block)
        if self._frame is None:
            self._frame = self.set_timer(FRAME_SECONDS, self._draw_frame)

    # -- inside

    def _draw_frame(self) -> None:
        """Draws what has come since the last frame, and of the rows only those that it changes."""
        self._frame = None
        blocks, self._growing = self._growing, []
        for block in blocks:
            index = self.sheet.index(block)
            if index >= 0 and block.pending:
                first = block.grow(self.sheet.width, begin_growing)
                self._drawn_anew(index, first, block.height - first)

    def _drawn_anew(self, index: int, first: int, rows: int) -> None:
        """Draws rows of a block that have changed, and what has moved with them."""
        y, height = self.scroll_offset.y, self.sheet.height
        self.sheet.moved(index)
        self._settle()
        if self.scroll_offset.y != y:
            self.refresh()
            return
        top = self.sheet.top(index) + first - y
        bottom = top + rows if self.sheet.height == height else self.room
        top, bottom = max(0, top), min(self.room, bottom)
        if top < bottom:
            self.refresh(Region(0, top, self.size.width, bottom - top))


def begin_growing(width: int) -> Growing:
    """A text that grows, at its beginning."""
    from widgets.markdown.growing import GrowingMarkdown

    return GrowingMarkdown(width)
