"""The user's own themes are files; a broken one costs a sentence and nothing else (VIEW-8)."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from themes import strata
from themes.reading import COLOURS, HUES, ThemeError, read_theme
from themes.user import user_themes

WHOLE = """
name = "sepia"
dark = false
[colours]
background = "#f4ecd8"
foreground = "#433422"
panel = "#eae0c8"
accent = "teal"
[strata]
you = "#556b2f"
long-term = "maroon"
"""
BASE = {True: strata.DARK, False: strata.LIGHT}


def read(text: str) -> str:
    """What is wrong with a theme."""
    with pytest.raises(ThemeError) as caught:
        read_theme(text, "own", BASE)
    return str(caught.value)


def test_a_theme_says_what_it_wants_to(tmp_path: Path) -> None:
    """VIEW-8: each colour is optional; what is left out is taken from ours."""
    (tmp_path / "one.toml").write_text(WHOLE)
    (tmp_path / "two.toml").write_text('[strata]\nyou = "#ffffff"\n')
    (tmp_path / "notes.txt").write_text("no theme")
    (sepia, two), notes = user_themes(tmp_path)
    assert notes == ()
    assert (sepia.name, sepia.dark) == ("sepia", False)
    assert (sepia.background, sepia.accent) == ("#F4ECD8", "#008080")
    assert sepia.variables["stratum-long-term"] == "#800000"
    assert sepia.variables["stratum-facts"] == strata.LIGHT.variables["stratum-facts"]
    assert (two.name, two.dark, two.background) == ("two", True, strata.DARK.background)
    assert two.variables == strata.DARK.variables | {"stratum-you": "#FFFFFF"}


def test_our_own_are_written_in_the_same_way() -> None:
    """VIEW-8: look.md's hues, and no colour left to chance."""
    for theme in strata.OURS:
        assert set(theme.variables) == {f"stratum-{hue}" for hue in HUES}
    assert strata.DARK.variables["stratum-long-term"] == "#B5603F"
    assert strata.LIGHT.variables["stratum-recalled"] == "#7654B8"
    assert (strata.DARK.background, strata.DARK.foreground) == ("#16171A", "#D8D4CC")
    assert (strata.LIGHT.background, strata.LIGHT.foreground) == ("#F6F1E7", "#33302A")


@pytest.mark.parametrize(
    ("ground", "dark"), [("#101010", True), ("#f0f0f0", False), ("navy", True), ("ivory", False)]
)
def test_the_ground_tells_whether_a_theme_is_dark(ground: str, dark: bool) -> None:
    """VIEW-8: where the file does not."""
    assert read_theme(f'[colours]\nbackground = "{ground}"\n', "own", BASE).dark is dark


def test_both_spellings_of_colour_hold() -> None:
    """VIEW-8: nobody should have to know how we write."""
    theme = read_theme('[colors]\naccent = "#123456"\n', "own", BASE)
    assert theme.accent == "#123456"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('name = "a"\ndark = \n', "it is no TOML: Invalid value (at line 2, column 8)."),
        ("[colours\n", "line 1"),
        ('[colours]\nbackgruond = "#111111"\n', "[colours] 'backgruond' is unknown. Perhaps bac"),
        ('[strata]\nwindow = "#111111"\n', "[strata] 'window' is unknown. There are system, files"),
        ("colour = 1\n", "'colour' is unknown. Perhaps colours."),
        ('[colours]\naccent = "blau"\n', "[colours] accent = 'blau' is no colour. Write \"#rr"),
        ("[colours]\naccent = 5\n", "[colours] accent = 5 is no colour"),
        ('[colours]\naccent = "#11111180"\n', "is no colour"),
        ('[colours]\naccent = "ansi_red"\n', "is no colour"),
        ('[colours]\naccent = "auto 50%"\n', "is no colour"),
        ("colours = 1\n", "colours is no table"),
        ('dark = "yes"\n', "dark = 'yes' is neither true nor false."),
        ('name = "default"\n', "'default' can't be a name."),
        ('name = "two words"\n', "can't be a name"),
        ('name = "a,b"\n', "can't be a name"),
        ('name = ""\n', "can't be a name"),
        ("name = 1\n", "1 can't be a name"),
        ('dark = true\n[colours]\nbackground = "#d8d4cc"\n', "text can't be read where background"),
        ('[colours]\npanel = "#d8d4cc"\n', "text can't be read where panel"),
    ],
)
def test_what_is_wrong_is_said(text: str, told: str) -> None:
    """VIEW-8, ALL-2: which line or key it is, and what is allowed."""
    sentence = read(text)
    assert told in sentence
    assert "\n" not in sentence
    assert len(sentence) < 200


def test_a_broken_file_is_left_out_and_the_others_hold(tmp_path: Path) -> None:
    """VIEW-8: one sentence a file."""
    (tmp_path / "good.toml").write_text(WHOLE)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "gone.toml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "huge.toml").write_text("# long\n" * 20_000)
    (tmp_path / "zebra.toml").write_text(WHOLE)
    (tmp_path / "taken.toml").write_text('name = "nord"\n')
    (tmp_path / "deep.toml").write_text("x = " + "[" * 5_000)
    themes, notes = user_themes(tmp_path, taken={"nord"})
    assert [theme.name for theme in themes] == ["sepia"]
    assert len(notes) == 7
    told = "\n".join(notes)
    assert "The theme file binary.toml is left out: it is no text in UTF-8." in notes
    assert "The theme file huge.toml is left out: it is longer than 64 KB." in notes
    assert "there is another theme nord" in told
    assert "there is another theme sepia" in told


def test_no_folder_is_no_problem(tmp_path: Path) -> None:
    """VIEW-8: most users have none."""
    assert user_themes(tmp_path / "themes") == ((), ())
    (tmp_path / "file").write_text("")
    assert user_themes(tmp_path / "file") == ((), ())


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_nothing_in_a_file_stops_the_program(tmp_path: Path, content: bytes) -> None:
    """VIEW-8, ALL-2: whatever stands in it."""
    (tmp_path / "any.toml").write_bytes(content)
    themes, notes = user_themes(tmp_path)
    assert len(themes) + len(notes) == 1


@given(
    table=st.sampled_from(["colours", "strata"]),
    key=st.sampled_from([*COLOURS, *HUES]),
    value=st.text(max_size=12) | st.from_regex(r"#[0-9a-fA-F]{3,8}", fullmatch=True),
)
def test_any_colour_is_one_or_is_refused(table: str, key: str, value: str) -> None:
    """VIEW-8: a theme that is taken can be drawn."""
    text = f"[{table}]\n{key} = {value!a}\n"
    with suppress(ThemeError):
        assert read_theme(text, "own", BASE).to_color_system().generate()
