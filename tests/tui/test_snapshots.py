"""VIEW-1, VIEW-8: every screen at three sizes and in both themes, as it has been looked at.

Pictures are text (see `tests.support.pictures`): some kilobytes where a drawing in SVG is a
hundred, and a change of a word or a colour is a line of a diff. When a screen is meant to look
different, `STRATA_PICTURES=write` takes the pictures anew; look at the screen before that is
kept. `STRATA_PICTURES_SVG=DIRECTORY` saves drawings of both themes there.
"""

import os
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from shutil import copytree
from threading import Event

import pytest
import pytest_asyncio
from textual.widgets import Input

from app.screens import calling, turns
from app.screens.recorded import speed
from app.settings import Settings
from app.start import Start
from app.tui import StrataApp
from memory.wish import Wish
from tests.support.misbehaving_server import MisbehavingServer
from tests.support.pictures import Row, cells, drawn, picture, words
from tests.support.still_clock import StillClock
from tests.tui.conftest import Chat, OpenChat, left
from tests.tui.shown_screens import SHOWN, Shown, talk_of_flats

pytestmark = pytest.mark.asyncio(loop_scope="session")
# Read once, since the environment of every test is emptied of them.
WRITE = os.environ.get("STRATA_PICTURES") == "write"
DRAWINGS = os.environ.get("STRATA_PICTURES_SVG", "")
PICTURES = Path(__file__).parent / "pictures"
SIZES = {"80x24": (80, 24), "120x40": (120, 40), "200x60": (200, 60)}
THEMES = ("strata-dark", "strata-light")
OPTIONS = {
    "memory__profile": "stress",
    "tools__offer": "none",
    "ui__reduced_motion": True,
    "ui__theme": THEMES[0],
}
"""Tools only where they are what is looked at: each word of a schema counts in the figures."""
PLACE = "on this machine"
AT_REST_S = 0.3
"""After so long nothing moves any more."""
LONGEST_S = 30.0
"""How long a screen may take to look as it should."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> StillClock:
    """Time stands still at two in the afternoon, and no cursor blinks."""
    monkeypatch.setattr(Input, "_restart_blink", lambda field: field._pause_blink(visible=True))
    return still(monkeypatch)


def still(patch: pytest.MonkeyPatch) -> StillClock:
    """A clock that stands still wherever time is seen."""
    from memory import recollecting
    from memory.compaction import summariser

    clock = StillClock(patch)
    clock.hold()
    # How long a turn takes is measured where a field has taken the clock already.
    patch.setattr(turns, "speed", lambda tokens, *_: speed(tokens, 1.9, 0.6))
    clock.step(turns, 0.0)
    clock.step(calling, 0.0)
    clock.step(summariser, 0.3)
    clock.step(recollecting, 0.2)
    return clock


@dataclass(frozen=True)
class Talked:
    """Where a conversation is kept, and when it ended."""

    place: Path
    at: datetime

    def put_into(self, data: Path, clock: StillClock) -> None:
        """Goes on from there in another data directory."""
        copytree(self.place, data)
        clock.forward(seconds=(self.at - clock.now).total_seconds())


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def talked(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Talked]:
    """A conversation, had once for all pictures that show it."""
    place = tmp_path_factory.mktemp("talked") / "data"
    with pytest.MonkeyPatch.context() as patch:
        clock = still(patch)
        await talk_of_flats(place, clock)
        yield Talked(place, clock.now)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SHOWN)
async def test_screen(
    name: str, size: str, open_chat: OpenChat, data: Path, clock: StillClock, talked: Talked
) -> None:
    """VIEW-1: the screen looks as it did when it was last looked at."""
    shown = SHOWN[name]
    if shown.talked:
        talked.put_into(data, clock)
    wish = Wish(label="the chat", read_only=shown.read_only)
    options = {**OPTIONS, "tools__offer": shown.tools}
    async with open_chat(shown.model, size=SIZES[size], wish=wish, **options) as chat:
        await opened(chat, shown)
        await shown.act(chat)
        await compare(chat, f"{name}.{size}")


@pytest.mark.parametrize("size", SIZES)
async def test_an_answer_on_its_way(
    size: str,
    open_chat: OpenChat,
    data: Path,
    clock: StillClock,
    talked: Talked,
    server: MisbehavingServer,
) -> None:
    """VIEW-1: an answer grows below the question; figures and core count it already."""
    talked.put_into(data, clock)
    async with open_chat("held", size=SIZES[size], **OPTIONS) as chat:
        await opened(chat, SHOWN["chat-talked"])
        with server.holding():
            await chat.say("Count to three hundred.")
            await chat.until(lambda: any("w149" in row for row in chat.seen))
            await compare(chat, f"chat-answering.{size}")
        await chat.answered(16)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.usefixtures("open_chat")
async def test_nothing_jumps_when_memory_has_opened(
    size: str,
    settings_for: Callable[..., Settings],
    data: Path,
    clock: StillClock,
    talked: Talked,
) -> None:
    """VIEW-1: what can be read at once stays in its place; the rest comes beside it."""
    talked.put_into(data, clock)
    settings, seen_at_once = settings_for(**OPTIONS), Event()
    start = Start.with_settings(settings, Wish(label="the chat"))

    def load() -> Settings:
        assert seen_at_once.wait(LONGEST_S)
        return settings

    app = StrataApp(replace(start, load=load))
    async with app.run_test(size=SIZES[size]) as pilot:
        chat = Chat(app, pilot)
        await chat.until(lambda: chat.messages)
        # Some hundredths of a second later it stands there as Markdown.
        await chat.until(lambda: not app._chat._glance.waiting)
        before = words(await in_theme(chat, THEMES[0])).split("\n")
        seen_at_once.set()
        await chat.ready()
        after = words(await in_theme(chat, THEMES[0])).split("\n")
        await left(app)
    # The status line's right end tells more then.
    assert after[0].startswith(before[0].partition("  ")[0])
    pairs = zip(before[1:], after[1:], strict=True)
    assert [row for row, later in pairs if not later.startswith(row)] == []


async def test_there_is_no_picture_of_what_is_gone() -> None:
    """VIEW-1: each picture is one of a screen that is looked at."""
    names = [*SHOWN, "chat-answering"]
    wanted = {f"{name}.{size}.txt" for name in names for size in SIZES}
    assert {path.name for path in PICTURES.iterdir()} == wanted


async def opened(chat: Chat, shown: Shown) -> None:
    """Waits until the conversation is open and all of it is counted."""
    state = "read-only" if shown.read_only else "ready"
    await chat.until(lambda: chat.state == state)
    assert chat.app._chat.talk is not None
    await chat.app._chat.talk._memory.settled()
    # It is ready for a moment before it loads the model; then it is known where the model runs.
    await chat.until(lambda: chat.state == state and (shown.read_only or PLACE in chat.status))


async def compare(chat: Chat, name: str) -> None:
    """Compares the screen with its picture, or takes that anew once nothing moves any more."""
    path = PICTURES / f"{name}.txt"
    if WRITE:
        await chat.pilot.pause(AT_REST_S)
        path.parent.mkdir(exist_ok=True)
        path.write_text(await taken(chat), encoding="utf-8", newline="\n")
    if DRAWINGS:
        for theme in THEMES:
            await in_theme(chat, theme)
            chat.app.save_screenshot(f"{name}.{theme}.svg", DRAWINGS)
    wanted = path.read_text(encoding="utf-8")
    end = time.monotonic() + LONGEST_S
    while (seen := await taken(chat)) != wanted and time.monotonic() < end:
        await chat.pilot.pause(AT_REST_S)
    if seen != wanted:
        lines = unified_diff(
            wanted.split("\n"), seen.split("\n"), "wanted", "seen", n=0, lineterm=""
        )
        pytest.fail(f"{name} looks different:\n" + "\n".join(lines), pytrace=False)


async def taken(chat: Chat) -> str:
    """The screen in all themes."""
    return picture(*[await in_theme(chat, theme) for theme in THEMES])


async def in_theme(chat: Chat, theme: str) -> tuple[Row, ...]:
    """The screen in a theme, drawn twice alike."""
    chat.app.theme = theme
    before, now = None, drawn(chat.app)
    while before != now:
        await chat.pilot.pause(0.03)
        before, now = now, drawn(chat.app)
    return cells(now)
