"""What the tests of the backend share: a misbehaving server and a running backend."""

import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import pytest
import pytest_asyncio

from app.backend.client import Backend
from app.backend.protocol import (
    BackendSettings,
    CompletionRequest,
    Delta,
    Finished,
    ModelFailure,
    StreamEvent,
)
from tests.support.misbehaving_server import MisbehavingServer

T = TypeVar("T")

KEY = "sk-test-key-of-the-backend-tests"


@dataclass
class Outcome:
    """What came of a request."""

    events: list[StreamEvent] = field(default_factory=list)
    failure: ModelFailure | None = None

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, Delta))

    @property
    def finished(self) -> Finished:
        assert self.failure is None, str(self.failure)
        last = self.events[-1]
        assert isinstance(last, Finished)
        return last

    def of_type(self, kind: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kind)]


async def outcome_of(backend: Backend, request: CompletionRequest) -> Outcome:
    outcome = Outcome()
    try:
        async for event in backend.complete(request):
            outcome.events.append(event)
    except ModelFailure as failure:
        outcome.failure = failure
    return outcome


def request_for(model: str, text: str = "hi", **changes: object) -> CompletionRequest:
    request = CompletionRequest(
        model, [{"role": "user", "content": text}], timeout_s=0.6, stall_s=0.3, max_retries=1
    )
    return replace(request, **changes)  # type: ignore[arg-type]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def server() -> AsyncIterator[MisbehavingServer]:
    async with MisbehavingServer() as server:
        yield server


@pytest.fixture(scope="session")
def settings_for(
    tmp_path_factory: pytest.TempPathFactory, server: MisbehavingServer
) -> Callable[..., BackendSettings]:
    """Makes settings with fresh directories and a key in the environment."""

    def make(**changes: object) -> BackendSettings:
        folder = tmp_path_factory.mktemp("data")
        settings = BackendSettings(
            data_dir=folder,
            models_dir=folder / "models",
            api_base=server.api_base,
            host_idle_seconds=5,
            environment={"OPENAI_API_KEY": KEY, "HOME": str(folder)},
        )
        return replace(settings, **changes)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def local_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of the backend that has the light model."""
    return tmp_path_factory.mktemp("local")


@pytest.fixture(scope="session")
def local_settings(
    settings_for: Callable[..., BackendSettings], models_dir: Path, local_data: Path
) -> BackendSettings:
    """The settings of the backend that has the light model and the embedder."""
    return settings_for(data_dir=local_data, models_dir=models_dir, host_context_tokens=2048)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def local(local_settings: BackendSettings, local_data: Path) -> AsyncIterator[Backend]:
    """A backend that has the light model; its host is ended with it."""
    backend = await Backend.start(local_settings)
    yield backend
    await backend.close()
    for address in (local_data / "host").glob("*.json"):
        with suppress(ProcessLookupError):
            os.kill(json.loads(address.read_text())["pid"], signal.SIGTERM)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def settings(settings_for: Callable[..., BackendSettings]) -> BackendSettings:
    return settings_for()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def backend(settings: BackendSettings) -> AsyncIterator[Backend]:
    """One backend for all tests that do it no harm: its start costs seconds."""
    backend = await Backend.start(settings)
    yield backend
    await backend.close()
