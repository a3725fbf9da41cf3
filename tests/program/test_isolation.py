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

HEAVY = {
    "litellm", "chromadb", "onnxruntime", "xllamacpp", "openai", "numpy", "tiktoken", "tokenizers",
}  # fmt: skip
WATCH = Path(__file__).parent / "watch"
LOOPBACK = re.compile(r"'(127\.0\.0\.1|::1|localhost)'")
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
    finally:
        end_hosts(program.data)
    return program


def strace(output: Path) -> list[str]:
    """The command that notes what processes connect to; empty where it can't be used."""
    calls = "trace=connect,sendto,sendmsg"
    command = ["strace", "-f", "--seccomp-bpf", "-qq", "-e", calls, "-o", str(output)]
    if shutil.which("strace") is None:
        return []
    allowed = subprocess.run([*command, "true"], check=False, capture_output=True).returncode == 0
    return command if allowed else []


def test_only_loopback_is_contacted(watched: Program) -> None:
    """ALL-3: starting, asking the embedded model, folding and replaying, in every process."""
    lines = (watched.home / "watched").read_text().splitlines()
    assert any("127.0.0.1" in line for line in lines), "the watcher saw nothing"
    away = [line for line in lines if not LOOPBACK.search(line) and not UNIX.match(line)]
    assert away == []


def test_the_kernel_sees_only_loopback(watched: Program) -> None:
    """ALL-3: what libraries do that are not Python's is seen by the system alone."""
    trace = watched.home / "trace"
    if not trace.exists():
        pytest.skip("strace can't be used here")
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
    [("status",), ("sessions",), ("compact",), ("ask", "@help"), ("import", "-")],
)
def test_the_data_directory_is_its_owners(program: Program, arguments: tuple[str, ...]) -> None:
    """CHAT-2: whoever makes it, others can't look into it."""
    program.run(*arguments, stdin='{"role": "user"}')
    assert program.data.stat().st_mode & 0o777 == 0o700
