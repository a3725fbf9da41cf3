"""RECALL-3: what was said before it was written keeps its time."""

from datetime import UTC, datetime
from pathlib import Path

from memory.answer import NewMessage
from tests.memory.doubles import opened

MARCH, APRIL = "2023-03-04T10:00:00.000Z", "2023-04-20T10:00:00.000Z"


async def test_an_imported_message_keeps_its_time(tmp_path: Path) -> None:
    """RECALL-3: it is found by that time, and asked for relative to another one."""
    said = [
        NewMessage("user", "I was at the dentist.", "import", said_at=at) for at in (MARCH, APRIL)
    ]
    async with opened(tmp_path) as memory:
        await memory.add_all([*said, NewMessage("user", "I was at the dentist.", "import")])
        await memory.settled()
        best, *_ = await memory.recall("Was I at the dentist in March 2023?")
        assert best.at == MARCH
        now = datetime(2023, 4, 22, 12, tzinfo=UTC)
        best, *_ = await memory.recall("Was I at the dentist 2 days ago?", now=now)
        assert best.at == APRIL
        (only,) = await memory.recall("dentist", filter={"until": "2023-03-31"})
        assert only.at == MARCH


async def test_a_message_of_now_has_the_time_of_its_event(tmp_path: Path) -> None:
    """RECALL-3: nothing is said of a time that nobody knows."""
    async with opened(tmp_path) as memory:
        stored = await memory.add("user", "The owl is awake.")
        (found,) = await memory.recall("owl")
        assert found.at == stored.at
