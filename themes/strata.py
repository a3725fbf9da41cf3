"""Strata's own themes: one hue a stratum, dark and light."""

from textual.theme import Theme

_DARK = {
    "system": "#6f7782",
    "files": "#8a9aa8",
    "long-term": "#b5603f",
    "short-term": "#d9a441",
    "you": "#a3c585",
    "model": "#6f9650",
    "working": "#4fa3a0",
    "facts": "#5f93d6",
    "recalled": "#9c80d4",
    "warning": "#e0b04c",
    "lost": "#d9604f",
    "dim": "#857f75",
}
_LIGHT = {
    "system": "#7b8490",
    "files": "#66788a",
    "long-term": "#a04a2c",
    "short-term": "#b57d14",
    "you": "#6d9648",
    "model": "#466b2d",
    "working": "#2b7f7c",
    "facts": "#2f66b3",
    "recalled": "#7654b8",
    "warning": "#b57d14",
    "lost": "#b53a2a",
    "dim": "#857b69",
}


def stratum_variables(dark: bool) -> dict[str, str]:
    """The CSS variables with the hues of the strata, for a dark or a light ground."""
    return {f"stratum-{name}": hue for name, hue in (_DARK if dark else _LIGHT).items()}


def _theme(name: str, *, dark: bool, ground: str, raised: str, text: str) -> Theme:
    hues = _DARK if dark else _LIGHT
    return Theme(
        name=name,
        dark=dark,
        primary=hues["short-term"],
        secondary=hues["long-term"],
        accent=hues["you"],
        warning=hues["warning"],
        error=hues["lost"],
        success=hues["model"],
        foreground=text,
        background=ground,
        surface=ground,
        panel=raised,
        variables=stratum_variables(dark),
    )


DARK = _theme("strata-dark", dark=True, ground="#16171a", raised="#1d1e22", text="#d8d4cc")
LIGHT = _theme("strata-light", dark=False, ground="#f6f1e7", raised="#ece5d6", text="#33302a")
DEFAULT = DARK
