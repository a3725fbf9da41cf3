"""The themes of the application: ours, Textual's, the user's; which one holds, and choosing."""

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from textual.app import App
from textual.filter import LineFilter

from app.start import DEFAULT_THEME
from memory.errors import StrataError
from themes import strata
from themes.terminal import fitting_theme, has_few_colours
from widgets.plain import one_line

NEAR = 3
LONGEST_NAME = 40
"""Characters of a name that are repeated to the user."""


class Themes:
    """What the application knows of themes.

    Args:
        app: The application; ours are registered with it at once, the user's when they are read.
        folder: Where the user's are.
        environment: The environment variables.
    """

    def __init__(
        self, app: App[Any], folder: Path, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._app = app
        self._folder = folder
        self._read = False
        self._notes: tuple[str, ...] = ()
        system = app.console.color_system
        self._few_colours = has_few_colours(system, no_color=app.no_color)
        self.filters = _filters(system, no_color=app.no_color)
        """What the application adds to Textual's filters."""
        self._fitting = fitting_theme(system, environment)
        for theme in strata.OURS:
            app.register_theme(theme)

    @property
    def few_hues(self) -> bool:
        """Whether what is drawn has to be told apart by more than its hue.

        So it is in the terminal's own colours: nobody knows which of them is like its ground.
        """
        return self._few_colours or self._app.current_theme.ansi

    def show(self, name: str) -> None:
        """Shows a theme, or the one that fits the terminal where there is none of this name."""
        if name != DEFAULT_THEME and name not in self._app.available_themes:
            self._read_users()
        known = name in self._app.available_themes
        self._app.theme = name if known else self._fitting

    def read_users(self) -> tuple[str, ...]:
        """Reads the user's themes, if that has not been done.

        Returns:
            A sentence for each file that was left out, once.
        """
        self._read_users()
        notes, self._notes = self._notes, ()
        return notes

    def problem(self, name: str) -> str:
        """Why a theme can't be shown, in a sentence; empty where it can."""
        self._read_users()
        names = self._app.available_themes
        if name == DEFAULT_THEME or name in names:
            return ""
        near = get_close_matches(name.lower(), names, n=NEAR, cutoff=0.5)
        hint = f"Perhaps {' or '.join(near)}; " if near else ""
        shown = one_line(name)[:LONGEST_NAME]
        return f"There is no theme {shown}. {hint}@theme shows them all."

    def choose(self, name: str, data: Path) -> str:
        """Shows a theme and remembers it for the next start.

        Args:
            name: Of a theme, or `default`.
            data: The data directory.

        Returns:
            A sentence where it can't be shown or remembered, else nothing.
        """
        if problem := self.problem(name):
            return problem
        self.show(name)
        # Not needed before the first paint, and slow to import.
        from app.choices import keep_choice

        try:
            keep_choice(data, "ui.theme", name)
        except StrataError as error:
            return str(error)
        return ""

    # -- inside

    def _read_users(self) -> None:
        if self._read:
            return
        self._read = True
        from themes.user import user_themes

        taken = [*self._app.available_themes, DEFAULT_THEME]
        themes, self._notes = user_themes(self._folder, taken)
        for theme in themes:
            self._app.register_theme(theme)


def _filters(color_system: str | None, *, no_color: bool) -> tuple[LineFilter, ...]:
    if color_system == "truecolor" and not no_color:
        return ()
    from themes.filters import filters_for

    return filters_for(color_system, no_color=no_color)
