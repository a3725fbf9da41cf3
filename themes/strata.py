"""Strata's own themes, and the hues of the strata for every other one."""

from functools import lru_cache
from pathlib import Path

from textual.color import Color
from textual.theme import Theme

from themes.contrast import contrast
from themes.reading import HUES, read_theme

LEAST_OF_HUES, LEAST_OF_DIM = 3.0, 4.0
"""Contrast with the ground: of what has a name beside it, and of what is read."""
STEPS = 10
_ANSI = {
    "system": "ansi_default", "files": "ansi_cyan", "long-term": "ansi_red",
    "short-term": "ansi_yellow", "you": "ansi_bright_green", "model": "ansi_green",
    "working": "ansi_cyan", "facts": "ansi_blue", "recalled": "ansi_magenta",
    "warning": "ansi_yellow", "lost": "ansi_bright_red", "dim": "ansi_default",
}  # fmt: skip
"""For themes that draw with the terminal's own colours, whatever these are."""


def _ours(name: str) -> Theme:
    # A path: `importlib.resources` alone would take longer than all that is read here.
    return read_theme(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"), name)


DARK, LIGHT = _ours("strata-dark"), _ours("strata-light")
DARK_16, LIGHT_16 = _ours("strata-16"), _ours("strata-16-light")
OURS = (DARK, LIGHT, DARK_16, LIGHT_16)
DEFAULT = DARK


def stratum_variables(dark: bool) -> dict[str, str]:
    """The CSS variables with the hues of the strata, for a dark or a light ground."""
    return dict((DARK if dark else LIGHT).variables)


def variables_for(theme: Theme) -> dict[str, str]:
    """The CSS variables with the hues of the strata, readable on the grounds of a theme."""
    if all(f"stratum-{hue}" in theme.variables for hue in HUES):
        return {}
    if theme.ansi:
        return {f"stratum-{hue}": colour for hue, colour in _ANSI.items()}
    colours = theme.to_color_system().generate()
    return _readable(theme.dark, colours["background"], colours["panel"])


@lru_cache(64)
def _readable(dark: bool, background: str, panel: str) -> dict[str, str]:
    grounds = [Color.parse(background), Color.parse(panel)]
    return {
        name: _lifted(
            Color.parse(hue),
            grounds,
            Color.parse("white" if dark else "black"),
            LEAST_OF_DIM if name.endswith("-dim") else LEAST_OF_HUES,
        )
        for name, hue in stratum_variables(dark).items()
    }


def _lifted(hue: Color, grounds: list[Color], away: Color, least: float) -> str:
    """A hue, moved away from the grounds as far as it has to be."""
    for step in range(STEPS):
        moved = hue.blend(away, step / STEPS)
        if all(contrast(moved, ground) >= least for ground in grounds):
            return moved.hex
    return away.hex
