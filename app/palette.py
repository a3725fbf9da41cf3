"""The palette: Textual's, in our looks and with all that is ours (CHAT-7).

Imported when it is first opened.
"""

from typing import Any, ClassVar

from textual import on
from textual.app import App
from textual.command import Command, CommandPalette
from textual.theme import Theme
from textual.widgets import Input, OptionList

from app.findable import Everything, Found
from widgets.scrollbar import thin_scrollbar


class Palette(CommandPalette):
    """Textual's palette in our looks; a theme is shown while one walks over its name."""

    DEFAULT_CSS = """
    Palette {
        background: $background 60%;
        & > Vertical {
            width: 80;
            max-width: 100%;
            margin-top: 2;
            background: transparent;
        }
        #--input {
            background: $panel;
            border: round $stratum-dim;
            height: 3;
        }
        #--input.--list-visible { border: round $stratum-dim; }
        SearchIcon { display: none; }
        CommandInput, CommandInput:focus { border: none; padding: 0 1; height: 1; }
        CommandList {
            background: $panel;
            border: round $stratum-dim;
            max-height: 60vh;
        }
        CommandList > .option-list--option { padding: 0 1; text-style: none; }
        CommandList > .option-list--option-highlighted {
            color: $foreground;
            background: $stratum-short-term 20%;
            text-style: bold;
        }
        & > .command-palette--highlight { color: $stratum-short-term; text-style: bold; }
    }
    """ + thin_scrollbar("Palette CommandList", "$panel")
    WORDS: ClassVar[str] = "Actions, commands, sessions, themes"

    def __init__(self) -> None:
        super().__init__([Everything], placeholder=self.WORDS, id="palette")
        self._walked = False
        self._theme_before = ""

    def on_mount(self) -> None:
        """Remembers the theme, and follows it: Textual leaves its own palette as it was."""
        self._theme_before = self.app.theme
        self.app.theme_changed_signal.subscribe(self, self._in_new_theme)

    def on_unmount(self) -> None:
        """Puts the theme back if it was only looked at."""
        chosen = self._selected_command
        if not (isinstance(chosen, Found) and chosen.choice and chosen.choice.theme):
            self._show_theme("")

    @on(Input.Changed)
    def _typed(self) -> None:
        self._walked = False

    @on(OptionList.OptionHighlighted)
    def _look(self, event: OptionList.OptionHighlighted) -> None:
        hit = event.option.hit if isinstance(event.option, Command) else None
        choice = hit.choice if isinstance(hit, Found) else None
        self._show_theme(choice.theme if choice and self._walked else "")

    def _action_command_list(self, action: str) -> None:
        self._walked = True
        super()._action_command_list(action)

    def _in_new_theme(self, _: Theme) -> None:
        self.app.stylesheet.update(self)

    def _show_theme(self, name: str) -> None:
        wanted = name or self._theme_before
        if wanted and self.app.theme != wanted:
            self.app.theme = wanted


def open_palette(app: App[Any]) -> None:
    """Opens the palette, unless it is open."""
    if not CommandPalette.is_open(app):
        app.push_screen(Palette())
