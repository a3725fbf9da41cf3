"""CHAT-4: titles: the user's word holds; others are suggestions, and each is one of a kind."""

import asyncio
from pathlib import Path
from typing import Literal

import pytest

from memory.answer import EmptyMessage
from memory.codec import decode, encode
from memory.events import SessionRenamed
from memory.memory import Memory
from memory.parts import TitledBy
from memory.storage.database import Transaction
from memory.storage.sessions import SessionInfo, Sessions
from memory.wish import Wish
from tests.memory.doubles import crash, database_at, opened

SUGGESTED: tuple[tuple[str, Literal["model", "rule"]], ...] = (
    ("a", "rule"),
    ("b", "rule"),
    ("c", "model"),
    ("d", "rule"),
)
KEY = "sk-proj-abcdefghijklmnopqrstuvwx"


def test_a_renaming_without_a_name_was_the_users() -> None:
    """STORE-1: before anything else gave titles, the user did."""
    old = decode(SessionRenamed.KIND, 1, '{"title": "Lisbon"}')
    assert old == SessionRenamed("Lisbon", by="user")
    new = SessionRenamed("Lisbon", by="model")
    assert decode(SessionRenamed.KIND, SessionRenamed.VERSION, encode(new)) == new


async def test_a_model_goes_before_a_rule_and_the_user_before_both(tmp_path: Path) -> None:
    """CHAT-4: a later suggestion of the same rank changes nothing."""
    async with opened(tmp_path, session=None) as memory:
        seen = [(memory.state.title, memory.state.titled_by)]
        for title, by in SUGGESTED:
            await memory.suggest_title(title, by)
            seen.append((memory.state.title, memory.state.titled_by))
        await memory.rename("mine")
        assert await memory.suggest_title("e", "model") is None
        seen.append((memory.state.title, memory.state.titled_by))
    assert seen == [
        (None, None),
        ("a", "rule"),
        ("a", "rule"),
        ("c", "model"),
        ("c", "model"),
        ("mine", "user"),
    ]


async def test_who_gave_it_is_known_after_a_restart(tmp_path: Path) -> None:
    """STORE-1: it is in the log; a session that was opened by name has the user's title."""
    async with opened(tmp_path, session=None) as memory:
        await memory.suggest_title("by rule", "rule")
    async with opened(tmp_path, session=None) as memory:
        assert (memory.state.title, memory.state.titled_by) == ("by rule", "rule")
    async with opened(tmp_path, session="named") as memory:
        assert memory.state.titled_by == "user"
        assert await memory.suggest_title("better", "model") is None


async def test_the_user_is_faster_by_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-4: what the user types while a title is being made holds."""
    free_title = Sessions.free_title
    async with opened(tmp_path, session=None) as memory:

        async def meanwhile(self: Sessions, title: str, session: SessionInfo) -> str:
            await memory.rename("the user's")
            return await free_title(self, title, session)

        monkeypatch.setattr(Sessions, "free_title", meanwhile)
        assert await memory.suggest_title("the model's", "model") is None
        assert memory.state.title == "the user's"
        assert [e.event for e in await memory.log() if isinstance(e.event, SessionRenamed)] == [
            SessionRenamed("the user's")
        ]


async def test_both_at_once(tmp_path: Path) -> None:
    """CHAT-4: in whatever order they come, the user's title stands at the end."""
    async with opened(tmp_path, session=None) as memory:
        for turn in range(20):
            title = f"mine {turn}"
            suggested = memory.suggest_title(f"theirs {turn}", "model")
            await asyncio.gather(*(suggested, memory.rename(title))[:: 1 if turn % 2 else -1])
            assert memory.state.title == title


async def titled(memory: Memory, title: str, by: TitledBy) -> str | None:
    if by == "user":
        await memory.rename(title)
    else:
        await memory.suggest_title(title, by)
    return memory.state.title


async def test_suggested_titles_are_one_of_a_kind(tmp_path: Path) -> None:
    """CHAT-4: a number tells sessions of one agent apart; what the user chose stays as it is."""
    titles = []
    ranks: tuple[TitledBy, ...] = ("rule", "model", "rule", "user")
    for by in ranks:
        async with opened(tmp_path, wish=Wish(fresh=True), session=None) as memory:
            titles.append(await titled(memory, "Trip 50% off", by))
    async with opened(tmp_path, wish=Wish(fresh=True, agent="helper"), session=None) as memory:
        titles.append(await titled(memory, "Trip 50% off", "rule"))
    assert titles == [
        "Trip 50% off",
        "Trip 50% off 2",
        "Trip 50% off 3",
        "Trip 50% off",
        "Trip 50% off",
    ]


async def test_titles_are_one_line_without_secrets(tmp_path: Path) -> None:
    """STORE-6, ALL-8: they pass the door like every other text."""
    async with opened(tmp_path, session=None) as memory:
        await memory.suggest_title(f"Key\n {KEY}", "model")
        assert memory.state.title == "Key [redacted: API key]"
        await memory.rename(" two\nlines ")
        assert memory.state.title == "two lines"
        assert await memory.suggest_title(" \n", "model") is None
        with pytest.raises(EmptyMessage):
            await memory.rename(" \n")


async def test_size_and_holder_stand_in_the_list(tmp_path: Path) -> None:
    """CHAT-4: bytes of all texts of a session, and which living process writes to it."""
    async with opened(tmp_path, session="one", system_prompt="Be kind.") as memory:
        await memory.add("user", "grüß")
        await memory.add("assistant", "hello")
        async with database_at(tmp_path) as database:
            [info] = await Sessions(database).list()
        assert info.bytes == len("Be kind.grüßhello".encode())
        assert info.holder == "another program"
    async with database_at(tmp_path) as database:
        assert (await Sessions(database).find("one")).holder is None


async def test_a_holder_that_has_crashed_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-4, STORE-5: what a dead process left open is not said to be open."""
    async with opened(tmp_path, session="one") as memory:
        crash(memory)
        monkeypatch.setattr("memory.storage.leases.process_lives", lambda pid: False)
        assert (await memory.sessions.find("one")).holder is None


async def test_sizes_of_a_database_that_kept_none(tmp_path: Path) -> None:
    """STORE-1: a database of the first form gets them when it is opened."""
    async with opened(tmp_path, session="one", system_prompt="Be kind.") as memory:
        await memory.add("user", "grüß")
    async with database_at(tmp_path) as database:

        async def back(transaction: Transaction) -> None:
            for table in ("passage_vocabulary", "passage_words", "vector", "unread", "search"):
                await transaction.run(f"DROP TABLE {table}")
            for table in ("tombstone", "reader", "forgetting", "unsent"):
                await transaction.run(f"DROP TABLE {table}")
            await transaction.run("DROP TABLE passage")
            await transaction.run("DROP INDEX event_body")
            await transaction.run("DROP INDEX event_request")
            await transaction.run("DROP INDEX stream_owner")
            await transaction.run("ALTER TABLE stream DROP COLUMN owner")
            await transaction.run("ALTER TABLE stream DROP COLUMN bytes")
            await transaction.run("PRAGMA user_version = 1")

        await database.write(back)
    async with database_at(tmp_path) as database:
        assert (await Sessions(database).find("one")).bytes == len("Be kind.grüß".encode())
