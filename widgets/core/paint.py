"""The cells of a row of the core: glyphs and colours. Pure."""

from collections.abc import Callable
from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color

from widgets.core.heights import WHOLE
from widgets.core.rows import CoreRow

LOWER_BLOCKS = " ▁▂▃▄▅▆▇█"
DASH, HALF, DOTS = "┄", "▀", "░"
PATTERNS = {
    "system": "=",
    "files": ":",
    "tools": "+",
    "long-term": "▓",
    "short-term": "▒",
    "window-you": "░",
    "window-model": "█",
    "window-tool": "+",
    "window-system": "=",
    "draft": "·",
    "answer": "█",
    "working": "*",
    "facts": "#",
    "recalled": "%",
    "over": "!",
    "folding": "▒",
}
"""What fills a row where there are no colours to tell the layers apart."""

InkStyle = Callable[[str], Style]
"""From an ink to its style: the hue as foreground, the ground as background."""


def bar(row: CoreRow, width: int, style: InkStyle, *, patterns: bool) -> list[Segment]:
    """The cells of a row.

    Args:
        row: What to draw.
        width: Cells of the column.
        style: The styles of the theme.
        patterns: Whether layers are told apart by what fills them instead of by hue.
    """
    if not row.layers and row.ink != "over":
        return [Segment((DASH if row.ink == "trigger" else " ") * width, style(row.ink))]
    if patterns:
        return [Segment(_pattern(row) * width, style(row.ink))]
    hue = _hue(row.ink, row, style)
    ground = style("sky").bgcolor
    if row.ink == "draft":
        return [Segment(DOTS * width, Style(color=hue, bgcolor=ground))]
    if row.eighths < WHOLE:
        return [Segment(LOWER_BLOCKS[row.eighths] * width, Style(color=hue, bgcolor=ground))]
    if row.lower:
        below = _hue(row.lower, row, style)
        return [Segment(HALF * width, Style(color=hue, bgcolor=below))]
    return [Segment(" " * width, Style(bgcolor=hue))]


def _pattern(row: CoreRow) -> str:
    if row.eighths < WHOLE:
        return LOWER_BLOCKS[row.eighths]
    return PATTERNS[row.toward if row.mix > 0.5 else row.ink]  # noqa: PLR2004


def _hue(ink: str, row: CoreRow, style: InkStyle) -> RichColor | None:
    hue = style(ink).color
    if row.mix and hue is not None and (goal := style(row.toward).color) is not None:
        return _blended(hue, goal, row.mix)
    return hue


@lru_cache(256)
def _blended(one: RichColor, other: RichColor, share: float) -> RichColor:
    return Color.from_rich_color(one).blend(Color.from_rich_color(other), share).rich_color
