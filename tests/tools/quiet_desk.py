"""A desk in tests at which nobody is asked, nothing is shown and no helper sits."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from app.backend.client import Backend
from app.tools.tool import Desk, HelperTask, Permission, Tool, ToolResult, Verdict


class QuietDesk:
    """What it has not is a failure of the test that uses it."""

    TOOLS: ClassVar[Mapping[str, Tool]] = {}

    @property
    def backend(self) -> Backend:
        """None of these tools talks to the backend."""
        return cast("Backend", None)

    async def ask(self, permission: Permission) -> Verdict:
        """Nothing needs a permission."""
        raise AssertionError(permission)

    def show(self, text: str) -> None:
        """There is nothing to show meanwhile."""
        raise AssertionError(text)

    async def delegate(self, task: HelperTask) -> ToolResult:
        """None of these tools has helpers."""
        raise AssertionError(task)

    async def run(self, tool: str, **arguments: Any) -> ToolResult:
        """Calls a tool as a model would."""
        return await self.TOOLS[tool].run(arguments, cast("Desk", self))
