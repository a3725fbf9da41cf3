"""CHAT-2, CHAT-3, CHAT-9, PROMPT-3: what is known of a model before it is asked."""

import asyncio
import importlib
from pathlib import Path
from typing import Any

import pytest

from app.backend.client import Backend
from app.backend.hosted import HostedModels, Server
from app.backend.litellm_door import Call, LitellmDoor
from app.backend.protocol import BackendSettings, CompletionRequest, Usage

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_known_model(backend: Backend) -> None:
    """CHAT-9: window and prices by litellm's map."""
    info = await backend.describe("anthropic/claude-sonnet-4-5")
    assert info.context_window == 200_000
    assert info.max_output == 64_000
    assert info.input_price == pytest.approx(3e-6)
    assert (info.runs, info.counted_by) == ("anthropic", "estimate")


async def test_a_model_behind_an_address_of_one_s_own(backend: Backend) -> None:
    """PROMPT-3: a borrowed name says nothing about the window; it is asked for."""
    info = await backend.describe("openai/gpt-4o")
    assert (info.context_window, info.input_price) == (None, None)
    assert info.runs == "on this machine"


async def test_the_embedded_model_is_described_without_being_started(backend: Backend) -> None:
    """CHAT-3: the window is the one its host is started with."""
    info = await backend.describe("light")
    assert info.name == "embedded/smollm2-135m"
    assert info.context_window == 2048
    assert (info.runs, info.counted_by) == ("on this machine", "model")
    assert info.input_price is None


async def test_ollama_is_always_told_its_context(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PROMPT-3: Ollama cuts in silence; the window we count with is the one it is told."""
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    hosted = HostedModels(door := LitellmDoor(), BackendSettings(tmp_path, tmp_path))
    request = CompletionRequest("ollama/never-heard-of", [{"role": "user", "content": "hi"}])
    call, place = await hosted.call(request)
    assert call.options["num_ctx"] == 8192
    assert place.who == "Ollama at 127.0.0.1:11434"
    monkeypatch.setenv("OLLAMA_CONTEXT_LENGTH", "4096")
    assert await hosted.ollama_context("ollama/x", "ollama") == 4096
    assert door.is_loaded


async def test_the_configured_address_gets_no_other_provider_s_key(tmp_path: Path) -> None:
    """CHAT-2: an address for OpenAI-compatible servers is not for Anthropic's models."""
    settings = BackendSettings(tmp_path, tmp_path, api_base="http://localhost:1/v1")
    hosted = HostedModels(LitellmDoor(), settings)
    assert (await hosted.server("anthropic/claude-sonnet-4-5")).api_base is None
    assert (await hosted.server("openai/x")).api_base == "http://localhost:1/v1"
    assert (await hosted.server("openai/x", "http://a/v1")).api_base == "http://a/v1"


@pytest.mark.parametrize(
    ("base", "runs", "who"),
    [
        (None, "openai", "OpenAI"),
        ("http://localhost:8080/v1", "on this machine", "the server at localhost:8080"),
        (
            "https://me:pw@llm.example.org",
            "llm.example.org",
            "the server at llm.example.org",
        ),
    ],
)
async def test_a_server_is_named_without_its_secrets(base: str | None, runs: str, who: str) -> None:
    """CHAT-2, CHAT-3: the status line says who answers, and no password."""
    server = Server("openai", base)
    assert (server.runs, server.who) == (runs, who)


def scripted_client(body: str) -> Any:
    """OpenAI's client on a transport that opens no socket."""
    httpx: Any = importlib.import_module("httpx")
    openai: Any = importlib.import_module("openai")
    headers = {"content-type": "text/event-stream"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, text=body))
    return openai.AsyncOpenAI(api_key="none", http_client=httpx.AsyncClient(transport=transport))


async def test_the_price_of_an_answer() -> None:
    """CHAT-9: money where the model's price is known; cached tokens cost less."""
    body = (
        'data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o", '
        '"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}]}\n\n'
        'data: {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-4o", '
        '"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100, '
        '"total_tokens": 1100, "prompt_tokens_details": {"cached_tokens": 400}}}\n\n'
        "data: [DONE]\n\n"
    )
    door = LitellmDoor()
    usages: list[Usage] = []
    for model in ("openai/gpt-4o", "openai/unheard-of"):
        call = Call(model, [{"role": "user", "content": "a"}], {"client": scripted_client(body)})
        stream = await door.open(call, lambda _: None)
        pieces = [piece.text async for piece in stream]
        usages.append(stream.usage())
        await stream.close()
        assert "".join(pieces) == "a"
    known, unknown = usages
    assert (known.input, known.output, known.cached) == (1000, 100, 400)
    assert known.cost == pytest.approx(600 * 2.5e-6 + 400 * 1.25e-6 + 100 * 1e-5)
    assert unknown.cost is None
    await asyncio.sleep(0.1)  # litellm's own bookkeeping runs in tasks
