"""STORE-2, RECALL-7: what was begun to be written is kept until it is sent."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory import Key, unsent
from memory.config import MemoryConfig, PrivacyConfig
from memory.dooming import NothingToForget
from memory.memory import Memory
from memory.storage.unsent import Begun
from memory.wish import Wish
from tests.memory.doubles import crash, every_byte, opened, until

BEGUN = "Please write to the landlord\nabout the Zanzibarix."
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
RESTING = "Please call the landlord tomorrow"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is typed is written without a pause before it."""
    monkeypatch.setattr(unsent, "WRITE_SECONDS", 0.0)


def typed(memory: Memory, text: str) -> None:
    """Types a text in the place of what was there."""
    memory.unsent.changed(lambda: text, emptied=not text)


async def on_disk(memory: Memory) -> list[str]:
    rows = await memory._journal.database.all("SELECT text FROM unsent")
    return [text for (text,) in rows]


async def until_kept(memory: Memory, holds: Callable[[list[str]], bool]) -> None:
    async with asyncio.timeout(30):
        while not holds(await on_disk(memory)):  # noqa: ASYNC110 (nothing tells of it)
            await asyncio.sleep(0.005)


async def test_what_was_begun_is_there_after_a_kill(tmp_path: Path) -> None:
    """STORE-2: nobody has to end the program for what was typed to be kept."""
    async with opened(tmp_path, session="one") as memory:
        assert await memory.unsent.take_up() == Begun()
        typed(memory, BEGUN)
        await until_kept(memory, lambda kept: kept == [BEGUN])
        crash(memory)
    async with Memory.open(tmp_path, wish=Wish(session="one", take_over=True)) as memory:
        assert await memory.unsent.take_up() == Begun(BEGUN)
        typed(memory, "")
        await until_kept(memory, lambda kept: kept == [])


async def test_a_text_is_kept_whole_as_it_is_left(tmp_path: Path) -> None:
    """STORE-2: also its end, which is held back while it may become a secret."""
    text = f"{RESTING} at 4711 22"
    async with opened(tmp_path, session="one") as memory:
        typed(memory, text)
        await until_kept(memory, lambda kept: kept == [f"{RESTING} at "])
        await memory.unsent.settle(text)
        assert await on_disk(memory) == [text]
        await memory.unsent.settle("")
        assert await on_disk(memory) == []


async def test_no_half_of_a_secret_is_on_the_disk(tmp_path: Path) -> None:
    """RECALL-7: letter by letter, pasted, and left: the kinds are told, the secret is nowhere."""
    async with opened(tmp_path, session="one") as memory:
        for end in range(6, len(TOKEN) + 1, 5):
            await memory.unsent._texts.write(
                f"{RESTING} with {TOKEN[:end]}", memory._journal.held(), rests=False
            )
        await memory.unsent.settle(f"{RESTING} with {TOKEN} and go")
        assert TOKEN[:12].encode() not in every_byte(tmp_path)
    async with Memory.open(tmp_path, "one") as memory:
        begun = await memory.unsent.take_up()
        assert begun.text == f"{RESTING} with [redacted: API key] and go"
        assert begun.kinds == {"api_keys": 1}
    assert TOKEN[:12].encode() not in every_byte(tmp_path)


async def test_it_is_encrypted_with_the_rest(tmp_path: Path) -> None:
    """RECALL-7: no file of an encrypted data directory has it."""
    async with Memory.open(tmp_path, key=Key.random()) as memory:
        typed(memory, BEGUN)
        await until_kept(memory, lambda kept: kept == [BEGUN])
        assert b"Zanzibarix" not in every_byte(tmp_path)
    async with Memory.open(tmp_path) as memory:
        assert (await memory.unsent.take_up()).text == BEGUN


async def test_who_only_reads_has_nothing_of_it(tmp_path: Path) -> None:
    """STORE-5: what the one who writes has begun stays with him."""
    async with opened(tmp_path, session="one") as memory:
        await memory.unsent.settle(BEGUN)
        async with Memory.open(tmp_path, wish=Wish(session="one", read_only=True)) as reader:
            assert await reader.unsent.take_up() == Begun()
            typed(reader, "something else")
            await reader.unsent.settle("something else")
        assert await on_disk(memory) == [BEGUN]


async def test_who_was_taken_over_writes_no_more(tmp_path: Path) -> None:
    """STORE-5: the text goes on where the session goes on."""
    async with opened(tmp_path, session="one") as memory:
        await memory.unsent.settle(BEGUN)
        wish = Wish(session="one", take_over=True)
        async with Memory.open(tmp_path, wish=wish) as other:
            assert (await other.unsent.take_up()).text == BEGUN
            await memory.unsent.settle("written without the right to")
            assert await on_disk(other) == [BEGUN]


async def test_it_goes_along_to_another_branch_of_the_session(tmp_path: Path) -> None:
    """CHAT-5: what was begun in a branch is found in whatever branch is opened next."""
    async with opened(tmp_path, session="one") as memory:
        for text in ("one", "two"):
            await memory.add("user", text)
        branch = await memory.branches.fork(1, "fork")
        await memory.unsent.settle(BEGUN)
    async with Memory.open(tmp_path, wish=Wish(session="one", branch=branch)) as memory:
        assert (await memory.unsent.take_up()).text == BEGUN
        await memory.unsent.settle("")
    async with Memory.open(tmp_path, "one") as memory:
        assert await memory.unsent.take_up() == Begun()


async def test_each_session_has_its_own(tmp_path: Path) -> None:
    """CHAT-4: what was begun in one is not found in another, and goes with its session."""
    async with opened(tmp_path, session="one") as memory:
        await memory.unsent.settle(BEGUN)
    async with Memory.open(tmp_path, "two") as memory:
        assert await memory.unsent.take_up() == Begun()
        await memory.sessions.delete("one")
        assert await on_disk(memory) == []
    assert b"Zanzibarix" not in every_byte(tmp_path)


async def test_it_is_forgotten_with_the_rest(tmp_path: Path) -> None:
    """RECALL-6: a text is forgotten also where it was never sent; what else was begun stays."""
    async with opened(tmp_path, session="one") as memory:
        await memory.unsent.settle(f"{RESTING}.\n{BEGUN}")
    async with Memory.open(tmp_path, "two") as memory:
        await memory.unsent.settle('@forget "Zanzibarix"')
        plan = await memory.forgetting.plan('"zanzibarix"')
        assert [(found.sort, found.session) for found in plan.found] == [("unsent", "one")]
        await memory.unsent.settle("")
        assert (await memory.forgetting.carry_out(plan)).notes == []
        assert await on_disk(memory) == [f"{RESTING}.\nPlease write to the landlord"]
        assert b"Zanzibarix" not in every_byte(tmp_path)
        with pytest.raises(NothingToForget):
            await memory.forgetting.plan('"zanzibarix"')


async def test_it_goes_with_the_message_that_it_quotes(tmp_path: Path) -> None:
    """RECALL-6: what was begun in the session of a forgotten message loses the quotes of it."""
    async with opened(tmp_path, session="one") as memory:
        await memory.add("user", "My cat Zanzibarix sleeps here.")
        await memory.unsent.settle(f"{BEGUN}\n{RESTING}.")
        await memory.forgetting.carry_out(await memory.forgetting.plan("1"))
        assert await on_disk(memory) == [f"Please write to the landlord\n{RESTING}."]
        assert b"Zanzibarix" not in every_byte(tmp_path)


async def test_it_is_kept_as_long_as_messages_are(tmp_path: Path) -> None:
    """RECALL-7: by age, from the last time that it was touched."""
    config = MemoryConfig(privacy=PrivacyConfig(keep_messages_days=30))
    async with Memory.open(tmp_path, "one", config=config) as memory:
        await memory.unsent.settle(BEGUN)
        now = datetime.now(UTC)
        assert await memory.forgetting.retain(config.privacy, now + timedelta(days=29)) == ""
        told = await memory.forgetting.retain(config.privacy, now + timedelta(days=31))
        assert told == "1 unsent text"
        assert b"Zanzibarix" not in every_byte(tmp_path)


async def test_what_cannot_be_kept_stops_nobody(tmp_path: Path) -> None:
    """ALL-2: the next key tries again."""
    async with opened(tmp_path, session="one") as memory:
        database = memory._journal.database
        await database.all("ALTER TABLE unsent RENAME TO elsewhere")
        typed(memory, "lost for now")
        await until(lambda: not memory.unsent._changed.is_set())
        await database.all("ALTER TABLE elsewhere RENAME TO unsent")
        typed(memory, BEGUN)
        await until_kept(memory, lambda kept: kept == [BEGUN])
