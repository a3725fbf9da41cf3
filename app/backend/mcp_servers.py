"""All MCP servers of the configuration, as the backend keeps them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import asdict
from typing import Any

from app.backend.mcp_leash import Leash
from app.backend.mcp_protocol import JsonObject, McpAnswer, McpServerView
from app.backend.mcp_server import McpServer, Surroundings
from app.backend.protocol import BackendSettings
from app.shown import printable

Handler = Callable[[JsonObject, Any], Coroutine[Any, Any, JsonObject]]


class McpServers:
    """Starts the servers in the background; the SDK is loaded only if there are any.

    Args:
        settings: The configuration.
        when_free: Waits until the backend has done what is more urgent.
        show: Told of each change of a server.
    """

    def __init__(
        self,
        settings: BackendSettings,
        when_free: Callable[[], Awaitable[object]],
        show: Callable[[McpServerView], None],
    ) -> None:
        logs = settings.data_dir / "log" if settings.keeps_words else None
        around = Surroundings(logs, Leash(), when_free, show)
        self._servers = {
            name: McpServer(name, server, around) for name, server in settings.mcp.items()
        }
        for server in self._servers.values():
            server.start()

    @property
    def handlers(self) -> dict[str, Handler]:
        """How the requests about servers are carried out, by name."""
        return {"mcp_call": self._call, "mcp_restart": self._restart}

    async def _call(self, message: JsonObject, _emit: object) -> JsonObject:
        server = self._servers.get(message["server"])
        if server is None:
            answer = McpAnswer(_unknown(message["server"]), ok=False, error="ServerGone")
        else:
            answer = await server.call(message["tool"], message["arguments"], message["longest_s"])
        return _result(asdict(answer))

    async def _restart(self, message: JsonObject, _emit: object) -> JsonObject:
        """What comes of it is shown, not answered."""
        server = self._servers.get(message["server"])
        if server is None:
            return _result({"found": False})
        await server.stop()
        server.start()
        return _result({"found": True})


def _unknown(name: str) -> str:
    return f"There is no MCP server {printable(name)}."


def _result(values: JsonObject) -> JsonObject:
    return {"event": "done", "result": values}
