"""What a tool has at hand in tests: a real session, a real workspace, and answers by script."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.schema import ToolsSettings
from app.tools.tool import Permission, Verdict
from memory.memory import Memory
from tests.tools.quiet_desk import QuietDesk


@dataclass
class ShellDesk(QuietDesk):
    """Answers questions as the test says; without an answer the test fails."""

    workspace: Path
    memory: Memory
    settings: ToolsSettings
    answers: list[Verdict] = field(default_factory=list)
    asked: list[Permission] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)

    async def ask(self, permission: Permission) -> Verdict:
        """The next answer of the script."""
        self.asked.append(permission)
        return self.answers.pop(0)

    def show(self, text: str) -> None:
        """Keeps what was shown."""
        self.shown.append(text)


@asynccontextmanager
async def a_desk(
    folder: Path, *answers: Verdict, session: str = "tools", **settings: Any
) -> AsyncIterator[ShellDesk]:
    """A desk in a workspace of its own below `folder`."""
    workspace = folder / "workspace"
    workspace.mkdir(exist_ok=True)
    async with Memory.open(folder / "data", session) as memory:
        yield ShellDesk(workspace.resolve(), memory, ToolsSettings(**settings), list(answers))
