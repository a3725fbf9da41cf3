"""STORE-6: a session goes out as JSON, JSONL or Markdown, and comes back from JSON the same."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.transfer.files import parts_of
from app.transfer.markdown import closed, fenced, markdown
from app.transfer.sending import NotWritten, exported, session_document, write
from app.transfer.taking import Selection, take_all
from memory.answer import NewMessage
from memory.config import MemoryConfig
from memory.importing import Importing
from memory.memory import Memory
from memory.storage.database import Database

CALL = {"id": "c1", "type": "function", "function": {"name": "<read>", "arguments": '{"a": 1}'}}
LONG_AGO = "2023-03-04T10:00:00.000Z"


async def talked(memory: Memory) -> None:
    """Says something of every kind."""
    await memory.add("system", "Answer in verse.", origin="import")
    await memory.add("user", 'Grüße, 世界! 🛶\n\t"quotes" and a \\.')
    await memory.add("assistant", "", tool_calls=[CALL])
    await memory.add("tool", "```\nnever closed", tool_call_id="c1")
    await memory.add_all([NewMessage("assistant", "# Not a heading", "import", said_at=LONG_AGO)])
    await memory.pinning.pin_message(2)
    await memory.goals.set("Find the boat")
    await memory.tasks.add("Look at the river")
    await memory.facts.remember("The user's boat is red.", sources=[memory.facts.here(2)])


async def sent(data: Path) -> dict[str, Any]:
    async with Memory.open(data, session="boat") as memory:
        return await session_document(memory)


async def test_there_and_back(tmp_path: Path) -> None:
    """STORE-6: messages, times, calls, pins, goals and tasks are the same in another place."""
    async with Memory.open(tmp_path / "a", session="boat") as memory:
        await talked(memory)
        text = await exported(memory, "json")
        await write(tmp_path / "boat.json", text, force=False)
    learned: list[str] = []

    async def learn(session: str, facts: Any) -> None:
        learned.extend(fact.text for fact in facts)

    database = await Database.open(tmp_path / "b")
    try:
        importing = Importing(database, "default", MemoryConfig(), "a test")
        parts = parts_of(str(tmp_path / "boat.json"))
        report = await take_all(importing, parts, Selection(), learn=learn)
    finally:
        await database.close()
    assert (report.became, report.failures) == ({"new": 1}, 0)
    assert learned == ["The user's boat is red."]
    before, after = json.loads(text), await sent(tmp_path / "b")
    for key in ("title", "messages", "pins"):
        assert after[key] == before[key]
    assert after["work"]["goal"] == "Find the boat"
    assert [task["description"] for task in after["tasks"]] == ["Look at the river"]
    assert before["messages"][4]["at"] == LONG_AGO


async def test_markdown(tmp_path: Path) -> None:
    """STORE-6: people can read it, and nothing of a result gets out of its fence."""
    async with Memory.open(tmp_path / "a", session="bo[at]*") as memory:
        await talked(memory)
        text = await exported(memory, "markdown")
    assert text.startswith("# bo\\[at\\]\\*\n")
    assert "## 2. User, 20" in text
    assert "<summary>Call of &lt;read&gt;</summary>" in text
    assert "````\n```\nnever closed\n````" in text
    assert "**Goal:** Find the boat" in text


@given(st.lists(st.sampled_from(["```", "````py", "~~~", "x", "", "   ```", "``` `"]), max_size=8))
def test_no_fence_stays_open(lines: list[str]) -> None:
    """ALL-8: what follows a message is no part of its code."""
    text = "\n".join(lines)
    assert closed(closed(text)) == closed(text)
    fence = re.match("`+", fenced(text))
    assert fence is not None
    assert fence[0] not in text


def test_what_a_terminal_would_obey() -> None:
    """ALL-8: Markdown on standard output is harmless."""
    message = {"number": 1, "role": "user", "at": LONG_AGO, "content": "a\x1b[2Jb"}
    session = {
        "title": "t", "session": "s", "agent": "a", "models": [], "messages": [message],
        "pins": [], "facts": [], "work": {"goal": None}, "summaries": [],
    }  # fmt: skip
    assert "\x1b" not in markdown(session)


async def test_no_file_is_written_over(tmp_path: Path) -> None:
    """STORE-6: unless that is asked for."""
    file = tmp_path / "a.md"
    await write(file, "one", force=False)
    with pytest.raises(NotWritten, match="there already"):
        await write(file, "two", force=False)
    assert file.read_text() == "one"
    await write(file, "two", force=True)
    assert file.read_text() == "two"
    assert [each.name for each in tmp_path.iterdir()] == ["a.md"]
