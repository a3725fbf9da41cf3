"""The names of keys, and whether the keys of a configuration can be obeyed."""

import string
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from app.keys import ACTIONS, Action

MODIFIERS = ("alt", "ctrl", "hyper", "meta", "shift", "super")
"""What may stand before a key, in the order in which Textual names them."""
NAMED = {
    *("enter", "escape", "tab", "space", "backspace", "delete", "insert", "home", "end"),
    *("pageup", "pagedown", "up", "down", "left", "right"),
    *(f"f{number}" for number in range(1, 25)),
}
WHILE_WRITING = {"everywhere", "chat", "composer"}
"""Places whose keys hold while the user writes."""
ALLOWED = (
    "a key such as ctrl+x, f5, pageup or shift+up, with alt, ctrl, shift or super before it; "
    "several are separated by commas"
)
_OTHER_NAMES = {
    "esc": "escape",
    "return": "enter",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "del": "delete",
    "ins": "insert",
    "control": "ctrl",
    "option": "alt",
    "cmd": "super",
}
_SENT_AS = {
    "ctrl+i": "tab",
    "ctrl+m": "enter",
    "ctrl+h": "backspace",
    "ctrl+left_square_bracket": "escape",
}
"""What most terminals send for these keys: the two can't be told apart."""
_TEXTUAL_NAMES = {
    "solidus": "slash",
    "reverse_solidus": "backslash",
    "commercial_at": "at",
    "hyphen_minus": "minus",
    "plus_sign": "plus",
    "low_line": "underscore",
}


def _name_of(character: str) -> str:
    """A character's name as Textual has it; letters and digits are their own."""
    if character.isalnum():
        return character
    name = unicodedata.name(character, character).lower().replace("-", "_").replace(" ", "_")
    return _TEXTUAL_NAMES.get(name, name)


PUNCTUATION = frozenset(map(_name_of, string.punctuation))


class UnusableKeyError(ValueError):
    """A text is not the name of a key that could arrive."""


@dataclass(frozen=True, slots=True)
class WrongKey:
    """One thing that is wrong with the keys of a configuration."""

    action: str
    keys: str
    """As they were given."""
    reason: str = ""
    """Why they can't be obeyed, as the rest of a sentence; empty where there is no such action."""
    advice: str = "Correct it and start again."


class WrongKeysError(ValueError):
    """Keys of a configuration can't be obeyed."""

    def __init__(self, found: list[WrongKey]) -> None:
        super().__init__("keys by action")
        self.found = found


def key_name(text: str) -> str:
    """A key as Textual names it: `Ctrl+J` is `ctrl+j`, `PgUp` is `pageup`, `?` `question_mark`.

    Raises:
        UnusableKeyError: There is no such key, or a terminal can't tell it from another.
    """
    before, key = _parts(text.strip())
    modifiers = sorted({_modifier(part.strip()) for part in before})
    name = _bare_name(key.strip())
    if modifiers == ["shift"] and len(name) == 1 and name.isalpha():
        return name.upper()
    if modifiers:
        name = name.lower()
    if modifiers == ["ctrl"] and name == "space":
        name = "@"
    full = "+".join([*modifiers, name])
    if full in _SENT_AS:
        raise UnusableKeyError(f"terminals send {_SENT_AS[full]} for {full}")
    return full


def _parts(text: str) -> tuple[list[str], str]:
    """What stands before a key, and the key; the plus is a key too."""
    if text == "+":
        return [], text
    if text.endswith("++"):
        return text[:-2].split("+"), "+"
    *before, key = text.split("+")
    return before, key


def _modifier(text: str) -> str:
    name = _OTHER_NAMES.get(text.lower(), text.lower())
    if name not in MODIFIERS:
        raise UnusableKeyError(
            f"{text or 'nothing'} can't stand before a +{_near(name, MODIFIERS)}"
        )
    return name


def _bare_name(text: str) -> str:
    if len(text) == 1 and text.isprintable():
        return "space" if text.isspace() else _name_of(text)
    name = _OTHER_NAMES.get(text.lower(), text.lower())
    if name not in NAMED and name not in PUNCTUATION:
        raise UnusableKeyError(
            f"there is no key {text}{_near(name, NAMED)}" if text else "a key is missing"
        )
    return name


def _near(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, known, n=1)
    return f" (perhaps {near[0]})" if near else ""


def checked_keys(given: Mapping[str, str]) -> dict[str, str]:
    """The keys of a configuration as Textual names them.

    Args:
        given: Keys by the id of an action; several are separated by commas.

    Raises:
        WrongKeysError: An action or a key does not exist, or two actions share one.
    """
    found: list[WrongKey] = []
    sound: dict[str, str] = {}
    for action, keys in given.items():
        if action not in ACTIONS:
            found.append(_unknown(action, keys))
            continue
        try:
            sound[action] = ",".join(dict.fromkeys(map(key_name, keys.split(","))))
        except UnusableKeyError as error:
            found.append(WrongKey(action, keys, f"{error}; it must be {ALLOWED}"))
    found += [wrong for action in sound for wrong in _writing(ACTIONS[action], sound[action])]
    found += _shared(sound)
    if found:
        raise WrongKeysError(found)
    return sound


def _unknown(action: str, keys: str) -> WrongKey:
    near = get_close_matches(action, ACTIONS, n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    return WrongKey(action, keys, advice=f"{meant}The actions are {', '.join(ACTIONS)}.")


def _writing(action: Action, keys: str) -> list[WrongKey]:
    """Keys that write a character can't mean something else where one writes."""
    if action.place not in WHILE_WRITING:
        return []
    writing = [key for key in keys.split(",") if len(key) == 1 or key in {*PUNCTUATION, "space"}]
    return [
        WrongKey(action.id, keys, f"{key} is needed for writing; it must be {ALLOWED}")
        for key in writing
    ]


def _shared(sound: Mapping[str, str]) -> list[WrongKey]:
    """Keys that two actions have at the same time, one of them by the configuration."""
    found = []
    for name in sound:
        mine = ACTIONS[name]
        for other in ACTIONS.values():
            if other.id == name or (other.id in sound and other.id < name):
                continue
            both = set(sound[name].split(",")) & set(sound.get(other.id, other.keys).split(","))
            # Some share one by themselves: Esc closes what is open, else stops the answer.
            both -= set(mine.keys.split(",")) & set(other.keys.split(","))
            if both and _together(mine, other):
                found.append(_clash(name, sound[name], other, min(both)))
    return found


def _together(one: Action, other: Action) -> bool:
    """Whether the keys of both hold at the same time, the one no less than the other."""
    both_while_writing = {one.place, other.place} <= WHILE_WRITING
    here = (one.id.split(".")[0], one.place) == (other.id.split(".")[0], other.place)
    return here or both_while_writing


def _clash(name: str, keys: str, other: Action, key: str) -> WrongKey:
    return WrongKey(
        name,
        keys,
        f"{key} is the key of {other.id} too ({other.description})",
        f"Give {name} or {other.id} another key.",
    )
