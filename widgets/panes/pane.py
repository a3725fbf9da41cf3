"""A pane: rows in a thin border, with a title above and figures below."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click
from textual.message import Message

from widgets.panes.drawn import STRATA, DrawnRows, inner_width
from widgets.panes.view import LABEL_CELLS, PaneView, fitted_figures

FRAME_ROWS = 2
LEVELS = ("note", "lost")
"""Inks of figures that warn."""
_HUES = "\n".join(
    f"&.-{name} {{ border: round $stratum-{name}; border-title-color: $stratum-{name};"
    f" scrollbar-color: $stratum-{name} 60%; scrollbar-color-hover: $stratum-{name};"
    f" scrollbar-color-active: $stratum-{name}; }}\n"
    f"&.-{name}:focus {{ border: heavy $stratum-{name}; }}"
    for name in STRATA
)


class Pane(DrawnRows):
    """Draws the rows it lays out for its width; follows nothing and jumps nowhere by itself.

    Args:
        kind: Its name, which its messages carry.
        title: Stands in the border.
        stratum: Whose hue it has.
        closable: Whether it can be hidden by its key.
        steady: Whether what is marked stays marked while the keys go elsewhere.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "up", "up", show=False, id="pane.up"),
        Binding("down,j", "down", "down", show=False, id="pane.down"),
        Binding("enter", "open", "open", id="pane.open"),
        Binding("delete", "hide", "hide", id="pane.hide"),
    ]
    DEFAULT_CSS = f"""
    Pane {{
        border-subtitle-align: right;
        border-subtitle-color: $stratum-dim;
        &.-figures-note {{ border-subtitle-color: $stratum-warning; }}
        &.-figures-lost {{ border-subtitle-color: $stratum-lost; }}
        &:focus {{ border-title-style: bold; }}
        {_HUES}
    }}
    """

    class Opened(Message):
        """The user wants to see what a row stands for."""

        def __init__(self, pane: str, key: str) -> None:
            super().__init__()
            self.pane = pane
            self.key = key

    class Moved(Message):
        """Another row is marked."""

        def __init__(self, pane: str, key: str) -> None:
            super().__init__()
            self.pane = pane
            self.key = key

    class HideWanted(Message):
        """The user does not want to see this pane."""

        def __init__(self, pane: "Pane") -> None:
            super().__init__()
            self.pane = pane

    def __init__(
        self, kind: str, title: str, stratum: str, *, closable: bool = True, steady: bool = False
    ) -> None:
        super().__init__(id=f"pane-{kind.replace('_', '-')}", classes=f"-{stratum}")
        self.kind = kind
        self.border_title = Content(title)
        self.closable = closable
        self.steady = steady
        self.enlarged = False
        """Whether it has the whole room."""
        self.cursor: str | None = None
        """The key of the marked rows."""
        self._choices: tuple[str, ...] = ()
        """What can be opened, each once, in order."""
        self._figures = ""

    # -- what is shown

    @property
    def figures(self) -> str:
        """What stands in the lower border."""
        return self._figures

    def name_it(self, title: str) -> None:
        """Changes the title."""
        self.border_title = Content(title)

    def wanted(self, width: int) -> int:
        """Rows of the whole pane that show all there is.

        Args:
            width: Cells of the whole pane.
        """
        return max(1, len(self._at(inner_width(width)).rows)) + FRAME_ROWS

    def mark(self, key: str | None) -> None:
        """Marks what has a key, and brings it into sight."""
        self.cursor = key
        rows = [row for row, at in enumerate(self._view.keys) if at == key and key is not None]
        if rows:
            self._into_sight(rows[0], rows[-1])
        self.refresh()

    def is_marked(self, row: int) -> bool:
        """Whether a row is what Enter opens."""
        key = self._view.key_at(row)
        if key is None or key != self.cursor or not (self.has_focus or self.steady):
            return False
        # A text that is one thing from end to end needs no mark.
        return len(self._choices) > 1 or self._view.keys.count(key) == 1

    # -- what the user does

    def action_up(self) -> None:
        """Marks what is above, or scrolls where there is nothing to mark."""
        self._step(-1)

    def action_down(self) -> None:
        """Marks what is below, or scrolls where there is nothing to mark."""
        self._step(1)

    def action_open(self) -> None:
        """Opens what is marked."""
        if self.cursor is not None:
            self.post_message(self.Opened(self.kind, self.cursor))

    def action_hide(self) -> None:
        """Asks to be hidden."""
        self.post_message(self.HideWanted(self))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A pane that can't be hidden leaves the key to others."""
        return self.closable if action == "hide" else super().check_action(action, parameters)

    def on_click(self, event: Click) -> None:
        """Opens the row; not where the mouse has marked text."""
        offset = event.get_content_offset(self)
        if offset is None or self.text_selection is not None or event.chain > 1:
            return
        key = self._view.key_at(offset.y + self.scroll_offset.y)
        if key is not None:
            event.stop()
            self.mark(key)
            self.post_message(self.Opened(self.kind, key))

    def on_focus(self) -> None:
        """Shows which row Enter would open."""
        # What is marked before the rows are laid out stays so until they are.
        if self._choices and self.cursor not in self._view.keys:
            self.cursor = self._first
        self.refresh()

    def on_blur(self) -> None:
        """Takes the mark away."""
        self.refresh()

    # -- inside

    def _draw(self, view: PaneView) -> None:
        super()._draw(view)
        self._choices = tuple(dict.fromkeys(key for key in self._view.keys if key is not None))
        if self.cursor not in self._choices:
            self.cursor = self._first if self.has_focus else None

    def _fit(self) -> None:
        super()._fit()
        room = self._width - LABEL_CELLS
        figures = fitted_figures(self._view.figures, room)
        for level in LEVELS:
            self.set_class(self._view.level == level, f"-figures-{level}")
        if figures != self._figures:
            self._figures = figures
            self.border_subtitle = Content(figures)

    @property
    def _first(self) -> str | None:
        return self._choices[0] if self._choices else None

    def _step(self, by: int) -> None:
        if len(self._choices) < 2:  # noqa: PLR2004 (between one and itself there is no step)
            self.scroll_to(y=self.scroll_offset.y + by, animate=False)
            return
        place = self._choices.index(self.cursor) + by if self.cursor in self._choices else 0
        key = self._choices[max(0, min(len(self._choices) - 1, place))]
        self.mark(key)
        self.post_message(self.Moved(self.kind, key))

    def _into_sight(self, first: int, last: int) -> None:
        top, height = self.scroll_offset.y, self.scrollable_content_region.height
        if first < top:
            # What stands above all that can be marked comes into sight with the first.
            at_top = all(key is None for key in self._view.keys[:first])
            self.scroll_to(y=0 if at_top else first, animate=False)
        elif height > 0 and last >= top + height:
            self.scroll_to(y=min(first, last - height + 1), animate=False)
