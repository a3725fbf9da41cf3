"""What every key does on the real chat: a table from the id of an action to what is seen of it.

A deed opens nothing: it is given a chat as it wants one, and the key under test.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.settings import load_settings
from memory import Memory
from memory.wish import Wish
from tests.support.misbehaving_server import MisbehavingServer
from tests.tui.conftest import Chat, fill, memory_in

STRESS = load_settings({"memory.profile": "stress"}, environment={}).memory
WIDE = (120, 40)


@dataclass
class Doing:
    """A chat, and the key that is to be pressed in it."""

    chat: Chat
    key: str
    server: MisbehavingServer
    data: Path
    happened: list[str]
    """What was asked of the system: links that were opened, the process put aside."""

    async def press(self) -> None:
        """Presses the key under test."""
        await self.chat.press(self.key)
        await self.chat.pilot.pause()


Around = Callable[[Path], AbstractAsyncContextManager[None]]
"""What is there before the chat opens, and as long as it is open."""


@asynccontextmanager
async def nothing(data: Path) -> AsyncIterator[None]:
    """A fresh data directory."""
    yield


def said(messages: int) -> Around:
    """A session with so many messages."""

    @asynccontextmanager
    async def around(data: Path) -> AsyncIterator[None]:
        async with memory_in(data) as memory:
            await fill(memory, messages, "and some more text " * 9)
        yield

    return around


@asynccontextmanager
async def folded(data: Path) -> AsyncIterator[None]:
    """A session of ten messages, of which the oldest are folded."""
    async with folding(data):
        pass
    yield


@asynccontextmanager
async def folding(data: Path) -> AsyncIterator[Memory]:
    """The session of `folded` while it is still open."""
    async with Memory.open(data, config=STRESS, wish=Wish(passive=True)) as memory:
        await fill(memory, 10, "with some words " * 20)
        assert await memory.compact() is not None
        yield memory


@asynccontextmanager
async def three_sessions(data: Path) -> AsyncIterator[None]:
    """Three sessions with titles; the one called `newest` was used last."""
    for title in ("oldest", "middle", "newest"):
        async with memory_in(data, session=title) as memory:
            await fill(memory, 2, f"of the {title}")
    yield


@asynccontextmanager
async def branched(data: Path) -> AsyncIterator[None]:
    """A session of four messages with a branch from the second, where one more was said."""
    async with memory_in(data) as memory:
        await fill(memory, 4, "of the first")
        branch = await memory.branches.fork(2, "fork")
    async with memory_in(data, branch=branch) as memory:
        await memory.add("user", "only in the branch")
    yield


@dataclass(frozen=True)
class Deed:
    """How one action is tried."""

    do: Callable[[Doing], Awaitable[None]]
    around: Around
    options: dict[str, Any] = field(default_factory=dict)
    """Of `open_chat`."""
    opens: bool = True
    """Whether the chat is ready before the key is pressed."""


DEEDS: dict[str, Deed] = {}


def deed(
    action: str, around: Around = nothing, *, opens: bool = True, **options: Any
) -> Callable[[Callable[[Doing], Awaitable[None]]], Callable[[Doing], Awaitable[None]]]:
    """Says that a function tries an action.

    Args:
        action: Its id.
        around: What there is before.
        opens: Whether the chat is ready before the key is pressed.
        options: Of `open_chat`.
    """

    def keep(do: Callable[[Doing], Awaitable[None]]) -> Callable[[Doing], Awaitable[None]]:
        assert action not in DEEDS, action
        DEEDS[action] = Deed(do, around, options, opens)
        return do

    return keep
