"""Runs `strata` as a user does: as a process of its own, in a clean home."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.spare_processes import BACKEND, HOOK, PROGRAM

ROOT = Path(__file__).resolve().parents[2]
LONGEST_S = 180
"""More than a start of the model and an answer take on two busy cores."""


@dataclass(frozen=True)
class Ran:
    """How a run of the program ended."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as the one JSON document it must be."""
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Standard output as one JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]

    def refused(self, status: int = 1) -> str:
        """The sentence of a run that failed as failures must: status, one line, no traceback."""
        assert self.status == status, self
        assert self.err.startswith("strata: "), self
        assert self.err.count("\n") == 1, self
        assert self.err.endswith("\n"), self
        assert "Traceback" not in self.err, self
        return self.err.removeprefix("strata: ").rstrip("\n")


@dataclass
class Program:
    """The program with a home, a data directory and an environment of its own."""

    home: Path
    models: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.home / "data"

    @property
    def elsewhere(self) -> Path:
        """Home, working directory, temporary directory and platform folders, all empty."""
        return self.home / "elsewhere"

    def command(self, *arguments: str) -> list[str]:
        """The command line, with `--data` and `--models` before the subcommand."""
        models = ["--models", str(self.models)] if self.models else []
        start = [sys.executable, "-P", "-m", "app.cli", "--data", str(self.data)]
        return [*start, *models, *arguments]

    def clean_environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Nothing of the machine's environment but where programs lie."""
        folders = {
            "HOME": "home",
            "USERPROFILE": "home",
            "XDG_DATA_HOME": "home/.local/share",
            "XDG_CONFIG_HOME": "home/.config",
            "XDG_CACHE_HOME": "home/.cache",
            "XDG_STATE_HOME": "home/.local/state",
            "XDG_RUNTIME_DIR": "run",
            "TMPDIR": "tmp",
        }
        for folder in folders.values():
            (self.elsewhere / folder).mkdir(parents=True, exist_ok=True)
        return {
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "PYTHONPATH": os.pathsep.join((str(HOOK), str(ROOT))),
            **_forked(BACKEND),
            **{name: str(self.elsewhere / folder) for name, folder in folders.items()},
            **self.environment,
            **(more or {}),
        }

    def run(
        self,
        *arguments: str,
        stdin: str | bytes | None = None,
        command: Sequence[str] | None = None,
        **environment: str,
    ) -> Ran:
        """Runs it to its end; `command` replaces the whole command line."""
        done = subprocess.run(
            command or self.command(*arguments),
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            env=self.clean_environment(environment if command else _forked(PROGRAM) | environment),
            cwd=self.elsewhere / "home",
            timeout=LONGEST_S,
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(
        self, *arguments: str, command: Sequence[str] | None = None, **environment: str
    ) -> subprocess.Popen[bytes]:
        """Starts it and returns at once."""
        return subprocess.Popen(
            command or self.command(*arguments),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.clean_environment(environment),
            cwd=self.elsewhere / "home",
        )

    def works(self, *arguments: str, stdin: str | bytes | None = None, **environment: str) -> Ran:
        """Runs it, and expects success and silence on standard error but for notes."""
        ran = self.run(*arguments, stdin=stdin, **environment)
        assert ran.status == 0, ran
        assert "Traceback" not in ran.err, ran
        return ran

    def document(self, *arguments: str) -> Any:
        """Runs it with `--json`; the document it prints."""
        return self.works(*arguments, "--json").document

    def imports(
        self, session: str, messages: Sequence[Mapping[str, Any]], **environment: str
    ) -> None:
        """Makes a session of these messages."""
        text = "".join(json.dumps(message) + "\n" for message in messages)
        self.works("import", "-", "--session", session, stdin=text, **environment)


def _forked(name: str) -> dict[str, str]:
    """What lets a process be forked where it would be started (`spare_processes`)."""
    return {name: os.environ[name]} if name in os.environ else {}


def conversation(count: int, words: int = 24) -> list[dict[str, str]]:
    """A conversation of `count` messages in turns, each with a name and a number of its own."""
    return [
        {
            "role": "user" if number % 2 else "assistant",
            "content": " ".join(f"Anna{number}x{word}" for word in range(words)),
        }
        for number in range(1, count + 1)
    ]


def processes_with(mark: str) -> dict[int, str]:
    """The command lines of living processes whose environment holds the mark, by process id."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                command = (folder / "cmdline").read_bytes()
                found[int(folder.name)] = command.replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue  # it has ended meanwhile
    return found


def wait_for(true: Any, seconds: float = 120.0) -> bool:
    """Waits until a predicate holds; whether it did."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
