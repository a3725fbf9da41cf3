"""RECALL-7: an encrypted data directory asks for its passphrase before anything is shown of it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from textual.app import App
from textual.widgets import Input

from app.encryption import passphrases
from app.screens.unlock import SecretInput, UnlockScreen
from memory import Key, Memory
from memory.storage import keys, sealing
from memory.storage.header import is_encrypted
from tests.memory.doubles import every_byte
from tests.tui.conftest import Chat, OpenChat
from tests.tui.test_first_start import Stand

pytestmark = pytest.mark.asyncio(loop_scope="session")

PASSPHRASE = "seven grey geese"
SAID = "The heron nests at Willowmere."


@pytest.fixture(autouse=True)
def _nothing_given(data: Path) -> Iterator[None]:
    yield
    keys.give_up_key(data)
    passphrases._taken.clear()


@pytest_asyncio.fixture(loop_scope="session")
async def locked(data: Path) -> Path:
    """A session in an encrypted data directory whose passphrase nobody has given."""
    async with Memory.open(data, "s") as memory:
        await memory.add("user", SAID)
    sealing.encrypt(data, keys.fresh(Key.passphrase(PASSPHRASE)))
    keys.give_up_key(data)
    return data


def rows(app: App[None]) -> str:
    """What is on the screen, as text."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


async def typed(chat: Chat, text: str) -> None:
    await chat.press(*("space" if letter == " " else letter for letter in text))


@pytest.mark.usefixtures("locked")
async def test_the_passphrase_opens_it(open_chat: OpenChat) -> None:
    """RECALL-7: a wrong one is said and asked for again; nothing of either is seen."""
    async with open_chat() as chat:
        await chat.over(UnlockScreen)
        assert "Locked" in rows(chat.app)
        assert "heron" not in rows(chat.app)
        await typed(chat, "wrong")
        shown = rows(chat.app)
        await typed(chat, " one")
        assert rows(chat.app) == shown
        assert "wrong" not in shown
        assert "typed" in shown
        assert "send" not in shown
        await chat.press("enter")
        await chat.until(lambda: "does not open it" in rows(chat.app))
        assert chat.screen.query_one(SecretInput).value == ""
        await typed(chat, PASSPHRASE)
        assert "geese" not in rows(chat.app)
        await chat.press("ctrl+a", "ctrl+c", "enter")
        assert "geese" not in chat.clipboard
        await chat.ready()
        assert chat.said == [("you", SAID)]
        assert not chat.composer.disabled
        await chat.say("Where was it?")
        await chat.answered(3)


async def test_escape_leaves_it_locked(locked: Path, open_chat: OpenChat) -> None:
    """RECALL-7: nothing is changed."""
    kept = (locked / "strata.db").read_bytes()
    async with open_chat() as chat:
        await chat.over(UnlockScreen)
        await typed(chat, "half a")
        await chat.press("escape")
        await chat.until(lambda: chat.app._exit)
    assert (locked / "strata.db").read_bytes() == kept


async def test_what_is_typed_too_early_is_not_shown(locked: Path, open_chat: OpenChat) -> None:
    """RECALL-7: it may be the passphrase; it waits for the question."""
    async with open_chat() as chat:
        assert chat.composer.disabled
        await chat.over(UnlockScreen)
        assert chat.composer.text == ""


async def test_the_environment_opens_it(locked: Path, open_chat: OpenChat) -> None:
    """RECALL-7: nobody is asked."""
    environment = {passphrases.VARIABLE: PASSPHRASE}
    passphrases.take_passphrases(environment)
    assert environment == {}
    async with open_chat() as chat:
        await chat.ready()
        assert chat.said == [("you", SAID)]


async def test_a_new_directory_gets_a_passphrase(data: Path, open_chat: OpenChat) -> None:
    """RECALL-7: typed twice, long enough, before anything is written."""
    async with open_chat(privacy__encryption="passphrase") as chat:
        screen = await chat.over(UnlockScreen)
        for first, again, problem in (
            ("abc", "abc", "8 characters"),
            (PASSPHRASE, "seven grey goose", "different"),
        ):
            await typed(chat, first)
            await chat.press("enter")
            await typed(chat, again)
            await chat.press("enter")
            await chat.until(lambda: problem in rows(chat.app))  # noqa: B023
            assert [field.value for field in screen.query(Input)] == ["", ""]
        await typed(chat, PASSPHRASE)
        await chat.press("enter")
        await typed(chat, PASSPHRASE)
        await chat.press("enter")
        await chat.ready()
        await chat.say(SAID)
        await chat.answered(2)
        assert b"heron" not in every_byte(data)
    assert is_encrypted(data)
    assert b"heron" not in every_byte(data)


@pytest.mark.parametrize("size", [(80, 24), (30, 8), (20, 5)])
async def test_on_small_terminals(size: tuple[int, int]) -> None:
    """VIEW-1: the field, what was wrong, and the way out."""

    async def attempt(_: str) -> str:
        return "No."

    app = Stand()
    async with app.run_test(size=size) as pilot:
        ended: asyncio.Future[bool | None] = asyncio.get_running_loop().create_future()
        await app.push_screen(UnlockScreen(attempt), ended.set_result)
        await pilot.press("a", "enter")
        await pilot.pause(0.1)
        assert "No." in rows(app)
        await pilot.press("escape")
        assert await ended is False
