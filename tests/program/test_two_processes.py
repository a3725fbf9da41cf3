"""STORE-5: many processes on one data directory; one at a time writes to a session."""

import json
import os
from asyncio import to_thread
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory.memory import Memory
from memory.wish import Wish
from tests.kill.checks import reopen
from tests.program.shapes import contiguous
from tests.support.program import Program, Ran, conversation

HOLDER = Wish(session="talk", label=f"the chat of process {os.getpid()}")


@pytest.fixture
def two(program: Program) -> Program:
    """The program with two sessions."""
    program.imports("other", conversation(4))
    program.imports("talk", conversation(4))
    return program


async def test_a_session_that_is_held(two: Program) -> None:
    """STORE-5: who writes to it is told in one sentence; reading works, as do other sessions."""
    async with Memory.open(two.data, wish=HOLDER) as memory:
        for command in (
            ("ask", "hello"),
            ("ask", "@rename mine"),
            ("compact",),
            ("import", "-"),
            ("sessions", "delete", "talk", "--yes"),
            ("sessions", "rename", "talk", "mine"),
        ):
            # In a thread: what this process does behind the conversation must go on.
            ran = await to_thread(two.run, "--session", "talk", *command, stdin='{"role": "user"}')
            sentence = ran.refused()
            assert HOLDER.label in sentence, command
            assert "--session" in sentence
        await memory.add("user", "said meanwhile")
        status = await to_thread(two.document, "status", "--session", "talk")
        assert status["messages"] == 5
        log = (await to_thread(two.works, "log", "--session", "talk", "--json")).lines
        assert log[-1]["content"] == "said meanwhile"
        exported = await to_thread(two.works, "export", "--session", "talk")
        assert exported.out.count("\n") == 5
        await to_thread(two.imports, "other", conversation(2))
        await memory.add("user", "still writing")
    two.imports("talk", conversation(2))
    assert two.document("status", "--session", "talk")["messages"] == 8


async def test_nobody_waits_for_a_reader(two: Program) -> None:
    """STORE-5: a reader sees what another process writes meanwhile, and keeps nobody out."""
    watching = Wish(session="talk", read_only=True, create=False)
    async with Memory.open(two.data, wish=watching) as memory:
        assert memory.state.messages == 4
        await to_thread(two.imports, "talk", conversation(3))
        await memory.refresh()
        assert memory.state.messages == 7


def at_once(program: Program, commands: list[tuple[tuple[str, ...], str | None]]) -> list[Ran]:
    with ThreadPoolExecutor(len(commands)) as pool:
        return list(pool.map(lambda entry: program.run(*entry[0], stdin=entry[1]), commands))


async def test_many_begin_at_once(program: Program) -> None:
    """STORE-1, STORE-5: also while the database is being made."""
    text = "".join(json.dumps(message) + "\n" for message in conversation(40))
    commands: list[tuple[tuple[str, ...], str | None]] = [
        (("import", "-", "--session", f"talk {number}"), text) for number in range(5)
    ]
    ran = at_once(program, commands)
    assert [(one.status, one.err.count("\n")) for one in ran] == [(0, 1)] * 5
    for number in range(5):
        assert (await reopen(program.data, f"talk {number}")).state.messages == 40


async def test_one_name_at_once(program: Program) -> None:
    """STORE-5: a session of a new name is made once; who comes second goes on in it or is told."""
    commands: list[tuple[tuple[str, ...], str | None]] = [
        (("import", "-", "--session", "same"), '{"role": "user", "content": "x"}') for _ in range(5)
    ]
    ran = at_once(program, commands)
    for one in ran:
        assert one.status == 0 or "The session is open" in one.refused()
    sessions = program.document("sessions")["sessions"]
    assert [s["title"] for s in sessions] == ["same"]
    assert sessions[0]["messages"] == sum(one.status == 0 for one in ran)


async def test_many_ask_at_once(served: Program, tmp_path: Path) -> None:
    """STORE-5: each in its session of one data directory, with compactions."""
    served.environment["STRATA_MEMORY__PROFILE"] = "stress"
    for number in range(2):
        served.imports(f"talk {number}", conversation(10))
    ran = at_once(
        served, [(("--session", f"talk {n}", "ask", f"Question {n}?"), None) for n in range(2)]
    )
    for number, one in enumerate(ran):
        assert (one.status, one.err) == (0, ""), one
        assert one.out.strip()
        status = served.document("status", "--session", f"talk {number}")
        assert (status["messages"], len(status["compactions"])) == (12, 1)
        contiguous(status, 12)
        await reopen(served.data, f"talk {number}")
