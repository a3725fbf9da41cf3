"""CHAT-3: a model is fetched beside the chat; it can be stopped, and goes on where it was."""

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.host.catalogue import CatalogueEntry
from app.host.errors import NoSpace
from app.host.install import Progress
from app.host.store import ModelStore
from app.offers.download import Arrived, Downloads, DownloadStopped
from tests.chat.test_choice import pretend_installed

LIGHT = "embedded/smollm2-135m"
Report = Callable[[Progress], None]


class Installer:
    """Takes the place of the real one, whose own tests are elsewhere; a megabyte a step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.here: dict[str, int] = {}
        self.began: list[tuple[str, int]] = []
        self.at_once = 0
        self.most_at_once = 0
        self.held = threading.Event()
        self.failure: Exception | None = None

    def __call__(self, entry: CatalogueEntry, store: ModelStore, report: Report) -> Path:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            return self.install(entry, store, report)
        finally:
            self.at_once -= 1

    def install(self, entry: CatalogueEntry, store: ModelStore, report: Report) -> Path:
        self.began.append((entry.name, self.here.get(entry.name, 0)))
        while self.here.get(entry.name, 0) < entry.size:
            done = min(entry.size, self.here.get(entry.name, 0) + 1_000_000)
            self.here[entry.name] = done
            while True:
                report(Progress(entry.name, "downloading", done, entry.size))
                if not self.held.is_set() or done < entry.size // 2:
                    break
                time.sleep(0.01)
            if self.failure is not None and done >= entry.size // 2:
                raise self.failure
        report(Progress(entry.name, "checking", entry.size, entry.size))
        pretend_installed(self.folder, entry.name)
        return store.path(entry)


@pytest.fixture
def installer(tmp_path: Path) -> Installer:
    return Installer(tmp_path)


@pytest.fixture
def downloads(tmp_path: Path, installer: Installer) -> Downloads:
    return Downloads(ModelStore(tmp_path / "models"), installer)


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not true():  # noqa: ASYNC110 - what is waited for happens in a thread
            await asyncio.sleep(0.01)


async def test_a_model_comes_with_the_one_that_finds_passages(
    downloads: Downloads, installer: Installer
) -> None:
    """CHAT-3, RECALL-2."""
    download = downloads.start(LIGHT)
    assert downloads.start(LIGHT) is download
    await download.wait()
    assert [name for name, _ in installer.began] == ["smollm2-135m", "all-minilm-l6-v2"]
    assert download.arrived.done == download.arrived.total == download.total
    assert downloads.running is None


async def test_the_screen_is_never_held_up(downloads: Downloads, installer: Installer) -> None:
    """ALL-7: the installation blocks a thread, not the event loop."""
    installer.held.set()
    download = downloads.start(LIGHT)
    longest = 0.0
    for _ in range(50):
        began = time.monotonic()
        await asyncio.sleep(0.005)
        longest = max(longest, time.monotonic() - began)
    assert longest < 5
    assert 0 < download.arrived.done < download.total
    await downloads.close()
    assert installer.at_once == 0


async def test_it_stops_at_once_and_goes_on_later(
    downloads: Downloads, installer: Installer
) -> None:
    """CHAT-3: with what has come; never two at once for one model."""
    installer.held.set()
    download = downloads.start(LIGHT)
    await until(lambda: installer.here.get("smollm2-135m", 0) > 40_000_000)
    download.stop()
    with pytest.raises(DownloadStopped):
        await download.wait()
    again = downloads.start(LIGHT)
    assert again is not download
    installer.held.clear()
    await again.wait()
    assert installer.began[1][1] > 40_000_000
    assert installer.most_at_once == 1


async def test_whoever_stops_waiting_stops_nothing_else(
    downloads: Downloads, installer: Installer
) -> None:
    """CHAT-3: the screen may be closed while it goes on."""
    installer.held.set()
    download = downloads.start(LIGHT)
    waiting = asyncio.create_task(download.wait())
    await asyncio.sleep(0.05)
    waiting.cancel()
    installer.held.clear()
    await download.wait()


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (NoSpace("The disk is full.", "Make room."), "The disk is full. Make room."),
        (RuntimeError("secret detail"), r"The download failed \(RuntimeError\). Try again."),
    ],
)
async def test_a_failure_is_told_in_plain_words(
    downloads: Downloads, installer: Installer, failure: Exception, told: str
) -> None:
    """ALL-2."""
    installer.failure = failure
    with pytest.raises(Exception, match=told):
        await downloads.start(LIGHT).wait()
    installer.failure = None
    await downloads.start(LIGHT).wait()


async def test_the_chat_does_not_wait_for_what_it_does_not_need(
    downloads: Downloads, installer: Installer, tmp_path: Path
) -> None:
    """CHAT-3: without the second model the first one answers all the same."""
    pretend_installed(tmp_path, "light")
    installer.failure = NoSpace("The disk is full.", "Make room.")
    await downloads.start(LIGHT).wait()
    assert [name for name, _ in installer.began] == ["all-minilm-l6-v2"]


def test_the_time_left() -> None:
    assert Arrived(400, 1000, 100.0).seconds_left == 6
    assert Arrived(400, 1000).seconds_left is None
