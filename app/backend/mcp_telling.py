"""What is said of MCP servers that do not work: what happened, and what to do about it."""

from __future__ import annotations

from app.backend.mcp_log import log_name
from app.shown import printable
from memory.errors import StrataError

LONGEST_WORDS = 300
"""Characters of a server's own words."""

DENIED = (401, 403)
"""HTTP statuses of a server that wants to know who asks."""


class McpTrouble(StrataError):
    """An MCP server can't be used."""


class McpAway(McpTrouble):
    """The address of an MCP server does not answer; it may again."""


def again(name: str) -> str:
    """How a server is started anew."""
    return f"@mcp restart {printable(name)}"


def not_found(name: str, command: str) -> McpTrouble:
    """There is no such program."""
    return McpTrouble(
        f"There is no program {printable(command)} for the MCP server {printable(name)}.",
        f"Install it or correct mcp.{printable(name)}.command, then {again(name)}.",
    )


def not_startable(name: str, reason: str) -> McpTrouble:
    """The system refused to start it."""
    return McpTrouble(
        f"The MCP server {printable(name)} could not be started: {printable(reason)}.",
        f"Check mcp.{printable(name)}, then {again(name)}.",
    )


def unknown_variable(name: str, variable: str) -> McpTrouble:
    """The configuration names a variable that is nowhere."""
    return McpTrouble(
        f"The MCP server {printable(name)} needs {variable}, which is neither in the environment "
        "nor in the keyring.",
        f"`keyring set strata {variable}` keeps it, then {again(name)}.",
    )


def silent(name: str, seconds: float) -> McpTrouble:
    """It never got ready."""
    return McpTrouble(
        f"The MCP server {printable(name)} was not ready within {seconds:g} seconds.",
        f"{again(name)} tries again; mcp.{printable(name)}.timeout_s is how long it may take.",
    )


def garbled(name: str) -> McpTrouble:
    """It writes something else than messages."""
    return McpTrouble(
        f"What the MCP server {printable(name)} writes to its output is not MCP.",
        f"Check that mcp.{printable(name)}.command is an MCP server, then {again(name)}.",
    )


def ended(name: str, code: int | None, *, early: bool) -> McpTrouble:
    """Its process is over.

    Args:
        name: The server.
        code: Its exit code; negative for the signal that ended it, None where nobody knows.
        early: Whether it had not been ready yet.
    """
    how = "" if code is None else f" (exit code {code})" if code >= 0 else f" (signal {-code})"
    before = " before it was ready" if early else ""
    return McpTrouble(
        f"The MCP server {printable(name)} ended{before}{how}.",
        f"{again(name)} starts it again; {log_name(name)} says more.",
    )


def unreachable(name: str, url: str) -> McpAway:
    """Nobody answers at its address."""
    return McpAway(
        f"The MCP server {printable(name)} can't be reached at {printable(url)}.",
        f"Start it or correct mcp.{printable(name)}.url, then {again(name)}, or wait.",
    )


def connection_lost(name: str) -> McpAway:
    """Its address answered, and does no longer."""
    return McpAway(
        f"The connection to the MCP server {printable(name)} is lost.",
        f"It is tried again by itself; {again(name)} does it at once.",
    )


def refused(name: str, words: str, status: int | None = None) -> McpTrouble:
    """It answers, but not as an MCP server would."""
    if status in DENIED:
        return McpTrouble(
            f"The MCP server {printable(name)} does not let us in (status {status}).",
            f"Give it a key in mcp.{printable(name)}.headers, then {again(name)}.",
        )
    told = f" (status {status})" if status is not None and status >= 400 else ""  # noqa: PLR2004
    return McpTrouble(
        f"The MCP server {printable(name)} refused the connection{told}: "
        f"{printable(words, LONGEST_WORDS)}.",
        f"Check mcp.{printable(name)}, then {again(name)}.",
    )


def fault(name: str) -> McpTrouble:
    """It is our own fault."""
    return McpTrouble(
        f"Something went wrong inside Strata with the MCP server {printable(name)}.",
        f"{again(name)} tries again; backend.log says more.",
    )


def late(name: str, tool: str, seconds: float) -> str:
    """A call took too long; told to the model."""
    return (
        f"{printable(tool)} of the MCP server {printable(name)} did not answer within "
        f"{seconds:g} seconds; the call was cancelled."
    )
