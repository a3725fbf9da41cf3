"""CHAT-4: what the list of sessions does to the sessions of a data directory."""

from pathlib import Path

import pytest

from app.chat.shelf import Shelf, delete_closed
from memory.answer import EmptyMessage
from memory.storage.leases import SessionHeld
from memory.storage.sessions import UnknownSession
from tests.memory.doubles import every_byte, opened


async def test_renaming_the_open_session_and_another(tmp_path: Path) -> None:
    """CHAT-4: both are the user's titles from then on; the status line hears of its own."""
    async with opened(tmp_path, session="other") as memory:
        other = memory.info.id
    async with opened(tmp_path, session="here") as memory:
        shelf = Shelf(memory)
        await shelf.rename(shelf.current, "mine")
        await shelf.rename(other, "theirs")
        assert memory.state.title == "mine"
        assert {session.title for session in await shelf.list()} == {"mine", "theirs"}
        with pytest.raises(EmptyMessage):
            await shelf.rename(other, " ")
        with pytest.raises(UnknownSession):
            await shelf.rename("nowhere", "x")
    async with opened(tmp_path, session="theirs") as memory:
        assert memory.state.titled_by == "user"


async def test_renaming_what_is_open_elsewhere(tmp_path: Path) -> None:
    """STORE-5: one process writes to a session."""
    async with (
        opened(tmp_path, session="here") as memory,
        opened(tmp_path, session="there") as there,
    ):
        with pytest.raises(SessionHeld):
            await Shelf(memory).rename(there.info.id, "x")
        assert there.state.title == "there"


async def test_deleting(tmp_path: Path) -> None:
    """CHAT-4: another one at once; the open one when it has been closed, all its texts with it."""
    async with opened(tmp_path, session="other") as memory:
        await memory.add("user", "a word of the other")
        other = memory.info.id
    async with opened(tmp_path, session="here") as memory:
        await memory.add("user", "a word of this one")
        shelf = Shelf(memory)
        await shelf.delete(other)
        assert [session.id for session in await shelf.list()] == [shelf.current]
        with pytest.raises(SessionHeld):
            await shelf.delete(shelf.current)
        with pytest.raises(SessionHeld):
            await delete_closed(tmp_path, shelf.current)
        here = shelf.current
    await delete_closed(tmp_path, here)
    with pytest.raises(UnknownSession):
        await delete_closed(tmp_path, here)
    assert b"a word of" not in every_byte(tmp_path)
