"""Fetches a model beside the chat: in a thread, in sight, stopped and continued (CHAT-3)."""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.host.catalogue import CatalogueEntry, find
from app.host.errors import InstallFailed
from app.host.install import Progress, install
from app.host.store import ModelStore
from app.offers.finding import fetched_bytes, wanted_for
from memory.errors import StrataError

SPEED_SECONDS = 5.0
"""What the speed shown is the mean of."""
CLOSE_SECONDS = 1.0

Install = Callable[[CatalogueEntry, ModelStore, Callable[[Progress], None]], Path]


class _StopWanted(Exception):
    """Leaves an installation from within."""


class DownloadStopped(StrataError):
    """The user stopped a download; what had come is kept."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """How far a download is.

    Args:
        done: Bytes that are here.
        total: Bytes in all.
        speed: Bytes a second lately; 0 where nothing comes.
        checking: Whether all is here and is being checked.
    """

    done: int
    total: int
    speed: float = 0.0
    checking: bool = False

    @property
    def seconds_left(self) -> float | None:
        """How long it still takes at this speed."""
        return (self.total - self.done) / self.speed if self.speed > 0 else None


class Download:
    """One chat model on its way here, and the model that finds passages by meaning with it.

    Begins when it is made; `arrived` may be read at any time.

    Args:
        model: A name of the catalogue.
        store: Where it belongs.
        after: An earlier download of the same model that is about to stop.
    """

    def __init__(
        self,
        model: str,
        store: ModelStore,
        *,
        installer: Install = install,
        after: "Download | None" = None,
    ) -> None:
        self.model = model
        self._entry = find(model)
        self._store = store
        self._installer = installer
        self._wanted = wanted_for(self._entry, store)
        self._samples: deque[tuple[float, int]] = deque()
        self._before = 0  # bytes of the parts that are complete
        self._stop = threading.Event()
        self._done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Who looks at it may have gone when it fails.
        self._done.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._loop = asyncio.get_running_loop()
        self._after = after
        self.total = sum(entry.size for entry in self._wanted)
        self._latest = sum(fetched_bytes(entry, store) for entry in self._wanted), False
        # Not of a pool, which would keep the program from ending.
        self._thread = threading.Thread(target=self._run, name="strata download", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether it is still on its way."""
        return not self._done.done()

    @property
    def arrived(self) -> Arrived:
        """How far it is now."""
        done, checking = self._latest
        now = time.monotonic()
        if not self._samples or done != self._samples[-1][1]:
            self._samples.append((now, done))
        while len(self._samples) > 1 and now - self._samples[0][0] > SPEED_SECONDS:
            self._samples.popleft()
        began, at_first = self._samples[0]
        passed = now - began
        speed = (done - at_first) / passed if passed > 0 else 0.0
        return Arrived(done, self.total, 0.0 if checking else max(0.0, speed), checking)

    async def wait(self) -> None:
        """Waits until the model is installed; whoever stops waiting stops nothing else.

        Raises:
            DownloadStopped: It was stopped.
            StrataError: It failed; what had come is kept.
        """
        await asyncio.shield(self._done)

    def stop(self) -> None:
        """Stops it within a moment; another download of the model goes on where this one ended."""
        self._stop.set()
        self._finish(DownloadStopped("The download was stopped; what had come is kept."))

    async def closed(self) -> None:
        """Stops it, and waits a moment for its processes to end."""
        self.stop()
        await asyncio.to_thread(self._thread.join, CLOSE_SECONDS)

    # -- in the thread

    def _run(self) -> None:
        if self._after is not None:
            self._after._thread.join()  # noqa: SLF001 - one of our own
        failure: StrataError | None = None
        try:
            for entry in self._wanted:
                self._installer(entry, self._store, self._progress)
                self._before += entry.size
        except _StopWanted:
            return
        except StrataError as error:
            # Without the second one the chat answers all the same; `strata doctor` names it.
            failure = None if self._store.installed(self._entry) else error
        except Exception as error:  # noqa: BLE001 - the rim of the thread: nobody else would tell
            failure = InstallFailed(f"The download failed ({type(error).__name__}).", "Try again.")
        with suppress(RuntimeError):  # the program has ended meanwhile
            self._loop.call_soon_threadsafe(self._finish, failure)

    def _progress(self, progress: Progress) -> None:
        if self._stop.is_set():
            raise _StopWanted
        self._latest = self._before + progress.done, progress.phase == "checking"

    def _finish(self, failure: StrataError | None) -> None:
        if self._done.done():
            return
        if failure is None:
            self._done.set_result(None)
        else:
            self._done.set_exception(failure)


class Downloads:
    """The downloads of one run: of each model one at a time.

    Args:
        store: Where models are kept.
    """

    def __init__(self, store: ModelStore, installer: Install = install) -> None:
        self._store = store
        self._installer = installer
        self._all: dict[str, Download] = {}

    def start(self, model: str) -> Download:
        """Begins to fetch a model, goes on with it, or returns the download that runs already."""
        before = self._all.get(model)
        if before is not None and before.running:
            return before
        download = Download(model, self._store, installer=self._installer, after=before)
        self._all[model] = download
        return download

    def of(self, model: str) -> Download | None:
        """The last download of a model."""
        return self._all.get(model)

    @property
    def running(self) -> Download | None:
        """One that is on its way."""
        return next((each for each in self._all.values() if each.running), None)

    async def close(self) -> None:
        """Stops all of them."""
        await asyncio.gather(*(each.closed() for each in self._all.values()))
