"""What was typed before, and what an @command that is being typed could become. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

MOST_TYPED = 200
_BEGUN = re.compile(r"@[a-z-]*")
_WITH_ARGUMENT = re.compile(r"(@[a-z-]+) +(\S.*)?")


@dataclass(frozen=True, slots=True)
class CommandHint:
    """A command as the composer offers it."""

    name: str
    """With its @."""
    usage: str
    description: str

    @property
    def arguments(self) -> str:
        """The names of its arguments; empty where it has none."""
        return self.usage.removeprefix(self.name).strip()


class Offer(NamedTuple):
    """Something that the text could become."""

    text: str
    """The whole text then."""
    name: str
    arguments: str = ""
    description: str = ""


def offers(
    text: str, commands: Sequence[CommandHint], values: Mapping[str, Sequence[str]]
) -> tuple[Offer, ...]:
    """What a text could become, the most likely first; nothing where it is no command.

    Args:
        text: What has been typed.
        commands: Those there are.
        values: What can stand after a command, by the command's name with its @.
    """
    if _BEGUN.fullmatch(text):
        known = {command.name[1:]: command for command in commands}
        found = [known[name] for name in _ranked(text[1:], known)]
        return tuple(
            Offer(f"{one.name} ", one.name, one.arguments, one.description) for one in found
        )
    match = _WITH_ARGUMENT.fullmatch(text)
    names = values.get(match[1], ()) if match else ()
    if match is None or match[2] in names:
        return ()
    return tuple(Offer(f"{match[1]} {name}", name) for name in _ranked(match[2] or "", names))


def usage_of(text: str, commands: Sequence[CommandHint]) -> CommandHint | None:
    """The command whose arguments are being typed; None where it has none, or is no command."""
    match = _WITH_ARGUMENT.fullmatch(text)
    found = [command for command in commands if match and command.name == match[1]]
    return found[0] if found and found[0].arguments else None


def _ranked(typed: str, names: Iterable[str]) -> list[str]:
    """The names that fit, the best first; those that fit alike stay in their order."""
    ranks = [(rank, name) for name in names if (rank := _rank(typed.lower(), name.lower())) >= 0]
    return [name for _, name in sorted(ranks, key=itemgetter(0))]


def _rank(typed: str, name: str) -> int:
    """How well a name fits what was typed, 0 best; -1 where it does not."""
    if typed == name:
        return 0
    if name.startswith(typed):
        return 1
    words = re.split(r"[\s/:_.-]+", name)
    if any(word.startswith(typed) for word in words):
        return 2
    if typed in name:
        return 3
    initials = "".join(word[:1] for word in words)
    return 4 if len(typed) > 1 and initials.startswith(typed) else -1


@dataclass(slots=True)
class Offering:
    """What a text could become, and which of it is chosen; closed for a text, it offers nothing.

    Found anew from the text each time: a quick writer's Tab comes before the news that the text
    has changed.
    """

    chosen: int | None = None
    """The number of the offer that is chosen."""
    _closed_for: str | None = None
    _found_for: tuple[str, int] = ("", 0)

    def of(
        self, text: str, commands: Sequence[CommandHint], values: Mapping[str, Sequence[str]]
    ) -> tuple[Offer, ...]:
        """What is offered for a text; the first command is chosen, but no name is."""
        if text == self._closed_for or not text.startswith("@"):
            return ()
        found = offers(text, commands, values)
        if (text, len(found)) != self._found_for:
            # A name is free text: what was typed may be all that is meant.
            self._found_for = text, len(found)
            self.chosen = None if " " in text else 0
        return found

    def step(self, by: int) -> None:
        """Chooses another one; after the last comes the first."""
        count = self._found_for[1]
        start = self.chosen if self.chosen is not None else -1 if by > 0 else count
        self.chosen = (start + by) % count

    def close(self, text: str) -> None:
        """Offers nothing until the text has changed."""
        self._closed_for = text

    def open(self) -> None:
        """Offers again."""
        self._closed_for = None


@dataclass(slots=True)
class Typed:
    """Earlier messages, walked through with Up and Down; what was being typed is kept."""

    texts: list[str] = field(default_factory=list)
    _place: int | None = None
    _draft: str = ""

    def remember(self, text: str) -> None:
        """Adds what was sent; the walk starts at the newest again."""
        if not self.texts or self.texts[-1] != text:
            self.texts = [*self.texts, text][-MOST_TYPED:]
        self._place = None

    def older(self, current: str) -> str | None:
        """The text before the one shown, or None at the oldest."""
        if self._place is None:
            if not self.texts:
                return None
            self._draft, self._place = current, len(self.texts)
        if self._place == 0:
            return None
        self._place -= 1
        return self.texts[self._place]

    def newer(self) -> str | None:
        """The text after the one shown; after the newest what was being typed; None beyond."""
        if self._place is None:
            return None
        self._place += 1
        if self._place < len(self.texts):
            return self.texts[self._place]
        self._place = None
        return self._draft
