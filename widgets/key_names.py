"""Keys as people read them: `^J`, `esc`, `PgUp`. Pure."""

import unicodedata

_NAMES = {
    "enter": "⏎",
    "escape": "esc",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "delete": "del",
    "insert": "ins",
    "backspace": "⌫",
    "minus": "-",
    "plus": "+",
    "slash": "/",
    "backslash": "\\",
    "at": "@",
    "underscore": "_",
}
_BEFORE = {"ctrl": "^", "shift": "⇧", "alt": "alt+", "super": "super+"}


def key_label(key: str) -> str:
    """A key, named as Textual names it, in a few cells.

    Args:
        key: Such as `ctrl+j`, `pageup`, `question_mark` or `K`.
    """
    *modifiers, name = key.split("+")
    label = _NAMES.get(name) or _character(name)
    if modifiers and len(label) == 1:
        label = label.upper()
    return "".join(_BEFORE.get(modifier, f"{modifier}+") for modifier in modifiers) + label


def key_labels(keys: str) -> str:
    """Several keys, separated by commas, as one reads them."""
    return " ".join(key_label(key.strip()) for key in keys.split(",") if key.strip())


def _character(name: str) -> str:
    if len(name) == 1 or name in ("tab", "space"):
        return name
    if name[:1] == "f" and name[1:].isdecimal():
        return name.upper()
    try:
        return unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return name
