"""Sessions on the screen: another one, a new one, one that is open elsewhere (STORE-5)."""

import sqlite3
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from app.chat.happenings import Happening
from app.screens import talk
from app.screens.held import HeldScreen
from memory.storage.failures import Conflict
from memory.wish import Wish
from tests.support.misbehaving_server import GOOD_ANSWER
from tests.tui.conftest import Chat, OpenChat, memory_in

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def asked(chat: Chat) -> str:
    """Waits for the question about a session that is held, and returns it."""
    await chat.until(lambda: isinstance(chat.app.screen, HeldScreen))
    await chat.until(lambda: chat.app.focused is not None)
    return "\n".join(str(w.render()) for w in chat.app.screen.query("Static").results())


async def test_a_held_session_is_read_only_by_the_safe_answer(
    open_chat: OpenChat, data: Path
) -> None:
    """STORE-5: Enter at once reads only; what the other process writes comes by itself."""
    async with memory_in(data, session="shared") as memory:
        await memory.add("user", "from the other side")
        async with open_chat(wish=Wish(session="shared")) as chat:
            assert "open in another test" in await asked(chat)
            await chat.press("enter")
            await chat.until(lambda: chat.state == "read-only")
            assert chat.composer.disabled
            assert chat.said == [("you", "from the other side")]
            await memory.add("assistant", "and an answer")
            await chat.until(lambda: chat.said[1:] == [("strata", "and an answer")])
            assert not memory.read_only


async def test_a_held_session_can_be_taken_over(open_chat: OpenChat, data: Path) -> None:
    """STORE-5: after asking; the other process can't write any more."""
    async with (
        memory_in(data, session="shared") as memory,
        open_chat(wish=Wish(session="shared")) as chat,
    ):
        await asked(chat)
        await chat.press("right", "enter")
        await chat.ready()
        await chat.say("mine now")
        await chat.answered(2)
        assert chat.said == [("you", "mine now"), ("strata", GOOD_ANSWER)]
        with pytest.raises(Conflict, match="taken this session over"):
            await memory.add("user", "too late")


@pytest.mark.parametrize("keys", [("left", "enter"), ("ctrl+q",)])
async def test_a_held_session_can_be_left_alone(
    open_chat: OpenChat, data: Path, keys: tuple[str, ...]
) -> None:
    """STORE-5: leaving is an answer too."""
    async with memory_in(data, session="shared") as memory:
        async with open_chat(wish=Wish(session="shared")) as chat:
            await asked(chat)
            await chat.press(*keys)
            await chat.until(lambda: not chat.app.is_running or chat.app._exit)
        assert not memory.read_only


async def test_being_taken_over_is_said_and_nothing_crashes(
    open_chat: OpenChat, data: Path
) -> None:
    """STORE-5: the chat goes on read-only, follows, and can take the session back."""
    async with open_chat(wish=Wish(session="shared", label="the chat")) as chat:
        await chat.ready()
        await chat.say("hello")
        await chat.answered(2)
        await chat.write("unsent")
        async with memory_in(data, session="shared", take_over=True) as memory:
            await memory.add("user", "taken")
            await chat.until(lambda: chat.state == "read-only")
            assert "taken this session over" in chat.notices
            await chat.until(lambda: ("you", "taken") in chat.said)
            assert chat.composer.text == "unsent"
            await memory.add("assistant", "followed")
            await chat.until(lambda: ("strata", "followed") in chat.said)
        await chat.press("ctrl+r")
        await chat.ready()
        await chat.press("enter")
        await chat.answered(6)
        assert chat.said[4:] == [("you", "unsent"), ("strata", GOOD_ANSWER)]


async def test_being_taken_over_in_mid_answer(open_chat: OpenChat, data: Path) -> None:
    """STORE-5, STORE-2: what had arrived belongs to the session still."""
    async with open_chat("slow", wish=Wish(session="shared")) as chat:
        await chat.ready()
        await chat.say("count")
        await chat.until(lambda: "w9" in "".join(chat.seen))
        async with memory_in(data, session="shared", take_over=True):
            await chat.until(lambda: chat.state == "read-only")
            await chat.until(lambda: len(chat.messages) == 2)
            assert chat.messages[-1].text.startswith("w0 w1 w2")
            assert chat.messages[-1].mark == "interrupted"


async def test_new_and_other_sessions(open_chat: OpenChat) -> None:
    """CHAT-3, CHAT-4: @new begins one with the model of now, @rename names it, @session opens."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.say("@rename first")
        await chat.until(lambda: chat.status.startswith("first"))
        await chat.say("in the first")
        await chat.answered(2)
        await chat.say("@model openai/echo")
        await chat.until(lambda: "openai/echo" in chat.status)
        await chat.say("@new")
        await chat.until(lambda: chat.messages == [] and chat.state == "ready")
        assert chat.status.startswith("session of")
        assert "openai/echo" in chat.status
        await chat.say("@session nowhere")
        await chat.until(lambda: "No session is named" in chat.notices)
        await chat.say("@session first")
        await chat.until(lambda: len(chat.messages) == 2)
        await chat.say("@sessions")
        await chat.until(lambda: "› first" in chat.notices)


async def test_a_question_without_an_answer_is_told(open_chat: OpenChat, data: Path) -> None:
    """STORE-2: after a kill before anything of the answer came, the way on is named."""
    async with memory_in(data, session="cut") as memory:
        await memory.add("user", "Are you there?", origin="user")
    async with open_chat(wish=Wish(session="cut")) as chat:
        await chat.ready()
        await chat.until(lambda: "Your last message was not answered. @retry" in chat.notices)
        await chat.say("@retry")
        await chat.answered(2)
    async with open_chat(wish=Wish(session="cut")) as chat:
        await chat.ready()
        assert "not answered" not in chat.notices


async def test_quit_is_a_command(open_chat: OpenChat) -> None:
    """CHAT-1: @quit leaves, as Ctrl+Q does."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.say("@quit")
        await chat.until(lambda: not chat.app.is_running or chat.app._exit)


@pytest.mark.parametrize("kind", ["damaged", "newer", "file"])
async def test_a_session_that_cannot_be_opened(open_chat: OpenChat, data: Path, kind: str) -> None:
    """STORE-4, ALL-2: a sentence and two ways on; what was typed waits and is sent."""
    spoil(data, kind)
    async with open_chat() as chat:
        await chat.write("typed early")
        await chat.until(lambda: chat.state == "not open")
        assert str(data) in chat.notices
        assert "Traceback" not in chat.notices
        await chat.press("enter")
        await chat.until(lambda: "Not sent" in chat.hint)
        aside = data.rename(data.with_name("aside"))
        await chat.press("ctrl+r")
        await chat.answered(2)
        assert chat.said[0] == ("you", "typed early")
        assert aside.exists()


def spoil(data: Path, kind: str) -> None:
    if kind == "file":
        data.write_text("in the way")
        return
    data.mkdir()
    if kind == "damaged":
        (data / "strata.db").write_bytes(b"no database" * 99)
        return
    with sqlite3.connect(data / "strata.db") as connection:
        connection.execute("PRAGMA user_version = 9999")
        connection.execute("CREATE TABLE future (x)")
    connection.close()


async def test_an_unknown_theme_is_said_and_the_chat_opens(open_chat: OpenChat) -> None:
    """VIEW-8: a mistake in the configuration costs no chat."""
    async with open_chat(ui__theme="sepia") as chat:
        await chat.ready()
        assert "There is no theme sepia" in chat.notices
    async with open_chat(ui__theme="textual-light") as chat:
        await chat.ready()
        assert chat.app.theme == "textual-light"
        assert chat.notices == ""


async def test_keys_come_from_the_configuration(open_chat: OpenChat) -> None:
    """CHAT-7: a key is changed by the name of what it does."""
    async with open_chat(ui__keys={"composer.send": "f20", "composer.newline": "enter"}) as chat:
        await chat.ready()
        await chat.press("a", "enter", "b", "f20")
        await chat.answered(2)
        assert chat.said[0] == ("you", "a\nb")


async def test_what_goes_wrong_inside_is_one_sentence(
    open_chat: OpenChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-2: no traceback on the screen, and the next message works."""

    def broken(*_: object) -> AsyncGenerator[Happening, None]:
        raise ZeroDivisionError

    async with open_chat() as chat:
        await chat.ready()
        with monkeypatch.context() as patch:
            patch.setattr(talk, "say", broken)
            await chat.say("hello")
            await chat.until(lambda: "Something went wrong inside Strata" in chat.notices)
        assert chat.composer.text == "hello"
        await chat.press("enter")
        await chat.answered(2)
