"""The palette finds everything by its name; the list of keys shows the user's own (CHAT-7)."""

import asyncio
from collections.abc import Callable
from typing import Any, ClassVar

import pytest
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.color import Color
from textual.command import CommandList
from textual.pilot import Pilot
from textual.widgets import Input, Static

from app.chat.commands import COMMANDS
from app.findable import NEWEST, fit
from app.keys import ACTIONS, PLACES
from app.palette import Palette, open_palette
from app.screens.help import HelpScreen, Row, halves, open_help, sections, shown
from themes import strata
from widgets.composer import Composer

SESSIONS = [(f"id{n}", f"session [b]{n}[/b]", f"{n} messages") for n in range(9)]
OWN = {"chat.timeline": "f12", "app.help": "f1,ctrl+t"}


class Bare(App[None]):
    """A screen with a composer and a few actions."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+p", "palette", "all", priority=True, id="app.palette"),
        Binding("f1", "help", "help", priority=True, id="app.help"),
        Binding("f3", "note('timeline')", "timeline", id="chat.timeline"),
        Binding("pageup", "note('back')", "back", id="chat.back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(strata.DARK)
        self.register_theme(strata.LIGHT)
        self.theme = strata.DARK.name
        self.set_keymap(OWN)
        self.happened: list[str] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return strata.stratum_variables(self.current_theme.dark)

    def compose(self) -> ComposeResult:
        yield Static("above")
        yield Composer("write")

    def on_mount(self) -> None:
        self.query_one(Composer).focus()

    def on_composer_sent(self, event: Composer.Sent) -> None:
        self.happened.append(event.text)

    def action_palette(self) -> None:
        open_palette(self)

    def action_help(self) -> None:
        open_help(self, OWN)

    def action_note(self, what: str) -> None:
        self.happened.append(what)


class WithSessions(Bare):
    """An application that knows its sessions and keeps the theme."""

    async def sessions_for_palette(self) -> list[tuple[str, str, str]]:
        return SESSIONS

    def open_session(self, session: str) -> None:
        self.happened.append(session)

    def choose_theme(self, name: str) -> None:
        self.happened.append(name)
        self.theme = name


async def until(pilot: Pilot[None], what: Callable[[], Any]) -> None:
    async with asyncio.timeout(120):
        while not what():
            await pilot.pause(0.02)


def listed(app: App[None]) -> list[str]:
    """What the palette shows, in its order."""
    if not isinstance(app.screen, Palette):
        return []
    found = app.screen.query_one(CommandList)
    return [str(option.prompt) for option in found.options]


async def find(pilot: Pilot[None], text: str, first: str) -> None:
    """Opens the palette and types until something comes first."""
    await pilot.press("ctrl+p")
    await until(pilot, lambda: listed(pilot.app))
    pilot.app.screen.query_one(Input).value = text
    await until(pilot, lambda: (listed(pilot.app) or [""])[0].startswith(first))


async def test_what_can_be_done_is_listed_with_its_key() -> None:
    """CHAT-7: the actions that hold now, with the user's keys, then every command."""
    app = Bare()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: listed(app))
        found = listed(app)
        assert found[0].split("  ")[0] == "List the keys and commands"
        assert found[0].endswith("F1 ^T")
        assert found[1].endswith(" F12")
        assert not any("scroll back" in line.lower() for line in found)
        commands = [line for line in found if line.startswith("@")]
        assert [line.split()[0] for line in commands] == [f"@{name}" for name in COMMANDS]
        assert all(
            c.description in line for c, line in zip(COMMANDS.values(), commands, strict=True)
        )
        assert not any(line.startswith(("Open ", "Theme ")) for line in found)
        await pilot.press("escape")
        assert listed(app) == []


async def test_an_action_is_done_where_its_key_would_do_it() -> None:
    """CHAT-7: the palette and the key are the same."""
    app = Bare()
    async with app.run_test() as pilot:
        await find(pilot, "compactions", "Look at the compactions")
        await pilot.press("enter")
        await until(pilot, lambda: app.happened)
        assert app.happened == ["timeline"]


async def test_a_command_is_sent_or_begun() -> None:
    """CHAT-7: one with arguments stands in the composer; a draft is never lost."""
    app = Bare()
    async with app.run_test() as pilot:
        composer = app.query_one(Composer)
        await pilot.press(*"draft")
        await find(pilot, "@undo", "@undo")
        await pilot.press("enter")
        await until(pilot, lambda: app.happened)
        assert app.happened == ["@undo"]
        composer.accept("@undo")
        assert composer.text == "draft"
        await find(pilot, "@rename", "@rename TITLE")
        await pilot.press("enter")
        await until(pilot, lambda: composer.text == "@rename ")
        assert composer.has_focus


async def test_sessions_are_found_by_their_titles() -> None:
    """CHAT-4, CHAT-7: the newest five are listed, all are found; titles are never markup."""
    app = WithSessions()
    async with app.run_test() as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: listed(app))
        names = [line for line in listed(app) if line.startswith("Open session")]
        assert len(names) == NEWEST
        assert names[0].startswith("Open session [b]0[/b]")
        await pilot.press("escape")
        await find(pilot, "session [b]7", "Open session [b]7[/b]")
        await pilot.press("enter")
        await until(pilot, lambda: app.happened)
        assert app.happened == ["id7"]


async def test_a_theme_shows_while_one_walks_over_it() -> None:
    """VIEW-8: typing changes nothing, walking shows it, Esc brings the old one back."""
    app = WithSessions()
    async with app.run_test() as pilot:
        await find(pilot, "theme strata", "Theme strata-dark")
        assert app.theme == "strata-dark"
        await pilot.press("down")
        await until(pilot, lambda: app.theme == "strata-light")
        ground = Color.parse(strata.LIGHT.panel or "")
        commands = app.screen.query_one(CommandList)
        await until(pilot, lambda: commands.styles.background == ground)
        await pilot.press("escape")
        await until(pilot, lambda: app.theme == "strata-dark")
        await find(pilot, "theme strata-light", "Theme strata-light")
        await pilot.press("enter")
        await until(pilot, lambda: app.happened)
        assert app.happened == ["strata-light"]
        assert app.theme == "strata-light"


def test_what_fits_best_comes_first() -> None:
    """CHAT-7: a beginning, whole words, parts of words, then what stands beside the name."""
    fits = [
        fit("leave", "Leave Strata", "^Q"),
        fit("strata", "Leave Strata", "^Q"),
        fit("rata", "Leave Strata", "^Q"),
        fit("compaction", "@undo", "take back the newest compaction"),
    ]
    assert fits == sorted(fits, reverse=True)
    assert min(fits) > fit("strata zebra", "Leave Strata", "^Q") == 0


def test_the_list_of_keys_has_all_of_them() -> None:
    """CHAT-7: every action of every place, and every command."""
    rows = [Row(command.usage, command.description) for command in COMMANDS.values()]
    found = sections({}, rows, "")
    assert [section.title for section in found] == ["Commands", *PLACES.values()]
    assert sum(len(section.rows) for section in found) == len(COMMANDS) + len(ACTIONS)


def test_the_filter_needs_all_words() -> None:
    """CHAT-7: words of what it does, of the key, or of the place."""

    def found(typed: str) -> list[tuple[str, str]]:
        listed = sections(OWN, [], typed)
        return [(row.key, row.does) for section in listed for row in section.rows]

    assert found("compactions look") == [("F12", "look at the compactions")]
    assert found("^q") == [("^Q", "leave Strata")]
    assert found("app.quit") == found("^q")
    assert sections({}, [], "zebra") == []


def test_two_columns_are_about_the_same_height() -> None:
    """CHAT-7: nothing is left out between them."""
    found = sections({}, [], "")
    left, right = halves(found)
    assert left + right == found
    heights = [str(shown(column, 56)).count("\n") for column in (left, right)]
    assert abs(heights[0] - heights[1]) < 12


@pytest.mark.parametrize("width", [16, 40, 56, 78])
def test_long_descriptions_stay_in_their_column(width: int) -> None:
    """CHAT-7: nothing is cut off, and nothing runs under the keys."""
    rows = [Row("@delete [NAME]", "delete this session or another one; asks first")]
    lines = str(shown(sections({}, rows, "another one"), width)).splitlines()[1:]
    assert " ".join(" ".join(lines).split()) == f"{rows[0].key} {rows[0].does}"
    assert all(line.startswith(" " * 16) for line in lines[1:])


@pytest.mark.parametrize("width", [40, 56, 78])
def test_a_long_key_wraps_nothing(width: int) -> None:
    """CHAT-7: what stands beside a key longer than the column goes below where it has no room."""
    rows = [Row("@rewrite WHICH [INSTRUCTIONS]", "write the short or long summary anew")]
    lines = str(shown(sections({}, rows, "rewrite WHICH"), width)).splitlines()[1:]
    assert max(map(len, lines)) <= width
    assert " ".join(" ".join(lines).split()) == f"{rows[0].key} {rows[0].does}"
    assert all(line.startswith(" " * 24) for line in lines[1:])


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (20, 5)])
async def test_the_list_opens_filters_and_closes(size: tuple[int, int]) -> None:
    """CHAT-7: F1 opens it, typing filters, Esc goes back to what was written."""
    app = Bare()
    async with app.run_test(size=size) as pilot:
        await pilot.press(*"draft", "f1")
        assert isinstance(app.screen, HelpScreen)
        await pilot.pause()
        await pilot.press("pagedown", "down", "up", "pageup", *"timeline")
        text = "\n".join(str(column.content) for column in app.screen.query(Static))
        assert "F12" in text
        assert "@undo" not in text
        await pilot.press("escape")
        assert app.query_one(Composer).text == "draft"
        await pilot.press("ctrl+t")
        assert isinstance(app.screen, HelpScreen)
