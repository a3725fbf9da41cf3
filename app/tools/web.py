"""The tool that fetches a web page as Markdown (CHAT-10).

The page is fetched and converted in a child process of its own, so that neither its libraries nor
a page that is made to hurt reach the screen's process. Which hosts may be asked is said in
`app.tools.page_address`.
"""

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

import app
from app.tools.surroundings import without_secrets
from app.tools.tool import Desk, OwnTool, ToolResult

_CHILD = "app.tools.page_child"
_GRACE_S = 1.0  # the child keeps the limit itself, and then knows better what it waited for


class FetchPage(BaseModel):
    """The arguments of `fetch_page`."""

    model_config = ConfigDict(extra="forbid")

    url: Annotated[str, Field(description="The page's address, with https:// at its beginning.")]


async def fetch_page(arguments: FetchPage, desk: Desk) -> ToolResult:
    """Fetches a page."""
    settings = desk.settings
    request = {
        "url": arguments.url,
        "allowed_hosts": settings.allowed_hosts,
        "seconds": settings.web_s,
        "chars": settings.read_chars,
        "agent": f"Strata/{_version()}",
    }
    try:
        async with asyncio.timeout(settings.web_s + _GRACE_S):
            answer = await _asked(request)
    except TimeoutError:
        text = f"The page did not come within {settings.web_s:g} s."
        return _result(arguments.url, {"ok": False, "error": "Timeout", "text": text})
    except (OSError, ValueError):
        text = "The page could not be read: the process that reads it ended early."
        return _result(arguments.url, {"ok": False, "error": "NotReadable", "text": text})
    return _result(arguments.url, answer)


def _result(asked: str, answer: dict[str, Any]) -> ToolResult:
    return ToolResult(
        text=answer["text"],
        ok=answer["ok"],
        error=answer.get("error", ""),
        type="web_content" if "url" in answer else "action_result",
        source=answer.get("url", asked),
    )


async def _asked(request: dict[str, Any]) -> dict[str, Any]:
    """What the child answers; it has ended when this returns, however it returns.

    Raises:
        OSError: It can't be started.
        ValueError: It gave no answer.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", _CHILD),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env=_environment(),
        # A page as JSON may have six times the characters, and stands on one line.
        limit=100_000_000,
    )
    try:
        return await _exchange(process, request)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await asyncio.shield(asyncio.ensure_future(process.wait()))


async def _exchange(process: Process, request: dict[str, Any]) -> dict[str, Any]:
    if process.stdin is None or process.stdout is None:
        raise ValueError
    # The input stays open: the child takes its end for the end of this process.
    process.stdin.write(json.dumps(request).encode() + b"\n")
    with suppress(ConnectionError):
        await process.stdin.drain()
    answer = json.loads(await process.stdout.readline())
    process.stdin.close()
    if not isinstance(answer, dict):
        raise ValueError  # noqa: TRY004 - as where it is no JSON
    return answer


def _environment() -> dict[str, str]:
    """The child imports the same `app`."""
    home = str(Path(app.__file__).parents[1])
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**without_secrets(os.environ), "PYTHONPATH": os.pathsep.join(paths)}


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("strata-chat")
    except PackageNotFoundError:
        return "checkout"


WEB_TOOLS = (
    OwnTool(
        name="fetch_page",
        description="Fetches a web page and returns its text as Markdown.",
        model=FetchPage,
        call=fetch_page,
    ),
)
"""What the model gets of the web."""
