"""The program on a terminal of its own: a pseudo-terminal that controls it, and what it shows."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.program import Program, processes_with
from tests.terminal.screen import ORDINARY_MODES, Screen

LONGEST_S = 120.0
SIZE = (80, 24)
LEAD = (
    "import fcntl, os, sys, termios\n"
    "fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
    "os.execv(sys.argv[1], sys.argv[1:])"
)
"""Takes the terminal as the controlling one, as a login does, and becomes the program."""

ENTER, ESC = "\r", "\x1b"
CTRL_N, CTRL_O, CTRL_P, CTRL_Q, CTRL_Z = "\x0e", "\x0f", "\x10", "\x11", "\x1a"
CTRL_END = "\x1b[1;5F"
DOWN = "\x1b[B"
F1, F3, F6, F7 = "\x1bOP", "\x1bOR", "\x1b[17~", "\x1b[18~"


@dataclass
class Terminal:
    """A program on a terminal; whoever waits reads meanwhile what it shows."""

    process: subprocess.Popen[bytes]
    side: int
    screen: Screen
    attributes: list[object] = field(default_factory=list)
    raw: bytes = b""
    """All that it has written."""

    @property
    def lines(self) -> list[str]:
        """The rows in sight."""
        return self.screen.lines

    def row_of(self, text: str) -> str:
        """The first row with this text in it; empty where there is none."""
        return next((line for line in self.lines if text in line), "")

    def holds(self, text: str) -> bool:
        """Whether a row of the chat, once that is drawn, ends with a text, be it in a frame."""
        rows = (line.removeprefix("│").split("│")[0].rstrip() for line in self.lines)
        return "⏎ send" in self.screen.text and any(row.endswith(text) for row in rows)

    def until(self, wanted: str | Callable[[], object], seconds: float = LONGEST_S) -> None:
        """Waits until a text is in sight, or until something holds."""
        end = time.monotonic() + seconds
        while not (wanted in self.screen.text if isinstance(wanted, str) else wanted()):
            assert time.monotonic() < end, self.told(wanted)
            assert self.process.poll() is None, self.told(wanted)
            self.read()

    def gone(self, text: str) -> None:
        """Waits until a text is no longer in sight."""
        self.until(lambda: text not in self.screen.text)

    def opened(self) -> None:
        """Waits until memory is open; the model may still be on its way."""
        self.until("folds in")

    def ready(self) -> None:
        """Waits until memory is open and the model can answer."""
        self.until("○ ready")

    def press(self, *keys: str) -> None:
        """Presses keys, one after the other; a text is typed as it stands."""
        for key in keys:
            os.write(self.side, key.encode())
            if key == ESC:
                self.pause(0.2)  # what follows at once would be one key together with it

    def say(self, text: str) -> None:
        """Writes a message and sends it."""
        self.echo(text)
        self.press(ENTER)

    def echo(self, letters: str) -> None:
        """Types letters and waits until the end of them stands in the composer."""
        self.press(letters)
        self.until(lambda: self.holds(letters[-10:].rstrip()))

    def pause(self, seconds: float) -> None:
        """Only reads for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read()

    def resize(self, columns: int, rows: int) -> None:
        """Gives the terminal another size; the kernel tells the program."""
        self.screen.resize(columns, rows)
        _set_size(self.side, columns, rows)

    def hang_up(self) -> None:
        """Closes the terminal as a window is closed."""
        os.close(self.side)
        self.side = -1

    def ended(self, seconds: float = LONGEST_S) -> int:
        """Waits for the end; returns the exit status of a program that left the terminal well."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, self.told("the end")
            self.read()
        while self.read():
            pass
        assert self.restored
        assert b"Traceback" not in self.raw
        return self.process.returncode

    @property
    def restored(self) -> bool:
        """Whether the terminal is as it was before the program began."""
        return (
            termios.tcgetattr(self.side) == self.attributes
            and self.screen.modes == ORDINARY_MODES
            and self.screen.keyboards == 0
        )

    def told(self, wanted: object) -> str:
        """What is in sight, for a test that failed."""
        rows = "\n".join(f"|{line}" for line in self.lines)
        return f"waited for {wanted!r}; status {self.process.returncode}\n{rows}"

    def read(self) -> bool:
        """Reads what has come, if anything; returns whether there may be more."""
        if self.side < 0:
            time.sleep(0.02)
            return False
        ready, _, _ = select.select([self.side], [], [], 0.02)
        if ready:
            try:
                data = os.read(self.side, 65_536)
            except OSError:  # nobody has the other side open any more
                time.sleep(0.02)
                return False
            self.raw += data
            self.screen.feed(data)
        return bool(ready)


@contextmanager
def terminal(
    program: Program,
    *arguments: str,
    size: tuple[int, int] = SIZE,
    command: Sequence[str] = (),
    controlling: bool = True,
    **environment: str,
) -> Iterator[Terminal]:
    """Starts the program on a terminal; nothing of it is left at the end.

    Args:
        program: Where it has its home.
        arguments: Of its command line.
        size: Columns and rows.
        command: The whole command line, where it is another.
        controlling: Whether the terminal is the one that controls the program.
        environment: Variables beside the program's own.
    """
    side, other = pty.openpty()
    _set_size(side, *size)
    attributes = termios.tcgetattr(side)
    wanted = list(command or program.command(*arguments))
    lead = [sys.executable, "-S", "-c", LEAD] if controlling else []
    variables = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
    process = subprocess.Popen(
        [*lead, *wanted],
        stdin=other,
        stdout=other,
        stderr=other,
        cwd=program.elsewhere.parent,
        env={k: v for k, v in program.clean_environment(variables).items() if v},
        start_new_session=True,
    )
    os.close(other)
    shown = Terminal(process, side, Screen(*size), attributes)
    try:
        yield shown
    finally:
        _end(process)
        if shown.side >= 0:
            os.close(shown.side)


def processes_of(program: Program) -> dict[int, str]:
    """The processes of a program that live, by id."""
    return processes_with(str(program.elsewhere))


def state_of(process: int) -> str:
    """How a process is: `T` for stopped, `S` for waiting."""
    return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]


def log_of(program: Program) -> str:
    """The log file."""
    path = program.data / "log" / "strata.log"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends a process that has not ended, and those of its group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _set_size(side: int, columns: int, rows: int) -> None:
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
