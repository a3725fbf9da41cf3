"""What a tool has at hand while it runs, and what it shows and asks meanwhile."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from app.backend.client import Backend
from app.chat.happenings import Happening, PermissionWanted, ToolShown
from app.schema import ToolsSettings
from app.tools.tool import HelperTask, Permission, ToolResult, Verdict
from app.tools.workspace import NoWorkspace, workspace_of
from memory.errors import StrataError
from memory.memory import Memory

SHOWN_EVERY_S = 0.05
"""Between two pieces of output: more often nobody can see a change, and each costs a drawing."""
SHOWN_AT_ONCE = 20_000
"""Characters of one piece: of a tool that is faster than the screen the newest are shown."""


class NoHelpers(StrataError):
    """A task can't be given to a helper here."""

    def __init__(self) -> None:
        super().__init__("A helper has no helpers of its own.", "Do the task yourself.")


class Employing(Protocol):
    """Whoever has helpers work on tasks."""

    async def work(self, task: HelperTask, desk: "CallDesk") -> ToolResult:
        """Has a helper work on a task.

        Args:
            task: What it is to do.
            desk: Where it shows its steps and asks the user.

        Raises:
            StrataError: It could not begin.
        """
        ...


@dataclass(slots=True)
class Bench:
    """What the tools of a conversation share.

    Args:
        memory: The session.
        backend: Models and MCP servers.
        settings: The configuration of the tools.
        folder: The folder that files are read below, resolved; None where it can't be one.
        helpers: Who works on tasks that are given away; None where nobody does.
    """

    memory: Memory
    backend: Backend
    settings: ToolsSettings
    folder: Path | None
    helpers: Employing | None = None
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while a question is put to the user: one at a time."""

    @classmethod
    def of(cls, memory: Memory, backend: Backend, settings: ToolsSettings) -> "Bench":
        """The bench of a session, in the configured folder or the one Strata was started in."""
        try:
            folder = workspace_of(settings).root
        except NoWorkspace:
            folder = None  # told to the first tool that needs it
        return cls(memory, backend, settings, folder)

    @property
    def workspace(self) -> Path:
        """The folder that files are read below, resolved.

        Raises:
            NoWorkspace: It is missing, or is no folder.
        """
        return self.folder or workspace_of(self.settings).root


class CallDesk:
    """The desk of one call; is a `Desk`.

    Args:
        bench: What it shares with other calls.
        call: The call's id.
        tell: Takes what there is to tell while the call runs.
    """

    def __init__(self, bench: Bench, call: str, tell: Callable[[Happening], None]) -> None:
        self._bench = bench
        self.call = call
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._waiting: list[str] = []
        self._timer: asyncio.TimerHandle | None = None
        self._told_at = 0.0
        self._kept: list[str] = []
        self._kept_chars = 0
        self._questions = 0
        self._asked_at = 0.0
        self._waited_s = 0.0

    @property
    def workspace(self) -> Path:
        """The folder that files are read below, resolved.

        Raises:
            NoWorkspace: It is missing, or is no folder.
        """
        return self._bench.workspace

    @property
    def settings(self) -> ToolsSettings:
        """The configuration of the tools."""
        return self._bench.settings

    @property
    def memory(self) -> Memory:
        """The session that the call belongs to."""
        return self._bench.memory

    @property
    def backend(self) -> Backend:
        """The child process with models and MCP servers."""
        return self._bench.backend

    @property
    def shown(self) -> str:
        """The output that was shown, as much of it as a result may have."""
        return "".join(self._kept)

    @property
    def waited_s(self) -> float:
        """Seconds that the user took to answer, in which the call did not run."""
        open_s = self._loop.time() - self._asked_at if self._questions else 0.0
        return self._waited_s + open_s

    async def ask(self, permission: Permission) -> Verdict:
        """Asks the user; waits until earlier questions are answered."""
        with self._waiting_for_answer():
            return await self._ask(permission)

    def show(self, text: str) -> None:
        """Shows a piece of output, joined with others to at most 20 pieces a second."""
        if not text:
            return
        self._keep(text)
        self._waiting.append(text)
        if self._timer is None:
            wait = max(0.0, self._told_at + SHOWN_EVERY_S - self._loop.time())
            self._timer = self._loop.call_later(wait, self.flush)

    async def delegate(self, task: HelperTask) -> ToolResult:
        """Has a helper work on a task in a session of its own.

        Raises:
            NoHelpers: This is a helper's session.
            StrataError: The helper could not begin.
        """
        if self._bench.helpers is None:
            raise NoHelpers
        return await self._bench.helpers.work(task, self)

    def flush(self) -> None:
        """Shows what waits."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        text = "".join(self._waiting)[-SHOWN_AT_ONCE:]
        self._waiting.clear()
        if text:
            self._told_at = self._loop.time()
            self._tell(ToolShown(self.call, text))

    async def _ask(self, permission: Permission) -> Verdict:
        async with self._bench.asking:
            answer: asyncio.Future[Verdict] = self._loop.create_future()
            self._tell(PermissionWanted(self.call, permission, answer))
            try:
                return await answer
            finally:
                # Stopped meanwhile: whoever still shows the question sees that it is over.
                answer.cancel()

    @contextmanager
    def _waiting_for_answer(self) -> Iterator[None]:
        """Counts the time as waiting, once for however many questions at a time."""
        if not self._questions:
            self._asked_at = self._loop.time()
        self._questions += 1
        try:
            yield
        finally:
            self._questions -= 1
            if not self._questions:
                self._waited_s += self._loop.time() - self._asked_at

    def _keep(self, text: str) -> None:
        room = self._bench.settings.read_chars - self._kept_chars
        if room > 0:
            self._kept.append(text[:room])
            self._kept_chars += min(room, len(text))
