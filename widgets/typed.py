"""What was typed before, and what an @command that is being typed could become. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

MOST_TYPED = 200
_BEGUN = re.compile(r"@[a-z-]*")


@dataclass(frozen=True, slots=True)
class CommandHint:
    """A command as the composer's hint shows it."""

    name: str
    """With its @."""
    usage: str
    description: str


def matching(text: str, commands: Sequence[CommandHint]) -> list[CommandHint]:
    """The commands that `text` may become; none where it is no command that has been begun."""
    if _BEGUN.fullmatch(text) is None:
        return []
    return [command for command in commands if command.name.startswith(text)]


def completed(text: str, commands: Sequence[CommandHint]) -> str | None:
    """The text with the begun command written out as far as it is certain; None for nothing."""
    found = matching(text, commands)
    if not found:
        return None
    if len(found) == 1:
        return f"{found[0].name} "
    shortest, longest = min(c.name for c in found), max(c.name for c in found)
    shared = next(
        (shortest[:i] for i, letter in enumerate(shortest) if letter != longest[i]), shortest
    )
    return shared if len(shared) > len(text) else found[0].name


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
