"""The view on a sheet: rows are made when they come near, and the reader's place is kept."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from textual.geometry import Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView

from widgets.entries import Entry
from widgets.transcript.blocks import Block
from widgets.transcript.missing import gap_between, missing
from widgets.transcript.places import Place, held_by_text, place_at, resolve
from widgets.transcript.sheet import Sheet

LONGEST_ROW = 100
"""Cells of a row of text, however wide the terminal: longer rows are hard to read."""
SCROLLBAR = 1
"""Cells that are kept for it."""
MARGIN = 1
"""Cells left and right of the text; the chosen message has its bar in the left one."""
HOLD_SECONDS = 0.15
"""How long the view stays as it is when what was scrolled to is not here yet."""


class SheetView(ScrollView):
    """Shows a part of a sheet; follows its end unless the reader has scrolled away from it."""

    following: var[bool] = var(True)
    """Whether the end is kept in sight."""

    class Wanted(Message):
        """Messages that are not here come into sight, or soon will: the numbers, ends included."""

        def __init__(self, first: int, last: int) -> None:
            super().__init__()
            self.first = first
            self.last = last

    class FollowingChanged(Message):
        """The reader has left the end, or come back to it."""

        def __init__(self, following: bool) -> None:
            super().__init__()
            self.following = following

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.when_empty = ""
        """A sentence that stands here while there is nothing else."""
        self.sheet = Sheet(LONGEST_ROW)
        self._place: Place | None = None
        self._settling = False
        self._asked: tuple[int, int] | None = None
        self._holding = False
        self._sized = Size(0, 0)

    def expect(self, width: int) -> None:
        """Breaks its rows for a width that it is going to have, before it is laid out.

        Args:
            width: Cells of the whole widget.
        """
        if not self._sized.width:
            self.sheet.at_width(min(LONGEST_ROW, max(2, width - SCROLLBAR - 2 * MARGIN)))

    def say_when_empty(self, text: str) -> None:
        """Has a sentence stand here while there is nothing else."""
        if text != self.when_empty:
            self.when_empty = text
            self.refresh()

    # -- where the reader is

    @property
    def room(self) -> int:
        """The rows in sight; before there is a place, as many as there could be."""
        return self.scrollable_content_region.height or max(1, self.app.size.height)

    def scroll_to(self, *args: object, **options: object) -> None:
        """Scrolls at once: a place on its way could not be kept."""
        options["animate"] = False
        super().scroll_to(*args, **options)  # type: ignore[arg-type]

    def row_at(self, y: int) -> tuple[Block, int] | None:
        """The block and its row that stand at a line of the view."""
        number = self.scroll_offset.y + y
        if not 0 <= number < self.sheet.height:
            return None
        index = self.sheet.at(number)
        return self.sheet.blocks[index], number - self.sheet.top(index)

    def page(self, pages: float) -> None:
        """Scrolls by a part of the height; upwards where it is negative."""
        rows = max(1, round(abs(pages) * (self.size.height - 1)))
        self.scroll_to(y=self.scroll_offset.y + (rows if pages > 0 else -rows))

    def go_to_end(self) -> None:
        """Shows the newest text and follows it again."""
        self._place, self.following = None, True
        self._lay_out()

    def go_to_start(self) -> None:
        """Shows the first text of the session."""
        self.scroll_to(y=0)

    def go_to(self, block: Block, row: int = 0) -> None:
        """Shows a row of a block at the top, as far as there is enough below it."""
        self._place, self.following = Place(block, row), False
        self._lay_out()
        self._note_place()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Notes where the reader has gone, and sees to it that there is something."""
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = new_value
        # Where the terminal has another size, `on_resize` keeps the place.
        moved = not self._settling and self.container_size == self._sized
        if moved and round(old_value) != round(new_value):
            self._note_place()
            self._lay_out()

    def watch_following(self, following: bool) -> None:
        """Tells others, who may show that there is more below."""
        self.post_message(self.FollowingChanged(following))

    def on_resize(self) -> None:
        """Breaks everything anew where the width has changed; the reader's place stays."""
        self._sized = self.container_size
        width = min(LONGEST_ROW, max(2, self.scrollable_content_region.width - 2 * MARGIN))
        if width != self.sheet.width:
            if self._place is not None:
                self._place = held_by_text(self._place)
            self.sheet.at_width(width)
            self.screen.selections = {
                widget: selection
                for widget, selection in self.screen.selections.items()
                if widget is not self
            }
        self._lay_out()

    # -- what is not here

    def put(self, first: int, last: int, entries: Sequence[Entry]) -> None:
        """Puts in messages that were wanted; what the reader sees stays where it is.

        Args:
            first: The first number that was wanted.
            last: The last one.
            entries: In their order, each message followed by what stands before the next one.
        """
        self._asked = None
        self.sheet.put(first, last, entries)
        self._lay_out()

    def give_up(self) -> None:
        """Notes that what was wanted can't be had now; it is asked for again when one scrolls."""
        self._asked = None

    def _ask(self) -> None:
        if (
            self._asked is None
            and (wanted := missing(self.sheet, self.scroll_offset.y, self.room)) is not None
        ):
            self._asked = wanted
            self.post_message(self.Wanted(*wanted))

    # -- where things stand

    @contextmanager
    def _changing(self) -> Iterator[Sheet]:
        """Lays out what is changed inside, around the reader's place."""
        yield self.sheet
        self._lay_out()

    def _lay_out(self) -> None:
        """Makes the rows that are near, scrolls to the reader's place and draws it."""
        self._let_go()
        self._make_near()
        self._settle()
        if self._place is not None and self.sheet.index(self._place.block) < 0:
            self._place = place_at(self.sheet, self.scroll_offset.y, self.room)
        self._ask()
        y = self.scroll_offset.y
        if self._asked is not None and gap_between(self.sheet, y, y + self.room) >= 0:
            self._hold()
        else:
            self._holding = False
            self.refresh()

    def _let_go(self) -> None:
        last = len(self.sheet.blocks) - 1
        self.sheet.let_go(last if self._place is None else resolve(self.sheet, self._place)[0])

    def _make_near(self) -> None:
        """Makes the rows in sight, and about as many above and below."""
        sheet, near = self.sheet, 2 * self.room
        index, above = len(sheet.blocks), -near
        if self._place is not None and sheet.blocks:
            index, row = resolve(sheet, self._place)
            below, lower = -row, index
            while lower < len(sheet.blocks) and below < near:
                below += sheet.make(lower).height
                lower += 1
            # Near the end the view reaches further up than the place.
            above = row - self.room - max(0, self.room - below)
        while index > 0 and above < 0:
            index -= 1
            above += sheet.make(index).height

    def _settle(self) -> None:
        """Scrolls to the reader's place, or to the end where that is followed."""
        self._settling = True
        self._set_height(self.sheet.height)
        target = self.max_scroll_y
        if self._place is not None and self.sheet.blocks:
            index, row = resolve(self.sheet, self._place)
            target = min(target, self.sheet.top(index) + row)
        self.scroll_target_y = self.scroll_y = target
        self._settling = False
        if not self.show_vertical_scrollbar:
            self.call_after_refresh(self._place_scrollbar)

    def _set_height(self, rows: int) -> None:
        """Tells Textual how much there is, without laying out the screen where nothing moves."""
        size = Size(self.sheet.width, rows)
        if self.show_vertical_scrollbar and rows > self.container_size.height:
            self.set_reactive(SheetView.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = rows
        else:
            self.virtual_size = size

    def _place_scrollbar(self) -> None:
        """Tells a scrollbar that has just appeared where the view is."""
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = self.scroll_y

    def _note_place(self) -> None:
        y = round(self.scroll_y)
        self.following = y >= self.max_scroll_y
        self._place = None if self.following else place_at(self.sheet, y, self.room)

    def _hold(self) -> None:
        """Leaves the view as it is for a moment, in which what is missing mostly comes."""
        if not self._holding:
            self._holding = True
            self.set_timer(HOLD_SECONDS, self._release)

    def _release(self) -> None:
        if self._holding:
            self._holding = False
            self.refresh()
