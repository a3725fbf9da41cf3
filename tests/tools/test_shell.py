"""CHAT-10: a command runs in the workspace, shows what it says, and leaves nothing behind."""

import asyncio
import os
import time
import uuid
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.tools.output import SHOWN_CHARS, Kept
from app.tools.shell import SHELL_TOOLS
from app.tools.tool import BadArguments, ToolResult, schema_of
from tests.tools.shell_desk import ShellDesk, a_desk

RUN = SHELL_TOOLS[0]

# Each starts processes that carry {mark} in their arguments and would run for a long time.
TREES = {
    "alone": "exec {sleep}",
    "a child": "{sleep}; true",
    "two children": "sh -c '{sleep} & {sleep}'",
    "in the background": "{sleep} & {sleep}",
    "a session of its own": "setsid {sleep} & {sleep}",
    "a session of its own, waited for": "setsid -w {sleep}",
    "deaf to hanging up": "nohup {sleep} >/dev/null 2>&1 & {sleep}",
    "deaf to polite signals": "trap '' TERM INT HUP; {sleep} & wait; {sleep}",
    "forked twice": "( ( {sleep} & ) & ); {sleep}",
    "forked twice into a session of its own": "( setsid sh -c '{sleep} & {sleep}' & ) ; {sleep}",
    "with an empty environment": "env -i {sleep} & {sleep}",
    "stopped": "{sleep} & kill -STOP $!; {sleep}",
    "a daemon that closed its output": "( setsid {sleep} >&- 2>&- <&- & ); {sleep}",
    "a pipe": "{sleep} | {sleep}",
    "children of children": 'sh -c \'sh -c "sh -c \\"{sleep}; true\\"; true"; true\'',
    "it starts more when it is ended": "sh -c 'trap \"{sleep}\" TERM; {sleep}'; {sleep}",
}


async def call(desk: ShellDesk, command: str, **more: Any) -> ToolResult:
    """What comes of the tool; the desk allows it."""
    desk.answers.append("once")
    return await RUN.run({"command": command, **more}, desk)


def sleeping(mark: str) -> list[int]:
    """The living processes of a test."""
    found = []
    for process in psutil.process_iter():
        try:
            if mark in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def tree(shape: str) -> tuple[str, str]:
    """A command, and what its processes can be known by."""
    mark = f"10000.{uuid.uuid4().int % 10**12}"
    return TREES[shape].format(sleep=f"sleep {mark}"), mark


async def until_sleeping(mark: str) -> None:
    """Waits for the first process of a tree, and a moment for the others."""
    for _ in range(3_000):
        if await asyncio.to_thread(sleeping, mark):
            break
        await asyncio.sleep(0.02)
    await asyncio.sleep(0.1)


@pytest.mark.parametrize("shape", TREES)
async def test_cancelled_with_all_it_started(tmp_path: Path, shape: str) -> None:
    """CHAT-10: Esc ends the command and its children, wherever they went."""
    command, mark = tree(shape)
    async with a_desk(tmp_path) as desk:
        task = asyncio.create_task(call(desk, command))
        await until_sleeping(mark)
        began = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - began < 60
        assert sleeping(mark) == []


@pytest.mark.parametrize("shape", TREES)
async def test_ended_at_its_time_with_all_it_started(tmp_path: Path, shape: str) -> None:
    """CHAT-10: the time limit ends the command and its children, and is told."""
    command, mark = tree(shape)
    async with a_desk(tmp_path, shell_s=0.4) as desk:
        result = await call(desk, command)
        assert (result.ok, result.error) == (False, "TimeLimit")
        assert "0.4 s" in result.text
        assert sleeping(mark) == []


@pytest.mark.parametrize(
    "command",
    [
        "{sleep} & echo done",
        "nohup {sleep} & echo done",
        "setsid {sleep} & echo done",
        "( setsid sh -c '{sleep} & {sleep}' & ); sleep 0.1; echo done",
        "{sleep} >/dev/null 2>&1 & echo done",
    ],
)
async def test_what_stays_in_the_background_does_not_hang_it(tmp_path: Path, command: str) -> None:
    """CHAT-10: a child that keeps the output open is ended with its command."""
    mark = f"10000.{uuid.uuid4().int % 10**12}"
    async with a_desk(tmp_path) as desk:
        began = time.monotonic()
        result = await call(desk, command.format(sleep=f"sleep {mark}"))
        assert time.monotonic() - began < 60
        assert result.ok
        assert "done" in result.text
        assert "was ended" in result.text
        assert sleeping(mark) == []


async def test_cancelled_twice(tmp_path: Path) -> None:
    """CHAT-10: impatience does not leave anything behind."""
    command, mark = tree("forked twice into a session of its own")
    async with a_desk(tmp_path) as desk:
        task = asyncio.create_task(call(desk, command))
        await until_sleeping(mark)
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(3_000):
            if not await asyncio.to_thread(sleeping, mark):
                return
            await asyncio.sleep(0.02)
        pytest.fail("something was left behind")


async def test_cancelled_as_it_starts(tmp_path: Path) -> None:
    """CHAT-10: however early it is stopped, nothing is left behind."""
    command, mark = tree("two children")
    async with a_desk(tmp_path) as desk:
        for delay in (0.0, 0.001, 0.003, 0.006, 0.01):
            task = asyncio.create_task(call(desk, command))
            await asyncio.sleep(delay)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            desk.answers.clear()
    assert sleeping(mark) == []


async def test_other_processes_live_on(tmp_path: Path) -> None:
    """CHAT-10: only what the command started is ended."""
    mark = f"10000.{uuid.uuid4().int % 10**12}"
    other = await asyncio.create_subprocess_exec("sleep", mark)
    try:
        async with a_desk(tmp_path) as desk:
            await call(desk, "sleep 100 & sleep 100", seconds=0.2)
            assert sleeping(mark) == [other.pid]
    finally:
        other.kill()
        await other.wait()


@pytest.mark.parametrize(
    ("command", "ok", "error", "first", "rest"),
    [
        ("echo hello", True, "", "Exit code 0", "hello\n"),
        ("true", True, "", "Exit code 0", ""),
        ("echo out; echo err >&2; exit 3", False, "ExitCode", "Exit code 3", "out\nerr\n"),
        ("no-such-command-here", False, "ExitCode", "Exit code 127", None),
        ("kill -9 $$", False, "ExitCode", "It was ended by the signal SIGKILL", ""),
        ("cat", True, "", "Exit code 0", ""),
        ('read x; echo "[$x]"', True, "", "Exit code 0", "[]\n"),
        ("printf '\\377\\303\\251'", True, "", "Exit code 0", "\ufffdé"),
        ("printf '\\033[31mred\\033[0m\\a'", True, "", "Exit code 0", "red"),
        ("printf '10%%\\r50%%\\r100%%\\n'", True, "", "Exit code 0", "100%\n"),
        ("printf 'a\\r\\nb'", True, "", "Exit code 0", "a\nb"),
        (
            "test -t 0 || test -t 1 || echo quiet; echo $PAGER $TERM",
            True,
            "",
            "",
            "quiet\ncat dumb\n",
        ),
    ],
)
async def test_what_is_told(
    tmp_path: Path, command: str, ok: bool, error: str, first: str, rest: str | None
) -> None:
    """CHAT-10: exit code and output, errors included, without what terminals would obey."""
    async with a_desk(tmp_path) as desk:
        result = await call(desk, command)
    head, _, output = result.text.partition("\n")
    assert (result.ok, result.error) == (ok, error)
    assert head.startswith(first)
    assert rest is None or output == rest
    assert (result.type, result.source) == ("action_result", command)


async def test_it_runs_in_the_workspace(tmp_path: Path) -> None:
    """CHAT-10: in the workspace, or in a folder below it."""
    async with a_desk(tmp_path) as desk:
        (desk.workspace / "inside").mkdir()
        assert str(desk.workspace) + "\n" in (await call(desk, "pwd")).text
        below = desk.workspace / "inside"
        assert f"{below}\n{below}\n" in (await call(desk, "pwd; echo $PWD", folder="inside")).text
        assert f"{below}\n" in (await call(desk, "pwd", folder=str(below))).text


async def test_output_is_shown_as_it_comes(tmp_path: Path) -> None:
    """CHAT-10: what a command says is seen before it ends, with no character torn apart."""
    async with a_desk(tmp_path) as desk:
        command = "printf 'one '; sleep 2; printf '\\303'; sleep 0.3; printf '\\251 two'"
        task = asyncio.create_task(call(desk, command))
        for _ in range(500):
            if desk.shown:
                break
            await asyncio.sleep(0.01)
        assert not task.done()
        assert desk.shown == ["one "]
        await task
        assert "".join(desk.shown) == "one é two"


async def test_a_flood_leaves_the_screen_its_time(tmp_path: Path) -> None:
    """CHAT-10: endless output neither fills memory nor holds the screen up."""
    async with a_desk(tmp_path, read_chars=10_000) as desk:
        used = psutil.Process().memory_info().rss
        task = asyncio.create_task(call(desk, "yes 'a line of the flood'", seconds=1.5))
        longest, start = 0.0, time.monotonic()
        while not task.done():
            began = time.monotonic()
            await asyncio.sleep(0.005)
            longest = max(longest, time.monotonic() - began)
        result = await task
        assert longest < 5
        assert psutil.Process().memory_info().rss - used < 60_000_000
        assert len(desk.shown) <= (time.monotonic() - start) * 20 + 5
        assert max(map(len, desk.shown)) <= SHOWN_CHARS + 1
        assert len(result.text) < 10_300
        assert "characters left out" in result.text


async def test_long_output_keeps_its_head_and_its_tail(tmp_path: Path) -> None:
    """CHAT-10: of a long output the beginning and the end are kept, and the gap is told."""
    async with a_desk(tmp_path, read_chars=1_000) as desk:
        result = await call(desk, "seq 1 5000")
    lines = result.text.splitlines()
    assert lines[1:4] == ["1", "2", "3"]
    assert lines[-1] == "5000"
    whole = sum(len(f"{number}\n") for number in range(1, 5_001))
    assert f"[… {whole - 1_000:,} characters left out …]" in result.text


@pytest.mark.parametrize("limit", [1, 2, 7, 10, 100])
def test_kept_is_never_more_than_its_limit(limit: int) -> None:
    """CHAT-10: head and tail together have the limit, in whatever portions they came."""
    text = "".join(chr(97 + place % 26) for place in range(60))
    for portion in (1, 3, 60):
        kept = Kept(limit)
        for start in range(0, len(text), portion):
            kept.add(text[start : start + portion])
        told = kept.text()
        if limit >= len(text):
            assert told == text
            continue
        head, tail = limit // 2, limit - limit // 2
        assert told.startswith(text[:head])
        assert told.endswith(text[-tail:])
        assert f"{len(text) - limit} characters" in told


async def test_no_secret_reaches_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CHAT-10: keys and passwords of the environment stay with Strata."""
    secrets = {
        "OPENAI_API_KEY": "sk-secret-1",
        "ANTHROPIC_APIKEY": "sk-secret-2",
        "GITHUB_TOKEN": "github-secret-3",
        "AWS_SECRET_ACCESS_KEY": "aws-secret-4",
        "AWS_SESSION_TOKEN": "aws-secret-5",
        "DB_PASSWORD": "pw-secret-6",
        "PGPASSWORD": "pw-secret-7",
        "MYSQL_PWD": "pw-secret-8",
        "STRATA_MODEL__API_KEY": "strata-secret-9",
        "STRATA_VAULT": "strata-secret-10",
        "DATABASE_URL": "postgres://me:pw-secret-11@host/db",
        "my_secret": "se-secret-12",
        "GOOGLE_APPLICATION_CREDENTIALS": "/secret-13",
        "SSH_PASSPHRASE": "pp-secret-14",
    }
    for name, value in secrets.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("KEYBOARD", "kept-1")
    monkeypatch.setenv("OLDPWD", "/kept-2")
    async with a_desk(tmp_path) as desk:
        told = (await call(desk, "env")).text
    assert "kept-1" in told
    assert "kept-2" in told
    names = {line.partition("=")[0] for line in told.splitlines()}
    assert names.isdisjoint(secrets)
    assert not [value for value in secrets.values() if value in told]


async def test_the_model_can_ask_for_less_time_but_not_for_more(tmp_path: Path) -> None:
    """CHAT-10: the configured limit is the longest."""
    async with a_desk(tmp_path, shell_s=0.3) as desk:
        assert "0.3 s" in (await call(desk, "sleep 50", seconds=100)).text
        assert "0.1 s" in (await call(desk, "sleep 50", seconds=0.1)).text


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"command": 1},
        {"command": "echo", "seconds": 0},
        {"command": "echo", "seconds": -1},
        {"command": "echo", "seconds": float("inf")},
        {"command": "echo", "allowed": True},
        {"command": ["echo"]},
    ],
)
async def test_wrong_arguments(tmp_path: Path, arguments: dict[str, Any]) -> None:
    """CHAT-10: a broken call goes back to the model, and nothing runs."""
    async with a_desk(tmp_path) as desk:
        with pytest.raises(BadArguments):
            await RUN.run(arguments, desk)
        assert desk.asked == []


def test_what_the_model_is_told() -> None:
    """CHAT-10: the schema is small and names what has to be given."""
    schema = schema_of(RUN)["function"]
    assert schema["name"] == "run_command"
    assert schema["parameters"]["required"] == ["command"]
    assert set(schema["parameters"]["properties"]) == {"command", "folder", "seconds"}
    assert len(str(schema)) < 900
    assert os.name == "nt" or RUN.alone
