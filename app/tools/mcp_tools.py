"""The tools of MCP servers, as tools that the model may call (CHAT-10)."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.backend.client import Backend
from app.backend.mcp_protocol import McpTool
from app.tools.permissions import unseen
from app.tools.tool import BadArguments, Desk, JsonObject, Permission, Tool, ToolResult
from widgets.plain import one_line

LONGEST_NAME = 64
"""Characters of a tool's name: what all providers take."""

LONGEST_DESCRIPTION = 300
"""Characters: descriptions stand in every request, and some servers write essays."""

LONGEST_ASKED = 20_000
"""Characters of arguments that the user is asked about, as of a command."""

HASH_CHARACTERS = 8
_UNSAFE = re.compile(r"[^a-zA-Z0-9_-]")


@dataclass(frozen=True)
class ServerTool:
    """A tool of a server.

    The user is asked before each call, unless the server says that the tool only reads, the
    configuration allows it (`mcp.NAME.allowed_tools`), or the user once answered "always": that
    holds for the tool in this session, with any arguments, until the program ends. That a tool
    only reads is the server's own word. It is taken, because the user put the server there and
    lets its program run anyway; what no server should decide is whether a call that changes
    something is wanted.
    """

    name: str
    server: str
    tool: McpTool

    @property
    def description(self) -> str:
        """The server's words in one line, without what a terminal would obey."""
        text = one_line(self.tool.description)
        return text if len(text) <= LONGEST_DESCRIPTION else f"{text[: LONGEST_DESCRIPTION - 1]}…"

    @property
    def parameters(self) -> JsonObject:
        """The JSON schema of its arguments, as the server gave it."""
        return self.tool.schema

    @property
    def alone(self) -> bool:
        """What changes something runs in the order in which the model asked for it."""
        return not self.tool.reads

    async def run(self, arguments: Mapping[str, Any], desk: Desk) -> ToolResult:
        """Asks the user if need be, and calls the server.

        Raises:
            BadArguments: They are more than a user can read who is asked about them.
            ModelFailure: The backend crashed.
        """
        if not await self._allowed(arguments, desk):
            return ToolResult(
                "The user did not allow this call.",
                ok=False,
                error="NotAllowed",
                source=self.server,
            )
        answer = await desk.backend.mcp.call(self.server, self.tool.name, dict(arguments))
        text = _clipped(answer.text or "It answered nothing.", desk.settings.read_chars)
        return ToolResult(text, ok=answer.ok, error=answer.error, source=self.server)

    async def _allowed(self, arguments: Mapping[str, Any], desk: Desk) -> bool:
        if not self.tool.asks:
            return True
        trusted = desk.backend.mcp.trusted
        this = (desk.memory.info.id, self.server, self.tool.name)
        if this in trusted:
            return True
        question = f"The model wants to call this tool of the MCP server {self.server}. Allow it?"
        subject = f"{self.name} {_visible(arguments)}"
        if len(subject) > LONGEST_ASKED:
            raise BadArguments(
                f"The user has to read these arguments, and {LONGEST_ASKED:,} characters are the "
                "most. Call it with less at a time."
            )
        verdict = await desk.ask(Permission(self.name, subject, question))
        if verdict == "always":
            trusted.add(this)
        return verdict in ("once", "always")


async def mcp_tools(backend: Backend) -> tuple[Tool, ...]:
    """The tools of all servers that are ready, in the order of the configuration.

    Nothing is asked of anybody: the backend tells of each change by itself.
    """
    taken: set[str] = set()
    return tuple(
        ServerTool(_name(server, tool.name, taken), server, tool)
        for server, tool in backend.mcp.tools()
    )


def _name(server: str, tool: str, taken: set[str]) -> str:
    """A name that providers take and nothing else has; the same for the same two names."""
    plain = f"{server}__{tool}"
    name = _UNSAFE.sub("_", plain)
    if len(name) > LONGEST_NAME or name in taken:
        mark = hashlib.sha256(plain.encode()).hexdigest()[:HASH_CHARACTERS]
        name = f"{name[: LONGEST_NAME - HASH_CHARACTERS - 1]}_{mark}"
    taken.add(name)
    return name


def _visible(arguments: Mapping[str, Any]) -> str:
    """The arguments as JSON in which every character can be seen."""
    text = json.dumps(dict(arguments), ensure_ascii=False)
    return "".join(json.dumps(char)[1:-1] if unseen(char) else char for char in text)


def _clipped(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[:longest]}\n[{len(text) - longest:,} more characters are left out.]"
