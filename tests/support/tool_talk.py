"""A conversation whose model follows a script and calls the tools of a test."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from app.backend.client import Backend
from app.chat.conversation import Conversation
from app.chat.happenings import Happening
from app.settings import Settings
from memory.config import MemoryConfig
from memory.events import Message
from memory.memory import Memory
from memory.wish import Wish
from tests.support.tool_server import Says, Script, ToolServer


@dataclass(frozen=True)
class Talking:
    """Opens new sessions with some tools, whose model follows a script."""

    server: ToolServer
    settings: Settings
    backend: Backend

    @asynccontextmanager
    async def __call__(
        self,
        script: Script | Sequence[Says],
        tools: Sequence[Any],
        *,
        memory: MemoryConfig | None = None,
        session: str | None = None,
        model: dict[str, Any] | None = None,
        **changed: Any,
    ) -> AsyncIterator[Conversation]:
        """A conversation; `changed` are settings of `[tools]`."""
        self.server.script = script
        self.server.seen.clear()
        self.server.let_go.clear()
        settings = replace(
            self.settings,
            tools=self.settings.tools.model_copy(update=changed),
            model=self.settings.model.model_copy(update=model or {}),
            memory=memory or self.settings.memory,
        )
        wish = Wish(session=session, fresh=session is None)
        async with Conversation.open(settings, wish, self.backend, tools=tools) as conversation:
            yield conversation


async def said(memory: Memory) -> list[tuple[str, str]]:
    """The messages, by role and text."""
    kept = [e.event for e in await memory.log() if isinstance(e.event, Message)]
    texts = await memory.texts([event.ref.body for event in kept])
    return [(event.ref.role, texts[event.ref.body]) for event in kept]


async def turn(conversation: Conversation, text: str = "Do it.") -> list[Any]:
    """Everything that happens in a turn."""
    return [happening async for happening in conversation.turn(text)]


def of(kind: type, happened: Sequence[Happening]) -> list[Any]:
    return [happening for happening in happened if isinstance(happening, kind)]


def assert_paired(messages: Sequence[dict[str, Any]]) -> None:
    """I3 as providers check it: each call has its result right behind it, and none stands alone."""
    owed: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            assert message["tool_call_id"] in owed, messages
            owed.remove(message["tool_call_id"])
        else:
            assert not owed, messages
            owed = [called["id"] for called in message.get("tool_calls") or ()]
    assert not owed, messages
