"""The tool by which the model forgets for good; the user is asked each time (RECALL-6)."""

from typing import Annotated

from pydantic import BaseModel

from app.tools.content_tools import TEXT, Word, arg
from app.tools.forget_words import told_done, told_plan
from app.tools.tool import Desk, OwnTool, Permission, Tool, ToolResult

NAME = "forget"


class Forget(BaseModel):
    """Arguments of `forget`."""

    what: Annotated[Word, arg(TEXT, "a message number, a range 3-5, c1, f1, or the words")]


async def _forget(arguments: Forget, desk: Desk) -> ToolResult:
    forgetting = desk.memory.forgetting
    plan = await forgetting.plan(arguments.what)
    permission = Permission(
        tool=NAME,
        subject="\n".join(told_plan(plan)),
        question="May the model forget this for good?",
    )
    # An answer "always" holds for this once: what would go is another thing each time.
    if await desk.ask(permission) == "no":
        text = "The user did not allow it. Nothing was forgotten."
        return ToolResult(text, ok=False, error="NotAllowed", is_content=False)
    done = await forgetting.carry_out(plan)
    return ToolResult(told_done(plan, done), source="long-term memory", is_content=False)


FORGET_TOOLS: tuple[Tool, ...] = (
    OwnTool(
        NAME,
        "Erase something for good when the user asks for it. The user is asked first.",
        Forget,
        _forget,
    ),
)
