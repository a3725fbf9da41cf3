"""The only place that touches litellm.

litellm costs seconds to import, so a thread does it while the child already answers. Its own
retries, callbacks and start-up downloads are off: nothing but the endpoint of a request is
contacted.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from app.backend.protocol import JsonObject
from app.backend.raw_stream import RawStream
from app.backend.text_stream import TextStream

ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    "LITELLM_LOCAL_POLICY_TEMPLATES": "True",
    "LITELLM_LOCAL_AUTOROUTER_PRESETS": "True",
    "LITELLM_LOG": "WARNING",
    # litellm ends a stream that repeats a chunk 100 times; a ruler or a table's border does that.
    "REPEATED_STREAMING_CHUNK_LIMIT": "1000000",
    "ANONYMIZED_TELEMETRY": "False",
}
"""Must stand in the environment before litellm is imported; the first five keep it off the net."""

LONGEST_CONNECT_S = 15.0

TEXT_PREFIX = "text-completion-openai/"
"""litellm's name for servers that continue plain text as OpenAI's do."""


@dataclass(frozen=True)
class Call:
    """One request as litellm takes it.

    Args:
        model: litellm's name.
        messages: The messages in OpenAI's shape.
        options: Further arguments of `acompletion`; those that are None are left out.
        connect_s: How long to wait for a connection.
        silence_s: How long the socket may be silent; the caller has its own, shorter limits.
        priced: Whether litellm's price map holds for the server that answers.
        prompt: Plain text to be continued, in place of messages.
    """

    model: str
    messages: list[JsonObject]
    options: Mapping[str, Any] = field(default_factory=dict)
    connect_s: float = LONGEST_CONNECT_S
    silence_s: float = 600.0
    priced: bool = True
    prompt: str | None = None


@dataclass(frozen=True)
class ModelFacts:
    """What litellm's map knows of a model; None for what it does not."""

    context_window: int | None = None
    max_output: int | None = None
    input_price: float | None = None
    output_price: float | None = None


class UnknownProvider(Exception):
    """litellm does not know who serves a model of this name."""


class Unprocessable(Exception):
    """The server refused the request with status 422; litellm then returns nothing at all."""

    status_code = 422


class LitellmDoor:
    """Loads litellm in the background and sends requests through it."""

    def __init__(self) -> None:
        self._loaded: asyncio.Future[Any] | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether litellm is imported and warm."""
        return self._loaded is not None and self._loaded.done()

    def load(self) -> None:
        """Starts the import in a thread; call it inside the event loop."""
        loop = asyncio.get_running_loop()
        self._loaded = loaded = loop.create_future()

        def run() -> None:
            module = _import_litellm()
            loop.call_soon_threadsafe(loaded.set_result, module)

        threading.Thread(target=run, name="litellm-import", daemon=True).start()

    async def module(self) -> Any:
        """Waits until litellm is there and returns it."""
        if self._loaded is None:
            self.load()
        return await asyncio.shield(self._loaded)  # type: ignore[arg-type]

    async def provider(self, model: str) -> str:
        """Returns litellm's name of the provider that serves a model.

        Raises:
            UnknownProvider: It does not know.
        """
        litellm = await self.module()
        try:
            return str(litellm.get_llm_provider(model=model)[1])
        except litellm.exceptions.BadRequestError as error:
            raise UnknownProvider(model) from error

    async def key_names(self, model: str) -> list[str]:
        """Returns the environment variables that hold the model's key and are not set."""
        litellm = await self.module()
        missing = litellm.validate_environment(model=model)["missing_keys"]
        return [str(name) for name in missing if str(name).endswith("_API_KEY")]

    async def facts(self, model: str, provider: str) -> ModelFacts:
        """Looks a model up in litellm's map, without asking any server."""
        litellm = await self.module()
        bare = model.removeprefix(f"{provider}/")
        entry = litellm.model_cost.get(model) or litellm.model_cost.get(bare) or {}
        if entry.get("litellm_provider", provider) != provider:
            entry = {}
        window = entry.get("max_input_tokens") or entry.get("max_tokens")
        return ModelFacts(
            context_window=_positive(window),
            max_output=_positive(entry.get("max_output_tokens")),
            input_price=entry.get("input_cost_per_token"),
            output_price=entry.get("output_cost_per_token"),
        )

    async def open(self, call: Call, on_raw: Callable[[Any], None]) -> RawStream | TextStream:
        """Sends a request and returns its stream once the answer's headers are there.

        Args:
            call: The request.
            on_raw: Told of each chunk as the provider sent it, for OpenAI-compatible ones.

        Raises:
            Exception: Whatever litellm makes of a failure; `symptoms` reads it.
        """
        litellm = await self.module()
        httpx: Any = importlib.import_module("httpx")
        options = {
            "model": call.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_retries": 0,
            "timeout": httpx.Timeout(call.silence_s, connect=call.connect_s),
            **{key: value for key, value in call.options.items() if value is not None},
        }
        messages = call.messages
        if call.prompt is not None:
            if call.model.startswith(TEXT_PREFIX):
                return await _open_text(litellm, call.prompt, options, on_raw)
            # Ollama gets the one message as it is: no template of litellm's around it.
            messages = [{"role": "user", "content": call.prompt}]
            options["text_completion"] = True
        wrapper = await litellm.acompletion(messages=messages, **options)
        if wrapper is None:
            raise Unprocessable
        return RawStream(
            wrapper, on_raw, partial(_price, litellm, call.model) if call.priced else None
        )


async def _open_text(
    litellm: Any, prompt: str, options: dict[str, Any], on_raw: Callable[[Any], None]
) -> TextStream:
    """Sends a text to be continued to a server that is compatible with OpenAI's.

    Raises:
        Exception: Whatever the libraries make of a failure; `symptoms` reads it.
    """
    openai: Any = importlib.import_module("openai")
    client = openai.AsyncOpenAI(
        api_key=options.get("api_key"),
        base_url=options.get("api_base"),
        timeout=options["timeout"],
        max_retries=0,
    )
    stream = TextStream(client, on_raw)
    stream.attach(await litellm.atext_completion(prompt=prompt, client=stream, **options))
    return stream


def _price(litellm: Any, model: str, usage: Any) -> float | None:
    """Returns dollars by litellm's map, or None for a model that it does not know."""
    try:
        prices = litellm.cost_per_token(
            model=model,
            prompt_tokens=usage.prompt_tokens or 0,
            completion_tokens=usage.completion_tokens or 0,
            usage_object=usage,
        )
    except Exception:  # noqa: BLE001 - litellm raises a bare Exception for an unknown model
        return None
    return float(sum(prices))


def _positive(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and value > 0 else None


def _import_litellm() -> Any:
    os.environ.update(ENVIRONMENT)
    litellm: Any = importlib.import_module("litellm")
    litellm.suppress_debug_info = True
    litellm.drop_params = True
    litellm.telemetry = False
    litellm.turn_off_message_logging = True
    return litellm


async def warm_up(door: LitellmDoor) -> None:
    """Loads what litellm imports with its first request, by one that never leaves the process."""
    await door.module()
    openai: Any = importlib.import_module("openai")
    httpx: Any = importlib.import_module("httpx")
    chunk = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "warm"}
    choice = {"index": 0, "delta": {"content": "a"}, "finish_reason": "stop"}
    body = f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\ndata: [DONE]\n\n"
    headers = {"content-type": "text/event-stream"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, headers=headers, text=body))
    async with httpx.AsyncClient(transport=transport) as http:
        client = openai.AsyncOpenAI(
            api_key="none", base_url="http://warm.invalid", http_client=http, max_retries=0
        )
        call = Call("openai/warm", [{"role": "user", "content": "a"}], {"client": client})
        stream = await door.open(call, lambda _: None)
        async for _ in stream:
            pass
        await stream.close()
