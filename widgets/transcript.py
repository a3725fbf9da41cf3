"""The transcript: a long conversation in one widget that draws only the rows in sight."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer

from widgets.entries import INKS, Entry, LiveEntry, NoticeEntry, Row, rows_of
from widgets.wrapping import GrowingText

LONGEST_ROW = 100
"""Cells of a row of text, however wide the terminal: longer rows are hard to read."""
FRAME_SECONDS = 0.05
"""Between two drawings of an answer that grows: 20 a second look like flowing text."""
NEAR_TOP = 3
"""Rows from the top at which older messages are asked for."""
KEPT, MOST = 200, 400
"""Entries beyond `MOST` are let go of down to `KEPT`, oldest first, while the end is followed."""


@dataclass(slots=True, eq=False)
class Block:
    """An entry with its rows at the current width."""

    entry: Entry
    rows: list[Row] = field(default_factory=list)
    growing: GrowingText | None = None


class Transcript(ScrollView):
    """Shows entries; follows the end unless the reader has scrolled away from it."""

    ALLOW_MAXIMIZE = False
    can_focus = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"transcript--{ink}" for ink in INKS}
    DEFAULT_CSS = """
    Transcript {
        height: 1fr;
        padding: 0 1;
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-color: $stratum-dim 50%;
        scrollbar-color-hover: $stratum-dim;
        scrollbar-color-active: $stratum-dim;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        & > .transcript--text { color: $foreground; }
        & > .transcript--dim { color: $stratum-dim; }
        & > .transcript--you { color: $stratum-you; text-style: bold; }
        & > .transcript--strata { color: $stratum-model; text-style: bold; }
        & > .transcript--tool { color: $stratum-working; text-style: bold; }
        & > .transcript--system { color: $stratum-system; text-style: bold; }
        & > .transcript--short-term { color: $stratum-short-term; }
        & > .transcript--report { color: $foreground 75%; }
        & > .transcript--note { color: $stratum-warning; }
        & > .transcript--problem { color: $stratum-lost; }
        & > .transcript--live { color: $stratum-model; }
    }
    """

    following: var[bool] = var(True)
    """Whether the end is kept in sight."""

    class OlderWanted(Message):
        """The reader has come to the top, and what is older is not here yet."""

    class FollowingChanged(Message):
        """The reader has left the end, or come back to it."""

        def __init__(self, following: bool) -> None:
            super().__init__()
            self.following = following

    def __init__(self) -> None:
        super().__init__(id="transcript")
        self.has_older = False
        """Whether there is more above what is shown."""
        self.when_empty = ""
        """A sentence that stands here while there is nothing else."""
        self._blocks: list[Block] = []
        self._tops: list[int] = [0]
        self._width = LONGEST_ROW
        self._settling = False
        self._frame: Timer | None = None

    # -- what is shown

    @property
    def entries(self) -> list[Entry]:
        """All entries, oldest first."""
        return [block.entry for block in self._blocks]

    def show(self, entries: Iterable[Entry], *, has_older: bool) -> None:
        """Shows these entries in place of all others, the end in sight."""
        self._blocks = [self._block(entry) for entry in entries]
        self.has_older = has_older
        self.following = True
        self._arrange(0)

    def add(self, entry: Entry, *, before: Block | None = None) -> Block:
        """Adds an entry at the end, or before another one."""
        block = self._block(entry)
        index = len(self._blocks) if before is None else self._blocks.index(before)
        self._blocks.insert(index, block)
        self._arrange(index)
        if self.following and len(self._blocks) > MOST:
            self._let_go(len(self._blocks) - KEPT)
        return block

    def add_older(self, entries: Sequence[Entry], *, has_older: bool) -> None:
        """Adds entries above all others; what the reader sees stays where it is."""
        blocks = [self._block(entry) for entry in entries]
        self._blocks[:0] = blocks
        self.has_older = has_older
        self._arrange(0, moved=sum(len(block.rows) for block in blocks))

    def replace(self, block: Block, entry: Entry) -> None:
        """Puts another entry in the place of one; a text that was growing is at its end."""
        if block in self._blocks:
            block.entry, block.growing = entry, None
            block.rows = rows_of(entry, self._width)
            self._arrange(self._blocks.index(block))

    def remove_entry(self, block: Block) -> None:
        """Takes an entry away."""
        if block in self._blocks:
            index = self._blocks.index(block)
            del self._blocks[index]
            self._arrange(index)

    def say_state(self, block: Block, state: str) -> None:
        """Changes the heading of an answer that is on its way."""
        if isinstance(block.entry, LiveEntry) and block.entry.state != state:
            block.entry = LiveEntry(block.entry.speaker, state)
            self._draw_soon(block)

    def grow(self, block: Block, text: str) -> None:
        """Adds text to an answer that is on its way; it is drawn within a frame."""
        if block.growing is None:
            block.growing = GrowingText(self._width)
            text = text.lstrip("\n")
        block.growing.grow(text)
        self._draw_soon(block)

    # -- where the reader is

    def page(self, pages: float) -> None:
        """Scrolls by a part of the height; upwards where it is negative."""
        rows = max(1, round(abs(pages) * (self.size.height - 1)))
        self.scroll_to(y=self.scroll_offset.y + (rows if pages > 0 else -rows), animate=False)

    def go_to_end(self) -> None:
        """Shows the newest text and follows it again."""
        self.following = True
        self._settle()

    def go_to_start(self) -> None:
        """Shows the oldest text that is here."""
        self.scroll_to(y=0, animate=False)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notes whether the reader has left the end or come to the top."""
        super().watch_scroll_y(old_value, new_value)
        if self._settling:
            return
        self.following = round(new_value) >= self.max_scroll_y
        if self.has_older and new_value <= NEAR_TOP:
            self.post_message(self.OlderWanted())

    def watch_following(self, following: bool) -> None:
        """Tells others, who may show that there is more below."""
        self.post_message(self.FollowingChanged(following))

    def on_resize(self) -> None:
        """Breaks everything anew where the width has changed; the reader's place stays."""
        width = min(LONGEST_ROW, max(2, self.scrollable_content_region.width))
        if width == self._width:
            self._settle()
            return
        place, part = self._place()
        self._width = width
        for block in self._blocks:
            if block.growing is not None:
                block.growing = block.growing.at_width(width)
            block.rows = self._rows(block)
        self._arrange(0, settle=False)
        if self.following or not self._blocks:
            self._settle()
        else:
            self._settle(self._tops[place] + round(part * len(self._blocks[place].rows)))

    # -- drawing

    def render_line(self, y: int) -> Strip:
        """Draws one row."""
        row_number = self.scroll_offset.y + y
        width = self.scrollable_content_region.width
        base = self.rich_style
        row = self._row(row_number)
        strip = Strip([Segment(text, self._ink(ink)) for text, ink in row])
        selection = self.text_selection
        if selection is not None:
            strip = self._with_selection(strip, selection, row_number)
        return strip.extend_cell_length(width, base).crop(0, width).apply_offsets(0, row_number)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text the reader has marked."""
        rows = ("".join(text for text, _ in row) for block in self._blocks for row in block.rows)
        return selection.extract("\n".join(rows)), "\n"

    # -- inside

    def _block(self, entry: Entry) -> Block:
        return Block(entry, rows_of(entry, self._width))

    def _rows(self, block: Block) -> list[Row]:
        rows = rows_of(block.entry, self._width)
        if block.growing is None:
            return rows
        return [*rows[:-1], *(((row, "text"),) for row in block.growing.rows), ()]

    def _row(self, number: int) -> Row:
        if not self._blocks:
            rows = rows_of(NoticeEntry(self.when_empty, "plain"), self._width)
            return rows[number] if number < len(rows) else ()
        if not 0 <= number < self._tops[-1]:
            return ()
        index = bisect_right(self._tops, number) - 1
        return self._blocks[index].rows[number - self._tops[index]]

    def _ink(self, ink: str) -> Style:
        return self.get_component_rich_style(f"transcript--{ink}")

    def _with_selection(self, strip: Strip, selection: Selection, row: int) -> Strip:
        span = selection.get_span(row)
        if span is None:
            return strip
        text = strip.text
        start, end = span
        end = len(text) if end == -1 else end
        cells = cell_len(text[:start]), cell_len(text[:end])
        style = self.screen.get_component_rich_style("screen--selection")
        marked = strip.crop(*cells).apply_style(style)
        return Strip.join([strip.crop(0, cells[0]), marked, strip.crop(cells[1])])

    def _draw_soon(self, block: Block) -> None:
        """Draws a block that has changed, and what changes meanwhile, once a frame."""
        if self._frame is None:
            self._frame = self.set_timer(FRAME_SECONDS, lambda: self._draw(block))

    def _draw(self, block: Block) -> None:
        self._frame = None
        if block in self._blocks:
            block.rows = self._rows(block)
            self._arrange(self._blocks.index(block))

    def _arrange(self, first: int, *, moved: int = 0, settle: bool = True) -> None:
        """Finds anew where the blocks from `first` on stand.

        Args:
            first: The first block that has changed.
            moved: Rows by which what the reader sees has moved down.
            settle: Whether to scroll to where the reader was.
        """
        del self._tops[first + 1 :]
        for block in self._blocks[first:]:
            self._tops.append(self._tops[-1] + len(block.rows))
        self._settling = True
        self.virtual_size = Size(self._width, self._tops[-1])
        self._settling = False
        self.refresh()
        if settle:
            self._settle(self.scroll_offset.y + moved)

    def _settle(self, y: int = 0) -> None:
        """Scrolls, for the program: to the end where it is followed, else to a row."""
        self._settling = True
        target = self.max_scroll_y if self.following else min(y, self.max_scroll_y)
        self.scroll_target_y = self.scroll_y = target
        self._settling = False
        if not self.show_vertical_scrollbar:
            self.call_after_refresh(self._place_scrollbar)

    def _place_scrollbar(self) -> None:
        """Tells a scrollbar that has just appeared where the view is."""
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = self.scroll_y

    def _place(self) -> tuple[int, float]:
        """The block at the top of the view, and the part of it that is above."""
        if not self._blocks:
            return 0, 0.0
        y = min(self.scroll_offset.y, self._tops[-1] - 1)
        index = bisect_right(self._tops, max(0, y)) - 1
        index = min(index, len(self._blocks) - 1)
        return index, (y - self._tops[index]) / max(1, len(self._blocks[index].rows))

    def _let_go(self, number: int) -> None:
        """Lets go of the oldest entries; they can be asked for again."""
        del self._blocks[:number]
        self.has_older = True
        self._tops = [0]
        self._arrange(0)
