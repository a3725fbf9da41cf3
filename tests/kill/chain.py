"""A chain of kills at random instants on one session, each followed by a restart and all checks."""

import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from memory.config import MemoryConfig
from memory.events import Compacted
from tests.kill.checks import Reopened, reopen
from tests.kill.notes import held_up, read_notes
from tests.support.program import Program, processes_with, wait_for

Kind = Literal["chat", "ask"]
SESSION = "chain"
STRESS = {"profile": "stress"}
START_UP_SHARE = 0.2
"""Of the kills, those that fall before the first word of an answer."""
START_UP_S = 3.0
ASK_S = 0.7
BACKEND_GONE_S = 60.0


@dataclass(frozen=True)
class Round:
    """One kill and what was found afterwards."""

    phase: str
    """start-up, waiting, streaming or between."""
    accepted: int
    lost_ms: float
    """Age of the oldest shown character that is not on disk, in milliseconds, but for the time in
    which a busy machine did not let the process run."""
    reopened_ms: float
    backend_gone_ms: float


@dataclass
class Chain:
    """The session, what was acknowledged in it, and the rounds so far."""

    program: Program
    random: random.Random
    talk_s: float = 3.0
    """Seconds after the first word of a chat in which the kill falls: some turns, and a cascade
    every other turn."""
    rounds: list[Round] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    answered: list[str] = field(default_factory=list)
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    last: Reopened | None = None
    starts: int = 0

    async def round(self, kind: Kind = "chat") -> Round:
        """Starts, kills at a random instant, restarts and checks."""
        status = 0
        while status == 0:
            # A question may be answered before the instant has come; then it is asked again.
            self.starts += 1
            file = self.program.home / f"notes-{self.starts}"
            process = self._start(kind, file)
            self._wait_for_the_instant(kind, process, file)
            killed_at = time.monotonic()
            process.kill()
            process.communicate()
            status = process.returncode
        assert status == -signal.SIGKILL, status
        gone = self._backend_gone()
        opened_at = time.monotonic()
        config = MemoryConfig.from_values(dict(STRESS))
        reopened = await reopen(self.program.data, SESSION, config)
        opened_in = time.monotonic() - opened_at
        done = self._check(kind, read_notes(file), reopened, killed_at)
        self.rounds.append(
            Round(done.phase, done.accepted, done.lost_ms, opened_in * 1000, gone * 1000)
        )
        self.last = reopened
        return self.rounds[-1]

    @property
    def compactions(self) -> list[Compacted]:
        """The compactions of the session, as the last restart found them."""
        events = self.last.events if self.last else []
        return [e.event for e in events if isinstance(e.event, Compacted)]

    def processes(self) -> dict[int, str]:
        """What is still running of all that was started."""
        return processes_with(self.mark)

    def _start(self, kind: Kind, file: Path) -> subprocess.Popen[bytes]:
        number = self.starts * 1000 + 1
        python = [sys.executable, "-P", "-m"]
        command = [*python, "tests.kill.talker", SESSION, str(number), "1000"]
        if kind == "ask":
            ask = ["--data", str(self.program.data), "--session", SESSION, "ask"]
            question = f"Question {number}: asked alone?"
            command = [*python, "tests.kill.killer", "none", "1", "app.cli", *ask, question]
        return self.program.start(
            command=command,
            STRATA_DATA=str(self.program.data),
            STRATA_MEMORY__PROFILE="stress",
            KILL_MARK=self.mark,
            KILL_SHOWN=str(file),
        )

    def _wait_for_the_instant(
        self, kind: Kind, process: subprocess.Popen[bytes], file: Path
    ) -> None:
        if len(self.rounds) > 0 and self.random.random() < START_UP_SHARE:
            time.sleep(self.random.uniform(0.0, START_UP_S))
            return

        def speaks() -> bool:
            if process.poll() is not None:
                raise AssertionError(f"it ended by itself: {process.communicate()}")
            return any(note.get("shown") for note in read_notes(file))

        assert wait_for(speaks, 120), read_notes(file)
        time.sleep(self.random.uniform(0.0, self.talk_s if kind == "chat" else ASK_S))

    def _backend_gone(self) -> float:
        begun = time.monotonic()
        if sys.platform == "linux":
            assert wait_for(lambda: not self._without_host(), BACKEND_GONE_S), self.processes()
        return time.monotonic() - begun

    def _without_host(self) -> dict[int, str]:
        return {pid: line for pid, line in self.processes().items() if "host.server" not in line}

    def _check(
        self, kind: Kind, notes: list[dict[str, Any]], reopened: Reopened, killed_at: float
    ) -> Round:
        accepted = [note["accepted"] for note in notes if "accepted" in note]
        self.accepted += accepted
        self.answered += [note["answered"] for note in notes if "answered" in note]
        said = [text for role, text, _ in reopened.said if role == "user"]
        for text in self.accepted:
            assert said.count(text) == 1, f"accepted and not on disk once: {text}"
        whole = [text for _, text, interrupted in reopened.said if not interrupted]
        for text in self.answered:
            assert text in whole, f"an answer that was complete is not on disk: {text}"
        turn = _last_turn(notes)
        shown = [(note["at"], note["shown"]) for note in turn if "shown" in note]
        lost = _lost_seconds(shown, reopened, killed_at)
        lost = max(0.0, lost - held_up(notes, killed_at))
        assert kind == "chat" or not shown or reopened.said[-2][0] == "user"
        return Round(_phase(turn), len(accepted), lost * 1000, 0.0, 0.0)


def _last_turn(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    starts = [place for place, note in enumerate(notes) if "accepted" in note]
    return notes[starts[-1] :] if starts else notes


def _phase(turn: list[dict[str, Any]]) -> str:
    has: Callable[[str], bool] = lambda key: any(note.get(key) for note in turn)  # noqa: E731
    if has("answered"):
        return "between"
    if has("shown"):
        return "streaming"
    return "waiting" if has("accepted") else "start-up"


def _lost_seconds(shown: list[tuple[float, str]], reopened: Reopened, killed_at: float) -> float:
    """How long the oldest character that is not on disk had been shown; 0 where none is lost."""
    text = "".join(piece for _, piece in shown)
    role, kept, _ = reopened.said[-1] if reopened.said else ("", "", False)
    if role != "assistant":
        kept = ""
    if not text:
        return 0.0
    assert text.startswith(kept) or kept.startswith(text.rstrip("\n")), (text, kept)
    length = 0
    for at, piece in shown:
        length += len(piece)
        if length > len(kept) and piece.strip():
            return killed_at - at
    return 0.0
