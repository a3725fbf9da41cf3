"""Work that is not cut in two by a cancelled caller."""

import asyncio
from pathlib import Path

import pytest

from memory.finishing import finish
from memory.fold import fold
from memory.storage.database import Transaction
from memory.storage.summary_cache import StoredSummaryCache
from tests.memory.doubles import database_at, opened, words


async def test_work_ends_however_often_its_caller_is_cancelled() -> None:
    """I5: the caller learns of it afterwards."""
    gate, done = asyncio.Event(), []

    async def work() -> None:
        await gate.wait()
        done.append(True)

    caller = asyncio.create_task(finish(work()))
    for _ in range(3):
        await asyncio.sleep(0)
        caller.cancel()
    await asyncio.sleep(0)
    assert not caller.done()
    gate.set()

    with pytest.raises(asyncio.CancelledError):
        await caller
    assert done == [True]


async def test_a_failure_reaches_the_caller() -> None:
    """ALL-2: as if it had been awaited plainly."""

    async def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await finish(fail())


@pytest.mark.parametrize("turns", range(12))
async def test_a_cancelled_message_is_there_once_or_not_at_all(tmp_path: Path, turns: int) -> None:
    """STORE-2, I5: and the session goes on, whenever the cancellation came."""
    async with opened(tmp_path) as memory:
        adding = asyncio.create_task(memory.add("user", words(1)))
        for _ in range(turns):
            await asyncio.sleep(0)
        adding.cancel()
        await asyncio.wait({adding})

        assert fold(await memory.log()) == memory.state
        stored = await memory.add("user", words(2))
        assert stored.number == memory.state.messages
        assert not memory.read_only


async def test_a_read_sees_all_of_a_transaction_or_nothing(tmp_path: Path) -> None:
    """I5: also in the process that writes."""
    async with database_at(tmp_path) as database:
        begun, gate = asyncio.Event(), asyncio.Event()

        async def write(transaction: Transaction) -> None:
            await transaction.run("INSERT INTO summary_cache VALUES ('a', 'b', 'c')")
            begun.set()
            await gate.wait()
            raise ZeroDivisionError

        writing = asyncio.create_task(database.write(write))
        await begun.wait()
        reading = asyncio.create_task(database.all("SELECT * FROM summary_cache"))
        await asyncio.sleep(0)
        gate.set()

        assert await reading == []
        with pytest.raises(ZeroDivisionError):
            await writing


async def test_a_summary_is_kept_for_a_day(tmp_path: Path) -> None:
    """COMPACT-12: equal inputs within 24 hours come from the cache, also after a restart."""
    async with database_at(tmp_path) as database:
        await StoredSummaryCache(database).keep("digest", "Ada moved.")
    async with database_at(tmp_path) as database:
        cache = StoredSummaryCache(database)
        assert await cache.find("digest") == "Ada moved."

        async def age(transaction: Transaction) -> None:
            await transaction.run("UPDATE summary_cache SET made_at = '2020-01-01T00:00:00.000Z'")

        await database.write(age)

        assert await cache.find("digest") is None
        await cache.keep("other", "Ben stayed.")
        assert await database.all("SELECT digest FROM summary_cache") == [("other",)]
