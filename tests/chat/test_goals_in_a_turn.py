"""GOAL-3, GOAL-7, GOAL-8, PROMPT-1: a model that keeps its goal while it works."""

import pytest

from app.tools.goal_tools import GOAL_TOOLS
from memory.work_events import EnvironmentSeen
from tests.support.tool_server import Says, call
from tests.support.tool_talk import Talking, turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_model_keeps_its_goal(talking: Talking) -> None:
    """GOAL-8: what it calls is done, counted, and stands in the requests that follow."""
    script = [
        Says("", [call("set_goal", {"text": "Count the doors"})]),
        Says("", [call("add_task", {"text": "Floor 1"}), call("add_task", {"text": "Floor 2"})]),
        Says("", [call("finish_task", {"id": "t9"})]),
        Says("", [call("start_task", {"id": "t1"})]),
        Says("", [call("set_value", {"name": "doors", "value": 7})]),
        Says("", [call("finish_task", {"id": "t1"})]),
        Says("Seven so far."),
        Says("Go on with floor 2."),
    ]
    async with talking(script, GOAL_TOOLS) as conversation:
        happened = await turn(conversation)
        assert happened[-1].message.content == "Seven so far."
        view = conversation.memory.snapshot().work
        assert view.goal is not None
        assert (view.goal.text, view.goal.executions, view.goal.failures) == (
            "Count the doors", 7, 1,
        )  # fmt: skip
        assert [(t.id, t.status) for t in view.tasks] == [("t1", "done"), ("t2", "open")]
        assert dict(view.tools.by_tool)["add_task"] == 2
        assert all(seen.number for seen in view.executions)
        await turn(conversation, "And now?")
        last = talking.server.seen[-1]["messages"][-1]
        assert last["role"] == "user"
        for line in ("Goal (g1): Count the doors", "Tasks (1 done):", "- t2 (ready): Floor 2"):
            assert line in last["content"]
        assert "- doors = 7" in last["content"]


async def test_the_environment_is_seen_once(talking: Talking) -> None:
    """GOAL-7: when a session is opened; the agent knows its last workspace."""
    async with talking([Says("Yes.")], GOAL_TOOLS) as conversation:
        await turn(conversation)
        await turn(conversation)
        memory = conversation.memory
        seen = [e.event for e in await memory.log() if isinstance(e.event, EnvironmentSeen)]
        assert len(seen) == 1
        view = memory.snapshot().work.environment
        assert view is not None
        assert view.memory_used_mb
        assert view.disk_used_percent is not None
        assert 0 <= view.disk_used_percent <= 100
        assert (await memory.preferences.known()).workspace == view.workspace
