"""The list of a request's pieces."""

from typing import ClassVar

from textual.binding import Binding, BindingType

from widgets.panes.pane import Pane


class PieceList(Pane):
    """Lists pieces; what is marked stays marked while the text has the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "up", "up", show=False, id="prompt.up"),
        Binding("down,j", "down", "down", show=False, id="prompt.down"),
        Binding("pageup", "leap(-1)", "page up", show=False),
        Binding("pagedown", "leap(1)", "page down", show=False),
        Binding("home", "end(0)", "first", show=False),
        Binding("end", "end(-1)", "last", show=False),
    ]

    def __init__(self) -> None:
        super().__init__("pieces", "pieces", "dim", closable=False, steady=True)

    def action_leap(self, pages: int) -> None:
        """Marks what is a page further."""
        self._step(pages * max(1, self.scrollable_content_region.height - 1))

    def action_end(self, place: int) -> None:
        """Marks the first or the last."""
        self._step(-len(self._choices) if place == 0 else len(self._choices))
