"""The backend as the screen's process sees it. Needs the standard library only."""

from __future__ import annotations

import asyncio
import base64
import itertools
import sys
from array import array
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from app.backend.errors import ModelFailure
from app.backend.mcp_client import McpClient
from app.backend.protocol import (
    BackendSettings,
    CompletionRequest,
    Counts,
    Embeddings,
    Finished,
    JsonObject,
    ModelInfo,
    Priority,
    RequestCount,
    StreamEvent,
    event_from_json,
)
from app.backend.supervisor import Supervisor
from app.backend.vector_client import VectorClient

COUNT_BATCH_CHARACTERS = 4_000_000
"""Texts are counted in portions of this size, well under the limit of a frame."""

EMBEDDED_CHARACTERS = 8_000
"""Characters of a text that are sent to be embedded: far more than the tokens that count."""

EMBED_BATCH_TEXTS = 64
"""Texts embedded by one request: about a second's work, and a frame of some 130 kB."""

ANSWER_DEADLINE_S = 120.0
"""For requests that are no completion. The first may have to wait for the model host to start
and read 1.1 GB from a slow disk."""

PING_DEADLINE_S = 10.0


class Backend:
    """Language models, reached through a child process that can crash without harm.

    Create it with `start`, end it with `close`. All methods may be used at the same time.
    """

    def __init__(self, settings: BackendSettings) -> None:
        longest = {name: server.timeout_s for name, server in settings.mcp.items()}
        self.mcp = McpClient(longest, self._ask)
        """The servers of tools."""
        self.vectors = VectorClient(self._ask)
        """The vector index; nothing of it starts before it is used."""
        self._supervisor = Supervisor(settings, self.mcp.hear)
        self._ids = itertools.count(1)

    @classmethod
    async def start(cls, settings: BackendSettings, *, when_asked: bool = False) -> Backend:
        """Starts the child and returns at once; it loads in the background.

        Args:
            settings: What the child is told.
            when_asked: It is started with the first request, for who may need none: its start
                costs seconds of a processor.
        """
        backend = cls(settings)
        backend._supervisor.start(when_asked=when_asked)
        return backend

    async def complete(self, request: CompletionRequest) -> AsyncIterator[StreamEvent]:
        """Sends a request and yields what comes back; the last event is `Finished`.

        Closing the generator, or cancelling the task that reads it, stops the request.

        Raises:
            ModelFailure: The request failed; what was yielded before remains valid.
        """
        body = {"op": "complete", "deadline_s": request.deadline_s, "request": request.to_json()}
        async with self._supervisor.exchange(next(self._ids), body) as answers:
            event = None
            while not isinstance(event, Finished):
                event = event_from_json(await answers.next())
                yield event

    async def count(self, model: str, texts: Sequence[str]) -> Counts:
        """Counts the tokens of some texts with the tokenizer of `model`.

        Raises:
            ModelFailure: The model is unknown or its host does not start.
        """
        parts = []
        for portion in _portions(texts) or [[]]:
            body = {"op": "count", "model": model, "texts": portion}
            parts.append(await self._ask(body))
        tokens = tuple(number for part in parts for number in part["tokens"])
        return Counts(tokens, parts[0]["tokenizer"], parts[0]["counted_by"])

    async def count_request(
        self,
        model: str,
        messages: Sequence[JsonObject],
        tools: Sequence[JsonObject] | None = None,
        *,
        prompt: str | None = None,
    ) -> RequestCount:
        """Counts a whole request as the model's template renders it, generation prompt included.

        Args:
            model: Who reads it.
            messages: The messages in OpenAI's shape.
            tools: Tool schemas in OpenAI's shape.
            prompt: Plain text that is sent in their place.

        Raises:
            ModelFailure: The model is unknown or its host does not start.
        """
        body = {
            "op": "count_request",
            "model": model,
            "messages": list(messages),
            "tools": None if tools is None else list(tools),
            "prompt": prompt,
        }
        return RequestCount(**await self._ask(body))

    async def describe(self, model: str) -> ModelInfo:
        """Tells what is known of a model: window, prices, tokenizer.

        Raises:
            ModelFailure: Nobody knows a model of this name.
        """
        return ModelInfo(**await self._ask({"op": "describe", "model": model}))

    async def warm(
        self,
        model: str,
        messages: Sequence[JsonObject],
        tools: Sequence[JsonObject] | None = None,
        *,
        prompt: str | None = None,
    ) -> None:
        """Lets an embedded model read a prefix before it is needed; for others does nothing.

        Args:
            model: Who reads it.
            messages: The messages in OpenAI's shape.
            tools: Tool schemas in OpenAI's shape; a template sets them before the messages.
            prompt: Plain text that is sent in their place.

        Raises:
            ModelFailure: The model is unknown or its host does not start.
        """
        body = {
            "op": "warm",
            "model": model,
            "messages": list(messages),
            "tools": list(tools) if tools else None,
            "prompt": prompt,
        }
        await self._ask(body)

    async def embed(
        self, texts: Sequence[str], *, priority: Priority = "background"
    ) -> list[Sequence[float]]:
        """The vectors of some texts, in their order, each of length one; of long texts the start.

        Args:
            texts: The texts.
            priority: "background" lets the answer of a local model go first.

        Raises:
            ModelFailure: The embedding model is not installed or damaged.
        """
        vectors: list[Sequence[float]] = []
        for start in range(0, len(texts), EMBED_BATCH_TEXTS):
            portion = texts[start : start + EMBED_BATCH_TEXTS]
            cut = [text[:EMBEDDED_CHARACTERS] for text in portion]
            body = {"op": "embed", "texts": cut, "priority": priority}
            vectors += _unpacked(Embeddings(**await self._ask(body)))
        return vectors

    async def ping(self) -> JsonObject:
        """Asks the child whether it lives; tells its process id and whether litellm is loaded.

        Raises:
            ModelFailure: The child does not answer.
        """
        return await self._ask({"op": "ping"}, PING_DEADLINE_S)

    async def close(self) -> None:
        """Ends the child and everything in flight. Can be called more than once."""
        await self._supervisor.close()

    async def _ask(self, body: JsonObject, deadline_s: float = ANSWER_DEADLINE_S) -> JsonObject:
        """Sends a request that has one answer, and returns it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(deadline_s):
                message = {**body, "deadline_s": deadline_s}
                async with self._supervisor.exchange(next(self._ids), message) as answers:
                    result: JsonObject = (await answers.next())["result"]
                    return result
        raise ModelFailure(
            "The backend did not answer in time.",
            "Try again; if it stays so, restart Strata.",
            kind="timeout",
            retryable=True,
        )


def _unpacked(embeddings: Embeddings) -> list[Sequence[float]]:
    """Reads the vectors of an answer."""
    numbers = array("f", base64.b64decode(embeddings.vectors))
    if sys.byteorder == "big":
        numbers.byteswap()
    size = embeddings.dimensions
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]


def _portions(texts: Sequence[str]) -> list[list[str]]:
    """Splits texts, in order, into portions that fit into a frame."""
    portions: list[list[str]] = []
    size = 0
    for text in texts:
        if not portions or size + len(text) > COUNT_BATCH_CHARACTERS:
            portions.append([])
            size = 0
        portions[-1].append(text)
        size += len(text)
    return portions
