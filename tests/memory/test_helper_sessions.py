"""Sessions that are begun for a task of another one (CHAT-11)."""

from pathlib import Path

import pytest

from memory import Memory
from memory.storage.sessions import UnknownSession
from memory.wish import Wish


async def test_a_helpers_session_belongs_to_another_and_is_not_listed(tmp_path: Path) -> None:
    """CHAT-11: its steps can be opened, but nobody takes it for a talk of their own."""
    async with Memory.open(tmp_path, "mine") as memory:
        wish = Wish(fresh=True, owner=memory.info.id)
        async with Memory.open(tmp_path, wish=wish) as helper:
            await helper.add("user", "Count the doors.")
            (found,) = await memory.sessions.helpers(memory.info.id)
            assert found.id == helper.info.id
            owner = await memory.sessions.owner(helper.info.id)
            assert owner is not None
            assert owner.id == memory.info.id
        assert [info.id for info in await memory.sessions.list()] == [memory.info.id]
        assert (await memory.sessions.find(None, "default")).id == memory.info.id
        assert (await memory.sessions.find(found.id)).id == found.id


async def test_it_is_deleted_with_the_session_it_was_for(tmp_path: Path) -> None:
    """CHAT-4: nothing of a deleted session stays."""
    async with Memory.open(tmp_path, "mine") as memory:
        wish = Wish(fresh=True, owner=memory.info.id)
        async with Memory.open(tmp_path, wish=wish) as helper:
            name = helper.info.id
        mine = memory.info.id
    async with Memory.open(tmp_path, "other") as other:
        await other.sessions.delete(mine)
        with pytest.raises(UnknownSession):
            await other.sessions.find(name)
