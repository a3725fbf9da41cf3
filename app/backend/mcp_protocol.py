"""What the screen's process and the backend say to each other about MCP servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

JsonObject = dict[str, Any]
McpState = Literal["connecting", "ready", "failed", "dead", "off"]

MCP_EVENT = "mcp"
"""The event that tells of a server without having been asked."""


@dataclass(frozen=True)
class McpSettings:
    """One server of the configuration; `${NAME}` in values stands for what only the child reads.

    Args:
        command: The program that is the server, or None.
        args: Its arguments.
        env: Environment variables it gets besides the usual ones.
        url: Its address, or None.
        headers: Headers of every request to the address.
        timeout_s: Longest wait until it is ready, and for the answer to a call, in seconds.
        allowed_tools: Tools that are called without asking; `*` for all.
        enabled: Whether it is started.
    """

    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float = 60.0
    allowed_tools: tuple[str, ...] = ()
    enabled: bool = True

    @classmethod
    def from_json(cls, data: JsonObject) -> McpSettings:
        """Reads what `dataclasses.asdict` made."""
        tuples = {key: tuple(data[key]) for key in ("args", "allowed_tools")}
        return cls(**{**data, **tuples})


@dataclass(frozen=True)
class McpTool:
    """A tool of a server, as the server describes it.

    Args:
        name: The server's name of it.
        description: The server's words.
        schema: The JSON schema of its arguments; its type is "object".
        asks: Whether the user is asked before it is called.
        reads: Whether it only reads, as the server says.
    """

    name: str
    description: str
    schema: JsonObject
    asks: bool = True
    reads: bool = False


@dataclass(frozen=True)
class McpServerView:
    """A server as it stands.

    Args:
        name: Its name in the configuration.
        state: How it is.
        sentence: What happened, where it is not ready; empty where all is well.
        next_step: What the user can do about it.
        tools: What it offers.
        notes: Sentences about tools that can't be offered.
    """

    name: str
    state: McpState
    sentence: str = ""
    next_step: str = ""
    tools: tuple[McpTool, ...] = ()
    notes: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        """Returns the view as JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: JsonObject) -> McpServerView:
        """Reads what `to_json` wrote."""
        tools = tuple(McpTool(**tool) for tool in data["tools"])
        return cls(**{**data, "tools": tools, "notes": tuple(data["notes"])})


@dataclass(frozen=True)
class McpAnswer:
    """What came of a call; a failure is an answer as well.

    Args:
        text: What the server answered, or a sentence about what went wrong.
        ok: Whether it worked.
        error: The kind of failure: `ToolFailed` where the tool says so itself, `ServerGone`,
            `TimedOut`, `Refused`.
    """

    text: str
    ok: bool = True
    error: str = ""
