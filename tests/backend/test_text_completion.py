"""PROMPT-6: base models are sent plain text, and go on from where it ends."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.backend.client import Backend
from app.backend.protocol import BackendSettings, CompletionRequest
from app.host.catalogue import find
from app.host.store import ModelStore
from tests.backend.conftest import outcome_of, request_for
from tests.host.conftest import end_hosts
from tests.support.chat_server import chat_server
from tests.support.fake_ollama import fake_ollama

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "Two people talk.\n\nUser: What is the capital of France?\n\nAssistant:"
PATIENT: dict[str, Any] = {"timeout_s": 60, "stall_s": 60, "max_retries": 0}


def completion(model: str, text: str = TEXT, **changes: Any) -> CompletionRequest:
    return request_for(model, **{"messages": [], "prompt": text, **PATIENT, **changes})


async def test_the_local_model_goes_on_and_stops_at_the_next_turn(local: Backend) -> None:
    """PROMPT-6, CHAT-3: without its template, and counted exactly."""
    stop = ["\nUser:", "\nAssistant:"]
    outcome = await outcome_of(
        local, completion("light", max_tokens=48, temperature=0.0, stop=stop)
    )
    assert outcome.text == outcome.text.lstrip() != ""
    assert "User:" not in outcome.text
    counted = await local.count_request("light", [], prompt=TEXT)
    assert counted.exact
    assert counted.tokens == outcome.finished.usage.input


async def test_a_text_that_was_warmed_is_not_read_again(local: Backend) -> None:
    """PROMPT-6: the prefix of the next turn is found in the host."""
    text = "\n".join(f"Line {n} says that ships sail at dawn." for n in range(40))
    await local.warm("light", [], prompt=text)
    outcome = await outcome_of(local, completion("light", f"{text}\n\nAssistant:", max_tokens=4))
    usage = outcome.finished.usage
    assert usage.input > 400
    assert usage.cached == 0 or usage.cached > 300
    first = next(e for e in outcome.events if type(e).__name__ == "Reading")
    assert first.done > 300  # type: ignore[union-attr]


async def test_a_file_without_a_template_answers(
    settings_for: Callable[..., BackendSettings], models_dir: Path, tmp_path: Path
) -> None:
    """PROMPT-6: a base model of the user's own, which a chat refuses."""
    store = ModelStore(models_dir)
    data = store.path(find("light")).read_bytes()
    base = tmp_path / "base.gguf"
    base.write_bytes(data.replace(b"tokenizer.chat_template", b"tokenizer.no_template__", 1))
    settings = settings_for(models_dir=models_dir, host_context_tokens=512, base_models=True)
    running = await Backend.start(settings)
    try:
        outcome = await outcome_of(running, completion(str(base), max_tokens=4))
        assert outcome.text
        counted = await running.count_request(str(base), [], prompt=TEXT)
        assert outcome.finished.usage.input == counted.tokens
    finally:
        await running.close()
        end_hosts(settings.data_dir)
    chatting = await Backend.start(settings_for(models_dir=models_dir))
    try:
        failure = (await outcome_of(chatting, request_for(str(base)))).failure
    finally:
        await chatting.close()
    assert failure is not None
    assert 'mode = "completion"' in failure.next_step


async def test_a_server_gets_the_text_and_no_messages(backend: Backend) -> None:
    """PROMPT-6: streamed from an OpenAI-compatible server, with its stop sequences."""
    with chat_server() as server:
        request = completion("openai/words-5-1", api_base=server.api_base, stop=["\nUser:"])
        outcome = await outcome_of(backend, request)
        (seen,) = server.seen
    assert outcome.text == "a1-w0 a1-w1 a1-w2 a1-w3 a1-w4 "
    assert outcome.finished.usage.input == 100
    assert (seen["prompt"], seen["model"], seen["stop"]) == (TEXT, "words-5-1", ["\nUser:"])
    assert "messages" not in seen


async def test_ollama_generates_from_the_text_as_it_is(
    settings_for: Callable[..., BackendSettings],
) -> None:
    """PROMPT-6: by /api/generate (S4), with the context that it is told."""
    with fake_ollama() as server:
        environment = {"OLLAMA_HOST": server.address}
        running = await Backend.start(settings_for(environment=environment))
        try:
            outcome = await outcome_of(running, completion("ollama_chat/llama3.2:3b"))
        finally:
            await running.close()
        (seen,) = server.asked("/api/generate")
    assert outcome.failure is None, str(outcome.failure)
    assert outcome.text == "of France? Assistant:"
    assert seen["prompt"] == TEXT
    assert seen["options"]["num_ctx"] > 0


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("401", "auth"),
        ("404", "not_found"),
        ("429", "rate_limit"),
        ("500", "server"),
        ("overflow", "too_large"),
        ("hang", "timeout"),
        ("hang-after-headers", "timeout"),
        ("html", "malformed"),
        ("empty-body", "malformed"),
    ],
)
async def test_failures_are_told_as_those_of_a_chat(
    backend: Backend, model: str, kind: str
) -> None:
    """ALL-2: in plain words, whatever way the request went."""
    request = completion(f"openai/{model}", timeout_s=0.6, stall_s=0.3)
    failure = (await outcome_of(backend, request)).failure
    assert failure is not None
    assert failure.kind == kind


async def test_who_takes_no_plain_text_is_told(
    settings_for: Callable[..., BackendSettings],
) -> None:
    """PROMPT-6, ALL-2: instead of wrapping the text in a message."""
    running = await Backend.start(settings_for(environment={"ANTHROPIC_API_KEY": "sk-none"}))
    try:
        outcome = await outcome_of(running, completion("anthropic/claude-3-5-haiku-latest"))
    finally:
        await running.close()
    assert outcome.failure is not None
    assert "takes no plain text" in outcome.failure.sentence
    assert 'mode = "chat"' in outcome.failure.next_step
