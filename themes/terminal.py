"""What the terminal can show, and the theme that fits it."""

from collections.abc import Mapping

from themes import strata

FEW = frozenset(("standard", "windows"))
"""Rich's names for terminals with 16 colours."""
DARK_GROUNDS = frozenset((0, 1, 2, 3, 4, 5, 6, 8))
"""Numbers of the colours that are dark, as a ground."""


def has_few_colours(color_system: str | None, *, no_color: bool) -> bool:
    """Whether hues can't be told apart, so that patterns have to do it.

    Args:
        color_system: Rich's name of what the terminal can do; None for no colour at all.
        no_color: Whether the user wants no colour (the variable NO_COLOR).
    """
    return no_color or color_system is None or color_system in FEW


def fitting_theme(color_system: str | None, environment: Mapping[str, str]) -> str:
    """The name of our theme that fits the terminal, as far as it tells without being asked.

    Args:
        color_system: Rich's name of what the terminal can do.
        environment: The environment variables.
    """
    light = _has_light_ground(environment)
    if color_system in FEW:
        return (strata.LIGHT_16 if light else strata.DARK_16).name
    return (strata.LIGHT if light else strata.DARK).name


def _has_light_ground(environment: Mapping[str, str]) -> bool:
    """Some terminals tell their colours as `15;0` or `15;default;0`: text first, ground last."""
    ground = environment.get("COLORFGBG", "").rpartition(";")[2].strip()
    # ASCII digits only: other digits are no numbers that a terminal would write.
    return ground.isascii() and ground.isdigit() and int(ground[:4]) not in DARK_GROUNDS
