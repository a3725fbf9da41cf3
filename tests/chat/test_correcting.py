"""COMPACT-11, COMPACT-14: the commands that write a summary anew, and that pin."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
import pytest_asyncio

from app.backend.client import Backend
from app.chat.conversation import Conversation
from app.settings import Settings
from memory.config import MemoryConfig
from memory.wish import Wish
from tests.memory.doubles import words
from tests.support.commanding import reported

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def conversation(settings: Settings, backend: Backend) -> AsyncIterator[Conversation]:
    stress = replace(settings, memory=MemoryConfig.from_values({"profile": "stress"}))
    async with Conversation.open(stress, Wish(fresh=True), backend) as conversation:
        await conversation.ready()
        for number in range(1, 10):
            await conversation.memory.add("user", words(number))
        await conversation.memory.settled()
        yield conversation


async def test_a_rewritten_summary_is_shown_and_waits(conversation: Conversation) -> None:
    """COMPACT-11: what is accepted is what was shown."""
    memory = conversation.memory
    before = memory.state
    shown = await reported(conversation, "@rewrite short Only the places.")
    assert "short-term summary of messages 1 to 5" in shown
    assert shown.endswith("Nothing has changed. @rewrite accept puts it in place.")
    assert memory.state == before
    view = memory.snapshot().short_term
    assert view is not None
    assert view.text in shown

    told = await reported(conversation, "@rewrite accept")

    after = memory.snapshot().short_term
    assert after is not None
    if "version 2 now" in told:
        assert after.text in shown
        assert after.text != view.text
    else:
        assert "says the same" in told
        assert after == view


async def test_what_can_not_be_rewritten_is_said(conversation: Conversation) -> None:
    """ALL-2: which summary; that there is none; that nothing was shown."""
    assert (await reported(conversation, "@rewrite")).startswith("Say which:")
    assert (await reported(conversation, "@rewrite it")).startswith("Say which:")
    assert "no long-term summary yet" in await reported(conversation, "@rewrite long")
    assert "in the last 24 hours" in await reported(conversation, "@rewrite accept")


async def test_pins_are_made_listed_and_let_go(conversation: Conversation) -> None:
    """COMPACT-14: a message by its number, a sentence by its text."""
    assert "Nothing is pinned" in await reported(conversation, "@pins")
    assert "Say what" in await reported(conversation, "@pin")
    assert "Say which" in await reported(conversation, "@unpin")
    assert "Message 3 stays word for word" in await reported(conversation, "@pin 3")
    made = await reported(conversation, "@pin At most 1,100 euros [b]a month[/b].")
    name = made.split("@unpin ")[1].split()[0]
    listed = await reported(conversation, "@pins")
    assert "message 3 (" in listed
    assert "At most 1,100 euros [b]a month[/b]." in listed
    assert listed.split("\n")[-1].startswith("2 pins, ")
    assert "Message 3 is no longer pinned" in await reported(conversation, "@unpin 3")
    assert "The sentence is no longer" in await reported(conversation, f"@unpin {name}")
    assert "Nothing is pinned as 3" in await reported(conversation, "@unpin 3")
