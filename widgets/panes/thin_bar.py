"""A scrollbar of half a cell: what stands beside it keeps its distance."""

from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBarRender

THUMB = "▐"
GROUND = Color.default()


class ThinBar(ScrollBarRender):
    """Draws an upright scrollbar at the right edge of its cell."""

    @classmethod
    def render_bar(  # noqa: PLR0913, PLR0917 (as Textual calls it)
        cls,
        size: int = 25,
        virtual_size: float = 50,
        window_size: float = 20,
        position: float = 0,
        thickness: int = 1,
        vertical: bool = True,  # noqa: ARG003
        back_color: Color = GROUND,
        bar_color: Color = GROUND,
    ) -> Segments:
        """The cells of the bar, from top to bottom.

        Args:
            size: Cells there are.
            virtual_size: Rows in all.
            window_size: Rows in sight.
            position: The first row in sight.
            thickness: Cells it is wide.
            vertical: Whether it stands upright, as all here do.
            back_color: What lies behind.
            bar_color: Its own.
        """
        length = max(1, round(size * window_size / max(1, virtual_size)))
        hidden = max(1, virtual_size - window_size)
        first = round((size - length) * min(1.0, position / hidden))
        thumb = " " * (thickness - 1) + THUMB
        cells = []
        for row in range(int(size)):
            at = {"@mouse.down": "scroll_up" if row < first else "scroll_down"}
            if first <= row < first + length:
                style = Style(color=bar_color, bgcolor=back_color, meta={"@mouse.down": "grab"})
                cells.append(Segment(thumb, style))
            else:
                cells.append(Segment(" " * thickness, Style(bgcolor=back_color, meta=at)))
        return Segments(cells, new_lines=True)
