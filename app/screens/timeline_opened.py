"""The pane of an opened compaction: what can be chosen in it, and what is read on the way."""

from collections.abc import Callable

from textual.events import Leave, MouseMove
from textual.message import Message

from widgets.panes.pane import Pane
from widgets.panes.view import PaneView

PointedAt = Callable[[str | None, int], str]
"""From what a row opens and a column of its text to what stands there."""


class OpenedPane(Pane):
    """A long text with things to choose in it: the keys scroll until the next of them is in sight.

    Args:
        told_at: What is worth knowing of a place that the pointer is on.
    """

    class Pointed(Message):
        """What the pointer is on; empty for nothing any more."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, told_at: PointedAt) -> None:
        super().__init__("opened", "", "short-term", closable=False)
        self._told_at = told_at
        self._pointed = ""

    def on_focus(self) -> None:
        """Chooses nothing that is not in sight."""
        if self.cursor not in self._view.keys:
            self.cursor = None
        self.refresh()

    def on_mouse_move(self, event: MouseMove) -> None:
        """Says what the pointer is on."""
        offset = event.get_content_offset(self)
        key = self._view.key_at(offset.y + self.scroll_offset.y) if offset is not None else None
        # One cell is the mark's.
        self._point(self._told_at(key, offset.x - 1) if offset is not None else "")

    def on_leave(self, event: Leave) -> None:
        """Says no more of it."""
        if event.node is self:
            self._point("")

    def _point(self, text: str) -> None:
        if text != self._pointed:
            self._pointed = text
            self.post_message(self.Pointed(text))

    def _draw(self, view: PaneView) -> None:
        before = self.cursor
        super()._draw(view)
        if before is None:
            self.cursor = None

    def _step(self, by: int) -> None:
        """Chooses what comes next, where it is in sight; else scrolls towards it."""
        key = self._next_in_sight(by)
        if key is not None:
            self.mark(key)
            self.post_message(self.Moved(self.kind, key))
        else:
            self.scroll_to(y=self.scroll_offset.y + by, animate=False)

    def _next_in_sight(self, by: int) -> str | None:
        keys = self._view.keys
        top = self.scroll_offset.y
        seen = range(top, min(len(keys), top + self.scrollable_content_region.height))
        rows = [row for row in seen if self.cursor is not None and keys[row] == self.cursor]
        if rows:
            seen = range(rows[-1] + 1, seen.stop) if by > 0 else range(seen.start, rows[0])
        for row in seen if by > 0 else reversed(seen):
            if keys[row] is not None:
                return keys[row]
        return None
