"""A theme as a TOML file: what may stand in it, and what is wrong with one that can't be used."""

import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from textual.color import Color, ColorParseError
from textual.theme import Theme

from themes.contrast import contrast, luminance

HUES = (
    "system", "files", "long-term", "short-term", "you", "model", "working", "facts", "recalled",
    "warning", "lost", "dim",
)  # fmt: skip
"""The strata, and what else has a hue of its own."""
COLOURS = (
    "background", "foreground", "panel", "surface", "primary", "secondary", "accent", "warning",
    "error", "success",
)  # fmt: skip
TOP = ("name", "dark", "colours", "strata")
LEAST_CONTRAST = 2.0
"""Between text and ground; below it nobody could read how to leave the theme again."""
MIDDLE = 0.18
"""Luminance: a ground below it is dark."""
_NAME = re.compile("[A-Za-z0-9_-]{1,40}")
_SAME_AS = {
    "primary": "short-term",
    "secondary": "long-term",
    "accent": "you",
    "warning": "warning",
    "error": "lost",
    "success": "model",
}
"""Textual's colours, each with the hue that it has where the file says nothing of it."""

Table = Mapping[str, Any]


class ThemeError(ValueError):
    """What is wrong with a theme, in a sentence."""


def read_theme(text: str, name: str, base: Mapping[bool, Theme] | None = None) -> Theme:
    """The theme that a file describes.

    Args:
        text: TOML.
        name: Its name where it has none of its own.
        base: A dark (True) and a light theme for what the file leaves out.

    Raises:
        ThemeError: It can't be used.
    """
    table = _table(text)
    colours, hues = _colours(table, "colours", COLOURS), _colours(table, "strata", HUES)
    dark = _is_dark(table, colours)
    if base is not None:
        colours, hues = _completed(colours, hues, base[dark])
    _check_ground(colours)
    own = {key: colours.get(key) or hues[hue] for key, hue in _SAME_AS.items()}
    return Theme(
        name=_name(table.get("name", name)),
        dark=dark,
        foreground=colours["foreground"],
        background=colours["background"],
        surface=colours.get("surface", colours["background"]),
        panel=colours["panel"],
        primary=own["primary"],
        secondary=own["secondary"],
        accent=own["accent"],
        warning=own["warning"],
        error=own["error"],
        success=own["success"],
        variables={f"stratum-{hue}": value for hue, value in hues.items()},
    )


def _table(text: str) -> Table:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ThemeError(f"it is no TOML: {error}.") from error
    except (ValueError, RecursionError) as error:
        raise ThemeError("it is no TOML.") from error
    if "colors" in table and "colours" not in table:
        table["colours"] = table.pop("colors")
    _check_keys(table, TOP, "")
    return table


def _check_keys(table: Table, known: tuple[str, ...], place: str) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            hint = f"Perhaps {near[0]}" if near else f"There are {', '.join(known)}"
            raise ThemeError(f"{place}{_shown(key)} is unknown. {hint}.")


def _colours(table: Table, name: str, known: tuple[str, ...]) -> dict[str, str]:
    given = table.get(name, {})
    if not isinstance(given, dict):
        raise ThemeError(f"{name} is no table. Write [{name}] on a line and its colours below it.")
    _check_keys(given, known, f"[{name}] ")
    return {key: _colour(value, f"[{name}] {key}") for key, value in given.items()}


def _colour(value: object, place: str) -> str:
    if isinstance(value, str) and not value.startswith(("ansi_", "auto")):
        try:
            colour = Color.parse(value)
        except ColorParseError:
            colour = None
        if colour is not None and colour.a == 1:
            return colour.hex
    raise ThemeError(f'{place} = {_shown(value)} is no colour. Write "#rrggbb", or a name: "teal".')


def _is_dark(table: Table, colours: Mapping[str, str]) -> bool:
    dark = table.get("dark")
    if dark is None:
        ground = colours.get("background")
        return ground is None or luminance(Color.parse(ground)) < MIDDLE
    if not isinstance(dark, bool):
        raise ThemeError(f"dark = {_shown(dark)} is neither true nor false.")
    return dark


def _completed(
    colours: dict[str, str], hues: dict[str, str], base: Theme
) -> tuple[dict[str, str], dict[str, str]]:
    ground = {"background": base.background or "", "foreground": base.foreground or ""}
    # Beside a ground of its own, our panel would be a stain.
    panel = colours.get("background", base.panel or "")
    ours = {hue: base.variables[f"stratum-{hue}"] for hue in HUES}
    return {**ground, "panel": panel, **colours}, ours | hues


def _check_ground(colours: Mapping[str, str]) -> None:
    text = Color.parse(colours["foreground"])
    for ground in ("background", "panel"):
        if contrast(text, Color.parse(colours[ground])) < LEAST_CONTRAST:
            raise ThemeError(f"text can't be read where {ground} is so close to foreground.")


def _name(value: object) -> str:
    if isinstance(value, str) and _NAME.fullmatch(value) and value != "default":
        return value
    raise ThemeError(
        f"{_shown(value)} can't be a name. "
        "Take up to 40 letters without accents, digits, - and _; default is taken."
    )


def _shown(value: object) -> str:
    text = ascii(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"  # noqa: PLR2004
