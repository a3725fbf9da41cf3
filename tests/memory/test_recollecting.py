"""RECALL-3: what a message calls for is searched before its turn, and stands in it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memory import Memory, MemoryConfig
from memory.config import RecallConfig
from memory.parts import MemoryScope
from memory.recall_events import Recalled
from memory.wish import Wish
from tests.memory.doubles import WordEmbedder, chat_model, opened, words


def config(**recall: Any) -> MemoryConfig:
    return MemoryConfig(recall=RecallConfig(**recall), vault=False)


async def events(memory: Memory) -> list[Recalled]:
    return [entry.event for entry in await memory.log() if isinstance(entry.event, Recalled)]


async def said_before(path: Path, *texts: str) -> None:
    """An earlier session of the same agent."""
    async with Memory.open(path, "before", config=config()) as memory:
        for text in texts:
            await memory.add("user", text)
            await memory.add("assistant", "I see.")


CAT = "My cat Tabasco was born in Lisbon in 2019."


async def test_what_was_said_in_another_session_comes_back(tmp_path: Path) -> None:
    """RECALL-4: as data, with who said it and when."""
    await said_before(tmp_path, CAT, "The weather is fine.")
    async with Memory.open(tmp_path, "now", config=config()) as memory:
        await memory.add("user", "Where was my cat born?")
        prompt = await memory.prompt()
        view = memory.snapshot().recalled
    said = prompt.messages[-1]["content"]
    assert f"- user: {CAT}" in said
    assert "weather" not in said
    assert prompt.sections["recalled"] > 0
    assert view is not None
    assert view.texts[0].text == CAT
    assert not view.texts[0].here
    assert view.texts[0].parts


async def test_it_is_searched_once_a_message(tmp_path: Path) -> None:
    """PROMPT-1: further requests of the turn begin with the same bytes."""
    await said_before(tmp_path, CAT)
    async with Memory.open(tmp_path, "now", config=config()) as memory:
        awaited = [memory.awaits_recall]
        await memory.add("user", "Where was my cat born?")
        awaited.append(memory.awaits_recall)
        first = await memory.prompt()
        awaited.append(memory.awaits_recall)
        assert awaited == [False, True, False]
        call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        await memory.add("assistant", "", tool_calls=[call])
        await memory.add("tool", "nothing", tool_call_id="c")
        second = await memory.prompt()
        assert len(await events(memory)) == 1
    assert second.messages[: len(first.messages)] == first.messages


async def test_a_turn_that_was_stopped_while_it_was_searched_is_searched_again(
    tmp_path: Path,
) -> None:
    """RECALL-3, CHAT-1: Esc, and then the same question once more."""
    await said_before(tmp_path, CAT)
    embedder = WordEmbedder()
    embedder.gate = asyncio.Event()
    waiting = config(wait_s=60)
    async with Memory.open(tmp_path, "now", config=waiting, embedder=embedder) as memory:
        await memory.add("user", "Where was my cat born?")
        stopped = asyncio.create_task(memory.prompt())
        done, _ = await asyncio.wait({stopped}, timeout=0.2)
        assert not done
        stopped.cancel()
        await asyncio.wait({stopped})
        embedder.gate.set()
        assert CAT in (await memory.prompt()).messages[-1]["content"]


async def test_a_draft_calls_for_memories_as_well(tmp_path: Path) -> None:
    """RECALL-3: the prompt of what is about to be sent shows them; nothing is recorded yet."""
    await said_before(tmp_path, CAT)
    async with Memory.open(tmp_path, "now", config=config()) as memory:
        prompt = await memory.prompt("Where was my cat born?")
        assert CAT in prompt.messages[-1]["content"]
        assert await events(memory) == []


async def test_what_stands_in_the_prompt_is_not_brought_again(tmp_path: Path) -> None:
    """RECALL-3: only what is not in the prompt already."""
    async with Memory.open(tmp_path, "now", config=config()) as memory:
        await memory.add("user", CAT)
        await memory.add("assistant", "A good name.")
        await memory.add("user", "Where was my cat born?")
        assert (await memory.prompt()).sections["recalled"] == 0
        assert await events(memory) == []


async def test_what_was_folded_comes_back_when_it_matters(tmp_path: Path) -> None:
    """COMPACT-13: a message that only a summary stands for is found by what it says."""
    small = MemoryConfig(immediate_window=4, recent_window=4, vault=False)
    async with Memory.open(tmp_path, "now", config=small) as memory:
        await memory.add("user", CAT)
        await memory.add("assistant", "A good name.")
        for number in range(16):
            await memory.add("user" if number % 2 == 0 else "assistant", words(number))
        await memory.settled()
        assert memory.snapshot().compactions
        await memory.add("user", "Where was my cat Tabasco born?")
        prompt = await memory.prompt()
    assert f"- user: {CAT}" in prompt.messages[-1]["content"]


@pytest.mark.parametrize("text", ["Thanks!", "ok", "…", "What do you think of the moon landing?"])
async def test_small_talk_brings_nothing(tmp_path: Path, text: str) -> None:
    """RECALL-3: never everything; a passage that has nothing to do with the message is left out."""
    await said_before(tmp_path, CAT, "The parcel for Dora arrives on Friday.")
    async with Memory.open(tmp_path, "now", config=config()) as memory:
        await memory.add("user", text)
        assert (await memory.prompt()).sections["recalled"] == 0


async def test_it_can_be_kept_to_the_session_or_switched_off(tmp_path: Path) -> None:
    """RECALL-3: across sessions of the same agent, if enabled."""
    await said_before(tmp_path, CAT)
    for change in ({"across_sessions": False}, {"enabled": False}, {"budget_tokens": 0}):
        async with Memory.open(tmp_path, "now", config=config(**change)) as memory:
            await memory.add("user", "Where was my cat born?")
            assert (await memory.prompt()).sections["recalled"] == 0


async def test_another_agent_knows_nothing_of_it(tmp_path: Path) -> None:
    """CHAT-12: each agent has a long-term store of its own."""
    from memory.wish import Wish

    await said_before(tmp_path, CAT)
    async with Memory.open(tmp_path, config=config(), wish=Wish(agent="other")) as memory:
        await memory.add("user", "Where was my cat born?")
        assert (await memory.prompt()).sections["recalled"] == 0


async def test_a_slow_model_is_given_what_it_reads_in_time(tmp_path: Path) -> None:
    """RECALL-3: for a model on this machine the budget is what it reads in ten seconds."""
    await said_before(tmp_path, *(f"{CAT} {words(number, 900)}" for number in range(12)))
    slow = chat_model(32_768, counted_by="model")
    async with Memory.open(tmp_path, "now", config=config(), chat_model=slow) as memory:
        await memory.add("user", "Where was my cat Tabasco born?")
        prompt = await memory.prompt()
        recalled = (await events(memory))[0]
    assert recalled.budget == 480
    assert 200 < prompt.sections["recalled"] < 560
    assert "the budget is used up" in {one.why_not for one in recalled.left_out}


async def test_pinned_facts_stand_in_every_turn(tmp_path: Path) -> None:
    """COMPACT-14: whatever was asked."""
    async with Memory.open(tmp_path, "before", config=config()) as memory:
        fact = (await memory.facts.remember("Never mail the Zurich office.")).fact
        await memory.facts.pin(fact.id)
    async with Memory.open(tmp_path, "now", config=config()) as memory:
        await memory.add("user", "Hello there.")
        prompt = await memory.prompt()
    assert prompt.messages[-1]["content"].count("Never mail the Zurich office.") == 1
    assert prompt.sections["facts"] > 0


async def test_who_leaves_soon_searches_by_meaning_too(tmp_path: Path) -> None:
    """CHAT-8: the same memory; what was said last is embedded before leaving."""
    embedder = WordEmbedder()
    async with opened(tmp_path, session="before", embedder=embedder) as memory:
        await memory.add("user", CAT)
        await memory.settled()
    async with opened(tmp_path, session="older") as memory:
        await memory.add("user", "Written while nothing was embedded.")
    brief = WordEmbedder()
    async with opened(tmp_path, session="now") as memory:
        memory.use_briefly(brief)
        assert brief.embedded == []
        await memory.add("user", "Where was my cat born?")
        prompt = await memory.prompt()
        await memory.add("assistant", "In Lisbon.")
        (found,) = await events(memory)
        assert found.meaning
        assert found.texts[0].parts["meaning"] > 0
        assert CAT in prompt.messages[-1]["content"]
        await memory.wind_up()
        assert "In Lisbon." in brief.embedded
    async with opened(tmp_path, session="next", embedder=embedder) as memory:
        await memory.settled()
        view = memory.snapshot().index
        assert view.indexed == view.passages == 4
    assert "In Lisbon." not in embedder.embedded


async def test_who_said_nothing_leaves_without_the_embedder(tmp_path: Path) -> None:
    """CHAT-8: a command is not kept waiting for a model that it had no need of."""
    brief = WordEmbedder()
    async with opened(tmp_path) as memory:
        memory.use_briefly(brief)
        await memory.add("user", CAT)
        await memory.wind_up()
    assert brief.embedded == []


@pytest.mark.parametrize("scope", ["shared", "snapshot", "isolated"])
async def test_a_helper_recalls_what_its_memory_has(tmp_path: Path, scope: MemoryScope) -> None:
    """CHAT-11: all of a shared memory, a copied one up to its beginning, none without one."""
    async with opened(tmp_path, session="owner") as owner:
        await owner.add("user", CAT)
        wish = Wish(owner=owner.info.id, fresh=True, passive=True)
        async with opened(tmp_path, session=None, wish=wish) as helper:
            await owner.take_on(helper, scope)
            await asyncio.sleep(0.002)  # another millisecond, by which they are told apart
            await owner.add("user", "The cat Tabasco hates the sea.")
            await helper.add("user", "Tell about the cat Tabasco that was born and hates.")
            said = str((await helper.prompt()).messages[-1]["content"])
    assert (CAT in said) == (scope != "isolated")
    assert ("hates the sea" in said) == (scope == "shared")


async def test_a_model_that_continues_text_is_told_as_well(tmp_path: Path) -> None:
    """PROMPT-6, RECALL-3: in the turn of the user, before the model's own begins."""
    await said_before(tmp_path, CAT)
    base = chat_model(mode="completion")
    async with opened(tmp_path, session="now", chat=base) as memory:
        await memory.add("user", "Where was my cat born?")
        text = (await memory.prompt()).text
    assert text is not None
    assert text.index("User: Where was my cat born?") < text.index(f"- user: {CAT}")
    assert text.endswith("</memory>\n\nAssistant:")
