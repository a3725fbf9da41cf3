"""MCP servers: whether their programs, addresses and keys are there. None is started or asked."""

import asyncio
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from app.backend import ollama
from app.backend.credentials import SERVICE, names_with_key
from app.backend.mcp_secrets import variables
from app.doctor.check import Check, note, ok, problem
from app.schema import McpServer
from app.settings import Settings
from widgets.plain import one_line

KEYRING_SECONDS = 1.0
CONNECT_SECONDS = 0.5
PORTS = {"http": 80, "https": 443}


async def mcp_checks(
    settings: Settings, environment: Mapping[str, str] = os.environ
) -> list[Check]:
    """One check for each server, and one more for each key that is missing."""
    if not settings.mcp:
        return [ok("servers", "None is configured.")]
    checks: list[Check] = []
    for name, server in settings.mcp.items():
        checks += await _server(one_line(name), server, environment)
    if settings.tools.offer == "none":
        checks.append(note("servers", "None is started, because tools.offer is none."))
    return checks


async def _server(name: str, server: McpServer, environment: Mapping[str, str]) -> list[Check]:
    if not server.enabled:
        return [ok(name, f"It is turned off (mcp.{name}.enabled).")]
    if server.command is not None:
        first = _program(name, server.command, server.env.get("PATH", environment.get("PATH")))
    else:
        first = await _address(name, server.url or "")
    needed = variables((*server.env.values(), *server.headers.values()))
    found = await names_with_key(needed, environment, KEYRING_SECONDS)
    return [first, *(_missing(name, needed) for needed in needed if needed not in found)]


def _program(name: str, command: str, path: str | None) -> Check:
    found = shutil.which(command, path=path)
    if found is None:
        sentence = f"There is no program {one_line(command)}."
        return problem(name, sentence, f"Install it, or correct `mcp.{name}.command`.")
    return ok(name, f"Its program is {one_line(found)}.")


async def _address(name: str, url: str) -> Check:
    parts = urlsplit(url)
    port = parts.port or PORTS.get(parts.scheme, 0)
    where = one_line(f"{parts.hostname}:{port}")
    if not ollama.is_local(url):
        return ok(name, f"{where} is on another machine: it was not asked.")
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except OSError:
        sentence = f"Nothing listens at {where} (mcp.{name}.url)."
        return problem(name, sentence, f"Start that server, or correct `mcp.{name}.url`.")
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return ok(name, f"Something listens at {where}.")


def _missing(name: str, variable: str) -> Check:
    sentence = f"There is no {variable}, neither in the environment nor in the keyring."
    return problem(name, sentence, f"`keyring set {SERVICE} {variable}` keeps it.")
