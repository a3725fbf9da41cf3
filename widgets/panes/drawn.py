"""Rows that a widget lays out for its width and draws where they are in sight."""

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from widgets.panes.copied import copied
from widgets.panes.thin_bar import ThinBar
from widgets.panes.view import Lay, PaneView
from widgets.rows import EMPTY, Row

STRATA = (
    "system",
    "files",
    "long-term",
    "short-term",
    "you",
    "model",
    "working",
    "facts",
    "recalled",
    "dim",
)
INKS = ("text", "note", "lost", "live", "cursor", *STRATA)
FRAME_CELLS = 4
"""Cells of a row that are not text: two of the border, the mark, and the scrollbar's."""
MARK = "▸"
"""Stands before what Enter opens."""
STYLES = {
    "b": Style(bold=True),
    "i": Style(italic=True),
    "s": Style(strike=True),
    "u": Style(underline=True),
}
_TEXTS = "\n".join(f"& > .pane--{name} {{ color: $stratum-{name}; }}" for name in STRATA)


class DrawnRows(ScrollView):
    """Draws rows in the inks of the theme; text in it can be selected and is never markup."""

    ALLOW_MAXIMIZE = False
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"pane--{ink}" for ink in INKS}
    DEFAULT_CSS = f"""
    DrawnRows {{
        background: $background;
        color: $foreground;
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size: 0 1;
        scrollbar-background: $background;
        scrollbar-background-hover: $background;
        scrollbar-background-active: $background;
        & > .pane--text {{ color: $foreground; }}
        & > .pane--note {{ color: $stratum-warning; }}
        & > .pane--lost {{ color: $stratum-lost; }}
        & > .pane--live {{ color: $stratum-short-term; }}
        & > .pane--cursor {{ background: $panel; }}
        {_TEXTS}
    }}
    """

    def __init__(self, *, id: str, classes: str) -> None:
        super().__init__(id=id, classes=classes)
        self._lay: Lay = lambda _: PaneView()
        self._laid: dict[int, PaneView] = {}
        self._view = PaneView()
        self._width = 0

    @property
    def shown(self) -> PaneView:
        """What it shows now."""
        return self._view

    @property
    def text_width(self) -> int:
        """Cells of a row of text."""
        return self._width

    def show(self, lay: Lay) -> None:
        """Draws other rows, where they are others; the reader's place stays."""
        self._lay = lay
        self._laid.clear()
        if self._width:
            self._draw(self._at(self._width))

    def is_marked(self, row: int) -> bool:
        """Whether a row is the one that Enter opens."""
        del row
        return False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing scrolls sideways: these keys are free for others."""
        if action in ("scroll_left", "scroll_right"):
            return False
        return super().check_action(action, parameters)

    def on_mount(self) -> None:
        """Gives the scrollbar its look."""
        self.vertical_scrollbar.renderer = ThinBar  # type: ignore[misc]

    def on_resize(self) -> None:
        """Lays the rows out anew where the width has changed."""
        self._width = inner_width(self.outer_size.width)
        self._draw(self._at(self._width))
        self._fit()

    def render_line(self, y: int) -> Strip:
        """Draws one row."""
        if self._width != (inner := inner_width(self.outer_size.width)):
            # It is drawn before it has been told that it has another size.
            self._width, self._view = inner, self._at(inner)
        number = self.scroll_offset.y + y
        width = self.scrollable_content_region.width - 1
        marked = self.is_marked(number)
        ground = self._ink("cursor").background_style if marked else Style()
        pieces = self._row(number).pieces
        text = Strip([Segment(p.text, self._style(p.ink, p.style) + ground) for p in pieces])
        selection = self.text_selection
        if selection is not None:
            text = self._selected(text, selection, number)
        text = text.extend_cell_length(width, self.rich_style + ground).crop(0, width)
        sign = Segment(MARK if marked else " ", self._ink("live") + ground)
        return Strip.join([Strip([sign]), text.apply_offsets(0, number)])

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text the reader has marked."""
        return copied(self._view.rows, selection), "\n"

    # -- inside

    def _at(self, width: int) -> PaneView:
        """What it shows at a width of text."""
        if width not in self._laid:
            self._laid[width] = self._lay(width)
        return self._laid[width]

    def _draw(self, view: PaneView) -> None:
        if view == self._view:
            return
        above = self._view.key_at(self.scroll_offset.y)
        self._view = view
        self._fit()
        if self.scroll_offset.y and above is not None and above in view.keys:
            self.scroll_to(y=view.keys.index(above), animate=False)
        self.refresh()

    def _fit(self) -> None:
        """Tells Textual how much there is."""
        self.virtual_size = Size(self._width + 1, len(self._view.rows))

    def _row(self, number: int) -> Row:
        rows = self._view.rows
        return rows[number] if 0 <= number < len(rows) else EMPTY

    def _ink(self, ink: str) -> Style:
        return self.get_component_rich_style(f"pane--{ink}")

    def _style(self, ink: str, letters: str) -> Style:
        style = self._ink(ink)
        for letter in letters:
            style += STYLES[letter]
        return style

    def _selected(self, strip: Strip, selection: Selection, row: int) -> Strip:
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


def inner_width(width: int) -> int:
    """Cells of text in a pane of a width."""
    return max(2, width - FRAME_CELLS)
