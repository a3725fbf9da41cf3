"""Every key stands in one table, shows in the key line, and can be clicked there (CHAT-7)."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise

import pytest
from rich.cells import cell_len
from textual.binding import Binding
from textual.dom import DOMNode

import app.screens
import widgets
from app.keys import ACTIONS, FOOTER
from app.tui import StrataApp
from tests.tui.conftest import OpenChat
from widgets.hint_line import HintLine, spots
from widgets.key_names import key_label, key_labels

BOUND = {action.id: action.keys.split(",")[0] for action in ACTIONS.values()}


def classes() -> Iterator[type[DOMNode]]:
    """Every class of ours that can have keys."""
    yield StrataApp
    for package in (app.screens, widgets):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for value in vars(import_module(module.name)).values():
                if isinstance(value, type) and issubclass(value, DOMNode):
                    yield value


def bindings() -> dict[str, str]:
    """The keys of every binding that has an id."""
    found: dict[str, str] = {}
    for one in classes():
        if one.__module__.startswith(("app.", "widgets.")):
            for binding in one.__dict__.get("BINDINGS", ()):
                if isinstance(binding, Binding) and binding.id:
                    found[binding.id] = binding.key.replace(" ", "")
    return found


def test_every_binding_stands_in_the_table() -> None:
    """CHAT-7: what a widget obeys is what is listed, checked and shown."""
    listed = {action.id: action.keys for action in ACTIONS.values()}
    assert {name: keys for name, keys in bindings().items() if listed.get(name) != keys} == {}


def test_every_action_of_the_table_is_bound() -> None:
    """CHAT-7: nothing is listed that no key does."""
    assert [action for action in ACTIONS if action not in bindings()] == []


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("enter", "⏎"),
        ("ctrl+j", "^J"),
        ("escape", "esc"),
        ("f3", "F3"),
        ("pageup", "PgUp"),
        ("shift+f6", "⇧F6"),
        ("ctrl+home", "^Home"),
        ("ctrl+underscore", "^_"),
        ("question_mark", "?"),
        ("k", "k"),
        ("K", "K"),
        ("alt+x", "alt+X"),
        ("tab", "tab"),
        ("ctrl+@", "^@"),
    ],
)
def test_keys_are_written_as_people_read_them(key: str, label: str) -> None:
    """CHAT-7: a few cells each."""
    assert key_label(key) == label
    assert key_labels(f"{key},f12") == f"{label} F12"


@pytest.mark.parametrize("width", [0, 1, 9, 20, 58, 80, 200])
def test_the_last_keys_are_left_out_first(width: int) -> None:
    """CHAT-7: the most important remain, none is cut."""
    found = spots(FOOTER, BOUND, width)
    words = [word for _, word in FOOTER]
    assert [spot.word for spot in found] == words[: len(found)]
    assert all(spot.end <= width for spot in found)
    assert all(one.end < other.start for one, other in pairwise(found))


def test_only_keys_that_hold_are_shown() -> None:
    """CHAT-7: those of the place where one is, with the user's own keys, Esc first."""
    writing = {"composer.send": "f5", "composer.newline": "ctrl+j", "app.palette": "ctrl+p"}
    assert [f"{s.label} {s.word}" for s in spots(FOOTER, writing, 80)] == [
        "F5 send",
        "^J line",
        "^P all",
    ]
    answering = spots(FOOTER, {**writing, "chat.stop": "escape"}, 80)
    assert (answering[0].label, answering[0].word) == ("esc", "stop")
    reading = {"transcript.previous": "up", "transcript.next": "down", "transcript.copy": "c"}
    assert [f"{s.label} {s.word}" for s in spots(FOOTER, reading, 80)] == ["↑↓ message", "c copy"]
    assert [s.label for s in spots([("@", "commands")], {}, 80)] == ["@"]


@pytest.mark.asyncio(loop_scope="session")
async def test_the_key_line_shows_the_users_keys_and_can_be_clicked(open_chat: OpenChat) -> None:
    """CHAT-7: a click does what the key does."""
    async with open_chat(ui__keys={"composer.newline": "f11"}) as chat:
        await chat.ready()
        assert "F11 line" in chat.hint
        await chat.press("a")
        await chat.pilot.click(HintLine, offset=(chat.hint.index("F11") + 2, 0))
        await chat.press("b")
        assert chat.composer.text == "a\nb"
        assert chat.composer.has_focus


@pytest.mark.asyncio(loop_scope="session")
async def test_figures_stand_at_the_right_end(open_chat: OpenChat) -> None:
    """CHAT-7: whatever the left end says; they go where there is no room."""
    async with open_chat() as chat:
        await chat.ready()
        line = chat.app.screen.query_one(HintLine)
        line.show(right=[("5.2k of 27.9k ", "text"), ("19 %", "good")])
        assert chat.hint.endswith("  5.2k of 27.9k 19 %")
        assert cell_len(chat.hint) == line.content_size.width
        line.show(hint="a hint " * 30)
        assert chat.hint.startswith("a hint")
        assert cell_len(chat.hint) == line.content_size.width
        line.show(hint="")
        await chat.pilot.resize_terminal(30, 10)
        await chat.pilot.pause()
        assert "5.2k" not in chat.hint


@pytest.mark.asyncio(loop_scope="session")
async def test_a_short_note_goes_by_itself(
    open_chat: OpenChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-7: what a key has met is said and goes; what one points at stays meanwhile."""
    monkeypatch.setattr("widgets.hint_line.SAID_SECONDS", 0.3)
    async with open_chat() as chat:
        await chat.ready()
        line = chat.app.screen.query_one(HintLine)
        await chat.press("f6", "b")
        await chat.until(lambda: chat.hint.startswith("There is no code in this message."))
        line.point("")
        assert chat.hint.startswith("There is no code")
        await chat.until(lambda: "There is no code" not in chat.hint)
        line.say("said")
        line.point("pointed at")
        await chat.pilot.pause(0.4)
        assert chat.hint.startswith("pointed at")
        line.point("")
        assert "pointed" not in chat.hint
