"""Themes: every region can be read in each of them, with 16 colours and with none (VIEW-8)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, OptionList

from app.screens.themes import ThemeScreen, open_themes
from tests.tui.dressed import Dressed
from themes.contrast import contrast
from widgets.composer import Composer
from widgets.core.core import Core
from widgets.gauge import Gauge
from widgets.hint_line import HintLine
from widgets.panes.column import Panes
from widgets.status_line import StatusLine
from widgets.transcript import Transcript

pytestmark = pytest.mark.asyncio(loop_scope="session")
SIZE = (120, 34)
REGIONS = (StatusLine, Transcript, Gauge, Composer, Core, Panes, HintLine)
DEFAULT = RichColor.default()


def terminal(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """The environment of a terminal."""
    for variable in ("COLORTERM", "NO_COLOR", "COLORFGBG"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color" if kind == "256" else "xterm")
    if kind == "truecolor":
        monkeypatch.setenv("COLORTERM", "truecolor")
    if kind == "none":
        monkeypatch.setenv("NO_COLOR", "1")


def strips(app: Dressed) -> Iterator[Segment]:
    """All that is on the screen, as it goes to the terminal."""
    for strip in app.screen._compositor.render_strips():
        yield from strip


def regions(app: Dressed) -> dict[str, set[Style]]:
    """The styles of each region, as it goes to the terminal."""
    drawn: dict[str, set[Style]] = {}
    lines = app.screen._compositor.render_strips()
    for kind in REGIONS:
        area = app.query_one(kind).region
        parts = [lines[y].crop(area.x, area.right) for y in range(area.y, area.bottom)]
        drawn[kind.__name__] = {s.style for part in parts for s in part if s.style}
    return drawn


async def settled(pilot: Pilot[None]) -> None:
    for _ in range(3):
        await pilot.pause()


def seen(colour: RichColor) -> Color:
    return Color(*colour.get_truecolor())


# -- which theme holds


async def test_a_configured_theme_of_the_users_is_there_at_once(tmp_path: Path) -> None:
    """VIEW-8: nothing blinks; the sentence about a broken one comes once."""
    (tmp_path / "sepia.toml").write_text('[colours]\nbackground = "#f4ecd8"\n')
    (tmp_path / "broken.toml").write_text("[")
    app = Dressed(tmp_path, "sepia")
    assert app.theme == "sepia"
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert app.screen.styles.background == Color.parse("#f4ecd8")
    assert len(app.themes.read_users()) == 1
    assert app.themes.read_users() == ()


# -- contrast


async def test_sixteen_colours_keep_text_and_ground_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VIEW-8: in every theme, all that the widgets draw and could draw."""
    terminal(monkeypatch, "16")
    app = Dressed(tmp_path)
    assert app.console.color_system == "standard"
    async with app.run_test(size=SIZE) as pilot:
        app.query_one(Panes).focus_pane("window")
        for name in app.available_themes:
            app.theme = name
            await settled(pilot)
            for text, style, _ in strips(app):
                assert_legible(style, f"{name}: {text}" if text.strip() else "")
            for widget in (app.query_one(kind) for kind in REGIONS):
                for style in inks(app, widget):
                    assert_legible(style, f"{name}: {widget}")
            assert "▸" in "".join(text for text, _, _ in strips(app))


def inks(app: Dressed, widget: Widget) -> Iterator[Style]:
    """Every look that a widget's component classes have, as it goes to the terminal."""
    for node in (widget, *widget.query("*")):
        for ink in node._get_component_classes() if isinstance(node, Widget) else ():
            segments = [Segment("x", node.get_component_rich_style(ink))]
            for filter_ in app.get_line_filters():
                segments = filter_.apply(segments, node.background_colors[1])
            if segments[0].style is not None:
                yield segments[0].style


def assert_legible(style: Style | None, told: str) -> None:
    if style is None or not told.strip() or style.color is None or style.bgcolor is None:
        return
    assert style.color.number is None or style.color.number < 16, told
    if style.color.is_default and style.bgcolor.is_default:
        return
    assert style.color != style.bgcolor, told
    if not (style.color.is_default or style.bgcolor.is_default):
        assert contrast(seen(style.color), seen(style.bgcolor)) >= 3, told


async def test_without_colour_nothing_is_coloured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VIEW-8: patterns tell layers apart; the cursor and what is marked are reversed."""
    terminal(monkeypatch, "none")
    app = Dressed(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        app.query_one(Composer).focus()
        await pilot.press(*"hello", "shift+left", "shift+left")
        await settled(pilot)
        styles = [(text, style) for text, style, _ in strips(app) if style is not None]
        for _, style in styles:
            assert style.color in (None, DEFAULT)
            assert style.bgcolor in (None, DEFAULT)
        reversed_text = "".join(text for text, style in styles if style.reverse)
        assert "lo" in reversed_text
        core = [
            app.query_one(Core).render_line(y).text[1:7]
            for y in range(app.query_one(Core).size.height)
        ]
        assert {"%" * 6, "#" * 6, "▒" * 6, "▓" * 6, ":" * 6, "=" * 6} <= set(core)


@pytest.mark.parametrize("name", ["strata-16", "ansi-dark", "ansi-light"])
async def test_patterns_stand_in_for_hues(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VIEW-8: with 16 colours, and in the terminal's own, a layer is not only a hue."""
    terminal(monkeypatch, "16")
    app = Dressed(tmp_path, name)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        gauge = app.query_one(Gauge).line
        assert "▒" in gauge
        assert "▓" in gauge


async def test_the_terminals_own_colours_stay_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VIEW-8: in Textual's ansi themes no colour of ours is mixed in."""
    terminal(monkeypatch, "truecolor")
    app = Dressed(tmp_path, "ansi-dark")
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        for text, style, _ in strips(app):
            for colour in (style.color, style.bgcolor) if style else ():
                assert colour is None or colour.triplet is None, text


# -- the list


@pytest.fixture
def kept() -> list[str]:
    return []


async def test_a_theme_is_tried_on_and_kept(tmp_path: Path, kept: list[str]) -> None:
    """VIEW-8: walking shows it on the whole screen; Enter keeps it."""
    app = Dressed(tmp_path, "strata-dark")
    async with app.run_test(size=SIZE) as pilot:
        open_themes(app, kept.append)
        await settled(pilot)
        await pilot.press("down")
        await settled(pilot)
        assert app.theme == "strata-light"
        assert chosen_row(app).startswith("▸ strata-light")
        await pilot.press("enter")
        await settled(pilot)
        assert kept == ["strata-light"]
        assert app.theme == "strata-light"
        assert not isinstance(app.screen, ThemeScreen)


async def test_escape_takes_the_theme_before(tmp_path: Path, kept: list[str]) -> None:
    """VIEW-8: looking costs nothing."""
    app = Dressed(tmp_path, "nord")
    async with app.run_test(size=SIZE) as pilot:
        open_themes(app, kept.append)
        open_themes(app, kept.append)
        await settled(pilot)
        assert chosen_row(app).startswith("▸ nord")
        await pilot.press("pagedown", "pagedown", "up")
        await settled(pilot)
        assert app.theme != "nord"
        await pilot.press("escape")
        await settled(pilot)
        assert app.theme == "nord"
        assert kept == []
        assert len(app.screen_stack) == 1


async def test_the_list_is_filtered_by_typing(tmp_path: Path, kept: list[str]) -> None:
    """VIEW-8: by name, and by light and dark; nothing found is said and chooses nothing."""
    app = Dressed(tmp_path, "strata-dark")
    async with app.run_test(size=SIZE) as pilot:
        open_themes(app, kept.append)
        await settled(pilot)
        await pilot.press(*"dracu")
        await settled(pilot)
        assert app.theme == "dracula"
        await pilot.press(*"zzz")
        await settled(pilot)
        assert "No theme is called so." in str(options(app).get_option_at_index(0).prompt)
        await pilot.press("down", "enter")
        await settled(pilot)
        assert kept == []
        app.screen.query_one(Input).value = "solar light"
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert kept == ["solarized-light"]


async def test_a_theme_is_chosen_by_mouse(tmp_path: Path, kept: list[str]) -> None:
    """VIEW-8: a click keeps it."""
    app = Dressed(tmp_path, "strata-dark")
    async with app.run_test(size=SIZE) as pilot:
        open_themes(app, kept.append)
        await settled(pilot)
        await pilot.click(OptionList, offset=(5, 4))
        await settled(pilot)
        assert kept == ["ansi-dark"]


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (20, 6)])
async def test_the_list_fits_small_screens(
    size: tuple[int, int], tmp_path: Path, kept: list[str]
) -> None:
    """VIEW-8: names first."""
    app = Dressed(tmp_path, "strata-dark")
    async with app.run_test(size=size) as pilot:
        open_themes(app, kept.append)
        await settled(pilot)
        drawn = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "▸ strata-dark" in drawn


def options(app: Dressed) -> OptionList:
    return app.screen.query_one(OptionList)


def chosen_row(app: Dressed) -> str:
    option = options(app).highlighted_option
    assert option is not None
    return str(option.prompt)


# -- live


@pytest.mark.parametrize("kind", ["truecolor", "256", "16"])
async def test_every_region_follows_a_theme(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VIEW-8: what is kept drawn is drawn anew; no region keeps a colour of the theme before."""
    terminal(monkeypatch, kind)
    before_name, after_name = "strata-dark", "strata-light"
    fresh = Dressed(tmp_path, after_name)
    async with fresh.run_test(size=SIZE) as pilot:
        await settled(pilot)
        wanted = regions(fresh)
    app = Dressed(tmp_path, before_name)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        before = regions(app)
        app.theme = after_name
        await settled(pilot)
        after = regions(app)
        for region in wanted:
            assert colours(after[region]) == colours(wanted[region]), region
            assert after[region] != before[region], region
        app.theme = before_name
        await settled(pilot)
        assert {k: colours(v) for k, v in regions(app).items()} == {
            k: colours(v) for k, v in before.items()
        }


def colours(styles: set[Style]) -> set[tuple[RichColor | None, RichColor | None]]:
    return {(style.color, style.bgcolor) for style in styles}
