"""The entry of the transcript that keys are about: chosen by going from one to the next."""

from collections.abc import Sequence

from widgets.entries import CallEntry, Entry, LiveEntry, LiveMarkEntry, MarkEntry, MessageEntry
from widgets.transcript.blocks import Block, Gap
from widgets.transcript.brush import Brush
from widgets.transcript.places import Place, held_by_text, place_at


class Chooser(Brush, can_focus=True):
    """A view of which one entry is chosen; it has a bar while the keys go here."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._chosen: Block | None = None
        self._awaited = 0
        self._turn = 0

    @property
    def chosen(self) -> Entry | None:
        """The entry that keys are about."""
        block = self._chosen
        return None if block is None or isinstance(block.entry, Gap) else block.entry

    def choose(self, block: Block) -> None:
        """Makes an entry the one that keys are about, and shows it."""
        if block.silent:
            # Its calls stand for it.
            below = self.sheet.index(block) + 1
            block = next(iter(self.sheet.blocks[below : below + 1]), block)
        self._chosen, self._turn = block, 0
        self._show_block(block)
        self.refresh()

    def forget_reader(self) -> None:
        """Begins anew, for another conversation."""
        self._chosen, self._awaited, self._asked = None, 0, None

    def put(self, first: int, last: int, entries: Sequence[Entry]) -> None:
        """Puts in messages that were wanted, and chooses the one that was gone to."""
        super().put(first, last, entries)
        index = self.sheet.find(self._awaited) if self._awaited else -1
        if index >= 0 and self.sheet.blocks[index].message:
            self._awaited = 0
            self.choose(self.sheet.blocks[index])

    def turn_over(self, block: Block) -> None:
        """Unfolds a call, or folds it; what stands above it stays where it is."""
        index = self.sheet.index(block)
        if index < 0:
            return
        place = place_at(self.sheet, self.scroll_offset.y, self.room)
        block.unfolded = not block.unfolded
        self.sheet.remake(index)
        if place is not None and place.block is block and place.row >= block.told:
            place = Place(block, 0)
        self._place = place
        self._lay_out()
        self._note_place()

    def hold_place(self) -> None:
        """Keeps the reader's place by its text while rows change."""
        if self._place is not None:
            self._place = held_by_text(self._place)

    def leave_block(self, index: int) -> None:
        """Moves place and choice away from a block that goes."""
        block = self.sheet.blocks[index]
        if self._chosen is block:
            self._chosen = None
        if self._place is not None and self._place.block is block:
            beside = self.sheet.blocks[index + 1 : index + 2] or self.sheet.blocks[:index][-1:]
            self._place = Place(beside[0], 0) if beside else None

    def hue_of_bar(self, block: Block) -> str:
        """The chosen entry has a bar while the transcript has the keys."""
        if block is not self._chosen or not self.has_focus:
            return ""
        match block.entry:
            case MessageEntry() | LiveEntry():
                return block.entry.speaker
            case CallEntry():
                return "tool"
            case MarkEntry() | LiveMarkEntry():
                return "short-term"
            case _:
                return "report"

    def action_previous(self) -> None:
        """Chooses the entry above."""
        self._step(-1)

    def action_next(self) -> None:
        """Chooses the entry below."""
        self._step(1)

    # -- inside

    def _choose_in_sight(self) -> None:
        """Chooses the last entry in sight, unless one is chosen."""
        if self._chosen_index() < 0 and (seen := self._in_sight()):
            self._chosen, self._turn = self.sheet.blocks[seen[-1]], 0
            self.refresh()

    def _step(self, by: int) -> None:
        blocks, index = self.sheet.blocks, self._chosen_index()
        seen = self._in_sight()
        if index not in seen:
            if seen:
                self.choose(blocks[seen[-1] if by < 0 else seen[0]])
            return
        index += by
        while 0 <= index < len(blocks) and blocks[index].silent:
            index += by
        if not 0 <= index < len(blocks):
            return
        gap = blocks[index].entry
        if isinstance(gap, Gap):
            self._awaited = gap.last if by < 0 else gap.first
            self._ask()
        else:
            self.choose(blocks[index])

    def _chosen_index(self) -> int:
        return -1 if self._chosen is None else self.sheet.index(self._chosen)

    def _in_sight(self) -> list[int]:
        """The blocks that have text in sight."""
        y = self.scroll_offset.y
        if not self.sheet.blocks:
            return []
        found = range(self.sheet.at(y), self.sheet.at(y + self.room - 1) + 1)
        return [
            index
            for index in found
            if not isinstance(self.sheet.blocks[index].entry, Gap)
            and not self.sheet.blocks[index].silent
            and self.sheet.top(index) + self.sheet.blocks[index].told > y
        ]

    def _show_block(self, block: Block) -> None:
        """Scrolls as little as needed to have a block in sight, its beginning at least."""
        index = self.sheet.index(block)
        if block.rows is None:
            with self._changing() as sheet:
                sheet.make(index)
        top, y = self.sheet.top(index), self.scroll_offset.y
        end = top + block.told
        if top < y or block.height > self.room:
            self.scroll_to(y=top)
        elif end > y + self.room:
            self.scroll_to(y=end - self.room)
