"""CHAT-11, CHAT-8: `strata ask` with helpers, and what a kill leaves of them."""

import asyncio
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory import Memory
from memory.storage.places import FILE_NAME
from tests.support.program import Program, wait_for
from tests.support.tool_server import Says, ToolServer, call
from tests.support.tool_talk import assert_paired

Body = dict[str, Any]


def helps(body: Body) -> bool:
    """Whether a request is of a helper's."""
    return any(str(m["content"]).startswith("You are a helper") for m in body["messages"])


def delegating(helper: Callable[[Body], Says]) -> Callable[[int, Body], Says]:
    """Who is asked first delegates, and answers when it is told what came of it."""

    def says(n: int, body: Body) -> Says:
        if helps(body):
            return helper(body)
        if body["messages"][-1]["role"] == "tool":
            return Says("The helper is back.")
        return Says("I'll send one.", [call("delegate", {"task": "Count."}, "d1")])

    return says


def streams(program: Program) -> list[tuple[str, str | None]]:
    """The sessions of the database by name, with whom each is for."""
    with closing(sqlite3.connect(program.data / FILE_NAME)) as database:
        rows = database.execute("SELECT name, owner FROM stream WHERE kind = 'session'")
        return rows.fetchall()


def messages(program: Program, *options: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in program.works("export", *options).out.splitlines()]


def test_the_answer_alone_and_the_helper_in_the_sums(asking: Program, scripted: ToolServer) -> None:
    """CHAT-8, CHAT-11: what a helper does is not the answer; what it has used is told."""
    scripted.script = delegating(lambda _: Says("Two."))
    ran = asking.works("ask", "Do it.")
    assert (ran.out, ran.err) == ("The helper is back.\n", "")
    status = asking.document("status")
    assert status["tools"]["by_tool"] == {"delegate": 1}
    assert status["usage"]["input"] == 300
    [listed] = asking.document("sessions")["sessions"]
    assert listed["messages"] == 4
    assert len(streams(asking)) == 2
    asking.works("sessions", "delete", listed["id"], "--yes")
    assert streams(asking) == []


def test_a_helper_by_command(asking: Program, scripted: ToolServer) -> None:
    """CHAT-8: prints what it answered, which stands in the conversation."""
    scripted.script = [Says("Two doors.")]
    ran = asking.works("ask", "@delegate Count the doors.")
    assert ran.out.startswith("Two doors.\n\n(Helper 1: 1 request, 0 tool calls, 120 tokens, ")
    assert ran.err == ""
    [message] = messages(asking)
    assert message["role"] == "user"
    assert "Count the doors." in message["content"]


def test_what_a_helper_asks_is_refused_where_nobody_can_be_asked(
    asking: Program, scripted: ToolServer, workspace: Path
) -> None:
    """ALL-8, CHAT-11: without a terminal it may do what the configuration allows."""
    run = call("run_command", {"command": "echo done > mark"})

    def helper(body: Body) -> Says:
        return Says("Well.") if body["messages"][-1]["role"] == "tool" else Says("", [run])

    scripted.script = delegating(helper)
    asking.works("ask", "Do it.")
    assert not (workspace / "mark").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX signals")
def test_a_kill_while_a_helper_works(
    asking: Program, scripted: ToolServer, workspace: Path
) -> None:
    """CHAT-11, I3, STORE-2: both logs are whole; the next start goes on, and so can the helper."""
    command = "echo $$ > pid; sleep 300"
    slow = call("run_command", {"command": command}, "s1")
    keep = call("store_in_memory", {"content": "Half of it."}, "k1")

    def helper(body: Body) -> Says:
        told = body["messages"][-1]
        return Says("", [keep]) if told["role"] == "user" else Says("Now I wait.", [slow])

    scripted.script = delegating(helper)
    process = asking.start("ask", "Go.", STRATA_TOOLS__ALLOWED_COMMANDS=json.dumps([command]))
    pid = workspace / "pid"
    assert wait_for(lambda: pid.exists() and pid.read_text().strip())
    process.kill()
    process.communicate(timeout=120)
    left = int(pid.read_text())
    if Path(f"/proc/{left}").exists():
        os.killpg(os.getpgid(left), signal.SIGKILL)
    assert [m["role"] for m in messages(asking)] == ["user", "assistant"]

    scripted.script = [Says("Here I am.")]
    assert asking.works("ask", "And now?").out == "Here I am.\n"
    assert_paired(scripted.seen[-1]["messages"])
    told = [m["content"] for m in messages(asking) if m["role"] == "tool"]
    assert told == ["Not run: it was interrupted."]
    [name] = [name for name, owner in streams(asking) if owner]
    steps = [m["role"] for m in messages(asking, "--session", name)]
    assert steps == ["user", "assistant", "tool", "assistant"]
    asyncio.run(both_sides(asking.data, name))


async def both_sides(data: Path, helper: str) -> None:
    """What the helper had stored is found from its session and from the one it worked for."""
    async with Memory.open(data) as mine, Memory.open(data, helper) as its:
        assert await mine.content.retrieve("c1") == "Half of it."
        assert await its.content.retrieve("c1") == "Half of it."
        assert [(h.number, h.progress) for h in await mine.helpers()] == [(1, "working")]
        await its.answer_open_calls()
    async with Memory.open(data) as mine:
        assert [(h.number, h.progress) for h in await mine.helpers()] == [(1, "not done")]
