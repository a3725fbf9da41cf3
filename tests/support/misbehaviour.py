"""What a server can do instead of answering well: one script each, and their table by name."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

from tests.support.replies import Reply

GOOD_ANSWER = "Hello from a server that behaves well."
HTML_PAGE = "<!DOCTYPE html><html><body><h1>Welcome to the hotel network</h1></body></html>"
SECRET_ECHO = "sk-test-secret-0123456789abcdef"
"""Some providers repeat the key in their refusal; so does the 401 here."""

Script = Callable[[Reply], Awaitable[None]]


async def words(reply: Reply, text: str, pause_s: float = 0.0) -> None:
    for word in re.findall(r"\S+\s*", text):
        await reply.delta(content=word)
        await asyncio.sleep(pause_s)


async def good(reply: Reply, text: str = GOOD_ANSWER, pause_s: float = 0.0) -> None:
    await reply.open_stream()
    await reply.delta(role="assistant", content="")
    await words(reply, text, pause_s)
    await reply.delta(finish="stop")
    await reply.usage()
    await reply.end()


async def echo(reply: Reply) -> None:
    await good(reply, str(reply.seen.body["messages"][-1]["content"]))


def numbered(count: int) -> str:
    return " ".join(f"w{number}" for number in range(count))


async def slow(reply: Reply) -> None:
    await good(reply, numbered(200), 0.05)


async def fast(reply: Reply) -> None:
    await good(reply, numbered(2000))


async def held(reply: Reply) -> None:
    """Answers well, but stops half way for as long as the server holds its answers."""
    text = numbered(300)
    half = text.index("w150")
    await reply.open_stream()
    await words(reply, text[:half], 0.001)
    await reply.go_on.wait()
    await words(reply, text[half:], 0.001)
    await reply.delta(finish="stop")
    await reply.usage()
    await reply.end()


async def repeating(reply: Reply) -> None:
    """A model that says the same again and again, as in a ruler or a table's border."""
    await good(reply, "word " * 300)


async def no_usage(reply: Reply) -> None:
    await reply.open_stream()
    await words(reply, GOOD_ANSWER)
    await reply.delta(finish="stop")
    await reply.end()


async def reasoning(reply: Reply) -> None:
    await reply.open_stream()
    await reply.delta(role="assistant", reasoning_content="Let me think. ")
    await reply.delta(reasoning_content="Done.")
    await words(reply, "The answer is 4.")
    await reply.delta(finish="stop")
    await reply.usage()
    await reply.end()


def tool_call(arguments: list[str]) -> Script:
    async def script(reply: Reply) -> None:
        await reply.open_stream()
        for number, part in enumerate(arguments):
            call: dict[str, Any] = {"index": 0, "function": {"arguments": part}}
            if number == 0:
                call |= {"id": "call_1", "type": "function"}
                call["function"]["name"] = "read_file"
            await reply.delta(tool_calls=[call])
        await reply.delta(finish="tool_calls")
        await reply.usage()
        await reply.end()

    return script


async def fenced_tool(reply: Reply) -> None:
    call = '```json\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n```'
    await good(reply, call)


def refusal(status: str, message: str, **fields: Any) -> Script:
    async def script(reply: Reply) -> None:
        await reply.error(status, message, **fields)

    return script


async def hang_before_headers(reply: Reply) -> None:
    await forever(reply)


async def hang_after_headers(reply: Reply) -> None:
    await reply.open_stream()
    await forever(reply)


async def stall(reply: Reply) -> None:
    await reply.open_stream()
    await words(reply, "This much came before ")
    await forever(reply)


async def comments_only(reply: Reply) -> None:
    """Keeps the connection busy with comments, as some proxies do, and never answers."""
    await reply.open_stream()
    while True:
        await reply.piece(": keep-alive\n\n")
        await asyncio.sleep(0.05)


async def cut(reply: Reply) -> None:
    await reply.open_stream()
    await words(reply, "This much came before ")
    reply.writer.transport.abort()


async def drop(reply: Reply) -> None:
    reply.writer.transport.abort()


async def no_finish(reply: Reply) -> None:
    await reply.open_stream()
    await words(reply, "This much came before ")
    await reply.raw(b"0\r\n\r\n")


async def html(reply: Reply) -> None:
    await reply.whole("200 OK", HTML_PAGE, "text/html; charset=utf-8")


async def html_stream(reply: Reply) -> None:
    """An HTML page that claims to be an event stream."""
    await reply.whole("200 OK", HTML_PAGE, "text/event-stream")


async def html_502(reply: Reply) -> None:
    await reply.whole("502 Bad Gateway", HTML_PAGE, "text/html")


async def empty(reply: Reply) -> None:
    await reply.open_stream()
    await reply.delta(role="assistant", content="")
    await reply.delta(finish="stop")
    await reply.usage()
    await reply.end()


async def empty_body(reply: Reply) -> None:
    await reply.whole("200 OK", "", "text/event-stream")


async def empty_choices(reply: Reply) -> None:
    await reply.open_stream()
    await reply.event(reply.chunk([]))
    await reply.event(reply.chunk([]))
    await reply.end()


async def null_choices(reply: Reply) -> None:
    await reply.open_stream()
    await reply.event({**reply.chunk([]), "choices": None})
    await reply.end()


async def malformed(reply: Reply) -> None:
    await reply.open_stream()
    await words(reply, "This much came before ")
    await reply.event('{"choices": [{"delta": {"content": "bro')
    await reply.delta(finish="stop")
    await reply.end()


async def error_in_stream(reply: Reply) -> None:
    await reply.open_stream()
    await words(reply, "This much came before ")
    await reply.event({"error": {"message": "The server had an error", "type": "server_error"}})
    await reply.end()


async def error_json_200(reply: Reply) -> None:
    body = json.dumps({"error": {"message": "model is not loaded", "code": 500}})
    await reply.whole("200 OK", body)


async def length(reply: Reply) -> None:
    await reply.open_stream()
    await words(reply, "Cut short by the")
    await reply.delta(finish="length")
    await reply.usage()
    await reply.end()


async def content_filter(reply: Reply) -> None:
    await reply.open_stream()
    await reply.delta(finish="content_filter")
    await reply.end()


async def forever(reply: Reply) -> None:
    await reply.writer.wait_closed()


OVERFLOW_OPENAI = (
    "This model's maximum context length is 8192 tokens. However, your messages resulted in "
    "9731 tokens. Please reduce the length of the messages."
)
OVERFLOW_LLAMA = (
    "request (9731 tokens) exceeds the available context size (8192 tokens), try increasing it"
)

CHARS_PER_TOKEN = 4
"""How a server that takes only so much counts."""


def takes_only(chars: int, how: str) -> Script:
    """Answers well what is small enough; refuses what is larger, with its figures or without."""

    async def script(reply: Reply) -> None:
        sent = sum(len(str(message["content"])) for message in reply.seen.body["messages"])
        if sent <= chars:
            await good(reply)
            return
        told, limit = sent // CHARS_PER_TOKEN, chars // CHARS_PER_TOKEN
        if how == "figures":
            figures = OVERFLOW_OPENAI.replace("8192", str(limit)).replace("9731", str(told))
            await refusal("400 Bad Request", figures, code="context_length_exceeded")(reply)
        elif how == "llama":
            figures = OVERFLOW_LLAMA.replace("8192", str(limit)).replace("9731", str(told))
            sizes = {"n_prompt_tokens": told, "n_ctx": limit}
            kind = "exceed_context_size_error"
            await refusal("400 Bad Request", figures, type=kind, code=400, **sizes)(reply)
        else:
            await SCRIPTS[how](reply)

    return script


async def no_schema(reply: Reply) -> None:
    """Refuses to be held to a schema, as older servers do."""
    if "response_format" in reply.seen.body:
        what = "'response_format.type' must be 'text'"
        await refusal("400 Bad Request", what, type="invalid_request_error")(reply)
        return
    await good(reply, '{"1": []}')


SCRIPTS: dict[str, Script] = {
    "good": good,
    "echo": echo,
    "slow": slow,
    "fast": fast,
    "held": held,
    "repeating": repeating,
    "no-usage": no_usage,
    "reasoning": reasoning,
    "tool": tool_call(['{"path": ', '"a.txt"}']),
    "tool-fenced": fenced_tool,
    "tool-broken": tool_call(['{"path": ', '"a.txt']),
    "tool-not-object": tool_call(["[1, 2]"]),
    "no-schema": no_schema,
    "length": length,
    "filtered": content_filter,
    "401": refusal(
        "401 Unauthorized",
        f"Incorrect API key provided: {SECRET_ECHO}.",
        type="invalid_request_error",
        code="invalid_api_key",
    ),
    "403": refusal("403 Forbidden", "Your organization must be verified.", type="forbidden"),
    "404": refusal("404 Not Found", "The model does not exist.", code="model_not_found"),
    "400": refusal("400 Bad Request", "temperature must be below 2", type="invalid_request_error"),
    "408": refusal("408 Request Timeout", "Timed out."),
    "413": refusal("413 Payload Too Large", "Request Entity Too Large"),
    "422": refusal("422 Unprocessable Entity", "Input should be a valid list."),
    "429": refusal(
        "429 Too Many Requests",
        "Rate limit reached for requests.",
        type="requests",
        code="rate_limit_exceeded",
        headers={"Retry_After": "1"},
    ),
    "429-long": refusal(
        "429 Too Many Requests",
        "Rate limit reached for requests.",
        code="rate_limit_exceeded",
        headers={"Retry_After": "3600"},
    ),
    "429-quota": refusal(
        "429 Too Many Requests",
        "You exceeded your current quota, please check your plan and billing details.",
        type="insufficient_quota",
        code="insufficient_quota",
    ),
    "500": refusal("500 Internal Server Error", "Something broke.", type="server_error"),
    "502": html_502,
    "503": refusal("503 Service Unavailable", "The engine is overloaded.", type="server_error"),
    "529": refusal("529 Overloaded", "Overloaded", type="overloaded_error"),
    "overflow": refusal(
        "400 Bad Request",
        OVERFLOW_OPENAI,
        type="invalid_request_error",
        code="context_length_exceeded",
    ),
    "overflow-llama": refusal(
        "400 Bad Request",
        OVERFLOW_LLAMA,
        type="exceed_context_size_error",
        code=400,
        n_prompt_tokens=9731,
        n_ctx=8192,
    ),
    "overflow-silent": refusal(
        "400 Bad Request", "prompt is too long", type="invalid_request_error"
    ),
    "hang": hang_before_headers,
    "hang-after-headers": hang_after_headers,
    "comments": comments_only,
    "stall": stall,
    "cut": cut,
    "drop": drop,
    "no-finish": no_finish,
    "html": html,
    "html-stream": html_stream,
    "empty": empty,
    "empty-body": empty_body,
    "empty-choices": empty_choices,
    "null-choices": null_choices,
    "malformed": malformed,
    "error-in-stream": error_in_stream,
    "error-json-200": error_json_200,
}
