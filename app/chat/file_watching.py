"""Looks for memory files without ever waiting for a file system that hangs (PROMPT-2)."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from app.chat.file_finding import Seen, together
from memory.files import FoundFile

Look = Callable[[], tuple[Seen, ...]]
LIMIT_S = 2.0
"""Longest wait for a folder. A disk answers in a millisecond, a network in a tenth of a second."""
SILENT = "did not answer, so its memory files are not in the prompt"


class Watch:
    """Looks into several folders at once, each in a thread of its own.

    A folder that does not answer in time is not asked again before it has; until then its files
    stay as they were seen last.

    Args:
        looks: What looks into a folder, by the folder's name.
        limit_s: Longest wait for one of them, in seconds.
    """

    def __init__(self, looks: Sequence[tuple[str, Look]], limit_s: float = LIMIT_S) -> None:
        self._watched = [_Watched(name, look) for name, look in looks]
        self._limit_s = limit_s

    async def look(self) -> tuple[FoundFile, ...]:
        """The memory files there are now, as far as the folders answer.

        Raises:
            Exception: Looking failed in a way that nobody expects.
        """
        begun = [watched.begin() for watched in self._watched if watched.answer is None]
        if begun:
            await asyncio.wait(begun, timeout=self._limit_s)
        for watched in self._watched:
            watched.take()
        return together(seen for watched in self._watched for seen in watched.shown)


class _Watched:
    """A folder, and what was seen in it last."""

    def __init__(self, name: str, look: Look) -> None:
        self._name = name
        self._look = look
        self._seen: tuple[Seen, ...] | None = None
        self.answer: asyncio.Future[tuple[Seen, ...]] | None = None
        """The look that is under way."""

    @property
    def shown(self) -> tuple[Seen, ...]:
        """What is known of it."""
        if self._seen is None:
            return (Seen(FoundFile(self._name, note=SILENT)),)
        return self._seen

    def begin(self) -> "asyncio.Future[tuple[Seen, ...]]":
        """Begins to look."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[tuple[Seen, ...]] = loop.create_future()
        self.answer = answer

        def tell(seen: tuple[Seen, ...] | Exception) -> None:
            if answer.done():
                return
            if isinstance(seen, Exception):
                answer.set_exception(seen)
            else:
                answer.set_result(seen)

        def work() -> None:
            seen: tuple[Seen, ...] | Exception
            try:
                seen = self._look()
            except Exception as error:  # noqa: BLE001 - the rim of the thread: it is raised by who waits
                seen = error
            with suppress(RuntimeError):  # it took so long that the loop has ended meanwhile
                loop.call_soon_threadsafe(tell, seen)

        # A thread of its own: a pool's would keep the program from ending.
        threading.Thread(target=work, name="strata memory files", daemon=True).start()
        return answer

    def take(self) -> None:
        """Takes in what has come of a look; one that is still under way goes on."""
        if self.answer is not None and self.answer.done():
            answer, self.answer = self.answer, None
            self._seen = answer.result()
