"""CHAT-10, CHAT-8: `strata ask` with a model that calls tools, and what a kill leaves of it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.commands.permission import question
from app.tools.tool import Permission
from tests.support.program import Program, wait_for
from tests.support.tool_server import Says, ToolServer, call
from tests.support.tool_talk import assert_paired


def messages(program: Program) -> list[dict[str, Any]]:
    return [json.loads(line) for line in program.works("export").out.splitlines()]


READ = call("read_file", {"path": "harbour.txt"}, "c1")


def test_the_answer_alone_though_tools_were_called(asking: Program, scripted: ToolServer) -> None:
    """CHAT-8, CHAT-10: words before a call, calls and results are not the answer."""
    scripted.script = [Says("I'll read it.", [READ]), Says("It opens at 7:40.")]
    ran = asking.works("ask", "When does it open?")
    assert (ran.out, ran.err) == ("It opens at 7:40.\n", "")
    assert "opens at 7:40" in scripted.seen[1]["messages"][-1]["content"]
    assert [m["role"] for m in messages(asking)] == ["user", "assistant", "tool", "assistant"]
    status = asking.document("status")
    assert status["tools"]["by_tool"] == {"read_file": 1}
    assert status["usage"]["input"] == 200


def test_a_command_is_refused_where_nobody_can_be_asked(
    asking: Program, scripted: ToolServer, workspace: Path
) -> None:
    """ALL-8, CHAT-10: without a terminal only what the configuration allows is run."""
    command = "echo done > mark"
    scripted.script = [Says("", [call("run_command", {"command": command})]), Says("Well.")]
    asking.works("ask", "Do it.")
    assert not (workspace / "mark").exists()
    refusal = scripted.seen[1]["messages"][-1]["content"]
    assert refusal
    scripted.seen.clear()
    asking.works("ask", "Do it.", STRATA_TOOLS__ALLOWED_COMMANDS=json.dumps([command]))
    assert (workspace / "mark").read_text() == "done\n"


def test_only_who_talks_starts_servers(
    asking: Program, scripted: ToolServer, tmp_path: Path
) -> None:
    """ALL-3, CHAT-10: folding and reading start none, and offer nothing anew."""
    mark = tmp_path / "started"
    asking.environment |= {
        "STRATA_MCP__MARK__COMMAND": sys.executable,
        "STRATA_MCP__MARK__ARGS": json.dumps(["-c", f"open({str(mark)!r}, 'w')"]),
    }
    scripted.script = [Says("Ahoy.")]
    asking.works("ask", "Hello?")
    mark.unlink()
    kinds = [line["kind"] for line in asking.works("log", "--json").lines]
    for command in ("compact", "status", "doctor"):
        asking.run(command)
    assert not mark.exists()
    since = [line["kind"] for line in asking.works("log", "--json").lines][len(kinds) :]
    assert set(since) <= {"compaction", "model", "session"}


@pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX signals")
def test_ctrl_c_while_a_tool_runs(asking: Program, scripted: ToolServer, workspace: Path) -> None:
    """CHAT-10, I3: the command is ended with its children; its call has a result."""
    command = "echo begun; echo $$ > pid; sleep 300"
    scripted.script = [Says("", [call("run_command", {"command": command})])]
    process = asking.start("ask", "Go.", STRATA_TOOLS__ALLOWED_COMMANDS=json.dumps([command]))
    pid = workspace / "pid"
    assert wait_for(lambda: pid.exists() and pid.read_text().strip())
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()
    *_, result = messages(asking)
    assert result["role"] == "tool"
    assert "begun" in result["content"]
    assert "stopped" in result["content"]


@pytest.mark.skipif(sys.platform == "win32", reason="speaks of POSIX signals")
@pytest.mark.parametrize("instant", ["running", "between"])
def test_a_kill_between_call_and_result(
    asking: Program, scripted: ToolServer, workspace: Path, instant: str
) -> None:
    """I3, STORE-2: the next start says of what was not answered that it was not run."""
    command = "echo $$ > pid; sleep 300"
    slow = call("run_command", {"command": command}, "c2")
    calls = [READ, slow] if instant == "between" else [slow]
    scripted.script = [Says("I'll look.", calls)]
    process = asking.start("ask", "Go.", STRATA_TOOLS__ALLOWED_COMMANDS=json.dumps([command]))
    pid = workspace / "pid"
    assert wait_for(lambda: pid.exists() and pid.read_text().strip())
    # Both run side by side: the other one's result has to be on disk.
    assert wait_for(lambda: len(messages(asking)) == 1 + len(calls))
    process.kill()
    process.communicate(timeout=120)
    left = int(pid.read_text())
    if Path(f"/proc/{left}").exists():
        os.killpg(os.getpgid(left), signal.SIGKILL)
    kept = messages(asking)
    assert [m["role"] for m in kept] == ["user", "assistant", *["tool"] * (len(calls) - 1)]

    scripted.script = [Says("Here I am.")]
    assert asking.works("ask", "And now?").out == "Here I am.\n"
    assert_paired(scripted.seen[-1]["messages"])
    told = [m["content"] for m in messages(asking) if m["role"] == "tool"]
    assert told[-1] == "Not run: it was interrupted."
    assert len(told) == len(calls)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("typed", "done"), [(b"y\n", True), (b"\n", False), (b"yep\n", False)])
def test_who_sits_at_the_terminal_is_asked(
    asking: Program, scripted: ToolServer, workspace: Path, typed: bytes, done: bool
) -> None:
    """CHAT-10, ALL-8: word for word, on standard error; anything but a yes is no."""
    command = "echo done > mark"
    scripted.script = [Says("", [call("run_command", {"command": command})]), Says("So.")]
    master, slave = os.openpty()
    process = subprocess.Popen(
        asking.command("ask", "Do it."),
        stdin=slave,
        stdout=subprocess.PIPE,
        stderr=slave,
        env=asking.clean_environment(),
        cwd=workspace,
    )
    os.close(slave)
    seen = b""
    while b"no > " not in seen:
        seen += os.read(master, 1_000)
    assert command.encode() in seen
    os.write(master, typed)
    assert process.stdout is not None
    assert process.stdout.read() == b"So.\n"
    assert process.wait(timeout=120) == 0
    process.stdout.close()
    os.close(master)
    assert (workspace / "mark").exists() == done


def test_nothing_of_what_is_asked_is_hidden() -> None:
    """ALL-8: what a terminal would obey, or not show, stands there as an escape."""
    asked = question(Permission("run_command", "ls\n\x1b[8mrm -r x\u202e", "Run\x1b[2J it?"))
    assert asked.startswith("Run it?\n  | ls\n  | \\x1b[8mrm -r x\\u202e\n")
    assert "\x1b" not in asked
