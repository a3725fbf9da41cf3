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

SESSION: Final = "session"


@pytest_asyncio.fixture(scope=SESSION, loop_scope=SESSION)
async def server() -> AsyncIterator[MisbehavingServer]:
    async with MisbehavingServer() as running:
        yield running


@pytest.fixture(scope="module")
def settings(server: MisbehavingServer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return _settings("good", server.api_base, tmp_path_factory, timeout_s=20, stall_s=20)


@pytest_asyncio.fixture(scope=SESSION, loop_scope=SESSION)
async def backend(
    server: MisbehavingServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Backend]:
    """One backend for all tests that do it no harm: its start costs seconds."""
    settings = _settings("good", server.api_base, tmp_path_factory)
    running = await Backend.start(backend_settings(settings))
    yield running
    await running.close()


@pytest_asyncio.fixture(loop_scope=SESSION)
async def conversation(settings: Settings, backend: Backend) -> AsyncIterator[Conversation]:
    """A conversation in a new session."""
    async with Conversation.open(settings, Wish(fresh=True), backend) as conversation:
        yield conversation


@pytest.fixture(scope="session")
def script_server() -> Iterator[ToolServer]:
    with tool_server([Says("Nothing yet.")]) as running:
        yield running


@pytest.fixture
def scripted(script_server: ToolServer) -> ToolServer:
    """A server whose model follows the script of the test."""
    script_server.script = [Says("Nothing yet.")]
    script_server.seen.clear()
    script_server.let_go.clear()
    return script_server


@pytest_asyncio.fixture(scope=SESSION, loop_scope=SESSION)
async def scripted_backend(
    script_server: ToolServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Backend]:
    """One backend for all scripts."""
    settings = _settings("scripted", script_server.api_base, tmp_path_factory)
    running = await Backend.start(backend_settings(settings))
    yield running
    await running.close()


@pytest.fixture(scope="module")
def talking(
    script_server: ToolServer, scripted_backend: Backend, tmp_path_factory: pytest.TempPathFactory
) -> Talking:
    """Opens conversations with tools, whose model follows a script."""
    settings = _settings(
        "scripted",
        script_server.api_base,
        tmp_path_factory,
        timeout_s=20,
        stall_s=20,
        **{"ui.auto_title": False},
    )
    return Talking(script_server, settings, scripted_backend)


def _settings(
    model: str, api_base: str, folders: pytest.TempPathFactory, **options: object
) -> Settings:
    """Settings with a data directory of their own; `options` are those of the model, or dotted."""
    given = {key if "." in key else f"model.{key}": value for key, value in options.items()}
    return load_settings(
        {"model.name": f"openai/{model}", "model.api_base": api_base, **given},
        data=str(folders.mktemp("data")),
        environment={},
    )
