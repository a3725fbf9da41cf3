"""The stream that litellm returns, with what litellm hides of it.

litellm says "stop" where a server gave no reason to stop, counts tokens itself where the server
did not, and drops chunks without text. Here the difference can be seen.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from app.backend.protocol import Usage
from app.backend.safelog import LOGGER
from app.backend.streams import Ending, Piece, ToolPart


class RawStream:
    """The chunks of one answer, and what can be known when they have ended.

    Args:
        wrapper: litellm's stream.
        on_raw: Told of each chunk as the provider sent it, for OpenAI-compatible ones.
        price: Computes dollars from litellm's usage; None where no price holds.
    """

    def __init__(
        self,
        wrapper: Any,
        on_raw: Callable[[Any], None],
        price: Callable[[Any], float | None] | None,
    ) -> None:
        self._wrapper = wrapper
        self._price = price
        self._usage: Any = None
        self._usage_reported = False
        self._chunks = 0
        self._over = False
        self.timings: Mapping[str, Any] = {}
        self._on_raw = on_raw
        self._tap: _Tap | None = None
        if type(wrapper.completion_stream).__module__.startswith("openai"):
            # litellm drops chunks without text: the progress of reading, and what a broken
            # server sends. They are seen here, before it takes them.
            self._tap = wrapper.completion_stream = _Tap(wrapper.completion_stream, self._see)

    def __aiter__(self) -> AsyncIterator[Piece]:
        return self

    async def __anext__(self) -> Piece:
        if self._over:
            raise StopAsyncIteration
        chunk = await self._wrapper.__anext__()
        self._usage = getattr(chunk, "usage", None) or self._usage
        if not chunk.choices:
            return Piece()
        if chunk.choices[0].finish_reason and self._tap is not None and self._price is None:
            await self._read_rest(self._tap)
        piece = _piece(chunk.choices[0].delta)
        if self._tap is None and piece != Piece():
            self._chunks += 1
        return piece

    async def _read_rest(self, tap: _Tap) -> None:
        """Reads the usage behind the last text without litellm.

        It would put the whole answer together again first, to compute a price.
        """
        try:
            async for _ in tap:
                pass
        except Exception as error:  # noqa: BLE001 - the answer is whole, only its usage is lost
            LOGGER.info("the end of a stream was lost: %s", type(error).__name__)
        self._over = self._usage_reported

    async def close(self) -> None:
        """Closes the connection, so that the server can stop."""
        await self._wrapper.aclose()

    def ending(self) -> Ending:
        """Tells how the stream ended.

        litellm reports "stop" where the server gave no reason; what it really got is kept in the
        wrapper's `received_finish_reason`.
        """
        headers = self._wrapper._response_headers or {}  # noqa: SLF001 - nowhere else
        content_type = str(headers.get("content-type", "")).lower()
        return Ending(self._wrapper.received_finish_reason, self._chunks, content_type)

    def usage(self) -> Usage:
        """Returns what the answer cost."""
        usage = self._usage
        if usage is None:
            return Usage(reported=False)
        reported = self._usage_reported or any(
            getattr(chunk, "usage", None) for chunk in self._wrapper.chunks
        )
        details = getattr(usage, "prompt_tokens_details", None)
        return Usage(
            input=usage.prompt_tokens or 0,
            output=usage.completion_tokens or 0,
            cached=getattr(details, "cached_tokens", None) or 0,
            cost=self._price(usage) if self._price else None,
            reported=reported,
        )

    def _see(self, chunk: Any) -> None:
        self._chunks += 1
        if getattr(chunk, "usage", None):
            self._usage = chunk.usage
            self._usage_reported = True
        self.timings = getattr(chunk, "timings", None) or self.timings
        self._on_raw(chunk)


class _Tap:
    """Passes a stream through and shows each chunk to a listener."""

    def __init__(self, stream: Any, see: Callable[[Any], None]) -> None:
        self._stream = stream
        self._chunks = stream.__aiter__()
        self._see = see

    def __aiter__(self) -> _Tap:
        return self

    async def __anext__(self) -> Any:
        chunk = await self._chunks.__anext__()
        self._see(chunk)
        return chunk

    async def aclose(self) -> None:
        await self._stream.close()


def _piece(delta: Any) -> Piece:
    return Piece(
        text=delta.content or "",
        reasoning=getattr(delta, "reasoning_content", None) or "",
        tools=tuple(_tool_part(part) for part in getattr(delta, "tool_calls", None) or ()),
        thinking_blocks=tuple(map(dict, getattr(delta, "thinking_blocks", None) or ())),
    )


def _tool_part(part: Any) -> ToolPart:
    function = part.function
    return ToolPart(
        index=part.index or 0,
        id=part.id or "",
        name=(function.name if function else "") or "",
        arguments=(function.arguments if function else "") or "",
    )
