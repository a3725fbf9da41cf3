"""CHAT-12: `@agent` lists agents, goes to one, makes and changes one."""

import pytest

from app.chat.commands import say
from app.chat.conversation import Conversation
from app.chat.happenings import AgentWanted
from tests.support.commanding import reported

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_one_is_made_listed_and_gone_to(conversation: Conversation) -> None:
    """CHAT-12: create, switch."""
    told = await reported(conversation, "@agent new critic You find what is wrong.")
    assert "@agent critic goes to it" in told
    listed = (await reported(conversation, "@agent")).splitlines()
    assert listed[0].split(",")[-1].strip() == "You find what is wrong."
    assert listed[1].startswith("* default")
    assert [happening async for happening in say(conversation, "@agent critic")] == [
        AgentWanted("critic")
    ]
    assert "already" in await reported(conversation, "@agent new critic Another.")
    assert "no agent 'nobody'" in await reported(conversation, "@agent nobody")
    assert "is gone" in await reported(conversation, "@agent remove critic")


async def test_this_one_is_changed(conversation: Conversation) -> None:
    """CHAT-12: edit; what the next prompt begins with changes at once."""
    await reported(conversation, "@agent profile You are a pirate.")
    await conversation.memory.add("user", "Ahoy.")
    first = (await conversation.memory.prompt()).messages[0]
    assert str(first["content"]).startswith("You are a pirate.")
    assert await reported(conversation, "@agent profile") == "You are a pirate."
    assert "rolling" in await reported(conversation, "@agent policy rolling")
    assert conversation.memory.snapshot().policy == "rolling"
    assert "openai/gpt-4o" in await reported(conversation, "@agent model openai/gpt-4o")
    assert "There is no policy" in await reported(conversation, "@agent policy fold")
    for what in ("profile", "model", "policy"):
        await reported(conversation, f"@agent {what} none")
    agent = await conversation.memory.agents.find("default")
    assert (agent.profile, agent.model, agent.policy) == ("", None, None)
