"""What an @command that is being typed could become (CHAT-7)."""

import pytest
from textual.app import App, ComposeResult
from textual.widgets import Static

from app.chat.commands import COMMANDS
from widgets.completion import MOST, Completion, first_shown, name_column, offer_row
from widgets.composer import Composer
from widgets.typed import CommandHint, Offer, Offering, offers, usage_of

HINTS = [CommandHint(f"@{c.name}", c.usage, c.description) for c in COMMANDS.values()]
SESSIONS = {"@session": ("flat in Lisbon", "tax return", "Lisbon again")}
BEGIN_RE = [f"@{name}" for name in COMMANDS if name.startswith("re")]
"""In the order of the commands."""


def names(text: str) -> list[str]:
    return [offer.name for offer in offers(text, HINTS, SESSIONS)]


class Writing(App[None]):
    """A composer under a text that must not move."""

    def __init__(self) -> None:
        super().__init__()
        self.happened: list[object] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        inks = ("you", "model", "dim", "short-term", "warning", "lost")
        return {f"stratum-{ink}": "#888888" for ink in inks}

    def compose(self) -> ComposeResult:
        above = Static("\n".join(f"row {number}" for number in range(40)), id="above")
        above.styles.height = "1fr"
        yield above
        yield Composer("write")

    def on_mount(self) -> None:
        self.composer.commands = HINTS
        self.composer.values = SESSIONS
        self.composer.focus()

    @property
    def composer(self) -> Composer:
        return self.query_one(Composer)

    @property
    def rows(self) -> list[str]:
        lists = self.query(Completion)
        return lists.first().lines if lists else []

    def on_composer_sent(self, event: Composer.Sent) -> None:
        self.happened.append(event.text)

    def on_composer_drafted(self, event: Composer.Drafted) -> None:
        self.happened.append(event.characters)

    @property
    def sent(self) -> list[object]:
        return [one for one in self.happened if isinstance(one, str)]


def test_names_that_begin_so_come_first() -> None:
    """CHAT-7: a beginning, then a word inside, then any part, then initials."""
    assert names("@")[: len(COMMANDS)] == [hint.name for hint in HINTS]
    assert names("@session") == ["@session", "@sessions"]
    assert names("@re")[: len(BEGIN_RE)] == BEGIN_RE
    assert names("@mem") == ["@memory-status", "@compact-memories", "@remember"]
    assert names("@cm") == ["@compact-memories"]
    assert names("@zebra") == []


@pytest.mark.parametrize("text", ["", "mail to me@re", "@re do", "@Anna", "@undo\n", " @undo"])
def test_a_message_offers_nothing(text: str) -> None:
    """CHAT-7: only a text that can be meant as a command opens the list."""
    assert offers(text, HINTS, SESSIONS) == ()


def test_names_complete_after_a_command() -> None:
    """CHAT-7: what can stand after a command is offered, unless it stands there already."""
    assert names("@session ") == list(SESSIONS["@session"])
    assert names("@session lis") == ["Lisbon again", "flat in Lisbon"]
    assert offers("@session tax", HINTS, SESSIONS)[0].text == "@session tax return"
    assert names("@session tax return") == []
    assert names("@model ") == []


def test_the_arguments_of_a_command_are_told() -> None:
    """CHAT-7: while they are typed their names can be read."""
    usage = usage_of("@rename flat", HINTS)
    assert usage is not None
    assert usage.usage == "@rename TITLE"
    assert usage_of("@undo ", HINTS) is None
    assert usage_of("hello", HINTS) is None


def test_what_is_typed_after_a_command_is_never_replaced_by_itself() -> None:
    """CHAT-7: of commands the first is chosen; of names none is until one chooses."""
    offering = Offering()
    chosen = []
    for text in ("@re", "@session li"):
        assert offering.of(text, HINTS, SESSIONS)
        chosen.append(offering.chosen)
    offering.step(-1)
    assert [*chosen, offering.chosen] == [0, None, 1]


@pytest.mark.parametrize("width", [1, 8, 20, 40, 76, 116])
def test_a_row_fits(width: int) -> None:
    """CHAT-7: a long description is cut off, a narrow screen breaks nothing."""
    for offer in offers("@", HINTS, {}):
        row = "".join(text for text, _ in offer_row(offer, 18, width))
        assert len(row) <= width
        if width >= 76:
            assert offer.description in row
            assert offer.arguments in row


@pytest.mark.parametrize("width", [38, 54, 74])
def test_long_names_leave_room_for_what_commands_do(width: int) -> None:
    """CHAT-7: the longest name sets no column that nothing fits beside; what is cut off says so."""
    long = Offer("", "@rewrite", "WHICH [INSTRUCTIONS]", "write the short or long summary anew")
    short = Offer("", "@redo", "", "let the compaction that was taken back hold again, and more")
    column = name_column([long, short], width)
    assert column <= 22
    row = "".join(text for text, _ in offer_row(short, column, width))
    assert row.index("let") == column + 2
    assert row.endswith("…")
    assert len(row.split("  ")[-1]) >= width // 2
    assert "@rewrite WHICH [INSTRUCTIONS]" in "".join(
        text for text, _ in offer_row(long, column, width)
    )


def test_the_chosen_row_is_in_sight() -> None:
    """CHAT-7: a list longer than its rows scrolls with the choice."""
    for chosen in range(12):
        first = first_shown(chosen, MOST, 12)
        assert first <= chosen < first + MOST
        assert 0 <= first <= 12 - MOST


async def test_the_list_opens_as_one_types_and_nothing_moves() -> None:
    """CHAT-7: it lies over what is above the composer, which keeps its place and size."""
    app = Writing()
    async with app.run_test(size=(80, 24)) as pilot:
        above, composer = app.query_one("#above").region, app.composer.region
        await pilot.press(*"@re")
        assert app.rows[0].startswith("› @redo")
        assert "let the compaction taken back hold again" in app.rows[0]
        assert BEGIN_RE[2] in app.rows[2]
        assert app.query_one("#above").region == above
        assert app.composer.region == composer
        shown = app.query_one(Completion).region
        assert (shown.x, shown.bottom, shown.width) == (composer.x, composer.y, composer.width)
        await pilot.press(*["backspace"] * 3)
        assert app.rows == []


async def test_arrows_choose_and_tab_takes() -> None:
    """CHAT-7: Up and Down stay in the list while it is open, the history stays where it is."""
    app = Writing()
    async with app.run_test() as pilot:
        app.composer.typed.remember("before")
        await pilot.press(*"@re", "down")
        assert app.rows[1].startswith(f"› {BEGIN_RE[1]}")
        await pilot.press("up", "up")
        assert app.composer.text == "@re"
        assert app.rows[-1].startswith("› ")
        await pilot.press("down", "down", "tab")
        assert app.composer.text == f"{BEGIN_RE[1]} "
        assert app.rows == []
        await pilot.press("ctrl+u", "up")
        assert app.composer.text == "before"


async def test_enter_takes_what_is_begun_and_sends_what_is_complete() -> None:
    """CHAT-7: a command that is written out needs no second Enter."""
    app = Writing()
    async with app.run_test() as pilot:
        await pilot.press(*"@comp", "enter")
        assert app.composer.text == "@compact-memories "
        assert app.sent == []
        await pilot.press("enter")
        assert app.sent == ["@compact-memories "]
        app.composer.accept("@compact-memories ")
        await pilot.press(*"@session", "enter")
        assert app.sent[1:] == ["@session"]
        await pilot.press("down", "enter")
        assert app.composer.text == "@sessions "


async def test_a_burst_of_keys_is_obeyed_in_its_order() -> None:
    """CHAT-7: Tab takes what is typed so far, though the list has not been drawn yet."""
    app = Writing()
    async with app.run_test() as pilot:
        await pilot.press(*"@und", "tab", "enter")
        assert app.sent == ["@undo "]


async def test_escape_closes_the_list_until_the_text_changes() -> None:
    """CHAT-7: what was typed can then be sent as it is; Tab opens the list again."""
    app = Writing()
    async with app.run_test() as pilot:
        await pilot.press(*"@re", "escape")
        assert app.rows == []
        assert app.composer.text == "@re"
        assert "composer.close" not in {
            active.binding.id for active in app.screen.active_bindings.values()
        }
        await pilot.press("tab")
        assert app.rows[0].startswith("› @redo")
        await pilot.press("escape", "enter")
        assert app.sent == ["@re"]


async def test_history_does_not_open_the_list() -> None:
    """CHAT-7: an old command that comes back can be passed by."""
    app = Writing()
    async with app.run_test() as pilot:
        for text in ("first", "@undo", "@redo"):
            app.composer.typed.remember(text)
        await pilot.press("up", "up")
        assert app.composer.text == "@undo"
        assert app.rows == []
        await pilot.press("up")
        assert app.composer.text == "first"


async def test_sessions_are_offered_by_name() -> None:
    """CHAT-7: what is typed is sent unless a name is chosen."""
    app = Writing()
    async with app.run_test() as pilot:
        await pilot.press(*"@session lis")
        assert [row.strip() for row in app.rows] == ["Lisbon again", "flat in Lisbon"]
        await pilot.press("enter")
        assert app.sent == ["@session lis"]
        await pilot.press("down", "down", "enter")
        assert app.composer.text == "@session flat in Lisbon"
        assert app.rows == []


async def test_a_click_takes_a_row() -> None:
    """CHAT-7: the mouse and the keys do the same."""
    app = Writing()
    async with app.run_test() as pilot:
        await pilot.press(*"@re")
        await pilot.click(Completion, offset=(6, 2))
        assert app.composer.text == f"{BEGIN_RE[1]} "
        assert app.composer.has_focus


@pytest.mark.parametrize("size", [(20, 5), (40, 8), (80, 12)])
async def test_a_small_screen_has_as_much_of_the_list_as_fits(size: tuple[int, int]) -> None:
    """VIEW-8: a terminal of 20 by 5 breaks nothing."""
    app = Writing()
    async with app.run_test(size=size) as pilot:
        await pilot.press("@")
        assert len(app.rows) <= max(0, app.composer.region.y - 2)
        assert app.composer.region.height == 1
        if app.rows:
            assert app.query_one(Completion).region.y >= 0
        await pilot.press("down", "tab")
        assert app.composer.text == "@memory-status "


async def test_the_border_goes_when_the_screen_gets_low() -> None:
    """VIEW-8: rows are left to the conversation."""
    app = Writing()
    async with app.run_test(size=(80, 24)) as pilot:
        assert app.composer.region.height == 3
        await pilot.resize_terminal(80, 15)
        await pilot.pause()
        assert app.composer.region.height == 1
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert app.composer.region.height == 3


async def test_the_length_of_a_draft_is_told_once_a_change() -> None:
    """VIEW-1: the core can count what is being written, a long paste in full."""
    app = Writing()
    async with app.run_test() as pilot:
        await pilot.press("a", "b", "backspace")
        app.composer.insert("é" * 9)
        await pilot.pause()
        assert app.happened == [1, 2, 1, 10]


async def test_a_command_from_elsewhere_leaves_the_draft() -> None:
    """CHAT-7: what the palette sends takes nothing away that is being written."""
    app = Writing()
    async with app.run_test() as pilot:
        await pilot.press(*"draft")
        app.composer.say("@undo")
        await pilot.pause()
        assert app.sent == ["@undo"]
        app.composer.accept("@undo")
        assert app.composer.text == "draft"
        app.composer.begin("@rename ")
        await pilot.press(*"x", "enter")
        assert app.sent[1:] == ["@rename x"]
        app.composer.accept("@rename x")
        assert app.composer.text == "draft"
