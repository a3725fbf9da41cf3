"""From the question which model shall answer to one that can be loaded: asked, fetched, kept."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from app.chat.choice import KEY
from app.choices import keep_choice
from app.host.store import ModelStore
from app.offers.download import Arrived, Download, Downloads, DownloadStopped
from app.offers.finding import find_offers
from app.screens.first import FirstScreen
from app.settings import Settings
from memory.errors import StrataError

LOGGER = logging.getLogger("strata.screen")
LOOK_SECONDS = 0.5

Ask = Callable[[FirstScreen], Awaitable[str | None]]


class Chooser:
    """Lets the user choose a model, and fetches it in sight or beside the chat.

    Args:
        settings: The configuration.
        ask: Shows the screen and returns what it ends with.
        tell: Says in a few words how far a download beside the chat is; empty when it has ended.
        downloads: What is fetched; by default into the models' directory of the settings.
    """

    def __init__(
        self,
        settings: Settings,
        ask: Ask,
        tell: Callable[[str], None],
        downloads: Downloads | None = None,
    ) -> None:
        self._settings = settings
        self._ask = ask
        self._tell = tell
        self._downloads = downloads or Downloads(ModelStore(settings.paths.models.path))
        self._again = asyncio.Event()
        self._choosing = False

    @property
    def choosing(self) -> bool:
        """Whether the question is open, or what was chosen is still on its way."""
        return self._choosing

    def again(self) -> None:
        """Shows the screen again while a download goes on beside the chat."""
        self._again.set()

    async def choose(self) -> str | None:
        """Asks until a model can be loaded, and remembers it for the next start.

        Returns:
            Its canonical name, or None where the user wants to choose later.

        Raises:
            StrataError: It could not be fetched; asking again goes on where it stopped.
        """
        self._choosing = True
        try:
            name = await self._choose()
        finally:
            self._choosing = False
        if name is not None:
            self._keep(name)
        return name

    async def close(self) -> None:
        """Stops what is being fetched; what has come is kept."""
        await self._downloads.close()

    # -- inside

    async def _choose(self) -> str | None:
        while True:
            name = await self._shown()
            download = self._downloads.of(name) if name is not None else None
            if download is None or await self._arrived(download):
                return name

    async def _shown(self) -> str | None:
        offers = await find_offers(self._settings)
        kept = self._settings.model.name if KEY in self._settings.origins else None
        start, running = self._downloads.start, self._downloads.running
        return await self._ask(FirstScreen(offers, start, running, kept))

    async def _arrived(self, download: Download) -> bool:
        """Waits for a download beside the chat; False where the screen is wanted again."""
        self._again.clear()
        arriving = asyncio.ensure_future(download.wait())
        wanted = asyncio.ensure_future(self._again.wait())
        try:
            while not (arriving.done() or wanted.done()):
                self._tell(_told(download.arrived))
                await asyncio.wait(
                    {arriving, wanted},
                    timeout=LOOK_SECONDS,
                    return_when=asyncio.FIRST_COMPLETED,
                )
            if not arriving.done():
                return False
            await arriving
        except DownloadStopped:
            return False
        finally:
            self._tell("")
            for task in (arriving, wanted):
                task.cancel()
        return True

    def _keep(self, name: str) -> None:
        try:
            keep_choice(self._settings.paths.data.path, KEY, name)
        except StrataError as error:
            # The session itself remembers its model; only new ones will ask again.
            LOGGER.warning("%s", error)


def _told(arrived: Arrived) -> str:
    if arrived.checking:
        return "checking"
    share = 100 * arrived.done // arrived.total if arrived.total else 0
    return f"fetching {share} %"
