"""RECALL-1: answers held to a JSON schema, and servers that do not take one."""

import pytest

from app.backend.client import Backend
from app.backend.errors import ModelFailure
from app.chat.models import BackendSummariser
from memory.pieces import ChatMessage
from memory.protocols import StructuredModel
from tests.support.misbehaving_server import MisbehavingServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCHEMA = {"type": "object", "properties": {"1": {"type": "array"}}, "required": ["1"]}
ASKED: list[ChatMessage] = [{"role": "user", "content": "hi"}]


def asking(backend: Backend, model: str) -> BackendSummariser:
    return BackendSummariser(backend, f"openai/{model}", 8_192, timeout_s=20, stall_s=20)


async def test_a_server_is_sent_the_schema(backend: Backend, server: MisbehavingServer) -> None:
    """RECALL-1: in OpenAI's shape."""
    model = asking(backend, "echo")
    assert isinstance(model, StructuredModel)
    answer = await model.complete_json(ASKED, SCHEMA, max_tokens=20, temperature=0)
    assert answer.text == "hi"
    sent = server.requests("echo")[-1].body["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"] == SCHEMA


async def test_a_server_that_refuses_it_is_asked_without(
    backend: Backend, server: MisbehavingServer
) -> None:
    """RECALL-1: the words of the request tell the form; it is refused once only."""
    model = asking(backend, "no-schema")
    for _ in range(2):
        answer = await model.complete_json(ASKED, SCHEMA, max_tokens=20, temperature=0)
        assert answer.text == '{"1": []}'
    sent = ["response_format" in seen.body for seen in server.requests("no-schema")]
    assert sent == [True, False, False]


async def test_other_failures_are_told(backend: Backend) -> None:
    """ALL-2: a wrong key is no wrong schema."""
    with pytest.raises(ModelFailure) as caught:
        await asking(backend, "401").complete_json(ASKED, SCHEMA, max_tokens=20, temperature=0)
    assert caught.value.kind == "auth"
