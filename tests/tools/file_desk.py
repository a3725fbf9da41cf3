"""What file tools have at hand in tests: a real folder and the settings, and nothing else."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from app.backend.client import Backend
from app.schema import ToolsSettings
from app.tools.files import FILE_TOOLS
from app.tools.tool import HelperTask, Permission, ToolResult, Verdict
from memory.memory import Memory

TOOLS = {tool.name: tool for tool in FILE_TOOLS}


@dataclass
class FileDesk:
    """File tools ask nobody and show nothing while they run."""

    workspace: Path
    settings: ToolsSettings = field(default_factory=ToolsSettings)

    @property
    def memory(self) -> Memory:
        """No file tool looks into the session."""
        return cast("Memory", None)

    @property
    def backend(self) -> Backend:
        """No file tool talks to the backend."""
        return cast("Backend", None)

    async def ask(self, permission: Permission) -> Verdict:
        """Reading needs no permission."""
        raise AssertionError(permission)

    def show(self, text: str) -> None:
        """Reading has nothing to show."""
        raise AssertionError(text)

    async def delegate(self, task: HelperTask) -> ToolResult:
        """None of these tools has helpers."""
        raise AssertionError(task)

    async def run(self, tool: str, **arguments: Any) -> ToolResult:
        """Calls a tool as a model would."""
        return await TOOLS[tool].run(arguments, self)
