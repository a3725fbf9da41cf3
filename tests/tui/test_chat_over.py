"""Sessions, palette, themes, the first start and the clipboard, on the real chat."""

import asyncio
import stat
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandList
from textual.widgets import Input

from app.offers.finding import providers
from app.palette import Palette
from app.screens.asking import Asking
from app.screens.first import FirstScreen
from app.screens.sessions import SessionsScreen
from app.screens.timeline import TimelineScreen
from app.settings import Settings, load_settings
from app.start import Start
from app.tui import StrataApp
from memory.wish import Wish
from tests.support.fake_ollama import FakeOllama, fake_ollama
from tests.support.misbehaving_server import GOOD_ANSWER, closed_port
from tests.support.misbehaviour import SCRIPTS, good
from tests.tui.conftest import Chat, OpenChat, left
from tests.tui.deeds import folded, said, three_sessions

pytestmark = pytest.mark.asyncio(loop_scope="session")


# -- the sessions


async def sessions(chat: Chat, number: int) -> SessionsScreen:
    await chat.press("ctrl+o")
    screen = await chat.over(SessionsScreen)
    await chat.until(lambda: len(screen._list.sessions) == number)
    return screen


async def test_the_open_session_is_deleted(open_chat: OpenChat, data: Path) -> None:
    """CHAT-4, STORE-3: a new one begins; the old one and its files are gone."""
    async with folded(data):
        pass
    async with open_chat() as chat:
        await chat.ready()
        await chat.say("@rename the doomed")
        await chat.until(lambda: chat.status.startswith("the doomed"))
        vault = {path for path in data.rglob("*") if path.suffix in (".json", ".md")}
        assert vault
        await sessions(chat, 1)
        await chat.press("delete")
        await chat.over(Asking)
        await chat.press("y")
        await chat.until(lambda: chat.status.startswith("session of") and chat.state == "ready")
        assert chat.messages == []
        assert [path for path in vault if path.exists()] == []
        screen = await sessions(chat, 1)
        assert screen._list.sessions[0].title is None
        await chat.press("escape")
        await chat.say("hello")
        await chat.answered(2)


async def test_another_session_is_opened_renamed_and_deleted(
    open_chat: OpenChat, data: Path
) -> None:
    """CHAT-4: each from the list; the status line and the conversation follow."""
    async with three_sessions(data), open_chat() as chat:
        await chat.ready()
        await sessions(chat, 3)
        await chat.press("ctrl+e", "end", *" boat", "enter")
        await chat.until(lambda: chat.status.startswith("newest boat"))
        await chat.press("down", "ctrl+e", "end", *" one", "enter")
        await chat.pilot.pause()
        await chat.press("enter")
        await chat.until(lambda: chat.status.startswith("middle one") and chat.state == "ready")
        assert chat.said[0] == ("you", "message number 1 of the middle")
        screen = await sessions(chat, 3)
        chosen = [s.title for s in screen._list.sessions].index("oldest")
        screen._list.choose(chosen)
        await chat.press("delete")
        await chat.over(Asking)
        await chat.press("y")
        await chat.until(lambda: len(screen._list.sessions) == 2)
        await chat.press("escape")
        assert chat.status.startswith("middle one")
        assert len(chat.messages) == 2


# -- the palette


async def find(chat: Chat, text: str, first: str) -> None:
    """Types into the palette and takes what comes first."""
    await chat.press("ctrl+p")
    palette = await chat.over(Palette)
    palette.query_one(Input).value = text
    listed = palette.query_one(CommandList)

    def found() -> bool:
        options = list(listed.options)
        return bool(options) and str(options[0].prompt).startswith(first)

    await chat.until(found)
    await chat.press("enter")
    await chat.until(lambda: chat.screen is not palette)


async def test_the_palette_does_all_kinds_of_things(open_chat: OpenChat, data: Path) -> None:
    """CHAT-7, VIEW-8: an action, a command, a theme, a session; a draft stays in its own."""
    async with three_sessions(data), open_chat() as chat:
        await chat.ready()
        await chat.write("draft")
        await find(chat, "look at the compactions", "Look at the compactions")
        await chat.over(TimelineScreen)
        await chat.press("escape")
        await find(chat, "@memory-status", "@memory-status")
        await chat.until(lambda: "Next prompt" in chat.notices)
        assert chat.composer.text == "draft"
        await find(chat, "theme strata-light", "Theme strata-light")
        await chat.until(lambda: chat.app.theme == "strata-light")
        await find(chat, "open middle", "Open middle")
        await chat.until(lambda: chat.status.startswith("middle") and chat.state == "ready")
        # It is kept in the session that it was begun in.
        await chat.until(lambda: not chat.composer.text)
    async with open_chat() as chat:
        await chat.ready()
        assert chat.app.theme == "strata-light"


# -- what was chosen holds at the next start


async def test_theme_and_model_hold_at_the_next_start(
    open_chat: OpenChat, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VIEW-8, CHAT-3: and what is configured goes before the theme that was chosen."""
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{closed_port()}")
    async with open_chat() as chat:
        await chat.ready()
        await chat.say("@theme strata-light")
        await chat.until(lambda: chat.app.theme == "strata-light")
        await chat.say("@model openai/echo")
        await chat.until(lambda: "openai/echo answers" in chat.notices)
    async with open_chat(None, wish=Wish(fresh=True)) as chat:
        await chat.ready()
        assert chat.app.theme == "strata-light"
        assert "openai/echo" in chat.status
        await chat.say("repeat me")
        await chat.answered(2)
        assert chat.said[-1] == ("strata", "repeat me")
    async with open_chat(ui__theme="nord") as chat:
        await chat.ready()
        assert chat.app.theme == "nord"


# -- the first start


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with no Ollama and no keyring."""
    monkeypatch.setenv("OLLAMA_HOST", f"127.0.0.1:{closed_port()}")
    monkeypatch.setattr("app.offers.finding.KEYRING_SECONDS", 0)


@pytest.mark.usefixtures("bare")
async def test_a_first_start_without_anything(open_chat: OpenChat) -> None:
    """CHAT-3: asked once; later means later, a message and Ctrl+R ask again, nothing is lost."""
    async with open_chat(None) as chat:
        screen = await chat.over(FirstScreen)
        assert {offer.place for offer in screen._offers.all} == {"download"}
        await chat.press("escape")
        await chat.until(lambda: chat.state == "no model yet")
        await chat.say("keep me")
        await chat.over(FirstScreen)
        await chat.press("escape")
        await chat.until(lambda: chat.composer.has_focus)
        assert chat.composer.text == "keep me"
        assert chat.messages == []
        assert "No model answers yet" in chat.hint
        await chat.press("ctrl+r")
        await chat.over(FirstScreen)
        await chat.press("escape")
        await chat.until(lambda: chat.composer.has_focus)
        assert chat.composer.text == "keep me"


@pytest.mark.usefixtures("bare")
async def test_a_hosted_model_is_chosen(
    open_chat: OpenChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-3: what was typed before is sent by itself, and the choice holds at the next start."""
    model = next(p.model for p in providers() if "OPENAI_API_KEY" in p.keys)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-key-of-the-screen-tests")
    monkeypatch.setitem(SCRIPTS, model.partition("/")[2], good)
    async with open_chat(None) as chat:
        await chat.over(FirstScreen)
        await chat.press("escape")
        await chat.say("hello")
        screen = await chat.over(FirstScreen)
        (hosted,) = screen._offers.at("hosted")
        assert hosted.model == model
        await chat.press("up", "enter")
        await chat.answered(2)
        assert chat.said == [("you", "hello"), ("strata", GOOD_ANSWER)]
        assert model in chat.status
    async with open_chat(None, wish=Wish(fresh=True)) as chat:
        await chat.ready()
        assert model in chat.status


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOllama]:
    with fake_ollama() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.address)
        monkeypatch.setattr("app.offers.finding.KEYRING_SECONDS", 0)
        yield server


@asynccontextmanager
async def chat_of_its_own(settings: Settings) -> AsyncIterator[Chat]:
    """A chat with a backend of its own, whose environment is that of the test."""
    app = StrataApp(Start.with_settings(settings, Wish(label="the chat")))
    async with app.run_test(size=(80, 24)) as pilot:
        yield Chat(app, pilot)
        await left(app)


async def test_a_model_of_ollama_is_chosen(there: FakeOllama, data: Path) -> None:
    """CHAT-3, ALL-3: offered first since it runs here, and answering."""
    async with chat_of_its_own(load_settings({}, data=str(data))) as chat:
        screen = await chat.over(FirstScreen)
        assert screen._offers.all[0].model == "ollama_chat/llama3.2:3b"
        await chat.press("enter")
        await chat.ready()
        assert "llama3.2:3b" in chat.status
        await chat.say("repeat me")
        await chat.answered(2)
        assert chat.said[-1][1].strip() == "repeat me"
        assert there.asked("/api/chat")


# -- the clipboard


@pytest.fixture
def clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Puts a tool in the system's place, which keeps what it gets and ends as it is told."""

    def make(end: str) -> Path:
        script, kept = tmp_path / "tool", tmp_path / "kept"
        lines = (
            f"#!{sys.executable}",
            "import pathlib, sys, time",
            f"pathlib.Path({str(kept)!r}).write_bytes(sys.stdin.buffer.read())",
            end,
        )
        script.write_text("\n".join(lines), encoding="utf-8")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setattr("app.clipboard.tool", lambda: (sys.executable, str(script)))
        return kept

    return make


@pytest.mark.parametrize(
    ("end", "claim"),
    [
        ("", "Copied the last answer ("),
        ("sys.exit(1)", "Handed to the terminal to copy: the last answer ("),
        ("time.sleep(30)", "Handed to the terminal to copy: the last answer ("),
    ],
    ids=["works", "fails", "hangs"],
)
async def test_success_is_claimed_only_where_a_tool_reports_it(
    open_chat: OpenChat,
    data: Path,
    clipboard: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    end: str,
    claim: str,
) -> None:
    """CHAT-5: the terminal is asked as well, whatever the tool does; one that hangs is ended."""
    kept = clipboard(end)
    tools: list[asyncio.subprocess.Process] = []
    start = asyncio.create_subprocess_exec

    async def noted(*command: str, **options: Any) -> asyncio.subprocess.Process:
        tools.append(await start(*command, **options))
        return tools[-1]

    monkeypatch.setattr("asyncio.create_subprocess_exec", noted)
    monkeypatch.setattr("app.clipboard.LONGEST_S", 1.0)
    async with said(2)(data), open_chat() as chat:
        await chat.ready()
        await chat.press("ctrl+g")
        await chat.until(lambda: claim in chat.hint)
        assert chat.clipboard.startswith("message number 2")
        await chat.until(lambda: kept.exists() and kept.read_text("utf-8") == chat.clipboard)
        assert [tool.returncode is None for tool in tools] == [False]


@pytest.mark.parametrize("tool", [None, ("/nowhere/clip",)])
async def test_without_a_tool_nothing_is_claimed(
    open_chat: OpenChat, data: Path, monkeypatch: pytest.MonkeyPatch, tool: Any
) -> None:
    """CHAT-5: the terminal is asked, and that is what is said."""
    monkeypatch.setattr("app.clipboard.tool", lambda: tool)
    async with said(2)(data), open_chat() as chat:
        await chat.ready()
        await chat.press("ctrl+g")
        await chat.until(lambda: "Handed to the terminal to copy: the last answer" in chat.hint)
        await chat.until(lambda: "Handed" not in chat.hint, seconds=10)
