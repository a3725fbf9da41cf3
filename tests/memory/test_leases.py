"""Two programs on one data directory."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory.errors import StrataError
from memory.memory import Memory
from memory.storage import leases
from memory.storage.database import Transaction
from memory.storage.failures import Conflict
from memory.storage.leases import SessionHeld
from memory.wish import Wish
from tests.memory.doubles import database_at, opened, say, until, words

CHAT = Wish(label="the chat (process 4711)")


@pytest.fixture
def dead_pid() -> int:
    """The number of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


async def change_lease(memory: Memory, **columns: object) -> None:
    """Makes the lease one that another process left."""

    async def write(transaction: Transaction) -> None:
        for column, value in columns.items():
            await transaction.run(f"UPDATE lease SET {column} = ?", (value,))

    await memory._journal.database.write(write)


async def test_a_held_session_says_by_whom(tmp_path: Path) -> None:
    """STORE-5: the second is told who holds it, and changes nothing."""
    async with opened(tmp_path, wish=CHAT) as memory:
        with pytest.raises(SessionHeld, match=r"open in the chat \(process 4711\)"):
            async with opened(tmp_path):
                pass

        await memory.add("user", "Still mine.")


async def test_another_session_of_the_directory_is_free(tmp_path: Path) -> None:
    """STORE-5: two processes on one data directory work."""
    async with opened(tmp_path, session="one") as one, opened(tmp_path, session="two") as two:
        await asyncio.gather(say(one, 10), say(two, 10))

        assert one.state.messages == two.state.messages == 10


async def test_a_closed_session_is_free_at_once(tmp_path: Path) -> None:
    """STORE-5: leaving gives it back."""
    async with opened(tmp_path):
        pass

    async with opened(tmp_path) as memory:
        await memory.add("user", "Mine now.")


async def test_a_session_of_a_dead_process_is_free_at_once(tmp_path: Path, dead_pid: int) -> None:
    """STORE-2, STORE-5: after a kill nobody waits."""
    async with opened(tmp_path, wish=CHAT) as memory:
        await change_lease(memory, pid=dead_pid)

        async with opened(tmp_path) as successor:
            await successor.add("user", "Mine now.")


async def test_a_living_process_elsewhere_holds_until_its_lease_ends(
    tmp_path: Path, dead_pid: int
) -> None:
    """STORE-5: a number says nothing about a process on another machine."""
    async with opened(tmp_path, wish=CHAT) as memory:
        await change_lease(memory, pid=dead_pid, host="another machine")
        with pytest.raises(SessionHeld):
            async with opened(tmp_path):
                pass

        await change_lease(memory, expires_at="2020-01-01T00:00:00.000Z")
        async with opened(tmp_path) as successor:
            await successor.add("user", "Mine now.")


async def test_after_a_take_over_the_old_holder_changes_nothing(tmp_path: Path) -> None:
    """STORE-5: its next append fails, what it said before is kept."""
    async with opened(tmp_path, wish=CHAT, profile="stress") as old:
        await old.add("user", "From the old.")
        async with opened(tmp_path, wish=Wish(take_over=True), profile="stress") as new:
            assert new.state.messages == 1
            before = await new.log()

            with pytest.raises(Conflict, match="taken this session over"):
                await old.add("user", "Too late.")
            for refused in (old.compact(), old.rename("x"), old.undo()):
                with pytest.raises(StrataError):
                    await refused

            assert old.read_only
            assert await new.log() == before
            await new.add("user", "From the new.")
            assert await old.refresh()
            assert old.state == new.state


async def test_an_old_holder_cannot_come_back_after_its_successor_left(tmp_path: Path) -> None:
    """STORE-5: the epoch only grows."""
    async with opened(tmp_path, wish=CHAT) as old:
        async with opened(tmp_path, wish=Wish(take_over=True)) as new:
            await new.add("user", "In between.")

        with pytest.raises(Conflict):
            await old.add("user", "Too late.")


async def test_a_renewed_lease_lasts_longer(tmp_path: Path) -> None:
    """STORE-5: a holder that is alive keeps what it holds."""
    async with opened(tmp_path) as memory:
        await change_lease(memory, expires_at="2020-01-01T00:00:00.000Z")

        await memory._journal.renew()

        assert await leases.holder_of(memory._journal.database, memory.info.branch)


async def test_renewing_notices_a_take_over(tmp_path: Path) -> None:
    """STORE-5: a screen can say so before the user has written anything."""
    async with opened(tmp_path) as old, opened(tmp_path, wish=Wish(take_over=True)):
        assert not old.read_only

        await old._journal.renew()

        assert old.read_only


async def test_a_reader_follows_the_holder(tmp_path: Path) -> None:
    """STORE-5: read-only, with the same state, texts and prompt."""
    async with opened(tmp_path, profile="stress") as holder:
        await say(holder, 5)
        async with opened(tmp_path, wish=Wish(read_only=True)) as reader:
            assert reader.state == holder.state

            await say(holder, 15)
            await holder.undo()
            await holder.prompt()  # what it recalls is an event of its own
            await until(lambda: reader.state.n == holder.state.n)

            assert reader.state == holder.state
            assert (await reader.prompt()).messages == (await holder.prompt()).messages
            assert reader._journal.texts.keys() == holder._journal.texts.keys()


async def test_a_reader_writes_nothing(tmp_path: Path) -> None:
    """STORE-5: neither messages nor compactions, and it is told at once."""
    async with opened(tmp_path, profile="stress") as holder:
        await say(holder, 8)
    async with opened(tmp_path, wish=Wish(read_only=True), profile="stress") as reader:
        before = await reader.log()

        for refused in (reader.add("user", words(9)), reader.compact(), reader.rename("x")):
            with pytest.raises(StrataError, match="read-only"):
                await refused

        assert await reader.log() == before


async def test_a_reader_leaves_an_orphan_draft_alone(tmp_path: Path) -> None:
    """STORE-2, STORE-5: it may be the answer that streams just now."""
    async with opened(tmp_path) as holder:
        await holder.add("user", "Hello?")
        answer = holder.answer("r1")
        answer.grow("Half an ans")
        await until(lambda: answer._dirtied)
        async with opened(tmp_path, wish=Wish(read_only=True)) as reader:
            assert reader.state.messages == 1
        stored = await answer.close()

        assert stored is not None
        assert stored.content == "Half an ans"


async def test_a_session_in_use_is_not_deleted(tmp_path: Path) -> None:
    """CHAT-4, STORE-5: deleting asks the lease first."""
    async with opened(tmp_path, wish=CHAT) as memory:
        await memory.add("user", "Of no use.")
        with pytest.raises(SessionHeld, match="the chat"):
            await memory.sessions.delete("a session")

    async with opened(tmp_path, session="other") as other:
        await other.sessions.delete("a session")
        assert [info.name for info in await other.sessions.list()] == ["other"]
        left = await other._journal.database.all("SELECT 1 FROM body WHERE text LIKE 'Of no%'")
        assert left == []


async def test_processes_that_start_at_once_make_one_database(tmp_path: Path) -> None:
    """STORE-1, STORE-5: neither hangs nor corrupts."""
    program = (
        "import asyncio, sys\n"
        "from memory import Memory\n"
        "async def main():\n"
        "    async with Memory.open(sys.argv[1], session=sys.argv[2]) as memory:\n"
        "        for _ in range(5): await memory.add('user', 'Hello from ' + sys.argv[2])\n"
        "asyncio.run(main())\n"
    )
    processes = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-c", program, str(tmp_path), f"s{n}",
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        )
        for n in range(4)
    ]  # fmt: skip
    async with asyncio.timeout(120):
        codes = [await process.wait() for process in processes]

    assert codes == [0, 0, 0, 0]
    async with database_at(tmp_path) as database:
        assert await database.all("SELECT messages FROM branch") == [(5,)] * 4
        assert await database.all("PRAGMA integrity_check") == [("ok",)]
