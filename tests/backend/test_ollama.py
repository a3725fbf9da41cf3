"""CHAT-3, PROMPT-3: models of Ollama answer through the backend, and are told their window."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace

import pytest
import pytest_asyncio

from app.backend import ollama
from app.backend.client import Backend
from app.backend.errors import ModelFailure
from app.backend.hosted import OLLAMA_MOST_CONTEXT
from app.backend.protocol import BackendSettings
from tests.backend.conftest import outcome_of, request_for
from tests.support.fake_ollama import FakeOllama, fake_ollama
from tests.support.misbehaving_server import MisbehavingServer, closed_port

pytestmark = pytest.mark.asyncio(loop_scope="session")

MODEL = "ollama_chat/llama3.2:3b"


@pytest.fixture(scope="module")
def there() -> Iterator[FakeOllama]:
    with fake_ollama() as server:
        yield server


def at(settings: BackendSettings, address: str, **changes: object) -> BackendSettings:
    """Settings of a backend whose Ollama is at an address."""
    environment = {**settings.environment, "OLLAMA_HOST": address}
    return replace(settings, environment=environment, **changes)  # type: ignore[arg-type]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def asking(
    settings_for: Callable[..., BackendSettings], there: FakeOllama
) -> AsyncIterator[Backend]:
    """A backend whose Ollama is the server's, and which has an address and keys for others."""
    settings = at(settings_for(), there.address)
    environment = {**settings.environment, "STRATA_API_KEY": "sk-of-another-server"}
    backend = await Backend.start(replace(settings, environment=environment))
    yield backend
    await backend.close()


async def test_an_answer_streams_and_the_window_is_told(asking: Backend, there: FakeOllama) -> None:
    """PROMPT-3: Ollama cuts in silence at what it is not told."""
    info = await asking.describe(MODEL)
    assert (info.runs, info.context_window) == ("Ollama on this machine", OLLAMA_MOST_CONTEXT)
    outcome = await outcome_of(
        asking, request_for(MODEL, "one two three", max_tokens=7, timeout_s=30)
    )
    assert outcome.text.split() == ["one", "two", "three"]
    assert (outcome.finished.usage.input, outcome.finished.usage.output) == (26, 5)
    assert outcome.finished.usage.cost is None
    (body,) = there.asked("/api/chat")
    assert body["model"] == "llama3.2:3b"
    assert body["stream"] is True
    assert body["options"]["num_ctx"] == OLLAMA_MOST_CONTEXT
    assert body["options"]["num_predict"] == 7
    # Once for us; litellm may look for a price there behind the answer, by the name alone.
    assert len([body for body in there.asked("/api/show") if "model" in body]) == 1


async def test_a_small_model_gets_what_it_can_see(asking: Backend) -> None:
    """PROMPT-3."""
    assert (await asking.describe("ollama_chat/small")).context_window == 4096
    assert (await asking.describe("ollama/small")).context_window == 4096


async def test_the_configured_window_holds(
    settings_for: Callable[..., BackendSettings], there: FakeOllama
) -> None:
    """PROMPT-3: `model.context_window` is what memory counts with, so Ollama is told the same."""
    backend = await Backend.start(at(settings_for(), there.address, context_window=24_000))
    try:
        assert (await backend.describe(MODEL)).context_window == 24_000
        await outcome_of(backend, request_for(MODEL, timeout_s=30))
        assert there.asked("/api/chat")[-1]["options"]["num_ctx"] == 24_000
    finally:
        await backend.close()


@pytest.mark.parametrize(
    ("model", "kind", "told"),
    [
        ("cut", "cut", "The answer from Ollama at HOST was cut off."),
        ("broken", "cut", "The answer from Ollama at HOST was cut off."),
        ("hang", "timeout", "Ollama at HOST did not answer in time."),
        ("gone", "not_found", "Ollama at HOST has no model called ollama_chat/gone."),
    ],
)
async def test_failures_are_one_plain_sentence(
    asking: Backend, there: FakeOllama, model: str, kind: str, told: str
) -> None:
    """ALL-2."""
    outcome = await outcome_of(asking, request_for(f"ollama_chat/{model}", max_retries=0))
    assert outcome.failure is not None
    assert outcome.failure.kind == kind
    assert outcome.failure.sentence == told.replace("HOST", there.address)


async def test_a_model_that_ollama_does_not_have(asking: Backend, there: FakeOllama) -> None:
    """ALL-2, CHAT-3: known before anything is asked, with the step that helps."""
    with pytest.raises(ModelFailure) as caught:
        await asking.describe("ollama_chat/gone")
    assert str(caught.value) == (
        f"Ollama at {there.address} has no model called gone. "
        "`ollama pull gone` fetches it, or choose another model."
    )


async def test_nobody_or_somebody_else_listens(
    settings_for: Callable[..., BackendSettings],
) -> None:
    """ALL-2: no Ollama at all, and a web page in its place."""
    port = closed_port()
    for address, kind, told in (
        (f"127.0.0.1:{port}", "refused", f"Ollama at 127.0.0.1:{port} does not answer"),
        (None, "malformed", "sent something that is not a model's answer"),
    ):
        async with MisbehavingServer() as other:
            there = address or f"127.0.0.1:{other.port}"
            backend = await Backend.start(at(settings_for(), there))
            try:
                with pytest.raises(ModelFailure, match=told) as caught:
                    await backend.describe(MODEL if address else "ollama_chat/empty-body")
                assert caught.value.kind == kind
            finally:
                await backend.close()


async def test_a_busy_ollama_is_described_all_the_same(there: FakeOllama) -> None:
    """CHAT-3: one that hangs is not waited for."""
    with pytest.raises(TimeoutError):
        await ollama.show(f"http://{there.address}", "slow-show", timeout=0.2)


async def test_the_recipe_of_a_model(there: FakeOllama) -> None:
    """PROMPT-3: who wrote `PARAMETER num_ctx` meant it."""
    there.recipes["small"] = 'stop "<|eot|>"\nnum_ctx                        2048'
    shown = await ollama.show(f"http://{there.address}", "small")
    del there.recipes["small"]
    assert shown == ollama.Shown(context=4096, num_ctx=2048)


@pytest.mark.parametrize(
    ("environment", "address"),
    [
        ({}, "http://127.0.0.1:11434"),
        ({"OLLAMA_HOST": ""}, "http://127.0.0.1:11434"),
        ({"OLLAMA_HOST": "0.0.0.0"}, "http://127.0.0.1:11434"),
        ({"OLLAMA_HOST": "0.0.0.0:8080"}, "http://127.0.0.1:8080"),
        ({"OLLAMA_HOST": ":8080"}, "http://127.0.0.1:8080"),
        ({"OLLAMA_HOST": "[::]:8080"}, "http://[::1]:8080"),
        ({"OLLAMA_HOST": "::1"}, "http://[::1]:11434"),
        ({"OLLAMA_HOST": "box.lan"}, "http://box.lan:11434"),
        ({"OLLAMA_HOST": "http://box.lan"}, "http://box.lan:80"),
        ({"OLLAMA_HOST": "https://box.lan/ollama/"}, "https://box.lan:443/ollama"),
        ({"OLLAMA_HOST": "box.lan:x"}, "http://box.lan:11434"),
        ({"OLLAMA_HOST": "a", "OLLAMA_API_BASE": "http://b:1/"}, "http://b:1"),
    ],
)
async def test_the_address(environment: dict[str, str], address: str) -> None:
    """ALL-3: this machine, unless the user named another; read as Ollama reads it."""
    assert ollama.address(environment) == address
    local = any(name in address for name in ("127.0.0.1", "[::1]"))
    assert ollama.is_local(address) == local
    expected = "Ollama on this machine" if local else "Ollama at "
    assert ollama.runs_at(address).startswith(expected)
