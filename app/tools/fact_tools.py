"""The tool by which the model keeps a fact for later sessions (RECALL-6)."""

from pydantic import BaseModel

from app.tools.tool import Desk, OwnTool, Tool, ToolResult


class FactText(BaseModel):
    """Arguments of `remember`."""

    fact: str


async def _remember(arguments: FactText, desk: Desk) -> ToolResult:
    facts, question = desk.memory.facts, desk.memory.state.folding.question
    sources = [facts.here(question.number)] if question is not None else []
    known = await facts.remember(arguments.fact, by="tool", sources=sources)
    if known.how != "new":
        return _told(f"{known.fact.id} says so already.")
    ended = "".join(f" {fact.id} no longer holds." for fact in known.ended)
    return _told(f"Remembered as {known.fact.id}.{ended}")


def _told(text: str) -> ToolResult:
    return ToolResult(text, source="long-term memory", is_content=False)


FACT_TOOLS: tuple[Tool, ...] = (
    OwnTool(
        "remember",
        "Keep one lasting fact about the user or their work for later sessions.",
        FactText,
        _remember,
    ),
)
