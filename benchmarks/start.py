"""How long a start takes: from exec until the newest message can be read and a key is echoed.

Strata, with an empty session and with a long one, against a bare Textual app with one Input; runs
alternate, in pseudo-terminals of one size. A run ends when both are there. Medians.

    python benchmarks/start.py [--runs 15] [--messages 5000]
"""

import argparse
import asyncio
import contextlib
import fcntl
import os
import pty
import re
import select
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path

from memory import Memory
from memory.answer import NewMessage

ROWS, COLUMNS = 40, 120
LONGEST_S = 60.0
KEY = b"Q"
KEY_EVERY_S = 0.02
NEWEST = "xylophone7"
MOST = {"empty": 1.4, "long": 1.6}
BARE = """
from textual.app import App
from textual.widgets import Input
class Bare(App):
    def compose(self):
        yield Input()
Bare().run()
"""
ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_=>]")


@dataclass(frozen=True)
class Start:
    """Seconds from exec until things were on the terminal."""

    legible: float
    echoed: float

    @property
    def both(self) -> float:
        return max(self.legible, self.echoed)


def start(command: list[str], newest: str) -> Start:
    """Starts a program, types at it until a key is echoed, and kills it.

    Args:
        command: What to run.
        newest: A word of the newest message; empty where there is none to wait for.
    """
    side, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    modes = termios.tcgetattr(other)
    modes[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(other, termios.TCSANOW, modes)
    environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdin=other, stdout=other, stderr=other, env=environment, start_new_session=True
    )
    os.close(other)
    try:
        return _watch(side, began, newest)
    finally:
        process.kill()
        process.wait()
        os.close(side)


def _watch(side: int, began: float, newest: str) -> Start:
    shown, typed = "", began
    legible = 0.0 if not newest else None
    echoed = None
    while legible is None or echoed is None:
        now = time.perf_counter()
        if now - began > LONGEST_S:
            raise TimeoutError(f"nothing came: {shown[-2000:]!r}")
        if echoed is None and now - typed >= KEY_EVERY_S:
            os.write(side, KEY)
            typed = now
        if not select.select([side], [], [], 0.002)[0]:
            continue
        with contextlib.suppress(OSError):
            shown += os.read(side, 1 << 20).decode("utf-8", "replace")
        text = ESCAPES.sub("", shown)
        if echoed is None and KEY.decode() in text:
            echoed = time.perf_counter() - began
        if legible is None and newest in text:
            legible = time.perf_counter() - began
    return Start(legible, echoed)


async def fill(data: Path, messages: int) -> None:
    """Makes a session of so many messages, the newest with the word that is waited for."""
    async with Memory.open(data) as memory:
        new = [
            NewMessage(
                "user" if n % 2 else "assistant",
                f"message {n} says that **{n} stones** lie in the river, and `{n + 1}` on its bank",
                "library",
            )
            for n in range(1, messages)
        ]
        last = NewMessage("assistant", f"the newest is {NEWEST} here", "library")
        await memory.add_all([*new, last])


def main() -> int:
    """Runs and prints the table; fails where a bound of the requirements is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--messages", type=int, default=5000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        empty, long = Path(folder) / "empty", Path(folder) / "long"
        asyncio.run(fill(long, options.messages))
        strata = [sys.executable, "-m", "app.cli", "--model", "openai/none", "--data"]
        programs = {
            "bare": ([sys.executable, "-c", BARE], ""),
            "empty": ([*strata, str(empty)], ""),
            "long": ([*strata, str(long)], NEWEST),
        }
        results: dict[str, list[Start]] = {name: [] for name in programs}
        for _ in range(options.runs):
            for name, (command, newest) in programs.items():
                results[name].append(start(command, newest))
    floor = statistics.median(r.both for r in results["bare"])
    failed = False
    for name, rows in results.items():
        both = statistics.median(r.both for r in rows)
        legible = statistics.median(r.legible for r in rows)
        echoed = statistics.median(r.echoed for r in rows)
        print(
            f"{name:<6} legible {legible * 1000:5.0f} ms  echoed {echoed * 1000:5.0f} ms  "
            f"both {both * 1000:5.0f} ms  {both / floor:.2f} x the bare app"
        )
        failed |= both / floor > MOST.get(name, 1.0)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
