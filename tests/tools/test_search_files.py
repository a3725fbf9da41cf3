"""CHAT-10: search_files finds lines, within bounds, and never keeps the screen waiting."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from app.schema import ToolsSettings
from app.tools.search_request import SearchRequest
from tests.tools.file_desk import FileDesk

CATASTROPHE = "(a+)+$"
VICTIM = "a" * 60 + "!"
"""A text for which that pattern takes longer than anybody lives."""

PARENT = """
import ast, subprocess, sys, time
command = [sys.executable, "-P", "-m", "app.tools.search_child"]
child = subprocess.Popen(command, stdin=subprocess.PIPE)
child.stdin.write(ast.literal_eval(sys.argv[1]))
child.stdin.flush()
print(child.pid, flush=True)
time.sleep(60)
"""


def planted(root: Path, files: Mapping[str, str | bytes]) -> FileDesk:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return FileDesk(root.resolve())


def searches() -> list[psutil.Process]:
    """Processes that search for this one."""
    found = []
    for child in psutil.Process().children():
        # One that has ended meanwhile, or waits to be reaped, has no command line.
        with suppress(psutil.Error):
            if "search_child" in str(child.cmdline()):
                found.append(child)
    return found


async def test_hits_with_path_and_line(tmp_path: Path) -> None:
    """CHAT-10: hits in the order of paths, then what was searched."""
    desk = planted(
        tmp_path, {"b.py": "x = 1\ny = 22\n", "a/c.py": "z = 333\r\nx\n", "d.txt": "no\n"}
    )
    result = await desk.run("search_files", pattern=r"= \d\d+$")
    assert result.text == (
        "a/c.py:1: z = 333\nb.py:2: y = 22\n\n"
        "(2 hits in 2 files. Searched 3 files in the workspace.)"
    )
    assert (result.ok, result.type, result.source) == (True, "search_results", ".")


async def test_below_a_path_in_files_of_a_kind(tmp_path: Path) -> None:
    files = {"a.py": "x", "src/b.py": "x", "src/c.md": "x", "src/in/d.py": "x"}
    desk = planted(tmp_path, files)
    result = await desk.run("search_files", pattern="x", path="src", files="*.py")
    assert result.text == (
        "src/b.py:1: x\nsrc/in/d.py:1: x\n\n"
        "(2 hits in 2 files. Searched 2 files matching *.py in src.)"
    )
    result = await desk.run("search_files", pattern="x", path="src/c.md")
    assert result.text == "src/c.md:1: x\n\n(1 hit in 1 file. Searched src/c.md.)"


async def test_plain_text_and_capitals(tmp_path: Path) -> None:
    desk = planted(tmp_path, {"a.txt": "f(x)\nF(X)\nfx\n"})
    for arguments, hits in (
        ({"pattern": "f(x)"}, ["fx"]),
        ({"pattern": "f(x)", "regex": False}, ["f(x)"]),
        ({"pattern": "f(x)", "regex": False, "ignore_case": True}, ["f(x)", "F(X)"]),
        ({"pattern": "^f.?x", "ignore_case": True}, ["f(x)", "F(X)", "fx"]),
    ):
        result = await desk.run("search_files", **arguments)
        found = [line.split(": ", 1)[1] for line in result.text.splitlines() if ": " in line]
        assert found == hits


async def test_context(tmp_path: Path) -> None:
    """CHAT-10: lines around a hit, each once, with gaps marked."""
    desk = planted(tmp_path, {"a.txt": "\n".join("abcXefXhijklXn")})
    result = await desk.run("search_files", pattern="X", context=1)
    assert result.text.split("\n\n", maxsplit=1)[0].split("\n") == [
        "a.txt-3- c", "a.txt:4: X", "a.txt-5- e", "a.txt-6- f", "a.txt:7: X", "a.txt-8- h",
        "--", "a.txt-12- l", "a.txt:13: X", "a.txt-14- n",
    ]  # fmt: skip


async def test_nothing_found(tmp_path: Path) -> None:
    desk = planted(tmp_path, {"a.txt": "x\ny\n"})
    result = await desk.run("search_files", pattern="z")
    assert (result.ok, result.text) == (True, "Nothing found. Searched 1 file in the workspace.")
    for pattern in (r"x\ny", "x\ny"):
        result = await desk.run("search_files", pattern=pattern)
        assert result.text.endswith("Lines are searched one by one.")


async def test_what_is_skipped_is_counted(tmp_path: Path) -> None:
    """CHAT-10: binary and huge files, links, devices, folders that tools filled."""
    desk = planted(
        tmp_path,
        {
            "a.txt": "needle",
            "image.bin": b"\x00needle",
            "utf16.txt": "needle".encode("utf-16"),
            ".git/config": "needle",
            ".gitignore": "*.log",
            "x.log": "needle",
        },
    )
    with (tmp_path / "huge.txt").open("wb") as file:
        file.write(b"needle\n" * 20_000)
        file.truncate(60_000_000_000)
    (tmp_path / "link.txt").symlink_to("a.txt")
    os.mkfifo(tmp_path / "pipe")
    result = await desk.run("search_files", pattern="needle")
    assert result.text == (
        "a.txt:1: needle\nutf16.txt:1: needle\n\n"
        "(2 hits in 2 files. Searched 3 files in the workspace. "
        "Skipped: 1 binary file, 1 device or pipe, 1 file over 20 MB, 1 link. "
        "Not looked into: .git/. Left out by .gitignore: 1.)"
    )


async def test_bounds(tmp_path: Path) -> None:
    """CHAT-10: 200 hits at most, and of a long line what stands around the hit."""
    desk = planted(tmp_path, {"a.txt": "x\n" * 500, "b.txt": "-" * 5_000 + "needle" + "-" * 5_000})
    result = await desk.run("search_files", pattern="x")
    assert result.text.count("a.txt:") == 200
    assert "Stopped at 200 hits: narrow it by path, files or pattern." in result.text
    result = await desk.run("search_files", pattern="needle")
    line = result.text.splitlines()[0]
    assert line.startswith("b.txt:1: …---")
    assert "needle" in line
    assert len(line) < 320
    small = FileDesk(tmp_path.resolve(), ToolsSettings(read_chars=1_000))
    result = await small.run("search_files", pattern="x", context=20)
    assert "more are not shown for want of room" in result.text
    assert len(result.text) < 1_400


async def test_other_writing(tmp_path: Path) -> None:
    """CHAT-10: names and texts beyond ASCII go through; control characters in names do not."""
    desk = planted(tmp_path, {"größe\n.txt": "Grüße – 漢字 🦘\n"})
    result = await desk.run("search_files", pattern="ß.*🦘")
    assert result.text.startswith("größe\\n.txt:1: Grüße – 漢字 🦘\n")


@pytest.mark.parametrize(
    "pattern",
    ["(", "*", "[a", "(?P<n", "a{99999999999}", "(" * 2_000 + ")" * 2_000, "x(?i)"],
    ids=range(7),
)
async def test_a_pattern_that_is_none(tmp_path: Path, pattern: str) -> None:
    """CHAT-10: what is wrong with it, and that it can be searched for as plain text."""
    desk = planted(tmp_path, {"a.txt": "x"})
    result = await desk.run("search_files", pattern=pattern)
    assert (result.ok, result.error) == (False, "BadPattern")
    assert result.text.endswith("To search for it as plain text, set regex to false.")
    plain = await desk.run("search_files", pattern=pattern, regex=False)
    assert plain.ok


async def test_a_pattern_that_takes_for_ever(tmp_path: Path) -> None:
    """CHAT-10: it ends with search_s, with the hits so far, and the loop runs on meanwhile."""
    desk = planted(tmp_path, {"a.txt": "aaa\n", "b.txt": VICTIM})
    desk.settings = ToolsSettings(search_s=3)
    longest, last = 0.0, time.perf_counter()
    call = asyncio.create_task(desk.run("search_files", pattern=CATASTROPHE))
    while not call.done():
        await asyncio.sleep(0.005)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    result = await call
    assert (result.ok, result.error) == (False, "TimedOut")
    assert result.text.startswith("a.txt:1: aaa\n\n(The search was stopped after 3 seconds")
    assert longest < 2.5
    assert not searches()


async def test_a_pattern_that_needs_all_memory(tmp_path: Path) -> None:
    """CHAT-10: bounded as well, and told."""
    desk = planted(tmp_path, {"a.txt": "a" * 15_000_000})
    desk.settings = ToolsSettings(search_s=10)
    result = await desk.run("search_files", pattern="(?:(a)|b)*c")
    assert not result.ok
    assert result.error in ("BadPattern", "SearchEnded", "TimedOut")


async def test_cancelling_ends_the_process(tmp_path: Path) -> None:
    """CHAT-10: Esc ends a search, even within a match."""
    desk = planted(tmp_path, {"a.txt": VICTIM})
    call = asyncio.create_task(desk.run("search_files", pattern=CATASTROPHE))
    while not searches():  # noqa: ASYNC110 - a process comes to be without an event
        await asyncio.sleep(0.01)
    (child,) = searches()
    await asyncio.sleep(0.3)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not child.is_running()


def _orphaned(tmp_path: Path, pattern: str, seconds: float) -> psutil.Process:
    """A search whose parent was killed."""
    request = SearchRequest(str(tmp_path.resolve()), ".", pattern, seconds=seconds)
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, repr(request.to_line())], stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    child = psutil.Process(int(parent.stdout.readline()))
    while child.cpu_times().user < 0.3:
        time.sleep(0.02)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    return child


def test_it_ends_with_its_parent(tmp_path: Path) -> None:
    """CHAT-10: where the system can see to it, even within a match."""
    planted(tmp_path, {"a.txt": VICTIM})
    child = _orphaned(tmp_path, CATASTROPHE, seconds=30 if sys.platform == "linux" else 2)
    psutil.wait_procs([child], timeout=60)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_it_ends_by_itself_when_its_time_is_up(tmp_path: Path) -> None:
    """CHAT-10: even within a match, and even if nobody ends it."""
    planted(tmp_path, {"a.txt": VICTIM})
    request = SearchRequest(str(tmp_path.resolve()), ".", CATASTROPHE, seconds=0.2)
    command = [sys.executable, "-P", "-m", "app.tools.search_child"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        assert child.stdin is not None
        child.stdin.write(request.to_line())
        child.stdin.flush()
        assert child.wait(60) != 0


def test_the_screens_process_does_not_load_it() -> None:
    """CHAT-10: the search's process is started by name."""
    told = subprocess.run(
        [sys.executable, "-c", "import app.tools.files, sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "app.tools.searching" in told.stdout.split()
    assert "app.tools.search_child" not in told.stdout.split()
