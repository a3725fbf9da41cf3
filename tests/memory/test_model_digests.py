"""Digests that the model writes, behind the conversation."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from memory.compaction.digest_wording import LONGEST, READ, accepted_digest
from memory.config import MemoryConfig
from memory.content.receipts import handles_in
from memory.content_events import ContentDigested
from memory.events import RequestEnded
from memory.memory import Memory
from memory.protocols import Completion
from memory.wish import Wish
from tests.memory.doubles import ScriptedModel, Unwilling

PAGE = "# Ships\n\n" + "The ship Aurora leaves Porto on 14 March 2027 with 212 parcels. " * 200
WRITTEN = "The Aurora leaves Porto in March.\n- 14 March 2027\n- 212 parcels"
CALL = {"id": "1", "type": "function", "function": {"name": "fetch_page", "arguments": "{}"}}


def config(**values: Any) -> MemoryConfig:
    return MemoryConfig(content_digest="model", context_window=100_000, vault=False, **values)


async def ask(memory: Memory) -> list[str]:
    """One request that completes; the tool results in it."""
    prompt = await memory.prompt()
    request = await memory.prepare(prompt)
    await memory.ended(RequestEnded(request, 1, "m", "ok"))
    return [str(m["content"]) for m in prompt.messages if m["role"] == "tool"]


async def read(memory: Memory, text: str = PAGE) -> None:
    await memory.add("assistant", "", tool_calls=[CALL])
    await memory.add("tool", text, tool_call_id="1")


async def test_a_receipt_has_what_the_model_wrote(tmp_path: Path) -> None:
    """CONT-5: with the goal in view, of the first 5,000 characters, and as an event."""
    model = ScriptedModel([WRITTEN])
    async with Memory.open(tmp_path, "s", config=config(), model=model) as memory:
        await memory.goals.set("Send the parcels by sea")
        await memory.add("user", "When does the ship leave?")
        await read(memory)
        await memory.settled()
        await ask(memory)
        (shown,) = await ask(memory)
        assert shown.startswith("The Aurora leaves Porto in March.\n- 14 March 2027\n")
        assert handles_in(shown) == ["c1"]
        assert await memory.content.retrieve("c1") == PAGE
        assert await memory.content.retrieve("c1", "summary") == WRITTEN
        assert memory.snapshot().items[0].digest.startswith("The Aurora leaves")
        (asked,) = model.requests
        assert "Send the parcels by sea" in asked[1]["content"]
        assert len(asked[1]["content"]) < READ + 1_000
    async with Memory.open(tmp_path, "s", config=MemoryConfig()) as memory:
        assert await memory.content.retrieve("c1", "summary") == WRITTEN
        await memory.settled()
        assert memory.snapshot().items[0].digest.startswith("The Aurora leaves")
        n = next(e.n for e in await memory.log() if isinstance(e.event, ContentDigested))
        before, after = await memory.snapshot_at(n - 1), await memory.snapshot_at(n)
        assert before.items[0].digest.startswith("page, 3 lines: Ships")
        assert after.items[0].digest.startswith("The Aurora leaves")
        events = [entry.event for entry in await memory.log()]
        assert [e.model for e in events if isinstance(e, ContentDigested)] == ["scripted"]


async def test_whoever_only_watches_sees_it_too(tmp_path: Path) -> None:
    """CONT-5, STORE-5: what the model wrote comes to a second process by the log."""
    model = ScriptedModel([WRITTEN], gate=asyncio.Event())
    async with Memory.open(tmp_path, "s", config=config(), model=model) as memory:
        await memory.content.store(PAGE, "web_content")
        async with Memory.open(tmp_path, wish=Wish(session="s", read_only=True)) as watching:
            await watching.settled()
            assert watching.snapshot().items[0].digest.startswith("page, 3 lines: Ships")
            assert model.gate is not None
            model.gate.set()
            await memory.settled()
            await watching.refresh()
            await watching.settled()
            assert watching.snapshot().items[0].digest.startswith("The Aurora leaves")


async def test_a_turn_never_waits_for_a_digest(tmp_path: Path) -> None:
    """CONT-5: where it is not there in time, the receipt has the compactor's."""
    model = ScriptedModel([WRITTEN], gate=asyncio.Event())
    async with Memory.open(tmp_path, "s", config=config(), model=model) as memory:
        await memory.add("user", "When does the ship leave?")
        await read(memory)
        await ask(memory)
        (shown,) = await ask(memory)
        assert "page, 3 lines: Ships" in shown
        assert model.gate is not None
        model.gate.set()
        await memory.settled()
        assert await ask(memory) == [shown]
        assert await memory.content.retrieve("c1", "summary") == WRITTEN


@pytest.mark.parametrize(
    "reply",
    [
        Unwilling("no"), "", "I'm sorry, I can't.", "Error: 500", Completion("x", calls_tool=True),
        "y" * 20_000,
    ],
)  # fmt: skip
async def test_what_is_no_digest_is_not_taken(tmp_path: Path, reply: Any) -> None:
    """CONT-5: the compactor's stands in."""
    async with Memory.open(tmp_path, "s", config=config(), model=ScriptedModel([reply])) as memory:
        await memory.add("user", "When does the ship leave?")
        await read(memory)
        await memory.settled()
        await ask(memory)
        assert "page, 3 lines: Ships" in (await ask(memory))[0]


async def test_the_model_is_asked_only_where_it_is_allowed(tmp_path: Path) -> None:
    """CONT-5: never by default; or only for what no compactor knows; never for what is short."""
    model = ScriptedModel([WRITTEN])
    async with Memory.open(tmp_path, "s", config=MemoryConfig(), model=model) as memory:
        await memory.content.store(PAGE, "web_content")
        await memory.settled()
        assert model.requests == []
    text_only = MemoryConfig(content_digest="text", digest_prompt="In Portuguese, please.")
    async with Memory.open(tmp_path, "s", config=text_only, model=model) as memory:
        await memory.content.store(PAGE, "web_content")
        await memory.content.store("short", "custom")
        await memory.content.store("It was calm at sea, and nobody spoke. " * 50, "custom")
        await memory.settled()
        (asked,) = model.requests
        assert "In Portuguese, please." in asked[1]["content"]
        assert "calm at sea" in asked[1]["content"]


def test_a_digest_has_its_bounds() -> None:
    """CONT-5: whole lines, in at most so many characters; what was cut off loses its last line."""
    lines = "\n".join(f"- fact {n} of the page, at some length" for n in range(99))
    digest = accepted_digest(lines, "x" * 9_000, cut_off=False)
    assert digest is not None
    assert len(digest) <= LONGEST
    assert digest.splitlines() == lines.splitlines()[: digest.count("\n") + 1]
    assert accepted_digest("One.\n- Two\n- Thr", "x" * 99, cut_off=True) == "One.\n- Two"
    assert accepted_digest("Longer than the text.", "Short.", cut_off=False) is None
