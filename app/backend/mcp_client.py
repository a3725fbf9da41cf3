"""The MCP servers as the screen's process sees them: what they offer is known without asking."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

from app.backend.mcp_protocol import JsonObject, McpAnswer, McpServerView, McpTool

RESTART_S = 15.0
"""A server that does not end is killed after some seconds."""

SLACK_S = 5.0
"""The backend keeps the time of calls; this is for its answer to arrive."""


class McpClient:
    """What is known of the servers, and how they are called.

    Args:
        longest_s: How long calls may take, by server, in seconds.
        ask: Sends a request to the backend and returns the result.
    """

    def __init__(
        self,
        longest_s: dict[str, float],
        ask: Callable[[JsonObject, float], Awaitable[JsonObject]],
    ) -> None:
        self._longest_s = longest_s
        self._views = {name: McpServerView(name, "connecting") for name in longest_s}
        self._ask = ask
        self._news = asyncio.Event()
        self._waited_s = 0.0
        self.trusted: set[tuple[str, str, str]] = set()
        """Session, server and tool of which the user said that it may always be called there; as
        long as the program runs."""

        self.told: set[str] = set()
        """Servers of whose failure the user was told."""

    def hear(self, message: JsonObject) -> None:
        """Takes what the backend tells of a server."""
        view = McpServerView.from_json(message["server"])
        self._views[view.name] = view
        self._news.set()
        self._news = asyncio.Event()

    def states(self) -> tuple[McpServerView, ...]:
        """The servers, in the order of the configuration."""
        return tuple(self._views.values())

    def tools(self) -> Iterable[tuple[str, McpTool]]:
        """Server and tool of all servers that are ready."""
        return [
            (view.name, tool)
            for view in self._views.values()
            if view.state == "ready"
            for tool in view.tools
        ]

    @property
    def connecting(self) -> bool:
        """Whether a server is on its way, whose tools are not known yet."""
        return any(view.state == "connecting" for view in self._views.values())

    async def changed(self) -> None:
        """Waits until something is told of a server."""
        await self._news.wait()

    def delays(self, longest_s: float) -> bool:
        """Whether `begun` would wait now."""
        return self.connecting and self._waited_s < longest_s

    async def begun(self, longest_s: float) -> None:
        """Waits until no server is connecting any more, all such waits together at most so long.

        A server that never answers delays the first turn, and no other.
        """
        began = time.monotonic()
        await self.settled(longest_s - self._waited_s)
        self._waited_s += time.monotonic() - began

    async def settled(self, timeout: float) -> None:
        """Waits until no server is connecting any more, or for so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                while self.connecting:
                    await self._news.wait()

    async def call(
        self, server: str, tool: str, arguments: JsonObject, longest_s: float | None = None
    ) -> McpAnswer:
        """Calls a tool. A cancelled task cancels the call at the server.

        Args:
            server: The server's name.
            tool: The server's name of the tool.
            arguments: What it is called with.
            longest_s: Longest wait in seconds; None for what the configuration says.

        Raises:
            ModelFailure: The backend crashed.
        """
        seconds = longest_s or self._longest_s.get(server, SLACK_S)
        body = {
            "op": "mcp_call",
            "server": server,
            "tool": tool,
            "arguments": arguments,
            "longest_s": seconds,
        }
        return McpAnswer(**await self._ask(body, seconds + SLACK_S))

    async def restart(self, server: str) -> bool:
        """Ends a server and connects again, in the background.

        Returns:
            Whether there is one of the name.

        Raises:
            ModelFailure: The backend crashed.
        """
        found = await self._ask({"op": "mcp_restart", "server": server}, RESTART_S)
        return bool(found["found"])
