"""What is said of stored items in a command: `type=…`, `tag=…`, `since=…` among words. Pure."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import get_args

from memory.errors import StrataError
from memory.parts import ItemType

TYPES: tuple[ItemType, ...] = get_args(ItemType)


@dataclass(frozen=True, slots=True)
class Said:
    """The words of a command, and what was said beside them by name."""

    text: str
    named: dict[str, list[str]] = field(default_factory=dict)

    def one(self, name: str) -> str:
        """What was said last by a name; empty where nothing was."""
        return self.named.get(name, [""])[-1]

    def all(self, name: str) -> list[str]:
        """All that was said by a name; commas part it as well."""
        return [part for said in self.named.get(name, []) for part in said.split(",") if part]

    @property
    def type(self) -> ItemType | None:
        """The type that was named.

        Raises:
            StrataError: There is none of the name.
        """
        wanted = self.one("type")
        for type in TYPES:
            if type == wanted:
                return type
        if not wanted:
            return None
        raise StrataError(f"There is no type {wanted[:40]!r}.", f"It is one of {', '.join(TYPES)}.")

    @property
    def limit(self) -> int | None:
        """How many were asked for.

        Raises:
            StrataError: It is no number above 0.
        """
        figure = self.one("limit")
        if not figure:
            return None
        if figure.isdecimal() and int(figure[:7]) > 0:
            return int(figure[:7])
        raise StrataError(f"limit={figure[:20]} is no number.", "Write limit=20.")


def said_first(text: str, names: Collection[str]) -> Said:
    """What is named at the beginning; the rest is a text, word for word."""
    named: dict[str, list[str]] = {}
    rest = text.strip()
    while rest:
        word, _, after = (
            rest.partition(" ") if "\n" not in rest.split(" ", 1)[0] else (rest, "", "")
        )
        name, sign, value = word.partition("=")
        if not sign or name not in names:
            break
        named.setdefault(name, []).append(value)
        rest = after.lstrip()
    return Said(rest, named)


def said_anywhere(text: str, names: Collection[str]) -> Said:
    """What is named anywhere among words."""
    named: dict[str, list[str]] = {}
    words: list[str] = []
    for word in text.split():
        name, sign, value = word.partition("=")
        if sign and name in names:
            named.setdefault(name, []).append(value)
        else:
            words.append(word)
    return Said(" ".join(words), named)
