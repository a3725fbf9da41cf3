"""The chat in a terminal of its own: how it begins, ends, fails, and talks to a real model."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX", allow_module_level=True)

import fcntl
import pty
import struct
import termios

ROOT = Path(__file__).resolve().parents[2]
LONGEST_S = 90.0
ENTERED, RESTORED = "\x1b[?1049h", "\x1b[?1049l"
CRASHING = (
    "import sys; from app import cli; from app.screens.chat import ChatScreen\n"
    "def broken(self): raise ZeroDivisionError('deep inside')\n"
    "ChatScreen.action_newest = broken\n"
    "sys.exit(cli.main())"
)


@dataclass
class Terminal:
    """A process on a terminal of 80 columns and 24 rows."""

    process: subprocess.Popen[bytes]
    side: int
    shown: str = ""
    attributes: list[object] = field(default_factory=list)

    def until(self, text: str) -> None:
        """Reads what is shown until `text` has come."""
        end = time.monotonic() + LONGEST_S
        while text not in self.shown:
            assert time.monotonic() < end, self.shown[-3000:]
            self._read()

    def press(self, keys: str) -> None:
        os.write(self.side, keys.encode())

    def ended(self) -> int:
        """Waits for the end; returns the exit status."""
        end = time.monotonic() + LONGEST_S
        while self.process.poll() is None:
            assert time.monotonic() < end, self.shown[-3000:]
            self._read()
        while self._read():
            pass
        assert termios.tcgetattr(self.side) == self.attributes
        return self.process.returncode

    def _read(self) -> bool:
        ready, _, _ = select.select([self.side], [], [], 0.05)
        if ready:
            try:
                self.shown += os.read(self.side, 65_536).decode("utf-8", "replace")
            except OSError:  # the other side has gone
                return False
        return bool(ready)


@contextmanager
def terminal(data: Path, *arguments: str, code: str = "") -> Iterator[Terminal]:
    side, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    command = [sys.executable, *(["-c", code] if code else ["-m", "app.cli"])]
    process = subprocess.Popen(
        [*command, "--data", str(data), *arguments],
        stdin=other,
        stdout=other,
        stderr=other,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm-256color", "STRATA_MODEL__MAX_OUTPUT_TOKENS": "32"},
        start_new_session=True,
    )
    shown = Terminal(process, side, attributes=termios.tcgetattr(side))
    try:
        yield shown
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(other)
        os.close(side)


def test_leaving_restores_the_terminal(tmp_path: Path) -> None:
    """CHAT-1: Ctrl+Q ends with status 0 and leaves the terminal as it was."""
    with terminal(tmp_path, "--model", "openai/none") as shown:
        shown.until("ready")
        assert ENTERED in shown.shown
        shown.press("\x11")
        assert shown.ended() == 0
        assert RESTORED in shown.shown
        assert "Traceback" not in shown.shown


def test_being_told_to_end_restores_the_terminal(tmp_path: Path) -> None:
    """STORE-2: SIGTERM closes the session in good order."""
    with terminal(tmp_path, "--model", "openai/none") as shown:
        shown.until("ready")
        shown.process.send_signal(signal.SIGTERM)
        assert shown.ended() == 0
        assert RESTORED in shown.shown


def test_a_crash_is_one_sentence(tmp_path: Path) -> None:
    """ALL-2: no traceback on the terminal, which is restored; the log file has the details."""
    with terminal(tmp_path, "--model", "openai/none", code=CRASHING) as shown:
        shown.until("ready")
        shown.press("\x1b[1;5F")
        assert shown.ended() == 1
        after = shown.shown.rsplit(RESTORED, 1)[1]
        assert "Strata had to close." in after
        assert "deep inside" not in shown.shown
        assert "Traceback" not in shown.shown
    assert "deep inside" in (tmp_path / "log" / "strata.log").read_text()


def test_without_a_terminal_the_chat_says_so(tmp_path: Path) -> None:
    """CHAT-8: a program is shown the way that is meant for it."""
    ran = subprocess.run(
        [sys.executable, "-m", "app.cli", "--data", str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stdout == ""
    assert "strata ask" in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_a_model_on_this_machine_answers(tmp_path: Path, models_dir: Path) -> None:
    """CHAT-3: no key and no server; the status line says who answers, and where."""
    options = ("--model", "light", "--models", str(models_dir))
    with terminal(tmp_path, *options) as shown:
        shown.until("rite a message")
        shown.press("Say hello.\r")
        shown.until("on this machine")
        shown.until(" s · ")
        shown.press("\x11")
        assert shown.ended() == 0


def test_a_wrong_configuration_is_told_where_the_program_was_started(tmp_path: Path) -> None:
    """ALL-1, ALL-7: the screen is there before the configuration is read; it makes way for it."""
    (tmp_path / "config.toml").write_text("[memory]\nimmediate_window = 0\n")
    with terminal(tmp_path) as shown:
        assert shown.ended() == 1
        after = shown.shown.rsplit(RESTORED, 1)[1]
        assert "memory.immediate_window" in after
        assert "Traceback" not in shown.shown
