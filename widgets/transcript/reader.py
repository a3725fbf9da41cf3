"""What a reader does in the transcript: choose a message, copy it, open what it leads to."""

from typing import ClassVar, Literal
from urllib.parse import urlsplit

from textual.binding import Binding, BindingType
from textual.events import Click, MouseMove
from textual.geometry import Offset
from textual.message import Message
from textual.selection import Selection

from widgets.copying import plain_text, source_text
from widgets.entries import HELPER, CallEntry, MarkEntry, MessageEntry, number_of
from widgets.plain import one_line
from widgets.transcript.blocks import ROWS, Block, Gap
from widgets.transcript.choosing import Chooser
from widgets.transcript.marked import marked_rows, piece_at
from widgets.transcript.view import MARGIN

Wish = Literal["edit", "again", "fork"]
OPENED = frozenset({"http", "https", "mailto"})
"""What kinds of links are opened; others could start anything."""


class Reader(Chooser):
    """A view of which messages can be chosen, copied and followed, by keys and by the mouse."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "previous", "message above", show=False, id="transcript.previous"),
        Binding("down,j", "next", "message below", show=False, id="transcript.next"),
        Binding("c", "copy", "copy", show=False, id="transcript.copy"),
        Binding("b", "copy_code", "copy code", show=False, id="transcript.copy_code"),
        Binding("enter", "open", "open", show=False, id="transcript.open"),
        Binding("p", "pin", "pin", show=False, id="transcript.pin"),
        Binding("w", "trace", "where", show=False, id="transcript.trace"),
        Binding("e", "wish('edit')", "edit", show=False, id="transcript.edit"),
        Binding("r", "wish('again')", "again", show=False, id="transcript.again"),
        Binding("f", "wish('fork')", "fork", show=False, id="transcript.fork"),
        Binding("o", "links", "open link", show=False, id="transcript.links"),
    ]

    class Copied(Message):
        """The reader wants a text on the clipboard."""

        def __init__(self, text: str, what: str) -> None:
            super().__init__()
            self.text = text
            self.what = what
            """What it is, in a few words."""

    class MarkOpened(Message):
        """The reader wants to see a compaction."""

        def __init__(self, compaction: str) -> None:
            super().__init__()
            self.compaction = compaction

    class RecalledWanted(Message):
        """The reader wants to see what was recalled for a message."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class PinWanted(Message):
        """The reader wants a message pinned, or no longer."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class TraceWanted(Message):
        """The reader wants to see where a message went."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    class Wished(Message):
        """The reader wants the conversation to go on from another place."""

        def __init__(self, wish: Wish, entry: MessageEntry | None) -> None:
            super().__init__()
            self.wish = wish
            self.entry = entry
            """The message that it is about, if one is chosen."""

    class HelperWanted(Message):
        """The reader wants to see the steps of a helper."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number
            """The message with its answer; 0 while there is none."""

    class Pointed(Message):
        """What the pointer is on, in a line; empty for nothing any more."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Told(Message):
        """What a key or a click has met, in a line that need not stay."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._pointed = ""
        self._pressed = False

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text the reader has marked."""
        return plain_text(list(marked_rows(self.sheet, selection))), "\n"

    # -- keys

    def action_copy(self) -> None:
        """Copies what is marked, or else the chosen message as it was written."""
        self._choose_in_sight()
        if self.text_selection is not None and (marked := self.get_selection(self.text_selection)):
            self.post_message(self.Copied(marked[0], "marked text"))
        elif self._chosen is not None and self.chosen is not None:
            growing = self._chosen.growing
            text = growing.text if growing is not None else source_text(self.chosen)
            what = "call" if isinstance(self.chosen, CallEntry) else "message"
            self.post_message(self.Copied(text, what))

    def action_copy_code(self) -> None:
        """Copies the message's first piece of code, the next one when asked again."""
        self._choose_in_sight()
        from widgets.markdown.render import code_blocks

        blocks = code_blocks(self.chosen.text) if isinstance(self.chosen, MessageEntry) else []
        if not blocks:
            self.post_message(self.Told("There is no code in this message."))
            return
        number = self._turn % len(blocks)
        self._turn += 1
        what = "code" if len(blocks) == 1 else f"code {number + 1} of {len(blocks)}"
        self.post_message(self.Copied(blocks[number], what))

    def action_open(self) -> None:
        """Opens a compaction, or what was recalled for a message; unfolds a call, or folds it."""
        self._choose_in_sight()
        if self._chosen is not None and isinstance(self.chosen, CallEntry):
            self.turn_over(self._chosen)
        elif isinstance(self.chosen, MarkEntry) and self.chosen.compaction:
            self.post_message(self.MarkOpened(self.chosen.compaction))
        elif isinstance(self.chosen, MessageEntry) and self.chosen.recalled:
            self.post_message(self.RecalledWanted(self.chosen.number))

    def action_pin(self) -> None:
        """Asks to pin the chosen message, or to let go of it."""
        self._choose_in_sight()
        if number := number_of(self.chosen):
            self.post_message(self.PinWanted(number))
        else:
            self.post_message(self.Told("Choose a message first; only messages are pinned here."))

    def action_trace(self) -> None:
        """Asks where the chosen message went."""
        self._choose_in_sight()
        if number := number_of(self.chosen):
            self.post_message(self.TraceWanted(number))
        else:
            self.post_message(self.Told("Choose a message first."))

    def action_wish(self, wish: Wish) -> None:
        """Asks to go on from the chosen message: edited, answered again, or in a new branch."""
        self._choose_in_sight()
        chosen = self.chosen
        self.post_message(self.Wished(wish, chosen if isinstance(chosen, MessageEntry) else None))

    def action_links(self) -> None:
        """Opens a helper's steps; else the message's first link, the next when asked again."""
        self._choose_in_sight()
        if isinstance(self.chosen, CallEntry) and self.chosen.name == HELPER:
            self.post_message(self.HelperWanted(self.chosen.number))
            return
        rows = self._chosen.rows or () if self._chosen is not None else ()
        links = list(dict.fromkeys(p.link for row in rows for p in row.pieces if p.link))
        if not links:
            self.post_message(self.Told("There is no link in this message."))
            return
        self._turn += 1
        self._open_link(links[(self._turn - 1) % len(links)])

    # -- the mouse

    def on_focus(self) -> None:
        """Chooses what is in sight, if nothing there is chosen yet."""
        if not self._pressed:
            self._choose_in_sight()
        self.refresh()

    def on_blur(self) -> None:
        """Takes the bar away."""
        self.refresh()

    def on_mouse_down(self) -> None:
        """Notes that the keys come here with the mouse, which chooses by itself."""
        self._pressed = True

    def on_mouse_move(self, event: MouseMove) -> None:
        """Says where the link under the pointer leads."""
        self._point(one_line(self._link_at(event)))

    def on_leave(self) -> None:
        """Says no more of links."""
        self._point("")

    def on_click(self, event: Click) -> None:
        """Opens a link or a mark; chooses a message, and marks it when clicked twice."""
        self._pressed = False
        at = self.row_at(event.y)
        if event.chain > 1:
            event.prevent_default()
            if at is not None:
                self._mark_block(at[0])
        elif at is None or self.text_selection is not None or isinstance(at[0].entry, Gap):
            return
        elif link := self._link_at(event):
            self._open_link(link)
        else:
            self._chosen, self._turn = at[0], 0
            # What a call has unfolded is there to be read: only its first row folds it.
            if at[1] == 0 or not isinstance(at[0].entry, CallEntry | MessageEntry):
                self.action_open()
            self.refresh()

    # -- inside

    def _mark_block(self, block: Block) -> None:
        if block.rows:
            start = Offset(0, block.order * ROWS)
            last = max(0, block.told - 1)
            end = Offset(len(block.rows[last].text), block.order * ROWS + last)
            self.screen.selections = {self: Selection(start, end)}

    def _link_at(self, event: MouseMove | Click) -> str:
        at = self.row_at(event.y)
        if at is None or at[0].rows is None or at[1] >= len(at[0].rows):
            return ""
        piece = piece_at(at[0].rows[at[1]], event.x - MARGIN)
        return piece.link if piece is not None and event.x >= MARGIN else ""

    def _point(self, text: str) -> None:
        if text != self._pointed:
            self._pointed = text
            self.post_message(self.Pointed(text))

    def _open_link(self, link: str) -> None:
        try:
            kind = urlsplit(link).scheme.lower()
        except ValueError:
            kind = ""
        if kind in OPENED:
            self.app.open_url(link)
            self.post_message(self.Told(f"Opened {one_line(link)}"))
        else:
            self.post_message(self.Told(f"Not opened: {one_line(link)}"))
