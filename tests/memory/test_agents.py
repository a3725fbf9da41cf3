"""Agents: profile, default model and policy, sessions of their own (CHAT-12)."""

from pathlib import Path

import pytest

from memory import Memory, MemoryConfig
from memory.agents import LONGEST_PROFILE, Agent, AgentError
from memory.config import PERSONA
from memory.wish import Wish

BASE = MemoryConfig().system_prompt
RULES = BASE.removeprefix(PERSONA)


async def test_a_profile_begins_the_system_prompt(tmp_path: Path) -> None:
    """CHAT-12: a profile text that begins the system prompt, in every session of the agent."""
    async with Memory.open(tmp_path, "s") as memory:
        await memory.agents.define(Agent("critic", "You find what is wrong with a text."))
        await memory.add("user", "Hello.")
        ours = await memory.prompt()
    async with Memory.open(tmp_path, wish=Wish(agent="critic")) as memory:
        await memory.add("user", "Hello.")
        theirs = await memory.prompt()
    assert ours.messages[0]["content"] == BASE
    assert theirs.messages[0]["content"] == f"You find what is wrong with a text.\n\n{RULES}"


async def test_a_policy_holds_in_the_agents_sessions(tmp_path: Path) -> None:
    """CHAT-12: a default policy; what is chosen inside a session goes before it."""
    async with Memory.open(tmp_path, "s") as memory:
        await memory.agents.define(Agent("scribe", policy="rolling"))
    async with Memory.open(tmp_path, "notes", wish=Wish(agent="scribe")) as memory:
        assert memory.snapshot().policy == "rolling"
        await memory.use_policy("buffer")
    async with Memory.open(tmp_path, "notes", wish=Wish(agent="scribe")) as memory:
        assert memory.snapshot().policy == "buffer"


async def test_a_change_holds_in_the_open_session(tmp_path: Path) -> None:
    """CHAT-12: who edits a profile sees the next prompt begin with it."""
    async with Memory.open(tmp_path, "s") as memory:
        await memory.add("user", "Hello.")
        await memory.agents.define(Agent("default", "You are brief."))
        await memory.follow_agent()
        assert str((await memory.prompt()).messages[0]["content"]).startswith("You are brief.")
        await memory.agents.define(Agent("default"))
        await memory.follow_agent()
        assert (await memory.prompt()).messages[0]["content"] == BASE


async def test_the_list_has_who_was_defined_and_who_was_talked_with(tmp_path: Path) -> None:
    """CHAT-12: agents can be listed and edited."""
    async with Memory.open(tmp_path, "s") as memory:
        await memory.agents.define(Agent("critic", "Harsh.", "openai/gpt-4o-mini", "window"))
        await memory.agents.define(Agent("critic", "Kind.", None, "window"))
        listed = await memory.agents.list()
    assert [(agent.name, agent.profile, agent.sessions) for agent in listed] == [
        ("critic", "Kind.", 0),
        ("default", "", 1),
    ]
    assert (listed[0].model, listed[0].policy) == (None, "window")


async def test_one_without_anything_but_a_name_is_there(tmp_path: Path) -> None:
    """CHAT-12: create; a profile may come later."""
    async with Memory.open(tmp_path, "s") as memory:
        await memory.agents.define(Agent("ines"))
        assert "ines" in [agent.name for agent in await memory.agents.list()]


async def test_each_has_sessions_of_its_own(tmp_path: Path) -> None:
    """CHAT-12: the newest session is the agent's own."""
    async with Memory.open(tmp_path, "mine") as memory:
        await memory.add("user", "Mine.")
    async with Memory.open(tmp_path, wish=Wish(agent="critic")) as memory:
        assert memory.state.messages == 0
        assert memory.state.agent == "critic"
        assert len(await memory.sessions.list("critic")) == 1


async def test_one_with_sessions_is_not_removed(tmp_path: Path) -> None:
    """CHAT-12: nothing loses whom it was said to."""
    async with Memory.open(tmp_path, "s") as memory:
        await memory.agents.define(Agent("critic"))
        await memory.agents.remove("critic")
        assert [agent.name for agent in await memory.agents.list()] == ["default"]
        with pytest.raises(AgentError, match="1 session"):
            await memory.agents.remove("default")


@pytest.mark.parametrize("name", ["", " ", "a:b", "two words", "x" * 41, "a\x1bb", "a\nb"])
async def test_names_that_no_agent_may_have(tmp_path: Path, name: str) -> None:
    """CHAT-12, ALL-8: a name stands in ids, file names and the status line."""
    async with Memory.open(tmp_path, "s") as memory:
        with pytest.raises(AgentError, match="can't be called"):
            await memory.agents.define(Agent(name))


@pytest.mark.parametrize(
    "agent", [Agent("a", "x" * (LONGEST_PROFILE + 1)), Agent("a", policy="nonsense")]
)
async def test_what_an_agent_can_not_have(tmp_path: Path, agent: Agent) -> None:
    """CHAT-12, ALL-1: an error says what is allowed."""
    async with Memory.open(tmp_path, "s") as memory:
        with pytest.raises(AgentError):
            await memory.agents.define(agent)
