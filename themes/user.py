"""The user's own themes: TOML files in a folder beside the configuration."""

from collections.abc import Collection
from pathlib import Path

from textual.theme import Theme

from themes.reading import ThemeError, read_theme
from themes.strata import DARK, LIGHT

FOLDER = "themes"
LONGEST = 64 * 1024
"""Bytes of a file."""
MOST = 200
"""Files that are looked at."""


def user_themes(
    folder: Path, taken: Collection[str] = ()
) -> tuple[tuple[Theme, ...], tuple[str, ...]]:
    """Reads the themes in a folder, which need not be there.

    Args:
        folder: Where the files are.
        taken: Names that other themes have.

    Returns:
        The themes, by the names of their files, and a sentence for every file that is left out.
    """
    themes: dict[str, Theme] = {}
    notes: list[str] = []
    try:
        paths = sorted(folder.glob("*.toml"))[:MOST]
    except OSError as error:
        return (), (f"The themes in {folder} can't be read: {error.strerror}.",)
    for path in paths:
        try:
            theme = _read(path)
            if theme.name in taken or theme.name in themes:
                raise ThemeError(f"there is another theme {theme.name}. Give it another name.")
            themes[theme.name] = theme
        except ThemeError as error:
            notes.append(f"The theme file {_shown(path)} is left out: {error}")
    return tuple(themes.values()), tuple(notes)


def _read(path: Path) -> Theme:
    try:
        if not path.is_file():
            raise ThemeError("it is no file.")
        with path.open("rb") as file:
            content = file.read(LONGEST + 1)
        if len(content) > LONGEST:
            raise ThemeError(f"it is longer than {LONGEST // 1024} KB.")
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise ThemeError(f"it can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise ThemeError("it is no text in UTF-8.") from error
    return read_theme(text, path.stem, {True: DARK, False: LIGHT})


def _shown(path: Path) -> str:
    return path.name if path.name.isprintable() else ascii(path.name)[1:-1]
