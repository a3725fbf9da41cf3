"""A long list beside what is opened from it."""

from typing import ClassVar

from textual.binding import Binding, BindingType

from widgets.panes.pane import Pane


class LongList(Pane):
    """A pane to choose from; what is marked stays marked while another one has the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "leap(-1)", "page up", show=False),
        Binding("pagedown", "leap(1)", "page down", show=False),
        Binding("home", "end(0)", "first", show=False),
        Binding("end", "end(-1)", "last", show=False),
    ]

    def __init__(self, kind: str, title: str, stratum: str) -> None:
        super().__init__(kind, title, stratum, closable=False, steady=True)

    def action_leap(self, pages: int) -> None:
        """Marks what is a page further."""
        self._step(pages * max(1, self.scrollable_content_region.height - 1))

    def action_end(self, place: int) -> None:
        """Marks the first or the last."""
        self._step(-len(self._choices) if place == 0 else len(self._choices))
