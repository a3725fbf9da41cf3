"""How the chat begins: what its first paint needs to know before the configuration is checked."""

import os
import tomllib
from argparse import Namespace
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.paths import Paths, find_paths
from memory.wish import Wish

if TYPE_CHECKING:
    from app.lab.play import Play
    from app.settings import Settings

DEFAULT_THEME = "default"


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A few values as they are probably configured; a wrong one is told of when all are checked."""

    data: Path
    themes: Path
    """Where the user's own themes are."""
    theme: str = DEFAULT_THEME
    reduced_motion: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Start:
    """A start of the chat.

    Args:
        glimpse: What the first paint takes for granted.
        load: Reads and checks the whole configuration; takes a tenth of a second.
        wish: Which session to open.
        play: A conversation that is played in it.
    """

    glimpse: Glimpse
    load: Callable[[], "Settings"]
    wish: Wish
    play: "Play | None" = None

    @classmethod
    def with_settings(cls, settings: "Settings", wish: Wish, play: "Play | None" = None) -> "Start":
        """A start with a configuration that is loaded already."""
        return cls(glimpse_of(settings), lambda: settings, wish, play)


def glimpse_of(settings: "Settings") -> Glimpse:
    """What the screen needs of a whole configuration."""
    ui = settings.ui
    paths = settings.paths
    return Glimpse(paths.data.path, _themes_of(paths), ui.theme, ui.reduced_motion, dict(ui.keys))


def read_glimpse(options: Namespace, environment: Mapping[str, str] = os.environ) -> Glimpse:
    """Reads what the first paint needs, from where `load_settings` reads it; checks nothing.

    Args:
        options: The parsed command line.
        environment: The environment variables.
    """
    paths = find_paths(options.data, options.config, options.models, environment)
    ui = {**_ui_table(paths), **_ui_variables(environment)}
    theme, keys = ui.get("theme"), ui.get("keys")
    return Glimpse(
        data=paths.data.path,
        themes=_themes_of(paths),
        theme=theme if isinstance(theme, str) else DEFAULT_THEME,
        reduced_motion=str(ui.get("reduced_motion", "")).lower() in ("true", "1", "yes", "on"),
        keys=keys if isinstance(keys, dict) and _all_text(keys) else {},
    )


def _themes_of(paths: Paths) -> Path:
    return paths.config.path.parent / "themes"


def _ui_table(paths: Paths) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for path in (paths.data.path / "choices.toml", paths.config.path):
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8")).get("ui")
        except (OSError, ValueError, RecursionError):
            continue  # what is wrong with it is told when it is checked
        if isinstance(table, dict):
            values |= table
    return values


def _ui_variables(environment: Mapping[str, str]) -> dict[str, str]:
    names = {key: f"STRATA_UI__{key.upper()}" for key in ("theme", "reduced_motion")}
    return {key: environment[name] for key, name in names.items() if environment.get(name)}


def _all_text(keys: Mapping[Any, Any]) -> bool:
    return all(isinstance(value, str) for value in keys.values())
