"""Keys that are text, though Textual takes them for none (CHAT-1).

Textual puts into a field what Python calls printable. That leaves out joiners, without which
Persian words and families of emoji fall apart, blanks that don't break, the wide blank of Japanese
keyboards, and every character newer than this Python.
"""

import unicodedata

from textual.events import Key

from widgets.plain import printable

FLAG = "\U0001f3f4"
TAGS = range(0xE0020, 0xE0080)
MOST_TAGS = 7
"""Of the flag of a region: up to six letters and digits, and the end."""


class TextKey(Key):
    """A key whose character is text to whatever field has it."""

    @property
    def is_printable(self) -> bool:
        """It is for fields: Textual asks before it takes a key for text."""
        return True


# Textual names handlers by the class: this is a key to all of them.
TextKey.handler_name = Key.handler_name


class Keystrokes:
    """Tells text from what is no text, one key after the other."""

    def __init__(self) -> None:
        self._tags = 0
        """How many tags may still follow."""

    def read(self, key: Key) -> Key:
        """The key, as text where it is text.

        Tags are text only right after a black flag, which they make that of a region: elsewhere
        they would be a text that nobody sees (ALL-8).
        """
        character = key.character
        if character is None or len(character) != 1:
            return key
        tag = ord(character) in TAGS
        wanted = self._tags > 0 if tag else is_text(character)
        self._tags = MOST_TAGS if character == FLAG else self._tags - 1 if tag else 0
        return TextKey(key.key, character) if wanted and not character.isprintable() else key


def is_text(character: str) -> bool:
    """Whether a character can stand in a text as it is: a terminal would not obey it."""
    return unicodedata.category(character) != "Cc" and printable(character) == character
