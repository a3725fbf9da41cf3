"""A session that another process writes, shown as it grows (STORE-5)."""

import asyncio

from app.screens.paging import Paging
from memory.events import Message, Recorded, RequestEnded
from widgets.transcript import Block, Transcript


class Following:
    """Shows what is recorded elsewhere, in its order.

    Args:
        paging: Knows what events look like.
        transcript: Where they are shown.
    """

    def __init__(self, paging: Paging, transcript: Transcript) -> None:
        self._paging = paging
        self._transcript = transcript
        self._news: asyncio.Queue[Recorded] = asyncio.Queue()

    def begin(self) -> None:
        """Forgets what is shown already."""
        self._news = asyncio.Queue()

    def recorded(self, recorded: Recorded) -> None:
        """Takes in what was recorded."""
        self._news.put_nowait(recorded)

    async def run(self) -> None:
        """Shows it as it comes, for ever."""
        answers = dict[str, tuple[Block, Recorded]]()
        while True:
            recorded = await self._news.get()
            event = recorded.event
            if isinstance(event, RequestEnded) and event.request in answers:
                # The figures of an answer come after it.
                block, answer = answers.pop(event.request)
                for entry in await self._paging.entries([answer, recorded]):
                    self._transcript.replace(block, entry)
                continue
            for entry in await self._paging.entries([recorded]):
                block = self._transcript.add(entry)
                if isinstance(event, Message) and event.request is not None:
                    answers[event.request] = block, recorded
