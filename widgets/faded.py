"""What is past is shown in paler hues."""

from collections.abc import Sequence
from functools import lru_cache
from typing import cast

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as Shade
from textual.filter import LineFilter
from textual.widget import Widget

SHARE = 0.55
"""How much of its hue a colour loses."""
WEIGHTS = (0.299, 0.587, 0.114)
"""Of red, green and blue in how light a colour looks (ITU-R BT.601)."""


class Paler(LineFilter):
    """Takes a part of the hue from all that is drawn; it stays as light as it was."""

    def apply(self, segments: list[Segment], background: Shade) -> list[Segment]:
        """The segments in paler colours; the ground they stand on stays what it is."""
        ground = background.rich_color
        return [
            Segment(text, pale(style, ground) if style is not None else None, control)
            for text, style, control in segments
        ]


class Faded:
    """Mixed into a widget, it shows it in paler hues.

    No widget itself: Textual finds a widget's style by the first of its bases alone.
    """

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The application's filters after this one."""
        return (PALER, *Widget.get_line_filters(cast(Widget, self)))


PALER = Paler()


@lru_cache(1_024)
def pale(style: Style, ground: Color) -> Style:
    """The style in paler colours.

    Args:
        style: How something is drawn.
        ground: What it stands on, which stays.
    """
    below = style.bgcolor
    return style + Style(
        color=_pale(style.color), bgcolor=below if below == ground else _pale(below)
    )


def _pale(color: Color | None) -> Color | None:
    # The terminal's own colours are what they are.
    if color is None or color.triplet is None:
        return color
    channels = color.triplet
    grey = sum(weight * channel for weight, channel in zip(WEIGHTS, channels, strict=True))
    mixed = (round(channel + SHARE * (grey - channel)) for channel in channels)
    return Color.from_triplet(ColorTriplet(*mixed))
