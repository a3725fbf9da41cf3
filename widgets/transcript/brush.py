"""From rows to strips: the looks of the theme, what is chosen and what is marked."""

from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from widgets.entries import NoticeEntry
from widgets.entry_rows import rows_of
from widgets.rows import Row
from widgets.transcript.blocks import ROWS, Block
from widgets.transcript.view import MARGIN, SheetView

MOST_STRIPS = 500
"""Drawn rows that are kept; each is many objects, which the interpreter has to look through."""
CURSOR = "▍"
BAR = "▎"
HUES = (
    "text", "dim", "heading", "link", "code", "code-keyword", "code-string", "code-comment",
    "code-number", "code-name", "you", "strata", "tool", "system", "short-term", "report", "live",
    "note", "problem", "recalled",
)  # fmt: skip


class Brush(SheetView):
    """A view that draws its rows in the looks that the theme gives each ink."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"transcript--{ink}" for ink in HUES}
    DEFAULT_CSS = """
    Brush {
        background: $background;
        color: $foreground;
        & > .transcript--text { color: $foreground; }
        & > .transcript--dim { color: $stratum-dim; }
        & > .transcript--heading { color: $foreground; text-style: bold; }
        & > .transcript--link { color: $stratum-facts; text-style: underline; }
        & > .transcript--code { color: $stratum-files; }
        & > .transcript--code-keyword { color: $stratum-recalled; }
        & > .transcript--code-string { color: $stratum-you; }
        & > .transcript--code-comment { color: $stratum-dim; }
        & > .transcript--code-number { color: $stratum-short-term; }
        & > .transcript--code-name { color: $stratum-facts; }
        & > .transcript--you { color: $stratum-you; }
        & > .transcript--strata { color: $stratum-model; }
        & > .transcript--tool { color: $stratum-working; }
        & > .transcript--system { color: $stratum-system; }
        & > .transcript--short-term { color: $stratum-short-term; }
        & > .transcript--report { color: $foreground 75%; }
        & > .transcript--live { color: $stratum-model; }
        & > .transcript--note { color: $stratum-warning; }
        & > .transcript--problem { color: $stratum-lost; }
        & > .transcript--recalled { color: $stratum-recalled; }
    }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._inks: dict[tuple[str, str], Style] = {}
        self._drawn = 0

    def ink(self, name: str, letters: str = "") -> Style:
        """The look of an ink, with letters for bold, italic, struck through, underlined."""
        style = self._inks.get((name, letters))
        if style is None:
            known = name if name in HUES else "text"
            style = self.get_component_rich_style(f"transcript--{known}")
            if letters:
                style += Style(
                    bold="b" in letters or None,
                    italic="i" in letters or None,
                    strike="s" in letters or None,
                    underline="u" in letters or None,
                )
            self._inks[name, letters] = style
        return style

    def notify_style_update(self) -> None:
        """Draws everything anew in the looks of a new theme."""
        super().notify_style_update()
        self._inks.clear()
        self._forget_strips()

    def render_line(self, y: int) -> Strip:
        """Draws one line of the view."""
        if self._drawn > MOST_STRIPS:
            self._forget_strips()
        width = self.scrollable_content_region.width
        at = self.row_at(y)
        if at is None or at[0].rows is None:
            return self._empty_line(y, width)
        block, number = at
        rows, told = at[0].rows, block.told
        row = rows[number] if number < len(rows) else Row()
        strip = self._draw(block, number, width)
        if block.growing is not None and number == told - 1:
            strip = self._draw_cursor(strip, row)
        selection = self.text_selection
        if selection is not None:
            strip = self._draw_marked(strip, selection, row, block.order * ROWS + number)
        hue = self.hue_of_bar(block)
        if hue and number < told:
            strip = self._draw_bar(strip, hue)
        return strip

    def hue_of_bar(self, block: Block) -> str:  # noqa: ARG002 (for those who choose)
        """The ink of the bar beside a block; empty where it has none."""
        return ""

    def _draw(self, block: Block, row: int, width: int) -> Strip:
        """A row of a block over the whole width; drawn once, as long as it stays."""
        strip = block.strips.get(row)
        if strip is None:
            drawn = block.rows[row] if block.rows is not None and row < len(block.rows) else Row()
            strip = block.strips[row] = self._strip(drawn, block.order * ROWS + row, width)
            self._drawn += 1
        return strip

    def _strip(self, row: Row, place: int, width: int) -> Strip:
        """Puts a row together; each piece carries its place, by which the mouse marks it."""
        base = self.ink("text")
        segments = [Segment(" " * MARGIN, base + Style.from_meta({"offset": (0, place)}))]
        at, cells = 0, MARGIN
        for piece in row.pieces:
            if piece.text:
                offset = Style.from_meta({"offset": (at, place)})
                segments.append(Segment(piece.text, self.ink(piece.ink, piece.style) + offset))
                at += len(piece.text)
                cells += cell_len(piece.text)
        if cells > width:
            return Strip(segments, cells).crop(0, width)
        return Strip([*segments, Segment(" " * (width - cells), base)], width)

    def _draw_bar(self, strip: Strip, hue: str) -> Strip:
        """The row with a bar before it."""
        return Strip.join([Strip([Segment(BAR, self.ink(hue))], MARGIN), strip.crop(MARGIN)])

    def _draw_cursor(self, strip: Strip, row: Row) -> Strip:
        """The row with the sign that more is to come after it."""
        at = MARGIN + cell_len(row.text)
        cursor = Strip([Segment(CURSOR, self.ink("live"))], 1)
        return Strip.join([strip.crop(0, at), cursor, strip.crop(at + 1)])

    def _draw_marked(self, strip: Strip, selection: Selection, row: Row, place: int) -> Strip:
        """The row with what is marked of it."""
        span = selection.get_span(place)
        if span is None:
            return strip
        text = row.text
        start, end = span
        end = len(text) if end == -1 else end
        cells = MARGIN + cell_len(text[:start]), MARGIN + cell_len(text[:end])
        style = self.screen.get_component_rich_style("screen--selection")
        marked = strip.crop(*cells).apply_style(style)
        return Strip.join([strip.crop(0, cells[0]), marked, strip.crop(cells[1])])

    def _empty_line(self, y: int, width: int) -> Strip:
        entry = NoticeEntry(self.when_empty)
        block = Block(entry)
        if not self.sheet.blocks and self.when_empty:
            block.rows = rows_of(entry, self.sheet.width)
        return self._draw(block, y, width)

    def _forget_strips(self) -> None:
        self._drawn = 0
        for block in self.sheet.blocks:
            block.strips.clear()
