"""STORE-1, ALL-2: a data directory that can't be written, and a disk that is full."""

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing

import pytest

from tests.support.program import Program, Ran, conversation

pytestmark = pytest.mark.usefixtures("real_start")

COMMANDS = [("ask", "hello"), ("import", "-"), ("status",), ("sessions",)]
LONG = [{"role": "user", "content": f"Note {n} " + "x" * 2000} for n in range(1000)]


def _jsonl(messages: list[dict[str, str]]) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


@pytest.mark.parametrize(
    ("command", "below"), [*((command, False) for command in COMMANDS), (COMMANDS[0], True)]
)
def test_a_file_in_its_place(program: Program, command: tuple[str, ...], below: bool) -> None:
    """ALL-2: the path is named, the way out is --data, and the file stays as it is."""
    blocking = program.home / "blocking"
    blocking.write_text("mine")
    data = blocking / "data" if below else blocking
    start = program.command()[:4]
    ran = program.run(command=[*start, "--data", str(data), *command], stdin=_jsonl(LONG[:1]))
    sentence = ran.refused()
    assert str(blocking) in sentence
    assert "--data" in sentence
    assert blocking.read_text() == "mine"


def test_a_directory_in_the_place_of_the_database(program: Program) -> None:
    """STORE-4: the name is told."""
    (program.data / "strata.db").mkdir(parents=True)
    for command in COMMANDS:
        assert "strata.db" in program.run(*command, stdin=_jsonl(LONG[:1])).refused()


Shell = Callable[[str], Ran]


@pytest.fixture
def small_disk(program: Program) -> Shell:
    """Runs a shell script with a disk of 2 MB as the data directory, seen by nobody else."""
    program.data.mkdir()
    mount = f"mount -t tmpfs -o size=2m tmpfs '{program.data}'"
    unshare = ["unshare", "-rm", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*unshare, mount], check=False).returncode:
        pytest.skip("this system lets nobody mount a small disk")
    program.works("--version")
    (program.home / "long.jsonl").write_text(_jsonl(LONG))
    (program.home / "short.jsonl").write_text(_jsonl(conversation(6)))
    strata = " ".join(f"'{part}'" for part in program.command())

    def run(script: str) -> Ran:
        script = script.replace("STRATA", strata).replace("DATA", f"'{program.data}'")
        return program.run(command=[*unshare, f"{mount} && {script}"])

    return run


def test_a_disk_that_fills_up(small_disk: Shell, program: Program) -> None:
    """STORE-2, ALL-2: what was kept before is kept, nothing of the rest, and room lets it go on."""
    short, long = (f"'{program.home / name}.jsonl'" for name in ("short", "long"))
    failed = small_disk(
        f"STRATA import {short} --session kept 2>&1 && ! STRATA import {long} --session lost"
    )
    assert "is full" in failed.err
    assert "Traceback" not in failed.err
    after = small_disk(
        f"STRATA import {short} --session kept && STRATA import {long} --session lost; "
        f"STRATA status --session kept --json; STRATA import {short} --session kept; "
        'STRATA log --session kept --json | grep -c \'"kind": "message"\' >&2'
    )
    assert after.document["messages"] == 6
    assert after.err.rstrip().endswith("12")


def test_a_disk_that_is_full_before_it_begins(small_disk: Shell, program: Program) -> None:
    """ALL-2: not even the question can be kept: it is refused, in one sentence."""
    short = f"'{program.home / 'short.jsonl'}'"
    filled = "dd if=/dev/zero of=DATA/ballast bs=1k 2>/dev/null"
    ran = small_disk(f"STRATA import {short} --session kept 2>/dev/null; {filled}; STRATA ask hi")
    assert "Traceback" not in ran.err
    assert ran.status == 1
    assert any(words in ran.refused() for words in ("is full", "No space left"))


def test_a_read_only_disk(small_disk: Shell, program: Program) -> None:
    """ALL-2: nothing can be said there; the sentence names the directory."""
    short = f"'{program.home / 'short.jsonl'}'"
    prepared = f"STRATA import {short} --session kept 2>/dev/null && mount -o remount,ro DATA"
    for command in ("ask hi", f"import {short}"):
        sentence = small_disk(f"{prepared} && STRATA {command}").refused()
        assert str(program.data) in sentence
        assert "--data" in sentence


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_limit_on_the_size_of_files(program: Program) -> None:
    """ALL-2, I5: a write that the system cuts short leaves whole transactions behind."""
    program.imports("kept", conversation(6))
    file = program.home / "long.jsonl"
    file.write_text(_jsonl(LONG))
    line = " ".join(f"'{part}'" for part in program.command("import", str(file)))
    limit = 600 if resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY else 0
    assert limit, "the test itself runs under a limit"
    ran = program.run(command=["sh", "-c", f"ulimit -f {limit}; exec {line}"])
    assert "strata.db" in ran.refused()
    assert program.document("status", "--session", "kept")["messages"] == 6
    program.imports("kept", conversation(2))
    assert program.document("status", "--session", "kept")["messages"] == 8


BOUND = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def _unwritable(program: Program, *command: str) -> Ran:
    """Runs a command where the data directory can't be written: root needs a mount for that."""
    if os.geteuid():
        program.data.chmod(0o555)
        try:
            return program.run(*command)
        finally:
            program.data.chmod(0o755)
    apart = ["unshare", "-m", "sh", "-c", BOUND, str(program.data)]
    return program.run(command=[*apart, *program.command(*command)])


@pytest.fixture
def backup(program: Program) -> Program:
    """A data directory with a session."""
    if not os.geteuid() and subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("root can write everywhere here")
    program.imports("boat", conversation(3))
    return program


def test_a_backup_that_can_only_be_read(backup: Program) -> None:
    """STORE-4, STORE-6: what was said can be listed and exported, and not changed."""
    listed = _unwritable(backup, "sessions", "--json")
    assert [each["title"] for each in listed.document["sessions"]] == ["boat"]
    exported = _unwritable(backup, "export")
    assert (exported.status, exported.err) == (0, "")
    assert [line["role"] for line in exported.lines] == ["user", "assistant", "user"]
    assert "can't be written" in _unwritable(backup, "sessions", "rename", "boat", "x").refused()


def test_a_backup_that_cannot_be_read_as_it_is(backup: Program) -> None:
    """STORE-4: what was written last lies beside it, or an older program wrote it."""
    log = backup.data / "strata.db-wal"
    log.write_bytes(b"what was said last")
    assert "strata.db-wal" in _unwritable(backup, "sessions").refused()
    log.unlink()
    with closing(sqlite3.connect(backup.data / "strata.db")) as database:
        database.execute("PRAGMA user_version = 3")
    assert "older Strata" in _unwritable(backup, "status").refused()
