"""What the tests of the screen share: one backend, one server, and a chat to drive."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
import pytest_asyncio
from textual.pilot import Pilot
from textual.screen import Screen

from app.backend.client import Backend
from app.backend.protocol import BackendSettings
from app.lab.play import Play
from app.screens.chat import ChatScreen
from app.settings import Settings, load_settings
from app.start import Start
from app.tui import StrataApp
from memory import Memory
from memory.parts import Role
from memory.wish import Wish
from tests.support.misbehaving_server import MisbehavingServer
from widgets.composer import Composer
from widgets.core.core import Core
from widgets.entries import MarkEntry, MessageEntry, NoticeEntry
from widgets.gauge import Gauge
from widgets.hint_line import HintLine
from widgets.panes.column import Panes
from widgets.status_line import StatusLine
from widgets.transcript import Transcript

LONGEST_S = 120.0
AnyScreen = TypeVar("AnyScreen", bound=Screen[Any])


@dataclass
class Chat:
    """A running chat, and what a user sees of it."""

    app: StrataApp
    pilot: Pilot[None]

    @property
    def composer(self) -> Composer:
        return self._chat_screen.query_one(Composer)

    @property
    def transcript(self) -> Transcript:
        return self._chat_screen.query_one(Transcript)

    @property
    def core(self) -> Core:
        return self._chat_screen.query_one(Core)

    @property
    def panes(self) -> Panes:
        return self._chat_screen.query_one(Panes)

    @property
    def screen(self) -> Screen[Any]:
        """What lies on top: the chat, or a screen over it."""
        return self.app.screen

    @property
    def clipboard(self) -> str:
        """What the terminal was asked to keep."""
        return self.app.clipboard

    @property
    def state(self) -> str:
        return self._chat_screen.query_one(StatusLine).view.state

    @property
    def status(self) -> str:
        return self._chat_screen.query_one(StatusLine).line

    @property
    def gauge(self) -> str:
        return self._chat_screen.query_one(Gauge).line

    @property
    def hint(self) -> str:
        return self._chat_screen.query_one(HintLine).line

    @property
    def messages(self) -> list[MessageEntry]:
        return [e for e in self.transcript.entries if isinstance(e, MessageEntry)]

    @property
    def said(self) -> list[tuple[str, str]]:
        return [(entry.speaker, entry.text) for entry in self.messages]

    @property
    def notices(self) -> str:
        entries = self.transcript.entries
        return "\n".join(e.text for e in entries if isinstance(e, NoticeEntry))

    @property
    def marks(self) -> list[str]:
        return [e.text for e in self.transcript.entries if isinstance(e, MarkEntry)]

    @property
    def seen(self) -> list[str]:
        """The rows of the transcript that are in sight."""
        transcript = self.transcript
        lines = [transcript.render_line(y).text for y in range(transcript.size.height)]
        return [line[1:].rstrip() for line in lines]

    async def until(self, what: Callable[[], Any], seconds: float = LONGEST_S) -> None:
        """Waits until `what` holds."""
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end, self.told()
            await self.pilot.pause(0.01)

    async def ready(self) -> None:
        await self.until(lambda: self.state == "ready")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def write(self, text: str) -> None:
        """Puts a text into the composer as a paste does."""
        self.composer.insert(text)
        await self.pilot.pause()

    async def over(self, kind: type[AnyScreen]) -> AnyScreen:
        """Waits until a screen lies over the chat and has its keys."""
        await self.until(lambda: isinstance(self.screen, kind) and self.screen.is_current)
        await self.pilot.pause()
        screen = self.screen
        assert isinstance(screen, kind)
        return screen

    async def say(self, text: str) -> None:
        """Writes a text and sends it."""
        await self.write(text)
        await self.press("enter")

    async def answered(self, number: int) -> None:
        """Waits until message `number` has come and nothing is on its way."""
        await self.until(lambda: self.messages and self.messages[-1].number >= number)
        await self.ready()

    def told(self) -> str:
        """What the screen shows, for a test that failed."""
        entries = "\n".join(map(str, self.transcript.entries))
        return f"{self.status}\n{entries}\n{self.gauge}\n{self.composer.text}\n{self.hint}"

    @property
    def _chat_screen(self) -> ChatScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, ChatScreen)
        return screen


OpenChat = Callable[..., AbstractAsyncContextManager[Chat]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server() -> AsyncIterator[MisbehavingServer]:
    async with MisbehavingServer() as server:
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def backend(
    server: MisbehavingServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Backend]:
    """One real backend for all tests here; each would need seconds for its own."""
    root = tmp_path_factory.mktemp("backend")
    environment = {"OPENAI_API_KEY": "sk-test-key-of-the-screen-tests"}
    settings = BackendSettings(root, root / "models", server.api_base, environment=environment)
    backend = await Backend.start(settings)
    yield backend
    await backend.close()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def settings_for(data: Path) -> Callable[..., Settings]:
    """Settings with a model of the server and any other key, dots written as two underscores.

    Without a model they are those of somebody who has configured none.
    """

    def make(model: str | None = "good", **options: Any) -> Settings:
        given = {key.replace("__", "."): value for key, value in options.items()}
        if model is not None:
            given = {"model.name": f"openai/{model}", **given}
        return load_settings(given, data=str(data))

    return make


@pytest.fixture
def open_chat(
    settings_for: Callable[..., Settings], backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> OpenChat:
    """Opens the chat on a screen of 80 columns and 24 rows, and leaves it as Ctrl+Q does."""
    from app.screens import sitting

    class Shared:
        """The backend of all tests; closing it is not the chat's affair here."""

        @classmethod
        async def start(cls, _: BackendSettings) -> Backend:
            return backend

    async def stay_open() -> None:
        return None

    monkeypatch.setattr(sitting, "Backend", Shared)
    monkeypatch.setattr(backend, "close", stay_open)

    @asynccontextmanager
    async def open_it(
        model: str | None = "good",
        *,
        size: tuple[int, int] = (80, 24),
        wish: Wish | None = None,
        settings: Settings | None = None,
        play: Play | None = None,
        **options: Any,
    ) -> AsyncIterator[Chat]:
        settings = settings or settings_for(model, **options)
        app = StrataApp(Start.with_settings(settings, wish or Wish(label="the chat"), play))
        async with app.run_test(size=size) as pilot:
            yield Chat(app, pilot)
            await left(app)

    return open_it


async def left(app: StrataApp) -> None:
    """Leaves the chat and waits until its session is closed."""
    task = app._chat._conversing
    assert task is not None
    if not task.done():
        await app.action_quit()
        await asyncio.wait({task}, timeout=LONGEST_S)
    assert task.done()


async def fill(memory: Memory, messages: int, text: str) -> None:
    """Adds messages of the user and the model by turns, each with its number and `text`."""
    roles: tuple[Role, Role] = ("assistant", "user")
    for number in range(1, messages + 1):
        await memory.add(roles[number % 2], f"message number {number} {text}")


@asynccontextmanager
async def memory_in(data: Path, **wish: Any) -> AsyncIterator[Memory]:
    """The session in a data directory, as another process opens it."""
    wish.setdefault("label", "another test")
    async with Memory.open(data, wish=replace(Wish(), **wish)) as memory:
        yield memory
