"""What the model host does with requests. With the real light model."""

import asyncio
import itertools
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from app.host.address import HostAddress
from app.host.client import HostClient
from app.host.errors import HostFailed
from app.host.http import LoopbackHttp

from .conftest import end_hosts

CONTEXT = 512  # small, so that it is quickly full
LONG = "The river runs past the old mill, and nobody counts the boats. " * 100


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, light: Path) -> Iterator[HostAddress]:
    data_dir = tmp_path_factory.mktemp("data")
    yield asyncio.run(HostClient.ensure(data_dir, light, context_tokens=CONTEXT))
    end_hosts(data_dir)


@pytest.fixture
async def host(address: HostAddress) -> AsyncIterator[HostClient]:
    client = HostClient(address)
    yield client
    await client.close()


async def complete(host: HostClient, *texts: str, **options: Any) -> Any:
    roles = ("system", "user", "assistant", "user")
    messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
    body = {"messages": messages, "max_tokens": 4, "temperature": 0, **options}
    status, answer = await host._http.post("/v1/chat/completions", body, 60)
    return answer if status == 200 else answer["error"]


async def test_counts_are_exact(host: HostClient) -> None:
    """PROMPT-4: the templated request is counted as the host will count it itself."""
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "How many?"},
    ]
    counted = await host.count_request(messages)
    answer = await complete(host, "Be brief.", "How many?")
    assert counted == answer["usage"]["prompt_tokens"]
    assert (await host.apply_template(messages)).endswith("<|im_start|>assistant\n")


async def test_many_texts_are_counted_one_by_one(host: HostClient) -> None:
    """PROMPT-4: more than one kept connection carries, empty and odd texts too."""
    texts = [
        "",
        "hello",
        "hello hello",
        "\x00\x1b[31m",
        "\u202e אבג",
        "🎏" * 50,
        "half \ud83c",
    ] * 30
    counts = await host.tokenize(texts)
    assert counts[:3] == [0, 1, 2]
    assert counts == counts[:7] * 30


async def test_steering_texts_count_as_plain_text(host: HostClient) -> None:
    """ALL-8: what a user wrote is text, unless it is said to be a template."""
    plain, special = (
        await host.tokenize(["<|im_start|>"]),
        await host.tokenize(["<|im_start|>"], special=True),
    )
    assert plain[0] > 1
    assert special == [1]


async def test_messages_the_template_refuses(host: HostClient) -> None:
    """ALL-2."""
    with pytest.raises(HostFailed, match=r"refused the request"):
        await host.apply_template([{"role": "user"}])
    assert await host.tokenize(["hello"]) == [1]


async def test_without_the_key_nothing_is_answered(address: HostAddress) -> None:
    """ALL-3: other programs of this machine can't use the host."""
    stranger = LoopbackHttp(address.base_url, "guess")
    for path in ("/tokenize", "/v1/chat/completions", "/props"):
        status, _ = await stranger.post(path, {"content": "x", "messages": []}, 5)
        assert status == 401
    await stranger.close()


async def test_the_next_turn_reads_only_what_is_new(host: HostClient) -> None:
    """CHAT-3: the prefix is kept."""
    await complete(host, LONG[:1000], "Hello?")
    answer = await complete(host, LONG[:1000], "Hello?", "Yes?", "Go on.")
    details = answer["usage"]["prompt_tokens_details"]
    assert answer["usage"]["prompt_tokens"] - details["cached_tokens"] < 40


async def test_background_requests_do_not_evict_the_chat(host: HostClient) -> None:
    """CHAT-3: three other prompts go through the two slots, and the chat's prefix is still warm."""
    chat = ("You are the chat. " + LONG[:1000], "Hello?")
    await complete(host, *chat)
    for number in range(3):
        await complete(host, f"Summarise {number}.", str(number) + LONG[:800])
    answer = await complete(host, *chat)
    cached = answer["usage"]["prompt_tokens_details"]["cached_tokens"]
    assert cached >= answer["usage"]["prompt_tokens"] - 1


async def test_a_prefix_can_be_read_before_it_is_needed(host: HostClient) -> None:
    """CHAT-3: `max_tokens=0` warms it."""
    prompt = ("A new prefix. " + LONG[:1000], "Hello?")
    await complete(host, *prompt, max_tokens=0)
    answer = await complete(host, *prompt)
    assert answer["timings"]["prompt_n"] == 1


async def test_a_request_that_is_too_long_says_by_how_much(host: HostClient) -> None:
    """PROMPT-5: and the next one works."""
    error = await complete(host, "x", LONG * 3)
    assert error["type"] == "exceed_context_size_error"
    assert error["n_ctx"] == CONTEXT < error["n_prompt_tokens"]
    assert (await complete(host, "x", "Hello?"))["choices"]


async def test_an_answer_stops_at_the_end_of_the_context(host: HostClient) -> None:
    """PROMPT-3: nothing is shifted out in silence."""
    messages = [{"role": "user", "content": LONG[:2000]}]
    room = CONTEXT - await host.count_request(messages)
    assert 0 < room < 100
    body = {"messages": messages, "ignore_eos": True, "max_tokens": 1000}
    _, answer = await host._http.post("/v1/chat/completions", body, 100)
    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["usage"]["total_tokens"] <= CONTEXT


async def test_a_schema_is_kept_to(host: HostClient) -> None:
    """CHAT-3: structured answers work even with a poor model."""
    schema = {
        "type": "object",
        "properties": {"age": {"type": "integer", "maximum": 99}},
        "required": ["age"],
        "additionalProperties": False,
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "person", "schema": schema}}
    answer = await complete(host, "x", "Someone?", response_format=wanted, max_tokens=40)
    assert set(json.loads(answer["choices"][0]["message"]["content"])) == {"age"}


async def test_reading_shows_progress_and_a_cancelled_request_stops(
    host: HostClient, address: HostAddress
) -> None:
    """CHAT-1, CHAT-3: progress comes often; two seconds after the cancel the host is idle."""
    parts = urlsplit(address.base_url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    body = {
        "messages": [{"role": "user", "content": "Cancelled. " + LONG[:1800]}],
        "stream": True,
        "return_progress": True,
    }
    http = host._http
    payload = json.dumps(body).encode()
    writer.write(http._head("/v1/chat/completions", len(payload)) + payload)
    seen: list[dict[str, int]] = []
    while len(seen) < 3:
        line = (await reader.readline()).decode()
        if "prompt_progress" in line:
            seen.append(json.loads(line.removeprefix("data: "))["prompt_progress"])
    writer.close()
    assert [each["processed"] for each in seen] == sorted(each["processed"] for each in seen)
    assert 0 < seen[-1]["processed"] < seen[-1]["total"]
    assert all(
        later["processed"] - earlier["processed"] <= 32
        for earlier, later in itertools.pairwise(seen)
    )
    if sys.platform == "linux":
        async with asyncio.timeout(20):
            while await _works(address.pid):
                pass


async def _works(pid: int) -> bool:
    before = _cpu_ticks(pid)
    await asyncio.sleep(0.3)
    return _cpu_ticks(pid) - before > 3


def _cpu_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
