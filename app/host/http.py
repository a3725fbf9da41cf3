"""A small HTTP client for the model host: JSON over one kept loopback connection.

The screen's process must not import an HTTP library; this is all it needs of one.
"""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

# What a kept connection can answer when the other side has closed it meanwhile.
_STALE = (ConnectionError, asyncio.IncompleteReadError)


class BadAnswer(Exception):
    """What came back is no HTTP answer with JSON."""


class LoopbackHttp:
    """Sends requests one after another over one connection, opened anew when it was closed.

    Args:
        base_url: `http://HOST:PORT`.
        api_key: Sent as bearer token.
    """

    def __init__(self, base_url: str, api_key: str) -> None:
        parts = urlsplit(base_url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._key = api_key
        self._lock = asyncio.Lock()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: Any, timeout: float) -> tuple[int, Any]:
        """Sends JSON and returns the status and the answer's JSON.

        Args:
            path: Path on the server.
            body: What to send.
            timeout: Seconds for the whole exchange.

        Raises:
            OSError: The host can't be reached; TimeoutError when it is too slow.
            BadAnswer: Something else than the host answered.
        """
        async with self._lock, asyncio.timeout(timeout):
            try:
                return await self._retried(path, _encoded(body))
            except BaseException:
                # Half an answer may be on its way: the next request needs a fresh connection.
                self._drop()
                raise

    async def _retried(self, path: str, body: bytes) -> tuple[int, Any]:
        if self._streams is not None:
            try:
                return await self._exchange(path, body)
            except _STALE:
                self._drop()
        try:
            return await self._exchange(path, body)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
            raise BadAnswer("the connection was closed early") from error

    async def _exchange(self, path: str, body: bytes) -> tuple[int, Any]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self._host, self._port)
        reader, writer = self._streams
        writer.write(self._head(path, len(body)) + body)
        await writer.drain()
        status, headers = await read_head(reader)
        payload = await _read_body(reader, headers)
        if headers.get("connection", "").lower() == "close":
            self._drop()
        try:
            return status, json.loads(payload)
        except ValueError as error:
            raise BadAnswer("the answer is not JSON") from error

    def _head(self, path: str, length: int) -> bytes:
        return (
            f"POST {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
            f"Authorization: Bearer {self._key}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {length}\r\n\r\n"
        ).encode("ascii")

    def _drop(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def close(self) -> None:
        """Closes the connection."""
        if self._streams is not None:
            writer = self._streams[1]
            self._drop()
            try:
                await writer.wait_closed()
            except OSError:
                return  # the other side was faster


def _encoded(body: Any) -> bytes:
    """The body as JSON; halves of characters, which UTF-8 doesn't know, become question marks."""
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")


async def read_head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    """Reads the head of an answer: its status, and its headers by name in lower case.

    Raises:
        BadAnswer: It is not HTTP.
        asyncio.IncompleteReadError: It was closed early; LimitOverrunError where it is too long.
    """
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    version, _, rest = first.partition(" ")
    status = rest[:3]
    if not version.startswith("HTTP/1.") or not status.isdigit():
        raise BadAnswer("the answer is not HTTP")
    pairs = (line.partition(":") for line in lines if line)
    return int(status), {name.strip().lower(): value.strip() for name, _, value in pairs}


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return await _read_chunks(reader)
    length = headers.get("content-length", "")
    if not length.isdigit():
        raise BadAnswer("the answer has no length")
    return await reader.readexactly(int(length))


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    chunks = []
    while size := int(await reader.readline(), 16):
        chunks.append((await reader.readexactly(size + 2))[:-2])
    await reader.readline()
    return b"".join(chunks)
