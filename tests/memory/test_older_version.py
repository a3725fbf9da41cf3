"""A session of a version without tools, goals and items on messages, opened and gone on with.

`older/schema_4.sql.gz` was dumped from a database of that version: tool calls, results cut to
head and tail, cascades, a pinned message, an item that only a compaction had stored.
"""

import gzip
import json
import sqlite3
from pathlib import Path

import pytest

from memory import Memory, MemoryConfig
from memory.content.receipts import handles_in
from memory.content_events import ContentStored
from memory.events import Message, RequestEnded, RequestPrepared
from memory.storage import catching_up
from memory.wish import Wish

DUMP = Path(__file__).parent / "older" / "schema_4.sql.gz"
SCHEMA = 4
NAME = "the move"
CONFIG = MemoryConfig(compaction="wait", vault=False)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """A data directory as the older version left it."""
    connection = sqlite3.connect(tmp_path / "strata.db")
    connection.executescript(gzip.decompress(DUMP.read_bytes()).decode())
    connection.execute(f"PRAGMA user_version = {SCHEMA}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.commit()
    connection.close()
    return tmp_path


def call(id: str, tool: str, **arguments: object) -> dict[str, object]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {"id": id, "type": "function", "function": function}


async def ask(memory: Memory) -> str:
    """One request that completes; the prompt that it sent."""
    prompt = await memory.prompt()
    request = await memory.prepare(prompt)
    await memory.ended(RequestEnded(request, 1, "m", "ok"))
    return json.dumps(prompt.messages, ensure_ascii=False)


async def test_it_opens_with_all_that_was_there(older: Path) -> None:
    """STORE-1, VIEW-4: prompt, panes, every past moment; nothing of goals, and no error."""
    async with Memory.open(older, NAME, config=CONFIG) as memory:
        shown = memory.snapshot()
        assert (shown.messages, shown.compactions, shown.content_items) == (42, 7, 7)
        assert (shown.verbatim, len(shown.pins)) == ((26, 42), 1)
        assert (shown.work.goal, shown.work.tools.total) == (None, 0)
        past = memory.past()
        for n in range(1, memory.state.n + 1):
            assert (await past.snapshot(n)).n == n


async def test_each_past_request_is_shown_as_it_was_sent(older: Path) -> None:
    """PROMPT-5: the digests of the older version hold."""
    async with Memory.open(older, NAME, config=CONFIG) as memory:
        events = [entry.event for entry in await memory.log()]
        requests = [event.request for event in events if isinstance(event, RequestPrepared)]
        assert len(requests) == 21
        for request in requests:
            assert await memory.request_messages(request)


async def test_results_that_were_shown_become_receipts_that_resolve(older: Path) -> None:
    """CONT-3, I10: what older requests have carried counts; each text is stored once."""
    async with Memory.open(older, NAME, config=CONFIG) as memory:
        results = [ref for ref in memory.state.folding.verbatim if ref.role == "tool"]
        assert all(ref.item is None for ref in results)
        sent = await ask(memory)
        texts = await memory.texts([ref.body for ref in results])
        long = [texts[ref.body] for ref in results if ref.chars > 1_000]
        handles = handles_in(sent)
        assert long
        kept = [await memory.content.retrieve(handle) for handle in handles]
        assert all(text in kept for text in long)
        stored = [e.event for e in await memory.log() if isinstance(e.event, ContentStored)]
        items = [item.body for event in stored for item in event.items]
        assert len(items) == len(set(items)) == memory.snapshot().content_items


async def test_what_was_said_before_is_found(older: Path) -> None:
    """RECALL-2, STORE-1: gone through in the background; what is said meanwhile is found as well.

    A stop in the middle loses nothing, and nothing is there twice.
    """
    async with Memory.open(older, NAME, config=CONFIG) as memory:
        await memory.add("user", "A zeppelin over Alfama.", origin="user")
        assert (await memory.recall("zeppelin"))[0].text == "A zeppelin over Alfama."
    async with Memory.open(older, NAME, config=CONFIG) as memory:
        await memory.settled()
        database = memory._journal.database
        assert not (await catching_up.behind(database)).any
        rows = await database.all("SELECT kind, body, first FROM passage")
        assert len(rows) == len(set(rows))
        bodies = {body for kind, body, _ in rows if kind == "message"}
        said = [e.event.ref for e in await memory.messages(1, 99) if isinstance(e.event, Message)]
        assert bodies == {r.body for r in said if r.chars and r.role in ("user", "assistant")}
        summaries = {body for kind, body, _ in rows if kind == "summary"}
        folding = memory.state.folding
        held = [ref for ref in (folding.long_term, folding.short_term) if ref is not None]
        assert summaries == {b for ref in held for b in (ref.body, ref.details) if b is not None}


async def test_it_goes_on_with_tools_and_goals(older: Path) -> None:
    """GOAL-1, CONT-1, I6: new kinds of event stand behind the old ones; a restart has both."""
    async with Memory.open(older, NAME, config=CONFIG) as memory:
        await memory.goals.set("Find a flat in Alfama")
        await memory.add("user", "Look again.", origin="user")
        await memory.add("assistant", "", tool_calls=[call("new", "read_file", path="d.txt")])
        result = await memory.add("tool", "flat\n" * 300, tool_call_id="new", origin="tool")
        await memory.execution.ran(tool="read_file", arguments="{}", result="flat", ok=True)
        assert "flat\\nflat" in await ask(memory)
        assert result.item is not None
        assert "flat\\nflat" not in await ask(memory)
        await memory.compact()
        before = memory.snapshot()
    async with Memory.open(older, NAME, config=CONFIG) as memory:
        after = memory.snapshot()
        assert (after.work, after.content_items) == (before.work, before.content_items)
        assert after.context.sections == before.context.sections
        assert await memory.content.retrieve(result.item) == "flat\n" * 300
        fork = await memory.branches.fork(20, "fork")
    async with Memory.open(older, wish=Wish(branch=fork), config=CONFIG) as memory:
        assert memory.snapshot().work.goal is None
        assert (await memory.prompt()).tokens
