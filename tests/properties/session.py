"""A session that a state machine drives, with all that may go wrong around it."""

import asyncio
import shutil
import tempfile
from collections.abc import Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from memory.config import MemoryConfig
from memory.errors import StrataError
from memory.events import ModelChosen, Recorded
from memory.memory import Memory
from memory.pieces import ChatMessage
from memory.protocols import Completion
from memory.wish import Wish
from tests.memory.doubles import DenseCounter, WordEmbedder, crash, dense_tokens

Result = TypeVar("Result")

IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where a thousand databases can be made without waiting for a disk."""
MANNERS = ("good", "long", "empty", "error", "refusal", "tool call", "raises", "cut off", "foreign")


class Killed(Exception):
    """Leaves the block of a session as no program would."""


@dataclass
class Moody:
    """A summariser in a manner of its own; closed, it stalls until it is opened."""

    name: str = "moody"
    context_window: int | None = 4_096
    manner: str = "good"
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: int = 0

    async def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, temperature: float
    ) -> Completion:
        """An answer in the present manner; what is asked must fit the window."""
        self.asked += 1
        size = sum(dense_tokens(message["content"]) + 4 for message in messages) + 3
        assert size + max_tokens <= (self.context_window or 8_192), temperature
        await self.gate.wait()
        match self.manner:
            case "raises":
                raise StrataError("The model is not there.")
            case "cut off":
                return Completion("Ada moved. Ben did not", cut_off=True)
        answers = {
            "good": f"Ada moved Falcon to Lisbon, step {self.asked}.",
            "long": "Ada moved Falcon to Lisbon, and said so again and again. " * 2_000,
            "empty": " \n",
            "error": "Error: 503 service unavailable",
            "refusal": "I'm sorry, but I can't help with that.",
            "tool call": '{"name": "read", "arguments": {}}',
            "foreign": "漢字で答えます。" * 12,
        }
        return Completion(answers[self.manner])


class Session:
    """Opens, closes and kills one session; runs everything in one event loop."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="strata-property-", dir=IN_MEMORY))
        self.loop = asyncio.new_event_loop()
        self.model: Moody | None = None
        self.counter: DenseCounter | None = None
        self.chat: ModelChosen | None = None
        self.embedder: WordEmbedder | None = None
        self.config = MemoryConfig()
        self.branch: str | None = None
        """The branch to open; the one used last without it."""
        self._block: Any = None
        self._memory: Memory | None = None

    @property
    def memory(self) -> Memory:
        """The open session."""
        assert self._memory is not None
        return self._memory

    def run(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Runs something to its end; nothing may take long."""

        async def bounded() -> Result:
            async with asyncio.timeout(30):
                return await work

        return self.loop.run_until_complete(bounded())

    def open(self) -> None:
        """Opens the session, taking it from a process that was killed."""
        self._block = Memory.open(
            self.directory,
            "property",
            config=self.config,
            model=self.model,
            counter=self.counter,
            embedder=self.embedder,
            chat_model=self.chat,
            wish=Wish(take_over=True, branch=self.branch),
        )
        self._memory = self.run(self._block.__aenter__())

    def close(self) -> None:
        """Closes it as a program does that ends; what is on its way may end first."""
        if self.model is not None:
            self.model.gate.set()
        self.run(self._block.__aexit__(None, None, None))

    def kill(self) -> None:
        """Ends everything where it stands; what SQLite's thread has begun ends as it ends."""
        crash(self.memory)
        # Without its lease it can neither say goodbye nor write anything else.
        self.memory._journal.lease = None
        killed = Killed()
        with suppress(Killed):
            self.run(self._block.__aexit__(Killed, killed, None))

    def interrupt(self, work: Coroutine[Any, Any, object], steps: int) -> None:
        """Begins something and cancels it after so many turns of the loop."""

        async def begin() -> None:
            task = asyncio.ensure_future(work)
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            with suppress(asyncio.CancelledError, StrataError):
                await task

        self.run(begin())

    def log(self) -> list[Recorded]:
        """The whole log."""
        return self.run(self.memory.log())

    def discard(self) -> None:
        """Leaves nothing behind."""
        try:
            if self._memory is not None:
                self.kill()
            left = asyncio.all_tasks(self.loop)
            for task in left:
                task.cancel()
            if left:
                self.loop.run_until_complete(asyncio.wait(left))
            self.loop.run_until_complete(self.loop.shutdown_default_executor())
        finally:
            self.loop.close()
            shutil.rmtree(self.directory, ignore_errors=True)
