"""How well one colour can be told from another, by the formula of WCAG 2. Pure."""

from functools import lru_cache

from textual.color import Color


@lru_cache(1024)
def luminance(colour: Color) -> float:
    """The relative luminance: 0 for black, 1 for white."""
    red, green, blue = (_linear(part) for part in colour.rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    """The contrast ratio: 1 for the same, 21 for black and white."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _linear(part: int) -> float:
    share = part / 255
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4  # noqa: PLR2004
