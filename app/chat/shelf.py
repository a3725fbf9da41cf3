"""The sessions of a data directory, as a list of them that can be changed wants them."""

from dataclasses import dataclass
from pathlib import Path

from memory.memory import Memory
from memory.storage.database import Database
from memory.storage.sessions import SessionInfo, Sessions
from memory.wish import Wish

MOST_HEARD = 200
"""Places at which a text was said that are looked at for the sessions they are in."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A place in a session where something was said."""

    text: str
    """The words with what stands around them, in one line."""
    number: int
    """The message's number; 0 for what is no message."""


class Shelf:
    """Lists, renames and deletes sessions beside the one that is open.

    Args:
        memory: The session that is open.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @property
    def current(self) -> str:
        """The id of the session that is open."""
        return self._memory.info.id

    async def list(self) -> list[SessionInfo]:
        """All sessions, the one used last first."""
        return await self._memory.sessions.list()

    async def search(self, text: str) -> dict[str, Hit]:
        """The sessions in which something was said, each with the likeliest place, by their ids.

        Raises:
            StorageError: The database refused.
        """
        heard: dict[str, Hit] = {}
        for each in await self._memory.sessions.search(text, most=MOST_HEARD):
            heard.setdefault(each.session, Hit(each.excerpt, each.number))
        return heard

    async def rename(self, session: str, title: str) -> None:
        """Gives a session the user's title.

        Raises:
            SessionHeld: Another process writes to it.
            UnknownSession: It is no longer there.
            EmptyMessage: The title is empty.
        """
        if session == self.current:
            await self._memory.rename(title)
            return
        directory, config = self._memory.directory, self._memory.config
        wish = Wish(session=session, create=False, passive=True, label="a list of sessions")
        async with Memory.open(directory, config=config, wish=wish) as other:
            await other.rename(title)

    async def delete(self, session: str) -> None:
        """Removes a session with all its texts; the open one has to be closed before.

        Raises:
            SessionHeld: It is open, here or in another process.
            UnknownSession: It is no longer there.
        """
        await self._memory.sessions.delete(session)


async def delete_closed(directory: Path, session: str) -> None:
    """Removes a session that was open in this process until now.

    Args:
        directory: The data directory.
        session: Its id.

    Raises:
        SessionHeld: Another process has opened it meanwhile.
        UnknownSession: It is no longer there.
    """
    database = await Database.open(directory)
    try:
        await Sessions(database).delete(session)
    finally:
        await database.close()
