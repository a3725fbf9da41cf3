"""One MCP server: connected in the background, watched, called, and named when it fails."""

from __future__ import annotations

import asyncio
import importlib
import importlib.metadata
import os
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.backend import mcp_telling as telling
from app.backend.mcp_content import answer_text, offered_tools
from app.backend.mcp_leash import Leash
from app.backend.mcp_log import ServerLog
from app.backend.mcp_process import ServerProcess, server_environment
from app.backend.mcp_protocol import JsonObject, McpAnswer, McpServerView, McpSettings, McpState
from app.backend.mcp_secrets import Filled, filled
from app.backend.mcp_telling import McpAway, McpTrouble
from app.backend.safelog import LOGGER
from memory.errors import StrataError

if TYPE_CHECKING:
    from app.backend.mcp_door import Link, Pipe

DOOR = "app.backend.mcp_door"
SETTLING_S = 0.05
"""A server that changes many tools says so many times; they are listed once."""

LAST_WORDS_S = 0.3
"""For a process whose output has ended to end as well, so that its exit code is known."""


RETRY_S = 30.0
"""Between two attempts to reach an address that is away: it may come back, as networks do."""

TOLD_S = 3.0
"""For it to be known why a server has gone, before its calls are answered with that."""


@dataclass(frozen=True)
class Surroundings:
    """What all servers share.

    Args:
        log_folder: Where their error output goes; None for nowhere.
        leash: Ends their processes with the backend's.
        when_free: Waits until the backend has done what is more urgent.
        show: Told of each change.
    """

    log_folder: Path | None
    leash: Leash
    when_free: Callable[[], Awaitable[object]]
    show: Callable[[McpServerView], None]


class McpServer:
    """A server of the configuration.

    Args:
        name: Its name there.
        settings: Its settings.
        around: What it shares with the others.
    """

    def __init__(self, name: str, settings: McpSettings, around: Surroundings) -> None:
        self._name = name
        self._settings = settings
        self._around = around
        self._task: asyncio.Task[None] | None = None
        self._door: Any = None
        self._link: Link | None = None
        self._filled = Filled(settings, ())
        self._early = True
        """Whether it has not been ready yet."""
        self._lost = asyncio.Event()
        """Set when a call finds the connection gone."""
        self._over = asyncio.Event()
        """Set when it is told why the connection has gone."""
        self._pipe: Pipe | None = None
        self._exit_code: int | None = None
        self._status: int | None = None
        self.view = McpServerView(name, "off", "It is turned off.", f"mcp.{name}.enabled does it.")

    def start(self) -> None:
        """Begins to connect; returns at once."""
        if self._settings.enabled:
            self._show(McpServerView(self._name, "connecting"))
            self._task = asyncio.create_task(self._run(), name=f"mcp-{self._name}")
        else:
            self._show(self.view)

    async def stop(self) -> None:
        """Ends the connection and the process; calls in flight fail."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait({task})

    async def call(self, tool: str, arguments: JsonObject, deadline_s: float | None) -> McpAnswer:
        """Calls a tool; a cancelled task cancels the call at the server.

        Args:
            tool: The server's name of it.
            arguments: Its arguments.
            deadline_s: Longest wait in seconds; None for what the configuration says.
        """
        link, door, lost, over = self._link, self._door, self._lost, self._over
        seconds = deadline_s or self._settings.timeout_s
        if link is None:
            return self._gone_answer()
        try:
            result = await link.call(tool, arguments, seconds)
        except door.Gone:
            lost.set()
            with suppress(TimeoutError):
                await asyncio.wait_for(over.wait(), TOLD_S)
            return self._gone_answer()
        except door.Unanswered:
            return McpAnswer(telling.late(self._name, tool, seconds), ok=False, error="TimedOut")
        except door.Refused as error:
            return McpAnswer(self._filled.hidden(str(error)), ok=False, error="Refused")
        text = self._filled.hidden(answer_text(result.content, result.structured_content))
        failed = bool(result.is_error)
        return McpAnswer(text, ok=not failed, error="ToolFailed" if failed else "")

    # -- its life

    async def _run(self) -> None:
        """Connects and stays connected; an address that is away is tried again."""
        await self._around.when_free()
        first = True
        while True:
            trouble = await self._attempt()
            # An attempt that changes nothing is not told again.
            if first or not self._early:
                self._fail(trouble)
            self._over.set()
            if not isinstance(trouble, McpAway):
                return
            first = False
            await asyncio.sleep(RETRY_S)

    async def _attempt(self) -> StrataError:
        """Connects and stays connected; returns why that has ended."""
        self._exit_code = self._status = self._pipe = None
        self._early = True
        self._lost, self._over = asyncio.Event(), asyncio.Event()
        try:
            self._door = door = await asyncio.to_thread(importlib.import_module, DOOR)
            self._filled = await filled(self._name, self._settings)
            try:
                await self._serve(door)
            except (door.Gone, door.Unanswered, door.Refused) as error:
                return self._trouble(door, error)
            return self._trouble(door, None)
        except StrataError as error:
            return error
        except Exception as error:  # noqa: BLE001 - the rim: one server must not end the others
            LOGGER.error("an MCP server failed", exc_info=error)
            return telling.fault(self._name)

    async def _serve(self, door: Any) -> None:
        """Connects and stays connected until the server is gone."""
        async with AsyncExitStack() as stack:
            streams = await self._streams(door, stack)
            try:
                async with asyncio.timeout(self._settings.timeout_s):
                    link = await stack.enter_async_context(
                        door.linked(streams, _version(), self._settings.timeout_s)
                    )
                    await self._list(link)
            except TimeoutError:
                raise door.Unanswered from None
            self._link, self._early = link, False
            stack.callback(self._unlink)
            await self._watch(door, link)

    async def _streams(self, door: Any, stack: AsyncExitStack) -> Any:
        settings = self._filled.settings
        if settings.command is None:
            return door.over_http(
                settings.url, settings.headers, settings.timeout_s, self._note_status
            )
        process = await self._start(settings)
        stack.push_async_callback(process.stop)
        stack.push_async_callback(self._note_end, process)
        self._pipe = pipe = door.Pipe(process)
        return pipe.opened()

    async def _start(self, settings: McpSettings) -> ServerProcess:
        log = ServerLog(self._around.log_folder, self._name, self._filled.secrets)
        command = settings.command or ""
        environment = server_environment(os.environ, settings.env)
        try:
            return await ServerProcess.start(
                command, settings.args, environment, log, self._around.leash
            )
        except FileNotFoundError:
            raise telling.not_found(self._name, command) from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "its arguments are not allowed"
            raise telling.not_startable(self._name, reason) from error

    async def _watch(self, door: Any, link: Link) -> None:
        """Follows what the server says of its tools; returns when it is gone."""
        watchers = [
            asyncio.create_task(self._follow(door, link)),
            asyncio.create_task(link.listen()),
            asyncio.create_task(self._lost.wait()),
        ]
        if self._pipe is not None:
            watchers.append(asyncio.create_task(self._pipe.ended.wait()))
        try:
            listening = watchers[1]
            waiting: set[asyncio.Task[Any]] = set(watchers)
            while True:
                done, waiting = await asyncio.wait(waiting, return_when="FIRST_COMPLETED")
                for task in done:
                    task.result()
                if done != {listening}:
                    return
        finally:
            for task in watchers:
                task.cancel()
            await asyncio.wait(watchers)

    async def _follow(self, door: Any, link: Link) -> None:
        while True:
            await link.changed.wait()
            await asyncio.sleep(SETTLING_S)
            link.changed.clear()
            try:
                await self._list(link)
            except (door.Refused, door.Unanswered) as error:
                LOGGER.info("an MCP server did not list its tools: %s", type(error).__name__)

    async def _list(self, link: Link) -> None:
        tools, notes = offered_tools(await link.tools(), self._settings.allowed_tools)
        self._show(McpServerView(self._name, "ready", tools=tools, notes=notes))

    # -- what is told

    def _trouble(self, door: Any, error: Exception | None) -> McpTrouble:
        """What happened, as far as it can be known."""
        if self._pipe is not None and self._pipe.garbled:
            return telling.garbled(self._name)
        if isinstance(error, door.Unanswered):
            return telling.silent(self._name, self._settings.timeout_s)
        if isinstance(error, door.Refused):
            return telling.refused(self._name, self._filled.hidden(str(error)), self._status)
        if self._pipe is not None:
            return telling.ended(self._name, self._exit_code, early=self._early)
        if self._early:
            return telling.unreachable(self._name, self._settings.url or "")
        return telling.connection_lost(self._name)

    def _gone_answer(self) -> McpAnswer:
        told = f"{self.view.sentence} {self.view.next_step}".strip()
        text = told or telling.connection_lost(self._name).sentence
        return McpAnswer(text, ok=False, error="ServerGone")

    def _fail(self, error: StrataError) -> None:
        state: McpState = "failed" if self._early else "dead"
        self._show(McpServerView(self._name, state, error.sentence, error.next_step))

    def _show(self, view: McpServerView) -> None:
        self.view = view
        self._around.show(view)

    def _note_status(self, status: int) -> None:
        self._status = status

    async def _note_end(self, process: ServerProcess) -> None:
        if self._pipe is not None and self._pipe.ended.is_set():
            await process.ended(LAST_WORDS_S)
        self._exit_code = process.exit_code

    def _unlink(self) -> None:
        self._link = None


def _version() -> str:
    """Strata's version, for the server; a checkout that is not installed has none."""
    try:
        return importlib.metadata.version("strata-chat")
    except importlib.metadata.PackageNotFoundError:
        return "0"
