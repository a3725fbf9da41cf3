"""CHAT-3: the first start asks once which model shall answer, and fetches it in sight."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Button, OptionList, Static

from app.chat.choice import chosen_model, needs_choice
from app.host.catalogue import find
from app.host.errors import NoSpace
from app.host.store import ModelStore
from app.offers.download import Arrived, Downloads, DownloadStopped
from app.offers.offer import Offer, Offers
from app.screens.choosing import Chooser
from app.screens.first import FirstScreen
from app.screens.first_rows import arrived_words, bar, best, facts_of, offer_rows
from app.settings import load_settings
from memory.errors import StrataError
from tests.offers.test_download import Installer, until
from tests.support.fake_ollama import FakeOllama, fake_ollama
from themes import strata

DEFAULT = Offer(
    model="embedded/qwen2.5-coder-1.5b",
    title="Qwen2.5-Coder-1.5B-Instruct",
    place="download",
    runs="on this machine",
    good_for="Chat, code and summaries on an ordinary machine; needs about 2 GB of memory.",
    licence="Apache-2.0",
    size=1_140_715_634,
)
LIGHT = replace(DEFAULT, model="embedded/smollm2-135m", title="SmolLM2-135M-Instruct", size=10**8)
LLAMA = Offer(
    "ollama_chat/llama3.2:3b",
    "llama3.2:3b",
    "ollama",
    "Ollama on this machine",
    "3.2B parameters",
    size=2_019_393_189,
)
CLAUDE = Offer("anthropic/claude-sonnet-5", "claude-sonnet-5", "hosted", "Anthropic")
FEW = Offers((LLAMA, DEFAULT, LIGHT, CLAUDE), "http://127.0.0.1:11434")
MANY = Offers(
    (*(replace(LLAMA, model=f"ollama_chat/m{n}", title=f"m{n}") for n in range(50)), CLAUDE),
    "http://127.0.0.1:11434",
    9_950,
)


@dataclass
class Coming:
    """A download that the test moves."""

    model: str = DEFAULT.model
    arrived: Arrived = field(default_factory=lambda: Arrived(412_000_000, DEFAULT.size, 8_300_000))
    ended: asyncio.Future[None] = field(default_factory=asyncio.Future)

    async def wait(self) -> None:
        await asyncio.shield(self.ended)

    def stop(self) -> None:
        self.ended.set_exception(DownloadStopped("Stopped."))


class Stand(App[None]):
    """An application with a conversation under the screen."""

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(strata.DARK)
        self.theme = strata.DARK.name
        self.answers: list[str | None] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return strata.stratum_variables(self.current_theme.dark)

    def compose(self) -> ComposeResult:
        yield Static("the conversation")

    async def ask(self, screen: FirstScreen) -> str | None:
        """What the chat does to ask."""
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        await self.push_screen(screen, answer.set_result)
        return await answer


@dataclass
class Asked:
    """The question on the screen."""

    app: Stand
    pilot: Pilot[None]
    answer: asyncio.Future[str | None]

    @property
    def rows(self) -> str:
        """What the screen shows, as text."""
        screen = self.app.screen
        lines = screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in lines)

    async def until(self, true: Callable[[], Any]) -> None:
        async with asyncio.timeout(120):
            while not true():
                await self.pilot.pause(0.02)


@asynccontextmanager
async def asked(
    offers: Offers = FEW,
    start: Callable[[str], Coming] | None = None,
    *,
    size: tuple[int, int] = (80, 24),
    running: Coming | None = None,
) -> AsyncIterator[Asked]:
    app = Stand()
    async with app.run_test(size=size) as pilot:
        answer: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        screen = FirstScreen(offers, start or Coming, running)
        await app.push_screen(screen, answer.set_result)
        await pilot.pause(0.1)
        yield Asked(app, pilot, answer)


# -- the question


async def test_the_safe_answer_stands_first_and_has_the_focus() -> None:
    """CHAT-3: Enter takes a model that runs here; what leaves the machine is said to."""
    async with asked() as question:
        assert isinstance(question.app.focused, OptionList)
        rows = question.rows
        assert "▸ llama3.2:3b  2.0 GB · 3.2B parameters" in rows
        assert "Qwen2.5-Coder-1.5B-Instruct  1.1 GB download · Apache-2.0" in rows
        assert "elsewhere: what you write is sent there" in rows
        assert "claude-sonnet-5  Anthropic" in rows
        assert "@model NAME" in rows
        assert "config.toml" in rows
        await question.pilot.press("enter")
        assert await question.answer == LLAMA.model


async def test_another_one_by_key() -> None:
    """CHAT-7: arrows and Enter; headings are passed over."""
    async with asked() as question:
        await question.pilot.press("up")
        assert "▸ claude-sonnet-5" in question.rows
        assert "▸ llama" not in question.rows
        await question.pilot.press("enter")
        assert await question.answer == CLAUDE.model


async def test_escape_means_later() -> None:
    """CHAT-3: nothing is chosen, the chat opens."""
    async with asked() as question:
        await question.pilot.press("escape")
        assert await question.answer is None


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (200, 60), (40, 12), (20, 5)])
@pytest.mark.parametrize("offers", [FEW, MANY, Offers()], ids=["few", "many", "none"])
async def test_every_size(size: tuple[int, int], offers: Offers) -> None:
    """VIEW-1: what can be chosen is in sight, and nothing is cut off from 80 by 24 on."""
    async with asked(offers, size=size) as question:
        rows = question.rows
        if offers.all:
            assert "▸ " in rows
        if size[0] >= 80:
            assert "Which model shall answer?" in rows
            assert "config.toml" in rows
            assert "esc later" in rows
        await question.pilot.resize_terminal(80, 24)
        await question.pilot.pause(0.1)
        assert "esc later" in question.rows
        await question.pilot.press("escape")
        assert await question.answer is None


async def test_what_was_begun_before_is_offered_first() -> None:
    """CHAT-3: the user has chosen it already."""
    begun = replace(DEFAULT, fetched=412_000_000)
    assert best(Offers((LLAMA, begun, CLAUDE))) == 1
    assert best(FEW, LIGHT.model) == 2
    assert facts_of(begun) == "1.1 GB download, 412 MB here · Apache-2.0"


def test_what_does_not_fit_is_not_recommended() -> None:
    """CHAT-3: it may be chosen all the same."""
    large = replace(DEFAULT, problem="needs 1.3 GB of memory, and 0.9 GB are available")
    assert best(Offers((large, LIGHT))) == 1
    assert best(Offers((large, CLAUDE))) == 0
    assert "It needs 1.3 GB" in offer_rows(large, [large], 80, marked=False).plain


def test_names_are_never_markup() -> None:
    """ALL-8: whatever a server calls its models."""
    evil = replace(LLAMA, title="[b]x[/b]\x1b[31m\u202e")
    assert "[b]x[/b]\\u202e" in offer_rows(evil, [evil], 80, marked=True).plain


# -- the download


async def test_a_download_goes_on_in_sight_and_the_chat_loads_it() -> None:
    """CHAT-3: bar, megabytes, speed; ends with the name when all is here."""
    coming = Coming()
    async with asked(Offers((DEFAULT,)), lambda model: coming) as question:
        await question.pilot.press("enter")
        await question.until(lambda: "36 %" in question.rows)
        assert "412 of 1,141 MB · 8.3 MB/s · 88 s left" in question.rows
        assert "Fetching Qwen2.5-Coder-1.5B-Instruct" in question.rows
        coming.arrived = Arrived(DEFAULT.size, DEFAULT.size, checking=True)
        await question.until(lambda: "being checked" in question.rows)
        assert not question.answer.done()
        coming.ended.set_result(None)
        assert await question.answer == DEFAULT.model


async def test_a_download_can_be_stopped_and_continued() -> None:
    """CHAT-3: back to the question, with what happened; choosing it again goes on."""
    begun: list[Coming] = []

    def start(model: str) -> Coming:
        begun.append(Coming(model))
        return begun[-1]

    async with asked(Offers((DEFAULT, CLAUDE)), start) as question:
        await question.pilot.press("enter")
        assert isinstance(question.app.focused, Button)
        await question.pilot.press("right", "enter")
        await question.until(lambda: "Stopped; what has come is kept." in question.rows)
        assert "Which model shall answer?" in question.rows
        await question.pilot.press("enter")
        assert [each.model for each in begun] == [DEFAULT.model] * 2
        begun[-1].ended.set_result(None)
        assert await question.answer == DEFAULT.model


@pytest.mark.parametrize("keys", [("enter",), ("escape",)])
async def test_one_can_write_meanwhile(keys: tuple[str, ...]) -> None:
    """CHAT-3: the chat is there, the download goes on without the screen."""
    coming = Coming()
    async with asked(running=coming) as question:
        await question.pilot.press(*keys)
        assert await question.answer == DEFAULT.model
        assert not coming.ended.done()


async def test_a_download_that_fails_says_why() -> None:
    """ALL-2: in one sentence, where the work was; others can be chosen."""
    coming = Coming()
    async with asked(Offers((DEFAULT, CLAUDE)), lambda model: coming) as question:
        await question.pilot.press("enter")
        coming.ended.set_exception(NoSpace("The disk is full.", "Make room and run it again."))
        await question.until(
            lambda: "The disk is full. Make room and run it again." in question.rows
        )
        await question.pilot.press("down", "enter")
        assert await question.answer == CLAUDE.model


async def test_a_download_on_a_very_small_terminal() -> None:
    """VIEW-1: the bar and the way out."""
    async with asked(running=Coming(), size=(20, 5)) as question:
        assert "36 %" in question.rows
        await question.pilot.press("escape")
        assert await question.answer == DEFAULT.model


def test_the_bar() -> None:
    assert bar(Arrived(0, 100), 27).plain == "░" * 20 + "   0 %"
    assert bar(Arrived(100, 100), 27).plain == "█" * 20 + "  100 %"
    assert bar(Arrived(7, 0), 5).plain.startswith("░")
    assert arrived_words(Arrived(412_000_000, 1_141_000_000)) == "412 of 1,141 MB"


# -- from the question to the choice that is kept


@pytest.fixture
def there(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOllama]:
    with fake_ollama() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.address)
        yield server


Answers = list[Callable[[FirstScreen], Awaitable[str | None]]]


@dataclass
class Choosing:
    """A chooser whose questions the test answers."""

    data: Path
    installer: Installer
    said: list[str] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)
    screens: list[FirstScreen] = field(default_factory=list)

    def chooser(self) -> Chooser:
        settings = load_settings(data=str(self.data), environment={})
        downloads = Downloads(ModelStore(self.data / "models"), self.installer)

        async def ask(screen: FirstScreen) -> str | None:
            self.screens.append(screen)
            answer = self.answers.pop(0)
            if answer == "fetch":
                screen._start(LIGHT.model)
                return LIGHT.model
            return answer  # type: ignore[no-any-return]

        return Chooser(settings, ask, self.said.append, downloads)


@pytest.fixture
def choosing(tmp_path: Path) -> Choosing:
    return Choosing(tmp_path, Installer(tmp_path))


def answers_next_time(data: Path) -> str:
    settings = load_settings(data=str(data), environment={})
    assert not needs_choice(settings, None)
    return chosen_model(settings, None)


async def test_what_was_chosen_holds_at_the_next_start(
    choosing: Choosing, there: FakeOllama
) -> None:
    """CHAT-3: asked once."""
    choosing.answers = ["ollama_chat/small"]
    assert await choosing.chooser().choose() == "ollama_chat/small"
    assert answers_next_time(choosing.data) == "ollama_chat/small"
    offered = [offer.model for offer in choosing.screens[0]._offers.at("ollama")]
    assert "ollama_chat/small" in offered


async def test_later_keeps_nothing(choosing: Choosing, there: FakeOllama) -> None:
    """CHAT-3: asked again next time, or when a message is sent."""
    choosing.answers = [None]
    chooser = choosing.chooser()
    assert await chooser.choose() is None
    assert not chooser.choosing
    assert not (choosing.data / "choices.toml").exists()


async def test_a_download_beside_the_chat(choosing: Choosing, there: FakeOllama) -> None:
    """CHAT-3: the status says how far it is; the screen comes back when it is wanted."""
    choosing.answers = ["fetch", LIGHT.model]
    choosing.installer.held.set()
    chooser = choosing.chooser()
    task = asyncio.create_task(chooser.choose())
    await until(lambda: any(said.startswith("fetching") for said in choosing.said))
    assert chooser.choosing
    assert not (choosing.data / "choices.toml").exists()
    chooser.again()
    await until(lambda: len(choosing.screens) == 2)
    assert choosing.screens[1]._download is not None
    choosing.installer.held.clear()
    assert await task == LIGHT.model
    assert choosing.said[-1] == ""
    assert answers_next_time(choosing.data) == LIGHT.model


async def test_a_failure_beside_the_chat(choosing: Choosing, there: FakeOllama) -> None:
    """ALL-2: told where the chat tells its problems; nothing is kept."""
    choosing.answers = ["fetch"]
    choosing.installer.failure = NoSpace("The disk is full.", "Make room.")
    with pytest.raises(StrataError, match="The disk is full"):
        await choosing.chooser().choose()
    assert not (choosing.data / "choices.toml").exists()


async def test_the_end_of_the_program_stops_a_download(
    choosing: Choosing, there: FakeOllama
) -> None:
    """CHAT-3: nothing goes on unseen; what has come is kept."""
    choosing.answers = ["fetch", None]
    choosing.installer.held.set()
    chooser = choosing.chooser()
    task = asyncio.create_task(chooser.choose())
    await until(lambda: choosing.installer.here.get(find("light").name, 0) > 0)
    await chooser.close()
    assert await task is None
    assert choosing.installer.at_once == 0
    assert choosing.installer.here[find("light").name] > 0
