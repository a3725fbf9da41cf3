"""The list of all themes, each in its own colours, tried on while one walks over it (VIEW-8)."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from rich.cells import cell_len, set_cell_size
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.theme import Theme
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option, OptionDoesNotExist

from app.screens.listing import Listing
from themes import strata
from widgets.plain import one_line
from widgets.scrollbar import thin_scrollbar

CORE = (
    "recalled", "facts", "working", "you", "model", "short-term", "long-term", "files", "system",
)  # fmt: skip
"""The strata of a strip, as the core has them from the top down."""
BLOCK = "▆▆"
NAME_CELLS = 24
MARK = "▸ "
NOTHING = "No theme is called so."


def strip(theme: Theme) -> Content:
    """A theme as a strip of strata, on its own ground."""
    hues = theme.variables | strata.variables_for(theme)
    ground = theme.background or theme.to_color_system().generate()["background"]
    cells = [(BLOCK, f"{hues[f'stratum-{name}']} on {ground}") for name in CORE]
    return Content.assemble((" ", f"on {ground}"), *cells, (" ", f"on {ground}"))


def in_order(themes: Iterable[Theme]) -> list[Theme]:
    """Ours, then the others by their names."""
    ours = [theme.name for theme in strata.OURS]
    return sorted(
        themes, key=lambda t: (ours.index(t.name) if t.name in ours else len(ours), t.name)
    )


def found(themes: Sequence[Theme], typed: str) -> list[Theme]:
    """The themes that have all the words in their name; `dark` and `light` find those that are."""
    words = typed.lower().split()
    return [
        theme
        for theme in themes
        if all(word in f"{theme.name} {'dark' if theme.dark else 'light'}" for word in words)
    ]


class ThemeScreen(Listing[str | None]):
    """Lets the user choose a theme; ends with its name, or with None where all stays as it was.

    Args:
        themes: All there are.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f9", "leave", "back", priority=True, id="themes.leave"),
        Binding("up", "step(-1)", show=False, priority=True),
        Binding("down", "step(1)", show=False, priority=True),
        Binding("pageup", "step(-10)", show=False, priority=True),
        Binding("pagedown", "step(10)", show=False, priority=True),
        Binding("enter", "keep", "keep", priority=True, id="themes.keep"),
    ]
    # The chat behind it stays as it is: it is what the theme is tried on.
    DEFAULT_CSS = """
    ThemeScreen {
        align: right middle;
        background: transparent;
        & > Vertical {
            width: 52;
            max-height: 32;
        }
        & Input > .input--placeholder { color: $stratum-dim; }
        & OptionList, & OptionList:focus {
            height: 1fr;
            padding: 0;
            border: none;
            background: $panel;
            background-tint: transparent;
            color: $foreground;
        }
        & OptionList > .option-list--option { padding: 0; }
        & OptionList > .option-list--option-highlighted,
        & OptionList:focus > .option-list--option-highlighted {
            color: $foreground;
            background: $panel;
            text-style: bold;
        }
        & OptionList > .option-list--option-disabled { color: $stratum-dim; }
    }
    """ + thin_scrollbar("ThemeScreen OptionList", "$panel")

    def __init__(self, themes: Iterable[Theme]) -> None:
        super().__init__()
        self._themes = in_order(themes)
        self._strips = {theme.name: strip(theme) for theme in self._themes}
        self._before = ""
        self._marked: str | None = None

    def compose(self) -> ComposeResult:
        """The filter above the list."""
        with Vertical() as box:
            box.border_title = "Theme"
            box.border_subtitle = "enter keeps it · esc goes back"
            yield Input(placeholder="Type to find a theme", id="filter", compact=True)
            yield OptionList(id="themes")

    def on_mount(self) -> None:
        """Begins at the theme that holds."""
        self._before = self.app.theme
        self.query_one(OptionList).can_focus = False
        self._list("", self._before)

    @on(Input.Changed)
    def _filter(self, event: Input.Changed) -> None:
        """Lists what fits what was typed."""
        event.stop()
        self._list(event.value, self.app.theme)

    @on(OptionList.OptionHighlighted)
    def _try_on(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        name = event.option.id
        if name is not None:
            self._mark(name)
            if self.app.theme != name:
                self.app.theme = name

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option.id)

    def action_step(self, by: int) -> None:
        """Goes to another theme of the list."""
        options = self.query_one(OptionList)
        if options.highlighted is not None:
            last = options.option_count - 1
            options.highlighted = max(0, min(last, options.highlighted + by))

    def action_keep(self) -> None:
        """Keeps the theme that is tried on."""
        option = self.query_one(OptionList).highlighted_option
        if option is not None:
            self.dismiss(option.id)

    def action_leave(self) -> None:
        """Takes the theme from before."""
        self.app.theme = self._before
        self.dismiss(None)

    # -- inside

    def _list(self, typed: str, chosen: str) -> None:
        options = self.query_one(OptionList)
        listed = found(self._themes, typed)
        options.clear_options()
        self._marked = None
        if not listed:
            options.add_option(Option(NOTHING, disabled=True))
            return
        options.add_options([Option(self._row(theme.name, False), theme.name) for theme in listed])
        names = [theme.name for theme in listed]
        options.highlighted = names.index(chosen) if chosen in names else 0

    def _mark(self, name: str) -> None:
        """Sets the mark before a theme, and takes it from the one before."""
        options = self.query_one(OptionList)
        for other, chosen in ((self._marked, False), (name, True)):
            try:
                if other is not None:
                    options.replace_option_prompt(other, self._row(other, chosen))
            except OptionDoesNotExist:
                continue
        self._marked = name

    def _row(self, name: str, chosen: bool) -> Content:
        shown = one_line(name)
        if cell_len(shown) > NAME_CELLS - 1:
            shown = f"{set_cell_size(shown, NAME_CELLS - 2)}…"
        lead = MARK if chosen else " " * len(MARK)
        hues = Content() if self.app.no_color else self._strips[name]
        return Content.assemble(lead, set_cell_size(shown, NAME_CELLS), hues)


def open_themes(app: App[Any], choose: Callable[[str], object]) -> None:
    """Opens the list, unless it is open.

    Args:
        app: The application, whose themes are listed.
        choose: Told which theme is to be kept.
    """
    if isinstance(app.screen, ThemeScreen):
        return

    def ended(name: str | None) -> None:
        if name is not None:
            choose(name)

    app.push_screen(ThemeScreen(app.available_themes.values()), ended)
