"""A conversation with a server that misbehaves on command."""

from collections.abc import AsyncIterator
from typing import Final

import pytest
import pytest_asyncio

from app.backend.client import Backend
from app.chat.conversation import backend_settings
from app.settings import Settings, load_settings
from tests.support.misbehaving_server import MisbehavingServer

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
