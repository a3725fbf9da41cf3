"""The list of all keys and commands, with a filter (CHAT-7)."""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any, ClassVar, NamedTuple

from rich.cells import cell_len
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from app.keys import ACTIONS, PLACES
from app.screens.listing import Listing
from widgets.key_names import key_labels
from widgets.scrollbar import thin_scrollbar

WIDE = 100
"""Columns from which there are two columns of text."""
BETWEEN = 2
"""Cells between them."""
LONGEST_KEY = 22
NOTHING = Content("Nothing is called so.")


class Row(NamedTuple):
    """A key or a command, and what it does."""

    key: str
    does: str
    also: str = ""
    """What finds it besides."""


class Section(NamedTuple):
    """The rows of a place where keys hold, or the commands."""

    title: str
    rows: tuple[Row, ...]


def sections(own: Mapping[str, str], commands: Iterable[Row], typed: str) -> list[Section]:
    """What is listed: of each section only what has all the words that were typed.

    Args:
        own: The keys that the configuration changes.
        commands: The @commands.
        typed: The filter; empty for everything.
    """
    listed = [Section("Commands", tuple(commands))]
    for place, title in PLACES.items():
        actions = [action for action in ACTIONS.values() if action.place == place]
        rows = (
            Row(key_labels(own.get(a.id, a.keys)), a.description, f"{a.id} {a.word}")
            for a in actions
        )
        listed.append(Section(title, tuple(rows)))
    words = typed.lower().split()
    found = [Section(title, _with_words(title, rows, words)) for title, rows in listed]
    return [section for section in found if section.rows]


def _with_words(title: str, rows: tuple[Row, ...], words: list[str]) -> tuple[Row, ...]:
    return tuple(
        row
        for row in rows
        if all(word in f"{title} {row.key} {row.does} {row.also}".lower() for word in words)
    )


def halves(listed: Sequence[Section]) -> tuple[list[Section], list[Section]]:
    """The sections in two columns of about the same height, in their order."""
    heights = [len(section.rows) + 2 for section in listed]
    cuts = range(len(listed) + 1)
    cut = min(cuts, key=lambda at: max(sum(heights[:at]), sum(heights[at:])), default=0)
    return list(listed[:cut]), list(listed[cut:])


def shown(listed: Sequence[Section], width: int) -> Content:
    """Sections as they are drawn: a title each, keys in a column, what they do beside them.

    Args:
        listed: The sections.
        width: Cells there are.
    """
    keys = [cell_len(row.key) for section in listed for row in section.rows]
    column = min(LONGEST_KEY, max(keys, default=0)) + 2
    lines = []
    for section in listed:
        lines.append(Content.styled(section.title, "bold $stratum-short-term"))
        for row in section.rows:
            gap = " " * max(2, column - cell_len(row.key))
            first, *more = wrap(row.does, max(10, width - column))
            if cell_len(row.key + gap + first) > width:
                first, more = "", [first, *more]
            lines.append(Content.assemble(row.key, gap if first else "", (first, "$stratum-dim")))
            lines += [Content.styled(" " * column + line, "$stratum-dim") for line in more]
        lines.append(Content(""))
    return Content("\n").join(lines[:-1])


class HelpScreen(Listing[None]):
    """Lists the keys, the user's own among them, and the commands.

    Args:
        own: The keys that the configuration changes, by the id of the action.
        commands: The @commands.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1", "close", "close", priority=True, id="help.close"),
        Binding("up", "scroll(-1)", show=False, priority=True),
        Binding("down", "scroll(1)", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]
    DEFAULT_CSS = """
    HelpScreen {
        align: center middle;
        background: $background 60%;
        & > Vertical {
            width: 120;
            max-height: 60;
        }
        & Input > .input--placeholder { color: $stratum-dim; }
        & VerticalScroll {
            height: 1fr;
            background: $panel;
            scrollbar-gutter: stable;
        }
        & Horizontal { height: auto; }
        & Static { width: 1fr; height: auto; color: $foreground; }
        & #right { margin-left: 2; }
    }
    """ + thin_scrollbar("HelpScreen VerticalScroll", "$panel")

    def __init__(self, own: Mapping[str, str], commands: Iterable[Row]) -> None:
        super().__init__()
        self._own = own
        self._commands = tuple(commands)

    def compose(self) -> ComposeResult:
        """The filter above the list."""
        with Vertical() as box:
            box.border_title = "Keys and commands"
            box.border_subtitle = f"{self._keys('help.close')} closes"
            yield Input(placeholder="Type to find a key or command", id="filter", compact=True)
            with VerticalScroll(can_focus=False), Horizontal():
                yield Static(id="left")
                yield Static(id="right")

    def on_resize(self) -> None:
        """Lists everything, in one column or two, once it is known how much room there is."""
        self.call_after_refresh(self._list)

    @on(Input.Changed)
    def _list(self) -> None:
        found = sections(self._own, self._commands, self.query_one(Input).value)
        left, right = halves(found) if self.app.size.width >= WIDE else (found, [])
        room = self.query_one(VerticalScroll).scrollable_content_region.width
        width = (room - BETWEEN) // 2 if right else room
        self.query_one("#left", Static).update(shown(left, width) if found else NOTHING)
        self.query_one("#right", Static).update(shown(right, width))
        self.query_one("#right", Static).display = bool(right)
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_close(self) -> None:
        """Goes back."""
        self.dismiss()

    def action_scroll(self, rows: int) -> None:
        """Scrolls by rows."""
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)

    def action_page(self, pages: int) -> None:
        """Scrolls by what is in sight."""
        scroll = self.query_one(VerticalScroll)
        scroll.scroll_relative(y=pages * max(1, scroll.size.height - 1), animate=False)

    def _keys(self, action: str) -> str:
        return key_labels(self._own.get(action, ACTIONS[action].keys))


def open_help(app: App[Any], own: Mapping[str, str]) -> None:
    """Opens the list over the chat.

    Args:
        app: The application.
        own: The keys that the configuration changes, by the id of the action.
    """
    from app.chat.commands import COMMANDS

    rows = (Row(command.usage, command.description) for command in COMMANDS.values())
    app.push_screen(HelpScreen(own, rows))
