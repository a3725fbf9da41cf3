"""CHAT-2: another model is chosen while the one before is still being found out about."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from app.backend.client import Backend
from app.backend.errors import ModelFailure
from app.chat.conversation import Conversation
from app.settings import Settings
from memory.wish import Wish

pytestmark = pytest.mark.asyncio(loop_scope="session")

OTHER, AWAY = "openai/another", "openai/away"


class Slow(Conversation):
    """Its first model takes as long as the test wants, and one is not there."""

    gate: asyncio.Event

    async def _found(self, name: str) -> Callable[[], Awaitable[None]]:
        if name == AWAY:
            raise ModelFailure("It is away.", kind="unreachable")
        if name != OTHER:
            await self.gate.wait()
        return await super()._found(name)


async def loaded(conversation: Conversation) -> None:
    """Waits until nothing is found out about any more."""
    while conversation._loads:
        await asyncio.wait(conversation._loads)


async def test_the_one_before_does_not_come_back(settings: Settings, backend: Backend) -> None:
    """However late it is there."""
    Slow.gate = asyncio.Event()
    async with Slow.open(settings, Wish(fresh=True), backend) as conversation:
        assert conversation.is_loading
        waiting = asyncio.create_task(conversation.ready())
        await conversation.use_model(OTHER)
        Slow.gate.set()
        await waiting
        await loaded(conversation)
        recorded = conversation.memory.state.model
        assert recorded is not None
        assert recorded.name == conversation.model == OTHER


async def test_the_one_before_stays_where_the_other_is_away(
    settings: Settings, backend: Backend
) -> None:
    """Also where it was there meanwhile, and passed over."""
    Slow.gate = asyncio.Event()
    async with Slow.open(settings, Wish(fresh=True), backend) as conversation:
        first = conversation.model
        with pytest.raises(ModelFailure):
            await conversation.use_model(AWAY)
        Slow.gate.set()
        await conversation.ready()
        await loaded(conversation)
        recorded = conversation.memory.state.model
        assert recorded is not None
        assert recorded.name == conversation.model == first
