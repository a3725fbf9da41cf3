"""What is drawn, made to fit a terminal with few colours, or none (VIEW-8)."""

from functools import lru_cache

from rich.color import Color as RichColor
from rich.color import ColorType
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.filter import LineFilter

from themes.contrast import contrast
from themes.terminal import FEW

LEAST = 3.0
"""Contrast of what is drawn in 16 colours."""
STANDS_OUT = 1.25
"""Contrast of two grounds that are seen to be different."""
DEFAULT = RichColor.default()


def filters_for(color_system: str | None, *, no_color: bool) -> tuple[LineFilter, ...]:
    """What has to be done to what is drawn.

    Args:
        color_system: Rich's name of what the terminal can do; None for no colour at all.
        no_color: Whether the user wants no colour.
    """
    if no_color or color_system is None:
        return (WithoutColour(),)
    if color_system in FEW:
        return (SixteenColours(),)
    return (PaletteColours(),) if color_system == "256" else ()


class StyleFilter(LineFilter):
    """Changes the style of each segment."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments in other styles, over a ground."""
        restyle = self.restyle
        return [
            Segment(text, style and restyle(style, background), control)
            for text, style, control in segments
        ]

    def restyle(self, style: Style, ground: Color) -> Style:
        """The style to take in place of another one."""
        raise NotImplementedError


class WithoutColour(StyleFilter):
    """Takes all colour away; what stood out by its ground is reversed."""

    def restyle(self, style: Style, ground: Color) -> Style:
        """The style in the terminal's own two colours."""
        return _without_colour(style, ground)


class SixteenColours(StyleFilter):
    """Rounds to the 16 colours so that text never takes the colour of its ground.

    What stood out by its own ground and no longer does is reversed.
    """

    def restyle(self, style: Style, ground: Color) -> Style:
        """The style in 16 colours."""
        return _in_sixteen(style, ground)


class PaletteColours(StyleFilter):
    """Rounds to the nearest of 240 colours: Rich's own rounding makes pale colours pink."""

    def restyle(self, style: Style, ground: Color) -> Style:  # noqa: ARG002 (as all filters)
        """The style in 240 colours."""
        return _in_palette(style)


@lru_cache(4096)
def _without_colour(style: Style, ground: Color) -> Style:
    reverse = _stands_out(style, ground) or None
    return style + Style(color=DEFAULT, bgcolor=DEFAULT, reverse=reverse)


@lru_cache(4096)
def _in_sixteen(style: Style, ground: Color) -> Style:
    text, own = style.color, style.bgcolor and _rounded(style.bgcolor, 0, 16)
    if text is None or text.is_default or own is None or own.is_default:
        return style + Style(color=text and _rounded(text, 0, 16), bgcolor=own)
    behind = _rounded(ground.rich_color, 0, 16)
    lost = own.number == behind.number and _stands_out(style, ground)
    return style + Style(color=_legible(text, own), bgcolor=own, reverse=lost or None)


def _stands_out(style: Style, ground: Color) -> bool:
    """Whether a style is seen by its own ground."""
    own = style.bgcolor
    if own is None or own.is_default or style.reverse:
        return False
    return contrast(_seen(own), ground) >= STANDS_OUT


@lru_cache(4096)
def _in_palette(style: Style) -> Style:
    # The first 16 look different on every terminal; the others are what they are.
    return style + Style(
        color=style.color and _rounded(style.color, 16, 256),
        bgcolor=style.bgcolor and _rounded(style.bgcolor, 16, 256),
    )


@lru_cache(4096)
def _legible(text: RichColor, ground: RichColor) -> RichColor:
    """The nearest of the 16 colours that can be read on a ground."""
    behind = _seen(ground)
    numbers = [n for n in range(16) if contrast(_of_palette(n), behind) >= LEAST]
    return RichColor.from_ansi(_nearest(_seen(text), numbers))


@lru_cache(4096)
def _rounded(colour: RichColor, first: int, end: int) -> RichColor:
    """The nearest colour of a part of the palette; what is no mixed colour stays."""
    if colour.type is not ColorType.TRUECOLOR:
        return colour
    return RichColor.from_ansi(_nearest(_seen(colour), range(first, end)))


def _nearest(colour: Color, numbers: "list[int] | range") -> int:
    return min(numbers, key=lambda number: _distance(colour, _of_palette(number)))


def _distance(one: Color, other: Color) -> float:
    """How different two colours look; "redmean", a cheap stand-in for the eye."""
    middle = (one.r + other.r) / 2
    red, green, blue = one.r - other.r, one.g - other.g, one.b - other.b
    return (2 + middle / 256) * red**2 + 4 * green**2 + (2 + (255 - middle) / 256) * blue**2


@lru_cache(256)
def _of_palette(number: int) -> Color:
    return _seen(RichColor.from_ansi(number))


def _seen(colour: RichColor) -> Color:
    """A colour as a terminal with the usual palette shows it."""
    return Color(*colour.get_truecolor())
