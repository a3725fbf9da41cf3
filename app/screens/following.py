"""A session that another process writes, shown as it grows (STORE-5)."""

import asyncio

from app.screens.paging import Paging
from memory.events import Message, Recorded, RequestEnded
from memory.work_events import ToolExecuted
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
        results = dict[int, tuple[Block, Recorded]]()
        while True:
            recorded = await self._news.get()
            event = recorded.event
            if isinstance(event, RequestEnded) and event.request in answers:
                # The figures of an answer come after it.
                await self._show_again(*answers.pop(event.request), recorded)
                continue
            if isinstance(event, ToolExecuted) and event.number in results:
                await self._show_again(*results.pop(event.number), recorded)
                continue
            for entry in await self._paging.entries([recorded]):
                block = self._transcript.add(entry)
                if isinstance(event, Message) and event.request is not None:
                    answers[event.request] = block, recorded
                elif isinstance(event, Message) and event.ref.role == "tool":
                    results[event.ref.number] = block, recorded

    async def _show_again(self, block: Block, recorded: Recorded, later: Recorded) -> None:
        """Shows a message with the figures that came after it."""
        for entry in await self._paging.entries([recorded, later]):
            self._transcript.replace(block, entry)
