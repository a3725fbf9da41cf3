"""Which theme fits a terminal, and how well its colours can be told apart (VIEW-8)."""

import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from app.choices import read_choices
from app.screens.themes import found
from tests.tui.dressed import Dressed
from themes import strata
from themes.contrast import contrast
from themes.filters import PaletteColours, SixteenColours, WithoutColour, filters_for
from themes.reading import HUES
from themes.terminal import fitting_theme, has_few_colours

MIXED = [theme for theme in (*strata.OURS, *BUILTIN_THEMES.values()) if not theme.ansi]


@pytest.mark.parametrize(
    ("system", "told", "name"),
    [
        ("truecolor", None, "strata-dark"),
        ("truecolor", "0;15", "strata-light"),
        ("truecolor", "0;default;7", "strata-light"),
        ("256", "15;0", "strata-dark"),
        ("256", "7;8", "strata-dark"),
        ("standard", None, "strata-16"),
        ("standard", "0;15", "strata-16-light"),
        ("windows", "nonsense", "strata-16"),
        (None, "", "strata-dark"),
        ("truecolor", "0;١٥", "strata-dark"),
        ("truecolor", "0;" + "9" * 9999, "strata-light"),
    ],
)
def test_the_default_is_what_fits_the_terminal(
    system: str | None, told: str | None, name: str
) -> None:
    """VIEW-8: dark, light or 16 colours, as far as the environment tells."""
    environment = {} if told is None else {"COLORFGBG": told}
    assert fitting_theme(system, environment) == name


def test_where_hues_are_not_enough() -> None:
    """VIEW-8: patterns take over with 16 colours, and with none."""
    assert has_few_colours("standard", no_color=False)
    assert has_few_colours("windows", no_color=False)
    assert has_few_colours(None, no_color=False)
    assert has_few_colours("truecolor", no_color=True)
    assert not has_few_colours("256", no_color=False)
    assert filters_for("truecolor", no_color=False) == ()


def test_the_users_are_not_read_before_they_are_needed(tmp_path: Path) -> None:
    """VIEW-8, ALL-7: the first paint waits for no folder."""
    (tmp_path / "sepia.toml").write_text("")
    app = Dressed(tmp_path)
    assert "sepia" not in app.available_themes
    assert app.themes.read_users() == ()
    assert "sepia" in app.available_themes


def test_choosing_by_name(tmp_path: Path) -> None:
    """VIEW-8: it holds and lasts; an unknown name is answered with those like it."""
    app, data = Dressed(tmp_path), tmp_path / "data"
    assert app.themes.choose("nord", data) == ""
    assert app.theme == "nord"
    assert read_choices(data)[0]["ui"]["theme"].value == "nord"
    told = app.themes.choose("Solarised-Light", data)
    assert told.startswith("There is no theme Solarised-Light. Perhaps solarized-light")
    assert app.themes.choose("\x1b[31mx" * 50, data).isprintable()
    assert app.theme == "nord"
    assert app.themes.choose("default", data) == ""
    assert app.theme in {theme.name for theme in strata.OURS}
    (tmp_path / "file").write_text("")
    assert "can't be remembered" in app.themes.choose("dracula", tmp_path / "file")
    assert app.theme == "dracula"


def test_our_themes_are_read_in_no_time() -> None:
    """ALL-7: four small files before the first paint."""
    fastest = 1.0
    for _ in range(20):
        start = time.process_time()
        for theme in strata.OURS:
            strata._ours(theme.name)
        fastest = min(fastest, time.process_time() - start)
    assert fastest < 0.002


@pytest.mark.parametrize("theme", strata.OURS, ids=lambda theme: theme.name)
def test_our_own_can_be_read(theme: Any) -> None:
    """VIEW-8: WCAG's 4.5 for text, 3 for what has a name and for what is dim."""
    for ground in (Color.parse(theme.background), Color.parse(theme.panel)):
        assert contrast(Color.parse(theme.foreground), ground) >= 4.5
        for name, hue in theme.variables.items():
            assert contrast(Color.parse(hue), ground) >= 3, name


@pytest.mark.parametrize("theme", MIXED, ids=lambda theme: theme.name)
def test_hues_can_be_read_on_every_ground(theme: Any) -> None:
    """VIEW-8: on Textual's themes they are as light or dark as they have to be."""
    colours = theme.to_color_system().generate()
    hues = strata.variables_for(theme) | theme.variables
    for ground, hue in product(("background", "panel"), HUES):
        ratio = contrast(Color.parse(hues[f"stratum-{hue}"]), Color.parse(colours[ground]))
        assert ratio >= 3, (ground, hue)


def test_pale_grounds_stay_pale_in_256_colours() -> None:
    """VIEW-8: no pink; greys and tints are rounded to what is nearest."""
    style = PaletteColours().restyle(Style.parse("#33302a on #ece5d6"), Color.parse("white"))
    assert style.bgcolor is not None
    red, green, blue = style.bgcolor.get_truecolor()
    assert red >= green >= blue
    assert red - blue < 60


def test_what_has_no_colour_stays_as_it_is() -> None:
    """VIEW-8: bold and underlined text survive every rounding."""
    ground = Color.parse("black")
    for restyle in (SixteenColours(), PaletteColours(), WithoutColour()):
        style = restyle.restyle(Style(bold=True, underline=True, link="https://x.org"), ground)
        assert style.bold
        assert style.underline
        assert style.link == "https://x.org"


def test_light_and_dark_find_those_that_are() -> None:
    """VIEW-8: a word that is in no name."""
    light = found([*strata.OURS, *BUILTIN_THEMES.values()], "light")
    assert {"rose-pine-dawn", "strata-light", "textual-light"} <= {theme.name for theme in light}


def test_what_is_chosen_is_seen_in_sixteen_colours() -> None:
    """VIEW-8: a ground that is rounded to the one around it is reversed, and no other."""
    ground = Color.parse("#000000")
    chosen = SixteenColours().restyle(Style.parse("#ffffff on #333311"), ground)
    assert chosen.reverse
    assert chosen.color != chosen.bgcolor
    assert not SixteenColours().restyle(Style.parse("#ffffff on #000000"), ground).reverse
    assert not SixteenColours().restyle(Style.parse("#ffffff on #aa0000"), ground).reverse
