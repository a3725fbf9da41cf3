"""One JSON request over HTTP, with the standard library and without blocking the event loop.

The answer may be anything: it is bounded in time and size, and nothing of it is believed.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from typing import Any
from urllib.parse import SplitResult, urlsplit

from app.host.http import BadAnswer, read_head

LONGEST_ANSWER = 8_000_000
"""Bytes; a list of ten thousand models has about four million."""

_BLOCK = 65_536


async def request_json(url: str, body: Any = None, *, timeout: float) -> tuple[int, Any]:
    """Asks a server once.

    Args:
        url: `http://…` or `https://…`.
        body: Sent by POST as JSON; with None it is a GET.
        timeout: Seconds for the whole exchange.

    Returns:
        The status, and the answer's JSON.

    Raises:
        OSError: The server can't be reached; TimeoutError when it is too slow.
        BadAnswer: What came is no HTTP answer with JSON, or too long.
    """
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise BadAnswer("the address is none") from error
    async with asyncio.timeout(timeout):
        secure = ssl.create_default_context() if parts.scheme == "https" else None
        reader, writer = await asyncio.open_connection(parts.hostname or "", port, ssl=secure)
        try:
            writer.write(_request(parts, body))
            await writer.drain()
            status, headers = await read_head(reader)
            payload = await _payload(reader, headers)
            return status, json.loads(payload)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            raise BadAnswer("the answer is not what was asked for") from error
        except RecursionError as error:
            raise BadAnswer("the answer is nested too deeply") from error
        finally:
            writer.close()


def _request(parts: SplitResult, body: Any) -> bytes:
    content = b"" if body is None else json.dumps(body).encode("ascii")
    kind = (
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n" if content else ""
    )
    host = parts.netloc.rpartition("@")[2]
    head = (
        f"{'POST' if content else 'GET'} {parts.path or '/'} HTTP/1.1\r\nHost: {host}\r\n"
        f"Accept: application/json\r\nConnection: close\r\n{kind}\r\n"
    )
    return head.encode("ascii", "ignore") + content


async def _payload(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return await _chunks(reader)
    length = headers.get("content-length")
    if length is None:
        return await _rest(reader)
    return await reader.readexactly(_within(int(length)))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    payload = bytearray()
    while size := int((await reader.readline()).partition(b";")[0], 16):
        _within(len(payload) + size)
        payload += (await reader.readexactly(size + 2))[:-2]
    return bytes(payload)


async def _rest(reader: asyncio.StreamReader) -> bytes:
    payload = bytearray()
    while block := await reader.read(_BLOCK):
        payload += block
        _within(len(payload))
    return bytes(payload)


def _within(size: int) -> int:
    if not 0 <= size <= LONGEST_ANSWER:
        raise BadAnswer("the answer is too long")
    return size
