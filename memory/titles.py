"""A session's title: given by the user, or suggested by a model or by rule."""

from typing import Literal

from memory.answer import EmptyMessage
from memory.events import Event, SessionRenamed
from memory.journal import Journal
from memory.parts import TitledBy
from memory.privacy import Cleaned
from memory.state import State
from memory.storage.sessions import SessionInfo, Sessions

RANK: tuple[TitledBy | None, ...] = (None, "rule", "model", "user")
"""Who may give a title in whose place: each in that of those before it."""


async def rename(journal: Journal, title: str) -> None:
    """Gives the session the user's title.

    Raises:
        EmptyMessage: There is nothing in it.
    """
    title = _stored(journal, title)
    if not title:
        raise EmptyMessage

    def make(state: State) -> tuple[list[Event], dict[str, Cleaned]]:
        return [SessionRenamed(title)], {}

    await journal.append(make)


async def suggest(
    journal: Journal, session: SessionInfo, title: str, by: Literal["model", "rule"]
) -> str | None:
    """Gives the session a title that nobody asked for, a number added where it is taken.

    What the user chose stays, even where it was chosen a moment ago: that is decided when the
    event is appended.

    Returns:
        The title it has got, or None where it keeps what it had.
    """
    title = _stored(journal, title)
    if not title:
        return None
    free = await Sessions(journal.database).free_title(title, session)

    def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
        better = RANK.index(by) > RANK.index(state.titled_by)
        return ([SessionRenamed(free, by)], {}) if better and free != state.title else None

    return free if await journal.append(make) else None


def _stored(journal: Journal, title: str) -> str:
    """A title on one line and without secrets."""
    return " ".join(journal.cleaned(title).split())
