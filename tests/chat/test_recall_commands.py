"""RECALL-6: what a user looks up in long-term memory."""

import pytest

from app.chat.conversation import Conversation
from tests.support.commanding import reported

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_recall_tells_scores_and_sources(conversation: Conversation) -> None:
    """RECALL-4: each with what its score is made of, its age and where it is from."""
    memory = conversation.memory
    await memory.add("user", "My cat Tabasco was born in Lisbon in 2019.")
    await memory.facts.remember("The user is allergic to pollen.")
    told = await reported(conversation, "@recall where was the cat born")
    lines = told.splitlines()
    assert lines[0].endswith("· user · message 1 · just now")
    assert lines[1] == "  My cat Tabasco was born in Lisbon in 2019."
    assert "words +" in lines[2]
    told = await reported(conversation, "@recall kind=fact pollen")
    assert "allergic" in told
    assert "Tabasco" not in told


async def test_recall_says_how_it_is_used(conversation: Conversation) -> None:
    """CHAT-7: a wrong filter names what there is."""
    assert (await reported(conversation, "@recall")).startswith("Write what it is about")
    told = await reported(conversation, "@recall kind=poem cat")
    assert "message, fact, summary, content" in told
    told = await reported(conversation, "@recall zeppelin")
    assert told == "Nothing in memory has to do with it."


async def test_search_finds_words_in_any_session(conversation: Conversation) -> None:
    """CHAT-4, RECALL-6: the message and the session."""
    await conversation.memory.add("user", "The parcel for Dora arrives on Friday.")
    told = await reported(conversation, "@search parcel dora")
    assert "user · message 1" in told
    assert "parcel for Dora" in told
    assert (await reported(conversation, "@search zeppelin")).startswith("Nobody said")
    await conversation.memory.content.store("How to tune a xylophone.")
    assert "· stored ·" in await reported(conversation, "@search xylophone")


async def test_expand_says_what_there_is(conversation: Conversation) -> None:
    assert "no such summary" in await reported(conversation, "@expand long")
    assert "Say which" in await reported(conversation, "@expand everything")
