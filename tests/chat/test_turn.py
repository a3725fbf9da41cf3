"""ALL-2, STORE-2: what is left of a turn that fails in its middle."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from app.backend.client import Backend
from app.backend.protocol import (
    Attempt,
    CompletionRequest,
    Delta,
    RequestCount,
    Retrying,
    StreamEvent,
)
from app.chat.asking import Asking
from app.chat.happenings import AnswerGrew, Asked, Failed
from app.chat.turn import respond
from memory.events import Message, RequestEnded
from memory.memory import Memory
from memory.storage.database import Database
from tests.memory.doubles import opened

ASKING = Asking("openai/any", timeout_s=5, stall_s=5)


@dataclass
class FillsTheDisk:
    """A backend whose stream is tried again, and says so just when the disk is full.

    There is room again once the stream is closed.
    """

    memory: Memory

    async def count_request(self, *_: object, **__: object) -> RequestCount:
        """Nobody can tell."""
        return RequestCount(None, exact=False)

    async def complete(self, request: CompletionRequest) -> AsyncGenerator[StreamEvent, None]:
        """Half a sentence, then an attempt that can't be recorded."""
        yield Attempt(1, request.model)
        yield Delta("This much came")
        await self._limit_pages((await self._database.all("PRAGMA page_count"))[0][0])
        try:
            yield Retrying(1, 0.0, "The server is busy. " * 10_000)
        finally:
            await self._limit_pages(1_000_000)

    @property
    def _database(self) -> Database:
        return self.memory._journal.database

    async def _limit_pages(self, pages: int) -> None:
        await self._database.all(f"PRAGMA max_page_count = {pages}")


async def test_a_disk_that_is_full_in_mid_stream_ends_the_turn_like_any_failure(
    tmp_path: Path,
) -> None:
    """ALL-2, STORE-2: what had arrived is a message, marked, and the attempt is recorded."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Well?")
        backend = cast(Backend, FillsTheDisk(memory))
        happened = [h async for h in respond(memory, backend, ASKING, asyncio.Event())]

        asked, grew, failure = happened
        assert isinstance(asked, Asked)
        assert isinstance(grew, AnswerGrew)
        assert isinstance(failure, Failed)
        assert failure.kind == "DiskFull"
        assert failure.kept is not None
        assert (failure.kept.content, failure.kept.interrupted) == ("This much came", True)
        message, attempt = [recorded.event for recorded in await memory.log()][-2:]
        assert isinstance(message, Message)
        assert isinstance(attempt, RequestEnded)
        assert (attempt.outcome, attempt.error) == ("failed", "DiskFull")
        assert await memory._journal.drafts.orphan() is None
