"""ALL-7: the newest messages are seen before memory is loaded, as it would show them itself."""

import sqlite3
from pathlib import Path

from memory import Memory, MemoryConfig
from memory.events import Message
from memory.parts import Role
from memory.storage.glance import LONGEST, NEWEST, SHOWN, glance
from memory.storage.places import FILE_NAME
from memory.wish import Wish


async def talk(directory: Path, messages: int, **wish: str) -> None:
    config = MemoryConfig(immediate_window=4, recent_window=4)
    async with Memory.open(directory, config=config, wish=Wish(**wish)) as memory:  # type: ignore[arg-type]
        for number in range(1, messages + 1):
            role: Role = "user" if number % 2 else "assistant"
            await memory.add(role, f"What is said in message {number}, and why it was said at all.")
            await memory.settled()
        if memory.state.compactions:
            await memory.undo()
            await memory.redo()


async def test_it_sees_what_the_log_holds(tmp_path: Path) -> None:
    """ALL-7: the same events and texts as the library reads, compactions and undo among them."""
    await talk(tmp_path, NEWEST + 20, session="rivers")
    seen = glance(tmp_path, Wish(session="rivers"))
    assert seen is not None
    async with Memory.open(tmp_path, session="rivers") as memory:
        log = await memory.log(after=seen.recorded[0].n - 1)
        wanted = [entry for entry in log if isinstance(entry.event, SHOWN)]
        assert list(seen.recorded) == wanted
        bodies = [e.event.ref.body for e in wanted if isinstance(e.event, Message)]
        assert seen.texts == await memory.texts(bodies)
        assert (seen.session_id, seen.title) == (memory.info.id, memory.info.title)
        assert seen.messages == memory.state.messages == NEWEST + 20
    kinds = {entry.event.KIND for entry in seen.recorded}
    assert {"compaction", "undo", "redo"} <= kinds


async def test_it_looks_at_the_session_that_is_opened(tmp_path: Path) -> None:
    """ALL-7: by title, by id, or the agent's newest; a new session shows nothing."""
    await talk(tmp_path, 1, session="old")
    await talk(tmp_path, 2, session="new")
    for wish in (Wish(), Wish(session="old"), Wish(session="new"), Wish(agent="other")):
        seen = glance(tmp_path, wish)
        if wish.agent == "other":
            assert seen is None
            continue
        assert seen is not None
        async with Memory.open(tmp_path, wish=wish) as memory:
            assert seen.session_id == memory.info.id
    assert glance(tmp_path, Wish(fresh=True)) is None


async def test_it_sees_nothing_where_something_is_wrong(tmp_path: Path) -> None:
    """STORE-4: what is wrong is told when the session is opened, and nothing is changed."""
    assert glance(tmp_path, Wish()) is None
    await talk(tmp_path, 1)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / FILE_NAME).write_bytes(b"no database" * 1000)
    assert glance(tmp_path / "a", Wish()) is None
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("UPDATE event SET version = version + 1 WHERE kind = 'message'")
    connection.close()
    assert glance(tmp_path, Wish()) is None


async def test_it_stops_before_a_text_that_takes_long_to_show(tmp_path: Path) -> None:
    """ALL-7: the first paint waits for no message of megabytes."""
    async with Memory.open(tmp_path) as memory:
        await memory.add("user", "first")
        await memory.add("user", "long " * LONGEST)
        await memory.add("user", "last")
    seen = glance(tmp_path, Wish())
    assert seen is not None
    assert list(seen.texts.values()) == ["first", "last"]
    assert [e.event.ref.number for e in seen.recorded if isinstance(e.event, Message)] == [3]


async def test_it_sees_calls_and_how_they_went(tmp_path: Path) -> None:
    """CHAT-10, ALL-7: with what the model called for; it never begins with a result alone."""
    function = {"name": "read_file", "arguments": '{"path": "a.md"}'}
    calls = [{"id": "x", "type": "function", "function": function}]
    async with Memory.open(tmp_path) as memory:
        for _ in range(NEWEST // 2):
            await memory.add("assistant", "", tool_calls=calls)
            done = await memory.add("tool", "the text", tool_call_id="x")
            await memory.execution.ran(
                tool="read_file", arguments="{}", result="the text", ok=True, number=done.number
            )
        await memory.add("user", "Thanks.")
        log = await memory.log(after=0)
    seen = glance(tmp_path, Wish())
    assert seen is not None
    assert list(seen.recorded) == [
        e for e in log if e.n >= seen.recorded[0].n and e.event.KIND in ("message", "tool_executed")
    ]
    first = seen.recorded[0].event
    assert isinstance(first, Message)
    assert first.ref.role == "assistant"
    assert first.ref.calls in seen.texts
