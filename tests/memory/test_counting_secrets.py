"""How many secrets were replaced in what is stored, by kind: once each, wherever they stood."""

from dataclasses import replace
from pathlib import Path

from memory import Memory
from memory.answer import NewMessage
from memory.config import MemoryConfig
from memory.files import FoundFile
from memory.importing import Elsewhere, Importing
from memory.privacy import Door
from memory.storage.database import Database
from tests.memory.doubles import opened

PASSWORD = "password: hunter2!"


async def with_result(memory: Memory) -> None:
    called = {"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
    await memory.add_all(
        [
            NewMessage("assistant", "", "model", tool_calls=[called]),
            NewMessage("tool", PASSWORD, "tool", tool_call_id="c1"),
        ]
    )


async def test_all_that_is_stored_is_counted_once(tmp_path: Path) -> None:
    """RECALL-7: results of tools, content, facts, files, goals, tasks, notes, values, titles."""
    file = FoundFile("/work/AGENT.md", f"Log in with {PASSWORD}", size=40)
    async with opened(tmp_path, session="s") as memory:
        ways = (
            lambda: with_result(memory),
            lambda: memory.content.store(PASSWORD),
            lambda: memory.content.store("text", source=PASSWORD, tags=["password:hunter2!"]),
            lambda: memory.facts.remember(f"The {PASSWORD}"),
            lambda: memory.use_files([file]),
            lambda: memory.goals.set(f"Log in, {PASSWORD}"),
            lambda: memory.tasks.add(f"Try {PASSWORD}"),
            lambda: memory.notebook.note(PASSWORD),
            lambda: memory.notebook.set_value("db_password", "opensesame"),
            lambda: memory.preferences.set("mail", PASSWORD),
            lambda: memory.rename(f"about {PASSWORD}"),
            lambda: memory.goals.fail(f"wrong {PASSWORD}"),
        )
        counted = []
        for way in ways:
            before = dict(memory.snapshot().redacted).get("passwords", 0)
            await way()
            await memory.settled()
            counted.append(dict(memory.snapshot().redacted).get("passwords", 0) - before)
        whole, id = memory.snapshot().redacted, memory.info.id
    assert counted == [1, 1, 2, *[1] * 9]
    async with opened(tmp_path, session=id) as memory:
        assert memory.snapshot().redacted == whole == (("passwords", 13),)


async def test_what_is_imported_is_counted(tmp_path: Path) -> None:
    """RECALL-7, STORE-6: with its title, and what has come since."""
    said = [NewMessage("user", PASSWORD, "user"), NewMessage("assistant", "Noted.", "model")]
    first = Elsewhere("x", "1", f"on {PASSWORD}", said)
    more = replace(first, messages=[*said, NewMessage("user", f"or {PASSWORD}", "user")])
    database = await Database.open(tmp_path, Door())
    try:
        importing = Importing(database, "default", MemoryConfig(), "a test")
        taken = [await importing.take(conversation) for conversation in (first, more)]
    finally:
        await database.close()
    async with opened(tmp_path, session=taken[0].session) as memory:
        assert memory.snapshot().redacted == (("passwords", 3),)
