"""The only place that touches the SDK of MCP: a connection to one server.

The SDK costs 0.6 s and 20 MB beside litellm (measured), so this module is loaded by name in a
thread, and only where a server is configured. Nothing but the server itself is contacted; no span
is recorded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    asynccontextmanager,
    contextmanager,
)
from typing import Any

import anyio
import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ListenNotSupportedError, SubscriptionLost
from mcp.shared.message import SessionMessage
from mcp_types import (
    CONNECTION_CLOSED,
    REQUEST_TIMEOUT,
    CallToolResult,
    Implementation,
    ToolListChangedNotification,
    jsonrpc_message_adapter,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from app.backend.mcp_process import LONGEST_LINE_BYTES, ServerProcess

MOST_PAGES = 50
"""Of a list of tools: a server that never comes to its end can't hold anybody up."""

MOST_GARBAGE = 100
"""Lines of a server's output, one after the other, that are no messages: some print a greeting."""

LONGEST_SILENCE_S = 300.0
"""Of an open HTTP answer: the stream of notifications may be silent for long."""

Streams = tuple[Any, Any]

# Their records quote what servers write, one for each line that makes no sense.
for _name in ("mcp", "client", "httpx2"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)


class Gone(Exception):
    """The server is gone, or its connection."""


class Unanswered(Exception):
    """The server did not answer in time."""


class Refused(Exception):
    """The server refused the request; its words are the text."""


class Pipe:
    """The messages of a server that is a process.

    Args:
        process: The server.
    """

    def __init__(self, process: ServerProcess) -> None:
        self._process = process
        self._garbage = 0
        self._messages = 0
        self.ended = asyncio.Event()
        """Set when nothing more comes."""

    @property
    def garbled(self) -> bool:
        """Whether what came can't be from an MCP server; a greeting before the messages can."""
        return self._garbage > (MOST_GARBAGE if self._messages else 0)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Streams]:
        """The streams that the SDK reads and writes."""
        incoming, inbox = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outbox, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._read, incoming)
            tasks.start_soon(self._write, outgoing, incoming)
            try:
                yield inbox, outbox
            finally:
                tasks.cancel_scope.cancel()
                for stream in (incoming, inbox, outbox, outgoing):
                    stream.close()

    async def _read(self, incoming: Any) -> None:
        try:
            async with incoming:
                async for line in self._process.lines():
                    message = self._message(line)
                    if message is not None:
                        await incoming.send(message)
                    elif self._garbage > MOST_GARBAGE:
                        return
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            return  # the session ended first, or the server in the middle of a line
        except ValueError:
            self._garbage += MOST_GARBAGE + 1  # a line without end
        finally:
            self.ended.set()

    def _message(self, line: bytes) -> SessionMessage | None:
        try:
            message = jsonrpc_message_adapter.validate_json(line, by_name=False)
        except ValueError:
            self._garbage += 1
            return None
        self._garbage = 0
        self._messages += 1
        return SessionMessage(message)

    async def _write(self, outgoing: Any, incoming: Any) -> None:
        try:
            async with outgoing:
                async for item in outgoing:
                    text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                    await self._process.send(text.encode("utf-8", errors="replace") + b"\n")
        except OSError:
            # Whoever waits for an answer learns that the connection is at its end.
            await incoming.aclose()


@asynccontextmanager
async def over_http(
    url: str, headers: Mapping[str, str], timeout_s: float, on_status: Callable[[int], None]
) -> AsyncIterator[Streams]:
    """The streams to a server at an address.

    Args:
        url: The address.
        headers: Headers of every request.
        timeout_s: How long to wait for a connection, in seconds.
        on_status: Told of the HTTP status of each answer.
    """

    async def note(response: httpx2.Response) -> None:
        on_status(response.status_code)

    timeout = httpx2.Timeout(timeout_s, read=max(LONGEST_SILENCE_S, timeout_s))
    hooks = {"response": [note]}
    async with (
        httpx2.AsyncClient(headers=dict(headers), timeout=timeout, event_hooks=hooks) as client,
        streamable_http_client(
            url, http_client=client, max_sse_event_size=LONGEST_LINE_BYTES
        ) as streams,
    ):
        yield streams


class Link:
    """A connection that is ready: lists tools, calls them, hears when they change."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.changed = asyncio.Event()
        """Set when the server says that its tools have changed."""

    async def tools(self) -> Sequence[Any]:
        """The tools that the server has.

        Raises:
            Gone: The connection has ended.
            Refused: It does not list them.
            Unanswered: It does not answer.
        """
        found: list[Any] = []
        cursor: str | None = None
        if self._client.server_capabilities.tools is None:
            return found
        for _ in range(MOST_PAGES):
            with _told():
                page = await self._client.list_tools(cursor=cursor)
            found += page.tools
            cursor = page.next_cursor
            if not cursor:
                break
        return found

    async def call(self, tool: str, arguments: dict[str, Any], deadline_s: float) -> CallToolResult:
        """Calls a tool. A cancelled task cancels the call at the server.

        Raises:
            Gone: The connection has ended.
            Refused: The server does not carry it out.
            Unanswered: It takes too long.
        """
        with _told():
            return await self._client.call_tool(tool, arguments, deadline_s)

    async def listen(self) -> None:
        """Waits for changes where the protocol has them as a stream.

        Raises:
            Gone: The stream broke off, and so the connection.
        """
        tools = self._client.server_capabilities.tools
        if self._client.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return
        if tools is None or not tools.list_changed:
            return
        try:
            async with self._client.listen(tools_list_changed=True) as events:
                async for _ in events:
                    self.changed.set()
        except (ListenNotSupportedError, MCPError, TimeoutError):
            return  # it has changes to tell, but no way to tell them
        except SubscriptionLost as error:
            raise Gone from error


@asynccontextmanager
async def linked(
    streams: AbstractAsyncContextManager[Streams], version: str, timeout_s: float
) -> AsyncIterator[Link]:
    """Connects to a server.

    Args:
        streams: How its messages come and go.
        version: Strata's own.
        timeout_s: Longest wait for an answer, in seconds.

    Raises:
        Gone: The connection ended.
        Refused: The server wants nothing to do with us.
        Unanswered: It does not answer.
    """
    link: Link | None = None

    async def heard(message: Any) -> None:
        if link is not None and isinstance(message, ToolListChangedNotification):
            link.changed.set()

    client = Client(
        streams,
        read_timeout_seconds=timeout_s,
        message_handler=heard,
        client_info=Implementation(name="strata", version=version),
        cache=None,
    )
    with _told():
        async with client:
            link = Link(client)
            yield link


@contextmanager
def _told() -> Iterator[None]:
    """Puts what the SDK raises into three kinds; it may come in groups."""
    try:
        yield
    except Exception as error:
        raise _meant(_leaves(error)[0]) from error


def _leaves(error: BaseException) -> list[BaseException]:
    """The errors in a group, or the one that is none."""
    if isinstance(error, BaseExceptionGroup):
        return [leaf for part in error.exceptions for leaf in _leaves(part)]
    return [error]


def _meant(error: BaseException) -> Exception:
    match error:
        case Gone() | Unanswered() | Refused():
            return error
        case TimeoutError():
            return Unanswered()
        case MCPError():
            return _answered(error)
        case httpx2.TransportError() | OSError():
            return Gone(type(error).__name__)
        case ValidationError():
            return Refused("its answer is not as MCP asks")
    return Refused(f"{type(error).__name__}: {error}")


def _answered(error: MCPError) -> Exception:
    # The second: a server that was started anew knows nothing of our session.
    if error.code == CONNECTION_CLOSED or error.message == "Session terminated":
        return Gone()
    return Unanswered() if error.code == REQUEST_TIMEOUT else Refused(error.message)
