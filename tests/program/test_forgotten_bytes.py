"""RECALL-6, RECALL-7: what was forgotten stands in no file the moment the command has returned."""

import subprocess
import sys
from asyncio import to_thread

from memory.memory import Memory
from memory.wish import Wish
from tests.support.program import Program, conversation

RARE = [b"anna3x", b"quibblefrock"]


READ = (
    "import pathlib, sys\n"
    "for path in pathlib.Path(sys.argv[1]).rglob('*'):\n"
    "    if path.is_file():\n"
    "        sys.stdout.buffer.write(path.read_bytes())\n"
)
"""In a process of its own: who closes a file that SQLite has open here takes its locks away."""


async def rare_words(program: Program) -> list[bytes]:
    """Those that stand in some file of the data directory."""
    command = [sys.executable, "-c", READ, str(program.data)]
    ran = await to_thread(subprocess.run, command, capture_output=True, check=True)
    held = ran.stdout.lower()
    return [word for word in RARE if word in held]


async def test_nothing_of_it_is_left_though_others_have_it_open(program: Program) -> None:
    """RECALL-6: another Strata reads the same session, and writes another one."""
    stress = {"STRATA_MEMORY__PROFILE": "stress"}
    await to_thread(program.imports, "talk", conversation(24), **stress)
    await to_thread(program.works, "compact", "--session", "talk", **stress)
    await to_thread(program.works, "--session", "talk", "ask", "@remember The safe: Quibblefrock.")
    await to_thread(program.works, "--session", "talk", "ask", "@note Try Quibblefrock. Or not.")
    assert await rare_words(program) == RARE

    reading = Wish(session="talk", read_only=True)
    async with (
        Memory.open(program.data, wish=reading) as reader,
        Memory.open(program.data, "other") as other,
    ):
        await other.add("user", "Something else.")
        ask = ("--session", "talk", "ask")
        shown = await to_thread(program.run, *ask, "@forget 3")
        assert (shown.status, "Nothing was forgotten." in shown.err) == (1, True)
        assert await rare_words(program) == RARE

        await to_thread(program.works, *ask, "@forget --yes 3")
        assert await rare_words(program) == RARE[1:]
        told = await to_thread(program.works, *ask, "@forget --yes quibblefrock")
        assert told.out == "Forgotten: 1 fact. 1 text that quoted it cut.\n"
        assert await rare_words(program) == []
        assert not [text for text in reader._journal.texts.values() if "Anna3x" in text]
        assert [fact.text for fact in reader.facts.all()] == []

    log = await to_thread(program.works, "log", "--session", "talk", "--json")
    assert [entry["content"] for entry in log.lines if entry.get("number") == 3] == ["[forgotten]"]
    await to_thread(program.works, "export", "--session", "talk")
    doctor = await to_thread(program.run, "doctor")
    assert "Every text that is named is there" in doctor.out
    assert "damaged" not in doctor.out
    assert await rare_words(program) == []
