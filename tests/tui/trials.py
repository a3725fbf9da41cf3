"""What @commands do on the real chat: a table from the name of a command to how it is tried."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.tui.conftest import Chat
from tests.tui.deeds import Around, nothing

Try = Callable[[Chat, Path], Awaitable[None]]


@dataclass(frozen=True)
class Trial:
    """How one command is tried."""

    do: Try
    around: Around = nothing
    options: dict[str, Any] = field(default_factory=dict)


TRIALS: dict[str, Trial] = {}


def trial(command: str, around: Around = nothing, **options: Any) -> Callable[[Try], Try]:
    """Says that a function tries a command."""

    def keep(do: Try) -> Try:
        TRIALS[command] = Trial(do, around, options)
        return do

    return keep


async def reported(chat: Chat, command: str, *parts: str) -> None:
    """Gives a command and waits until its report has all the parts."""
    await chat.say(command)
    await chat.until(lambda: all(part in chat.notices for part in parts))
    assert chat.composer.text == ""
