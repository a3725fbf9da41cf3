"""GOAL-8: the tools by which a model keeps goal, tasks, notes, values and steps."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from app.schema import ToolsSettings
from app.tools.goal_tools import GOAL_TOOLS
from app.tools.tool import BadArguments, Desk, schema_of
from memory.errors import StrataError
from memory.memory import Memory
from tests.memory.doubles import opened

TOOLS = {tool.name: tool for tool in GOAL_TOOLS}


class GoalDesk:
    """What these tools have at hand: the session alone."""

    settings = ToolsSettings()

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    async def call(self, tool: str, /, **arguments: Any) -> str:
        """Calls a tool as a model does."""
        result = await TOOLS[tool].run(arguments, cast(Desk, self))
        assert result.ok
        return result.text


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[GoalDesk]:
    async with opened(tmp_path) as memory:
        yield GoalDesk(memory)


async def test_a_goal_from_beginning_to_end(desk: GoalDesk) -> None:
    """GOAL-8: every tool tells what a model needs to go on."""
    call = desk.call
    assert await call("set_goal", text="Count doors") == "g1 is the active goal."
    assert await call("set_goal", text="Count doors") == "g1 is the active goal already."
    assert await call("add_task", text="Floor 1") == "t1 was added."
    assert await call("add_task", text="Floor 2", after=["t1"]) == "t2 was added, after t1."
    assert await call("add_task", text="Roof", after="t1, t2") == "t3 was added, after t1, t2."
    assert await call("start_task", id="t1") == "t1 is running."
    assert await call("note_context", text="Two floors") == "Noted as n1."
    assert await call("set_value", name="doors", value=7) == "doors is set (count)."
    assert await call("set_value", name="seen", value=["a", "b"]) == "seen is set (list)."
    assert await call("read_values") == 'doors (count) = 7\nseen (list) = ["a", "b"]'
    assert (
        await call("read_values", names="doors, nothing") == "doors (count) = 7\nnothing is not set"
    )
    told = await call("note_step", type="replanning", text="Go up", discovered={"roof": True})
    assert told == "Step s1 was noted, 1 discovered."
    assert await call("finish_task", id="t1") == "t1 is done. Ready: t2."
    assert await call("fail_task", id="t2", why="locked") == "t2 failed. 1 to do, none ready."
    told = await call("complete_goal")
    assert told == "g1 was archived as completed: no tool calls; 1 of 3 tasks done."
    await call("set_goal", text="Again")
    assert (await call("fail_goal", why="no time")).startswith("g2 was archived as failed")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("set_goal", {"text": " "}),
        ("complete_goal", {}),
        ("start_task", {"id": "t9"}),
        ("add_task", {"text": "x", "after": ["t9"]}),
        ("set_value", {"name": "two words", "value": 1}),
        ("note_step", {"text": ""}),
    ],
)
async def test_what_cannot_be_done_is_a_sentence(
    desk: GoalDesk, name: str, arguments: dict[str, Any]
) -> None:
    """GOAL-8, ALL-2: one that the model can act on."""
    with pytest.raises(StrataError) as failure:
        await desk.call(name, **arguments)
    assert failure.value.sentence.endswith(".")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("set_goal", {}),
        ("start_task", {"id": ["t1"]}),
        ("note_step", {"type": "guess", "text": "x"}),
        ("note_step", {"text": "x", "confidence": 7}),
        ("add_task", {"text": "x", "after": 3}),
    ],
)
async def test_wrong_arguments_are_named(
    desk: GoalDesk, name: str, arguments: dict[str, Any]
) -> None:
    """CHAT-10: so that a model can mend them."""
    with pytest.raises(BadArguments, match=f"{name} was called with wrong arguments"):
        await desk.call(name, **arguments)


def test_the_schemas_are_short() -> None:
    """PROMPT-3: they cost tokens in every request."""
    sizes = [len(json.dumps(schema_of(tool))) for tool in GOAL_TOOLS]
    assert len(sizes) == 11
    assert sum(sizes) / 4 < 850
