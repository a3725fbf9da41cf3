"""What an @command is."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from app.chat.conversation import Conversation
from app.chat.happenings import Happening

Run = Callable[[Conversation, str], AsyncGenerator[Happening, None]]


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the composer and of `strata ask`."""

    name: str
    arguments: str
    description: str
    run: Run

    @property
    def usage(self) -> str:
        """How it is written."""
        return f"@{self.name} {self.arguments}".strip()
