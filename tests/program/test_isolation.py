"""ALL-3 and the process of the screen: nothing heavy is imported, nothing leaves the machine."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.host.conftest import end_hosts
from tests.support.program import ROOT, Program, conversation
from tests.support.tool_server import Says, call, tool_server

HEAVY = {
    "litellm", "chromadb", "onnxruntime", "xllamacpp", "openai", "numpy", "tiktoken", "tokenizers",
    "mcp", "anyio", "httpx", "httpx2", "bs4", "markdownify",
}  # fmt: skip
MCP_SERVER = ROOT / "tests/support/mcp_server.py"
WATCHING = ("PYTHONPATH", "WATCHED")
WATCH = Path(__file__).parent / "watch"
LOOPBACK = re.compile(r"'(127\.0\.0\.1|::1|localhost)'")
ASKS_NOBODY = re.compile(r"^socket\.getaddrinfo b?'[0-9.]+' ")
"""An address in figures is looked up nowhere; whether it is then reached is another line."""
UNIX = re.compile(r"^socket\.connect b?'/")


def imported(program: Program, *arguments: str) -> set[str]:
    """The top-level packages that the program's own process imports, its children not."""
    command = program.command(*arguments)
    ran = program.run(command=[command[0], "-X", "importtime", *command[1:]])
    assert ran.status == 0, ran.err[-2000:]
    lines = [line for line in ran.err.splitlines() if line.startswith("import time:")]
    assert len(lines) > 100
    return {line.rsplit("|", 1)[1].strip().split(".")[0] for line in lines}


@pytest.mark.parametrize("command", ["status", "log", "models"])
def test_reading_imports_nothing_heavy(talk: Program, command: str) -> None:
    """ALL-7: nor Textual, which only the screen needs."""
    assert not imported(talk, command) & (HEAVY | {"textual", "rich"})


def test_a_replay_imports_nothing_heavy(talk: Program, tmp_path: Path) -> None:
    """ALL-7: with the rule-based summariser it has nobody to ask."""
    file = tmp_path / "talk.jsonl"
    talk.works("export", str(file))
    assert not imported(talk, "replay", str(file)) & (HEAVY | {"textual"})


def test_a_question_imports_nothing_heavy(served: Program) -> None:
    """ALL-7: the backend does, in a process of its own."""
    assert not imported(served, "ask", "Hello?") & (HEAVY | {"textual"})


def test_the_screen_imports_nothing_heavy(program: Program) -> None:
    """ALL-7: the modules of the screen and all they import."""
    code = "import app.tui, sys; print(*{name.split('.')[0] for name in sys.modules})"
    ran = program.run(command=[program.command()[0], "-P", "-c", code])
    assert ran.status == 0, ran.err
    assert "textual" in ran.out.split()
    assert not set(ran.out.split()) & HEAVY


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Program:
    """The program after every command was run with a watcher in each of its processes.

    Where strace is allowed it watches as well, since libraries need not go through Python.
    """
    home = tmp_path_factory.mktemp("watched")
    program = Program(
        home,
        models=models_dir,
        environment={
            "PYTHONPATH": f"{WATCH}:{ROOT}",
            "WATCHED": str(home / "watched"),
            "STRATA_MODEL__NAME": "light",
            "STRATA_MODEL__MAX_OUTPUT_TOKENS": "8",
            "STRATA_MEMORY__PROFILE": "stress",
        },
    )
    recording = home / "recording.jsonl"
    recording.write_text("".join(json.dumps(m) + "\n" for m in conversation(10, words=12)))
    replay = ("replay", str(recording))
    try:
        program.works("import", str(recording))
        ask = [*strace(home / "trace"), *program.command("ask", "Hello?")]
        # strace waits for the host as well.
        ran = program.run(command=ask, STRATA_HOST__IDLE_MINUTES="0.02")
        assert (ran.status, ran.err) == (0, "")
        for name in ("status", "log", "sessions", "config", "models", "export", "compact"):
            program.works(name)
        program.works(*replay)
        program.works(*replay, "--model", "light")
        work_with_tools(program)
    finally:
        end_hosts(program.data)
    return program


def work_with_tools(program: Program) -> None:
    """A turn in which a model reads, searches, runs, fetches, and calls a server of tools."""
    workspace = program.home / "workspace"
    workspace.mkdir()
    (workspace / "harbour.txt").write_text("It opens at 7:40.")
    with tool_server([Says("Nothing yet.")]) as scripted:
        page = scripted.api_base.removesuffix("/v1")
        calls = [
            call("read_file", {"path": "harbour.txt"}),
            call("search_files", {"pattern": "opens"}),
            call("run_command", {"command": "cat harbour.txt"}),
            call("fetch_page", {"url": page}),
            call("fetch_page", {"url": "http://169.254.169.254/latest"}),
            call("fetch_page", {"url": "http://10.0.0.1/"}),
            call("store_in_memory", {"content": "It opens at 7:40."}),
            call("set_goal", {"text": "Know when it opens."}),
            call("harbour__echo", {"text": "ahoy"}),
        ]
        scripted.script = [Says("I'll look.", calls), Says("At 7:40.")]
        child = ", ".join(f"{name} = '{program.environment[name]}'" for name in WATCHING)
        ran = program.run(
            command=[
                *strace(program.home / "trace-tools"),
                *program.command("ask", "--session", "tools", "When?"),
            ],
            STRATA_MODEL__NAME="openai/scripted",
            STRATA_MODEL__API_BASE=scripted.api_base,
            STRATA_MODEL__CONTEXT_WINDOW="100000",
            STRATA_MEMORY__PROFILE="default",
            STRATA_TOOLS__WORKSPACE=str(workspace),
            STRATA_TOOLS__ALLOWED_COMMANDS='["cat harbour.txt"]',
            STRATA_TOOLS__ALLOWED_HOSTS='["127.0.0.1"]',
            STRATA_MCP__HARBOUR__COMMAND=sys.executable,
            STRATA_MCP__HARBOUR__ARGS=json.dumps([str(MCP_SERVER), "stdio"]),
            STRATA_MCP__HARBOUR__ENV=f"{{ {child} }}",
        )
        assert (ran.status, ran.out, ran.err) == (0, "At 7:40.\n", "")
        told = [m["content"] for m in scripted.seen[1]["messages"] if m["role"] == "tool"]
    assert len(told) == len(calls)
    assert all("7:40" in text for text in told[:3]), told
    assert "ahoy" in told[-1], told


def strace(output: Path) -> list[str]:
    """The command that notes what processes connect to; empty where it can't be used."""
    calls = "trace=connect,sendto,sendmsg"
    command = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", calls, "-o", str(output)]
    if shutil.which("strace") is None:
        return []
    allowed = subprocess.run([*command, "true"], check=False, capture_output=True).returncode == 0
    return command if allowed else []


def test_only_loopback_is_contacted(watched: Program) -> None:
    """ALL-3: starting, asking, folding, replaying, calling tools, in every process."""
    lines = (watched.home / "watched").read_text().splitlines()
    assert any("127.0.0.1" in line for line in lines), "the watcher saw nothing"
    near = (LOOPBACK.search, UNIX.match, ASKS_NOBODY.match)
    assert [line for line in lines if not any(is_near(line) for is_near in near)] == []


def test_the_kernel_sees_only_loopback(watched: Program) -> None:
    """ALL-3: what libraries do that are not Python's is seen by the system alone."""
    traces = list(watched.home.glob("trace*"))
    if not traces:
        pytest.skip("strace can't be used here")
    for trace in traces:
        addresses = re.findall(r"inet_(?:addr|pton)\([^\"]*\"([^\"]+)\"", trace.read_text())
        assert addresses, "strace saw nothing"
        assert set(addresses) <= {"127.0.0.1", "::1"}


def test_nothing_outside_the_data_directory_is_touched(watched: Program) -> None:
    """ALL-3: with --data, neither home nor platform folders, working or temporary directory."""
    files = [path for path in watched.elsewhere.rglob("*") if not path.is_dir()]
    assert files == []
    assert not list((watched.elsewhere / "tmp").iterdir())
    assert not list(watched.data.rglob("*.tmp"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("sessions",),
        ("compact",),
        ("ask", "@help"),
        ("import", "-"),
        ("models", "install", "light"),
    ],
)
def test_the_data_directory_is_its_owners(program: Program, arguments: tuple[str, ...]) -> None:
    """CHAT-2: whoever makes it, others can't look into it."""
    program.run(*arguments, stdin='{"role": "user"}', PIP_NO_INDEX="1")
    assert program.data.stat().st_mode & 0o777 == 0o700


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_nothing_in_it_is_for_others(watched: Program) -> None:
    """RECALL-7: not even where somebody else made the folder: log, index, vault, choices."""
    assert [path for path in watched.data.iterdir() if path.stat().st_mode & 0o077] == []
