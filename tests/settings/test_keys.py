"""CHAT-7: keys come from the configuration, and what can't be obeyed is said in one sentence."""

from pathlib import Path

import pytest

from app.config_errors import ConfigError
from app.key_check import UnusableKeyError, key_name
from app.keys import ACTIONS
from app.settings import load_settings


def keys_of(folder: Path, text: str) -> dict[str, str]:
    """The keys that a table `[ui.keys]` gives."""
    (folder / "config.toml").write_text(f"[ui.keys]\n{text}", encoding="utf-8")
    return load_settings(data=str(folder), environment={}).ui.keys


def failure(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        keys_of(folder, text)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_keys_are_named_as_people_name_them(tmp_path: Path) -> None:
    """CHAT-7: case, blanks and common other names are no mistakes; several keys are one text."""
    text = '"chat.back" = "PgUp, Shift+Ctrl+Up"\n"chat.stop" = "Esc,f11"\n'
    assert keys_of(tmp_path, text) == {
        "chat.back": "pageup,ctrl+shift+up",
        "chat.stop": "escape,f11",
    }


def test_quotation_marks_may_be_left_out(tmp_path: Path) -> None:
    """CHAT-7: `chat.stop = …` is what one writes first."""
    assert keys_of(tmp_path, 'chat.stop = "f11"\n') == {"chat.stop": "f11"}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("?", "question_mark"),
        ("ctrl++", "ctrl+plus"),
        ("+", "plus"),
        ("K", "K"),
        ("shift+k", "K"),
        ("Ctrl+K", "ctrl+k"),
        ("ctrl+space", "ctrl+@"),
        ("option+x", "alt+x"),
        ("F24", "f24"),
        ("ä", "ä"),
    ],
)
def test_a_key_has_the_name_that_arrives(text: str, name: str) -> None:
    """CHAT-7: what is configured is what the terminal's key is called."""
    assert key_name(text) == name


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ctrl+", "a key is missing"),
        ("strg+x", "strg can't stand before a +"),
        ("crtl+x", "crtl can't stand before a + (perhaps ctrl)"),
        ("F13x", "there is no key F13x (perhaps f13)"),
        ("f25", "there is no key f25"),
        ("", "a key is missing"),
        ("ctrl+m", "terminals send enter for ctrl+m"),
        ("ctrl-x", "there is no key ctrl-x"),
    ],
)
def test_what_is_no_key_is_told_from_one(text: str, reason: str) -> None:
    """CHAT-7: the reason names the part that is wrong."""
    with pytest.raises(UnusableKeyError) as caught:
        key_name(text)
    assert str(caught.value).startswith(reason)


def test_an_unknown_action_is_named_with_its_line(tmp_path: Path) -> None:
    """ALL-1: name, line, the nearest one, and all there are."""
    for text in ('"app.quit" = "f11"\n"chat.stopp" = "f5"', '\nchat.stopp = "f5"'):
        sentence = failure(tmp_path, text)
        assert "ui.keys.chat.stopp (" in sentence
        assert "config.toml line 3)" in sentence
        assert "Did you mean chat.stop?" in sentence
        assert all(action in sentence for action in ACTIONS)


def test_an_unusable_key_is_named_with_what_is_allowed(tmp_path: Path) -> None:
    """ALL-1: action, value, line, and examples of what can be written."""
    sentence = failure(tmp_path, '"chat.stop" = "f5, strg+x"')
    assert 'ui.keys.chat.stop = "f5, strg+x" (' in sentence
    assert "line 2) is not allowed: strg can't stand before a +" in sentence
    assert "a key such as ctrl+x, f5" in sentence


def test_a_key_that_writes_is_left_to_writing(tmp_path: Path) -> None:
    """CHAT-7: an action of the chat on the letter p would make a p impossible to write."""
    for key in ("p", "P", "?", "space"):
        assert "is needed for writing" in failure(tmp_path, f'"app.palette" = "{key}"')
    assert keys_of(tmp_path, '"transcript.copy" = "y"') == {"transcript.copy": "y"}


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ('"chat.timeline" = "f1"', "chat.timeline", "app.help"),
        ('"chat.timeline" = "enter"', "chat.timeline", "composer.send"),
        ('"transcript.copy" = "b"', "transcript.copy", "transcript.copy_code"),
        ('"chat.new" = "f11"\n"chat.copy" = "F11"', "chat.copy", "chat.new"),
    ],
)
def test_two_actions_with_one_key_are_named(
    tmp_path: Path, text: str, one: str, other: str
) -> None:
    """CHAT-7: where both hold at the same time, one would never be reached."""
    sentence = failure(tmp_path, text)
    assert f"ui.keys.{one} = " in sentence
    assert f"is the key of {other} too" in sentence
    assert f"Give {one} or {other} another key." in sentence
    assert "more.)" not in sentence


@pytest.mark.parametrize(
    "text",
    [
        '"chat.stop" = "escape"',
        '"composer.send" = "f11"\n"composer.newline" = "enter"',
        '"chat.new" = "ctrl+o"\n"chat.sessions" = "ctrl+n"',
        '"transcript.copy" = "ctrl+g"',
        '"core.up" = "k"\n"pane.up" = "k"',
    ],
)
def test_keys_that_never_meet_may_be_the_same(tmp_path: Path, text: str) -> None:
    """CHAT-7: keys can be exchanged, and a part of the screen has its own."""
    assert keys_of(tmp_path, text)


def test_the_keys_there_are_by_themselves_are_in_order() -> None:
    """CHAT-7: each is written as it arrives, and no two that always hold are the same."""
    seen: dict[tuple[str, str, str], str] = {}
    for action in ACTIONS.values():
        for key in action.keys.split(","):
            assert key_name(key) == key
            here = (action.place, action.id.split(".")[0], key)
            assert seen.setdefault(here, action.id) == action.id
