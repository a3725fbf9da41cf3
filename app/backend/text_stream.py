"""The stream of a text completion, as `RawStream` is that of a chat.

litellm hides more of it: the server's headers and why it stopped, and it sends the request only
when the first chunk is asked for. So it is given a client that shows what passes through.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from app.backend.protocol import Usage
from app.backend.streams import Ending, Piece


class TextStream:
    """The chunks of one completion, and what can be known when they have ended.

    Args:
        client: OpenAI's client; `completions` stands in its place for litellm.
        on_raw: Told of each chunk as the server sent it.
    """

    def __init__(self, client: Any, on_raw: Callable[[Any], None]) -> None:
        self._client = client
        self._on_raw = on_raw
        self._chunks: Any = None
        self._usage: Any = None
        self._finish_reason: str | None = None
        self._seen = 0
        self._content_type = ""
        self.timings: Mapping[str, Any] = {}
        self.completions = self.with_raw_response = self

    async def create(self, **data: Any) -> TextStream:
        """Sends the request; in the place of the client's own method."""
        raw = await self._client.completions.with_raw_response.create(**data)
        self._content_type = str(raw.headers.get("content-type", "")).lower()
        self._stream = raw.parse()
        return self

    def parse(self) -> AsyncIterator[Any]:
        """What litellm reads: the chunks, each seen on its way."""
        return self._tapped()

    def attach(self, chunks: Any) -> None:
        """Takes what litellm made of the request."""
        self._chunks = chunks

    def __aiter__(self) -> AsyncIterator[Piece]:
        return self

    async def __anext__(self) -> Piece:
        chunk = await self._chunks.__anext__()
        return Piece((chunk.choices[0].text or "") if chunk.choices else "")

    async def close(self) -> None:
        """Closes the connection, so that the server can stop."""
        await self._client.close()

    def ending(self) -> Ending:
        """Tells how the stream ended, as the server said."""
        return Ending(self._finish_reason, self._seen, self._content_type)

    def usage(self) -> Usage:
        """Returns what the completion took; no price is known for base models."""
        usage = self._usage
        if usage is None:
            return Usage(reported=False)
        details = getattr(usage, "prompt_tokens_details", None)
        cached = getattr(details, "cached_tokens", None) or 0
        return Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0, cached)

    async def _tapped(self) -> AsyncIterator[Any]:
        async for chunk in self._stream:
            self._seen += 1
            self._usage = getattr(chunk, "usage", None) or self._usage
            self.timings = getattr(chunk, "timings", None) or self.timings
            if chunk.choices and chunk.choices[0].finish_reason:
                self._finish_reason = chunk.choices[0].finish_reason
            self._on_raw(chunk)
            yield chunk
