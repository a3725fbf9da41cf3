"""Conversations with a server that misbehaves on command, and with one that calls tools."""

from collections.abc import AsyncIterator, Iterator
from typing import Final

import pytest
import pytest_asyncio

from app.backend.client import Backend
from app.chat.backing import backend_settings
from app.chat.conversation import Conversation
from app.settings import Settings, load_settings
from memory.wish import Wish
from tests.support.misbehaving_server import MisbehavingServer
from tests.support.tool_server import Says, ToolServer, tool_server
from tests.support.tool_talk import Talking

MODULE: Final = "module"


@pytest_asyncio.fixture(scope=MODULE, loop_scope=MODULE)
async def server() -> AsyncIterator[MisbehavingServer]:
    async with MisbehavingServer() as running:
        yield running


@pytest_asyncio.fixture(scope=MODULE, loop_scope=MODULE)
async def settings(server: MisbehavingServer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("data")
    return load_settings(
        {
            "model.name": "openai/good",
            "model.api_base": server.api_base,
            "model.timeout_s": 2,
            "model.stall_s": 1,
        },
        data=str(folder),
        environment={},
    )


@pytest_asyncio.fixture(scope=MODULE, loop_scope=MODULE)
async def backend(settings: Settings) -> AsyncIterator[Backend]:
    running = await Backend.start(backend_settings(settings))
    yield running
    await running.close()


@pytest_asyncio.fixture(loop_scope=MODULE)
async def conversation(settings: Settings, backend: Backend) -> AsyncIterator[Conversation]:
    """A conversation in a new session."""
    async with Conversation.open(settings, Wish(fresh=True), backend) as conversation:
        yield conversation


@pytest.fixture(scope="module")
def scripted() -> Iterator[ToolServer]:
    """A server whose model follows the script of the test."""
    with tool_server([Says("Nothing yet.")]) as running:
        yield running


@pytest_asyncio.fixture(scope=MODULE, loop_scope=MODULE)
async def talking(
    scripted: ToolServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Talking]:
    """Opens conversations with tools, whose model follows a script."""
    settings = load_settings(
        {
            "model.name": "openai/scripted",
            "model.api_base": scripted.api_base,
            "model.timeout_s": 20,
            "model.stall_s": 20,
            "ui.auto_title": False,
        },
        data=str(tmp_path_factory.mktemp("data")),
        environment={},
    )
    running = await Backend.start(backend_settings(settings))
    yield Talking(scripted, settings, running)
    await running.close()
