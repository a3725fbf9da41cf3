"""One HTTP answer as a server of tests writes it, piece by piece, on a bare socket."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Seen:
    """One request that the server got, and when its client went away."""

    model: str
    body: dict[str, Any]
    headers: dict[str, str]
    at: float = field(default_factory=time.monotonic)
    closed_at: float | None = None


class Reply:
    """Writes one HTTP answer."""

    def __init__(
        self, writer: asyncio.StreamWriter, seen: Seen, go_on: asyncio.Event | None = None
    ) -> None:
        self.writer = writer
        self.seen = seen
        self.go_on = go_on or asyncio.Event()
        """Set while the server does not hold its answers."""

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def whole(
        self, status: str, body: str, kind: str = "application/json", **headers: str
    ) -> None:
        extra = "".join(f"{k.replace('_', '-')}: {v}\r\n" for k, v in headers.items())
        data = body.encode()
        await self.raw(
            f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\n"
            f"{extra}Connection: close\r\n\r\n".encode()
            + data
        )

    async def error(self, status: str, message: str, **fields: Any) -> None:
        headers = fields.pop("headers", {})
        body = json.dumps({"error": {"message": message, **fields}})
        await self.whole(status, body, **headers)

    async def open_stream(self, kind: str = "text/event-stream") -> None:
        await self.raw(
            f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n"
            "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode()
        )

    async def piece(self, text: str) -> None:
        data = text.encode()
        await self.raw(b"%x\r\n%s\r\n" % (len(data), data))

    async def event(self, body: Any) -> None:
        await self.piece(f"data: {body if isinstance(body, str) else json.dumps(body)}\n\n")

    async def delta(self, finish: str | None = None, **delta: Any) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        await self.event(self.chunk([choice]))

    def chunk(self, choices: list[Any], **more: Any) -> dict[str, Any]:
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": self.seen.model,
            "choices": choices,
            **more,
        }

    async def usage(self, given: int = 12, made: int = 8, cached: int = 4) -> None:
        usage = {
            "prompt_tokens": given,
            "completion_tokens": made,
            "total_tokens": given + made,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
        await self.event(self.chunk([], usage=usage))

    async def end(self) -> None:
        await self.event("[DONE]")
        await self.raw(b"0\r\n\r\n")
