"""ALL-2: whatever a server does, the user gets one plain sentence, and the next message works."""

import re
from pathlib import Path

import pytest

from app.backend.client import Backend
from app.backend.protocol import BackendSettings, FailureKind, Retrying, ToolCall
from tests.backend.conftest import KEY, outcome_of, request_for
from tests.support.misbehaving_server import (
    GOOD_ANSWER,
    SECRET_ECHO,
    MisbehavingServer,
    closed_port,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")

ARRIVED = "This much came before "

# Script, kind of failure, text that had arrived, how often it is sent (with one retry allowed).
CASES: list[tuple[str, FailureKind, str, int]] = [
    ("401", "auth", "", 1),
    ("403", "forbidden", "", 1),
    ("404", "not_found", "", 1),
    ("400", "bad_request", "", 1),
    ("413", "too_large", "", 1),
    ("429", "rate_limit", "", 2),
    ("429-long", "rate_limit", "", 1),
    ("429-quota", "quota", "", 1),
    ("500", "server", "", 2),
    ("502", "server", "", 2),
    ("503", "overloaded", "", 2),
    ("529", "overloaded", "", 2),
    ("overflow", "too_large", "", 1),
    ("overflow-llama", "too_large", "", 1),
    ("overflow-silent", "too_large", "", 1),
    ("hang", "timeout", "", 2),
    ("hang-after-headers", "timeout", "", 2),
    ("comments", "timeout", "", 2),
    ("stall", "stalled", ARRIVED, 1),
    ("cut", "cut", ARRIVED, 1),
    ("drop", "cut", "", 2),
    ("no-finish", "cut", ARRIVED, 1),
    ("error-in-stream", "cut", ARRIVED, 1),
    ("malformed", "malformed", ARRIVED, 1),
    ("html", "malformed", "", 1),
    ("html-stream", "malformed", "", 1),
    ("error-json-200", "malformed", "", 1),
    ("empty-body", "malformed", "", 1),
    ("empty", "empty", "", 1),
    ("empty-choices", "empty", "", 1),
    ("null-choices", "empty", "", 1),
    ("filtered", "filtered", "", 1),
]


@pytest.mark.parametrize(("script", "kind", "arrived", "sent"), CASES, ids=[c[0] for c in CASES])
async def test_a_failing_server_gives_one_plain_sentence(
    backend: Backend,
    server: MisbehavingServer,
    script: str,
    kind: FailureKind,
    arrived: str,
    sent: int,
) -> None:
    """ALL-2: told in words, retried only where it helps, what had arrived is kept."""
    before = len(server.requests(script))
    outcome = await outcome_of(backend, request_for(f"openai/{script}"))
    assert outcome.failure is not None
    assert outcome.failure.kind == kind
    assert outcome.text == arrived
    assert len(server.requests(script)) - before == sent
    assert len(outcome.of_type(Retrying)) == sent - 1
    told = str(outcome.failure)
    assert outcome.failure.next_step
    assert re.fullmatch(r"[A-Z][^{}<>\n]{20,300}\.", told)
    assert not re.search(r"litellm|Error|Exception|Traceback|http", told)
    assert SECRET_ECHO not in told
    assert KEY not in told
    after = await outcome_of(backend, request_for("openai/good"))
    assert after.text == GOOD_ANSWER


async def test_a_request_that_cannot_be_processed(backend: Backend) -> None:
    """ALL-2: status 422, for which litellm gives no error but nothing at all."""
    outcome = await outcome_of(backend, request_for("openai/422"))
    assert outcome.failure is not None
    assert outcome.failure.kind == "bad_request"
    assert not outcome.of_type(Retrying)


async def test_nothing_listens(backend: Backend) -> None:
    """ALL-2: a refused connection names the address and is tried once more."""
    base = f"http://127.0.0.1:{closed_port()}/v1"
    outcome = await outcome_of(backend, request_for("openai/good", api_base=base))
    assert outcome.failure is not None
    assert outcome.failure.kind == "refused"
    assert base.split("/")[2] in str(outcome.failure)
    assert len(outcome.of_type(Retrying)) == 1


async def test_the_numbers_of_an_overflow_are_kept(backend: Backend) -> None:
    """COMPACT-5: limit and size, in OpenAI's and in llama.cpp's words, or none."""
    for script in ("overflow", "overflow-llama"):
        failure = (await outcome_of(backend, request_for(f"openai/{script}"))).failure
        assert failure is not None
        assert (failure.limit_tokens, failure.sent_tokens) == (8192, 9731)
    failure = (await outcome_of(backend, request_for("openai/overflow-silent"))).failure
    assert failure is not None
    assert (failure.limit_tokens, failure.sent_tokens) == (None, None)


async def test_a_short_trouble_is_overcome(backend: Backend, server: MisbehavingServer) -> None:
    """ALL-2: `Retry-After` is honoured, the retry shown, and the answer comes."""
    outcome = await outcome_of(backend, request_for("openai/429x1"))
    assert outcome.text == GOOD_ANSWER
    (retrying,) = outcome.of_type(Retrying)
    assert retrying.wait_s == 1.0
    first, second = server.requests("429x1")
    assert second.at - first.at >= 1.0


async def test_nothing_is_sent_again_once_text_has_arrived(
    backend: Backend, server: MisbehavingServer
) -> None:
    """ALL-2: an answer that was begun is not begun anew behind the user's back."""
    outcome = await outcome_of(backend, request_for("openai/cutx1", max_retries=3))
    assert outcome.failure is not None
    assert outcome.text == ARRIVED
    assert len(server.requests("cutx1")) == 1


@pytest.mark.parametrize("model", ["gibberish", "foo/bar", "embedded/nope"])
async def test_an_unknown_model_is_named(backend: Backend, model: str) -> None:
    """CHAT-2: a name that nobody serves is a clear error."""
    failure = (await outcome_of(backend, request_for(model))).failure
    assert failure is not None
    assert failure.kind == "unknown_model"
    assert model.removeprefix("embedded/") in str(failure)


async def test_a_missing_key_is_named_before_anything_is_sent(backend: Backend) -> None:
    """CHAT-2: the variable's name and both ways to give the key."""
    failure = (await outcome_of(backend, request_for("anthropic/claude-sonnet-4-5"))).failure
    assert failure is not None
    assert failure.kind == "no_key"
    assert "ANTHROPIC_API_KEY" in str(failure)


async def test_a_model_that_is_not_installed_says_how_to_get_it(backend: Backend) -> None:
    """CHAT-3: the way out is a command."""
    failure = (await outcome_of(backend, request_for("light"))).failure
    assert failure is not None
    assert failure.kind == "local_model"
    assert "strata models install light" in str(failure)


async def test_a_deadline_ends_a_request(backend: Backend) -> None:
    """ALL-2: a request with a deadline ends by it, retries and all."""
    request = request_for("openai/slow", deadline_s=0.3)
    failure = (await outcome_of(backend, request)).failure
    assert failure is not None
    assert failure.kind == "timeout"


async def test_a_ruler_of_equal_chunks_is_no_failure(backend: Backend) -> None:
    """CHAT-2: litellm would end such a stream after 100 chunks."""
    outcome = await outcome_of(backend, request_for("openai/repeating"))
    assert outcome.finished.finish_reason == "stop"
    assert outcome.text.count("word") == 300


async def test_a_tool_call_is_reported(backend: Backend) -> None:
    """CHAT-10: a call that came in pieces."""
    outcome = await outcome_of(backend, request_for("openai/tool"))
    assert outcome.of_type(ToolCall) == [ToolCall("call_1", "read_file", '{"path": "a.txt"}')]
    assert outcome.finished.finish_reason == "tool_calls"


async def test_usage_is_the_provider_s(backend: Backend) -> None:
    """CHAT-9: tokens in, out and cached as the provider counted; an estimate says so."""
    usage = (await outcome_of(backend, request_for("openai/good"))).finished.usage
    assert (usage.input, usage.output, usage.cached, usage.reported) == (12, 8, 4, True)
    assert usage.cost is None
    silent = (await outcome_of(backend, request_for("openai/no-usage"))).finished.usage
    assert not silent.reported


async def test_reasoning_is_kept_apart(backend: Backend) -> None:
    """CHAT-2: reasoning comes as reasoning."""
    outcome = await outcome_of(backend, request_for("openai/reasoning"))
    assert outcome.text == "The answer is 4."
    deltas = [event for event in outcome.events if getattr(event, "reasoning", "")]
    assert "".join(event.reasoning for event in deltas) == "Let me think. Done."  # type: ignore[union-attr]


async def test_a_key_goes_to_its_server_and_nowhere_else(
    backend: Backend, server: MisbehavingServer, settings: BackendSettings
) -> None:
    """CHAT-2: the key is in the request's header, and in no file of the data directory."""
    await outcome_of(backend, request_for("openai/401", "a very private message"))
    assert server.requests("401")[-1].headers["authorization"] == f"Bearer {KEY}"
    files = [path for path in Path(settings.data_dir).rglob("*") if path.is_file()]
    assert files
    for path in files:
        content = path.read_text(errors="replace")
        assert KEY not in content
        assert SECRET_ECHO not in content
        assert "very private" not in content


async def test_five_megabytes_pass_unharmed(backend: Backend, server: MisbehavingServer) -> None:
    """ALL-2, ALL-8: a huge message, lone surrogates and escapes go through."""
    text = "\x1b[31m\ud800 ﷽ " + "lorem ipsum " * 420_000
    outcome = await outcome_of(backend, request_for("openai/good", text, timeout_s=20))
    assert outcome.text == GOOD_ANSWER
    received = server.requests("good")[-1].body["messages"][0]["content"]
    assert received == text.replace("\ud800", "?")
