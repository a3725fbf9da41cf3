"""The tool by which the model has a helper work on a task (CHAT-11)."""

from typing import Annotated

from pydantic import BaseModel, Field

from app.tools.tool import Desk, HelperTask, OwnTool, Tool, ToolResult
from memory.parts import MemoryScope

NAME = "delegate"
LONGEST_TASK = 50_000
"""Characters of a task: what is longer is data, which belongs into the content store."""


class Delegate(BaseModel):
    """Arguments of `delegate`."""

    task: Annotated[
        str,
        Field(min_length=1, max_length=LONGEST_TASK, description="all that the helper has to know"),
    ]
    memory: Annotated[
        MemoryScope | None,
        Field(description="of stored items: shared (default), a snapshot, or isolated"),
    ] = None
    agent: Annotated[str, Field(description="who helps, by name; this agent without it")] = ""


async def _delegate(arguments: Delegate, desk: Desk) -> ToolResult:
    task = HelperTask(arguments.task, arguments.memory, arguments.agent.strip())
    return await desk.delegate(task)


DELEGATE_TOOLS: tuple[Tool, ...] = (
    OwnTool(
        NAME,
        "Have a helper work on a task in a conversation of its own, with files, web, shell and "
        "memory; its answer is the result. Several calls at once work side by side.",
        Delegate,
        _delegate,
    ),
)
"""Its steps take no room in this conversation."""
