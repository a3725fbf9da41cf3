"""What the kill tests share: a prepared session, a server that streams, and the killer."""

import shutil
import signal
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.kill.notes import held_up, read_notes
from tests.support.chat_server import ChatServer, chat_server
from tests.support.program import Program, conversation, processes_with, wait_for

SESSION = "talk"
STRESS = {"STRATA_MEMORY__PROFILE": "stress", "STRATA_TOOLS__OFFER": "none"}
"""Without tools an answer is printed as it comes: what is said before a call would be none."""
PREPARED = 10
"""Messages of the prepared session; the next one makes a cascade due in the stress profile."""


@dataclass
class Killed:
    """A run that was killed, and what it had noted by then."""

    status: int
    notes: list[dict[str, Any]]
    mark: str

    @property
    def shown(self) -> list[tuple[float, str]]:
        """What was printed, with the time."""
        return [(note["at"], note["shown"]) for note in self.notes if "shown" in note]

    @property
    def at(self) -> float:
        """The time of the kill."""
        return float(next(note["at"] for note in self.notes if "killed" in note))

    @property
    def text(self) -> str:
        """All that was printed."""
        return "".join(text for _, text in self.shown)

    def text_older_than(self, seconds: float) -> str:
        """What had been on the screen for so long when the kill came, but for a busy machine."""
        latest = self.at - seconds - held_up(self.notes, self.at)
        return "".join(text for at, text in self.shown if at <= latest)

    def assert_killed(self) -> None:
        """The point was reached, and what the process had started ended soon after."""
        assert self.status == -signal.SIGKILL, f"it was not killed, but ended with {self.status}"
        if sys.platform == "linux":
            assert wait_for(lambda: not self.left, 60), self.left

    @property
    def left(self) -> dict[int, str]:
        """Processes that are still there, the model host excepted, which others may use."""
        return {
            pid: line
            for pid, line in processes_with(self.mark).items()
            if "app.host.server" not in line
        }


@dataclass
class Killer:
    """Runs the program on a copy of the prepared data and has it killed."""

    program: Program
    environment: dict[str, str] = field(default_factory=dict)

    def kill(self, point: str, times: int, *arguments: str, **environment: str) -> Killed:
        """Has the program die after the `times`-th commit of a kind (see `tests.kill.killer`)."""
        mark, shown = uuid.uuid4().hex, self.program.home / "shown"
        start = [sys.executable, "-P", "-m", "tests.kill.killer", point, str(times)]
        ran = self.program.run(
            command=[*start, "app.cli", "--data", str(self.program.data), *arguments],
            KILL_MARK=mark,
            KILL_SHOWN=str(shown),
            **{**STRESS, **self.environment, **environment},
        )
        killed = Killed(ran.status, read_notes(shown), mark)
        assert ran.status == -signal.SIGKILL, f"{point} {times} was not reached: {ran}"
        return killed


@pytest.fixture(scope="session")
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a session that is one message away from its first cascade."""
    program = Program(tmp_path_factory.mktemp("prepared"))
    program.imports(SESSION, conversation(PREPARED), **STRESS)
    return program.data


@pytest.fixture
def killer(tmp_path: Path, prepared: Path, server: ChatServer, real_start: None) -> Killer:
    """The killer on a copy of the prepared data, talking to the streaming server.

    Its backends start as a user's do: what is committed first is told by that.
    """
    program = Program(tmp_path)
    shutil.copytree(prepared, program.data)
    return Killer(
        program,
        {
            "STRATA_MODEL__API_BASE": server.api_base,
            "STRATA_MODEL__NAME": "openai/words-60-8",
            "STRATA_MODEL__SUMMARY_MODEL": "openai/summary",
        },
    )
