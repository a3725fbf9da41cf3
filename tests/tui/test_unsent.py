"""STORE-2, CHAT-4: what was begun to be written comes back with its session."""

import asyncio
from pathlib import Path

import pytest

from app.screens.unsent import BACK, BEHIND
from tests.tui.conftest import LONGEST_S, Chat, OpenChat, memory_in

pytestmark = pytest.mark.asyncio(loop_scope="session")
BEGUN = "Please write to the landlord\nabout the boiler."
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


async def begin(open_chat: OpenChat, text: str) -> None:
    """Writes a text and leaves."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.write(text)


async def kept(chat: Chat) -> list[str]:
    """What is on the disk of it."""
    assert chat.app._chat.talk is not None
    database = chat.app._chat.talk._memory._journal.database
    return [text for (text,) in await database.all("SELECT text FROM unsent ORDER BY text")]


async def until_kept(chat: Chat, texts: list[str]) -> None:
    async with asyncio.timeout(LONGEST_S):
        while await kept(chat) != texts:
            await chat.pilot.pause(0.02)


async def test_it_is_there_at_the_next_start(open_chat: OpenChat) -> None:
    """STORE-2: as it was left, with the cursor at its end; once sent it is gone."""
    await begin(open_chat, BEGUN)
    async with open_chat() as chat:
        await chat.until(lambda: chat.composer.text == BEGUN)
        await chat.ready()
        await chat.press("!", "enter")
        await chat.answered(2)
        assert chat.said[0] == ("you", f"{BEGUN}!")
        await until_kept(chat, [])
    async with open_chat() as chat:
        await chat.ready()
        assert chat.composer.text == ""


async def test_it_is_kept_while_it_is_written(open_chat: OpenChat) -> None:
    """STORE-2: also where a letter takes the place of another one, and where all is deleted."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.write("a boat ")
        await until_kept(chat, ["a boat "])
        chat.composer.text = "a coat "
        await until_kept(chat, ["a coat "])
        chat.composer.text = ""
        await until_kept(chat, [])


async def test_what_is_written_meanwhile_goes_first(open_chat: OpenChat) -> None:
    """STORE-2: what was begun waits until that is sent."""
    await begin(open_chat, BEGUN)
    async with open_chat() as chat:
        await chat.say("Quickly: hello.")
        await chat.until(lambda: chat.composer.text == BEGUN)
        await chat.answered(2)
        assert [text for speaker, text in chat.said if speaker == "you"] == ["Quickly: hello."]
        assert BEHIND not in chat.notices


async def test_each_session_has_its_own(open_chat: OpenChat, data: Path) -> None:
    """CHAT-4: it stays in its session and comes back there."""
    async with memory_in(data) as memory:
        await memory.add("user", "first")
        await memory.rename("one")
    async with open_chat() as chat:
        await chat.ready()
        await chat.write(BEGUN)
        await chat.press("ctrl+n")
        await chat.until(lambda: chat.composer.text == "")
        await chat.ready()
        await chat.write("something else ")
        await until_kept(chat, [BEGUN, "something else "])
        assert chat.app._chat.talk is not None
        chat.app._chat.talk.open_session("one")
        await chat.until(lambda: chat.composer.text == BEGUN)


async def test_a_secret_in_it_is_not_kept(open_chat: OpenChat) -> None:
    """RECALL-7: what comes back has a mark in its place, and a note says so."""
    await begin(open_chat, f"Log in with {TOKEN} there")
    async with open_chat() as chat:
        await chat.until(lambda: chat.composer.text == "Log in with [redacted: API key] there")
        assert f"{BACK}; 1 API key was left out before storing." in chat.notices
        await chat.ready()
