"""Processes that have loaded what a backend or the program loads, and are forked for each test.

The start of a backend costs two seconds of a processor, that of the program half a second, and the
tests start hundreds of them. With this they get one that is loaded already; all else of it is
real: its own process, its pipes, its environment and its end. Tests of the start itself take the
real way (see `real_start`), and so does all that is not `Program.run`.

    python -P -m tests.support.spare_processes backend|program LISTENING_SOCKET

It ends with its standard input.
"""

import asyncio
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
HOOK = Path(__file__).parent / "spare"
BACKEND = "SPARE_BACKEND"
PROGRAM = "SPARE_PROGRAM"
"""The variables that tell a process where to ask for a fork; without one it starts by itself."""


@contextmanager
def spare_processes() -> Iterator[dict[str, str]]:
    """Gives the variables with which processes are forked, of those that the spares stand for.

    A spare is started with the first process that asks for it.
    """
    if sys.platform != "linux":
        yield {}
        return
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="spare")))
        for kind in _LOADS:
            stack.enter_context(_spare(kind, str(folder / kind)))
        yield {BACKEND: str(folder / "backend"), PROGRAM: str(folder / "program")}


@contextmanager
def _spare(kind: str, path: str) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX) as at:
        at.bind(path)
        at.listen(64)
        ends, tells = socket.socketpair()
        waiting = threading.Thread(target=_start_when_wanted, args=(kind, at, ends), daemon=True)
        waiting.start()
        yield
        tells.close()
        waiting.join()


def _start_when_wanted(kind: str, at: socket.socket, ends: socket.socket) -> None:
    """Waits until the first process asks, and keeps the spare until all is over."""
    with selectors.DefaultSelector() as selector, ends:
        selector.register(at, selectors.EVENT_READ)
        selector.register(ends, selectors.EVENT_READ)
        if any(key.fileobj is ends for key, _ in selector.select()):
            return
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.support.spare_processes", kind, str(at.fileno())],
            stdin=ends.fileno(),
            pass_fds=[at.fileno()],
            env={"PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8"}
            | {"PYTHONPATH": str(ROOT)},
        )
        process.wait()
        at.close()  # where it has died, the next processes start by themselves


# The process that is forked


class Spare:
    """Forks itself for who asks, tells how the forks ended, and ends those nobody wants now.

    Args:
        at: Where it is asked.
        runs: What a fork does, given the arguments of the process that it stands for.
    """

    def __init__(self, at: socket.socket, runs: Callable[[list[str]], None]) -> None:
        self._at = at
        self._runs = runs
        self._selector = selectors.DefaultSelector()
        self._forks: dict[socket.socket, tuple[int, int]] = {}

    def serve(self) -> None:
        """Serves until standard input ends; in a fork, does what the fork is there for."""
        self._selector.register(self._at, selectors.EVENT_READ, self._accept)
        self._selector.register(0, selectors.EVENT_READ, self._leave)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj in self._selector.get_map():
                    key.data()

    def _accept(self) -> None:
        asker, _ = self._at.accept()
        try:
            head, pipes, _, _ = socket.recv_fds(asker, 4, 3)
            with asker.makefile("rb") as file:
                asked = json.loads(file.read(int.from_bytes(head, "big")))
        except (OSError, ValueError):  # killed as it asked
            asker.close()
            return
        pid = os.fork()
        if pid == 0:
            asker.close()
            self._become(asked, pipes)
        for number in pipes:
            os.close(number)
        end = os.pidfd_open(pid)
        self._forks[asker] = (pid, end)
        self._selector.register(end, selectors.EVENT_READ, lambda: self._ended(asker))
        self._selector.register(asker, selectors.EVENT_READ, lambda: self._unwanted(asker))

    def _ended(self, asker: socket.socket) -> None:
        """Tells who asked how its fork ended."""
        pid, end = self._forks.pop(asker)
        self._selector.unregister(end)
        os.close(end)
        _, status = os.waitpid(pid, 0)
        if asker in self._selector.get_map():
            self._selector.unregister(asker)
        with suppress(OSError):
            asker.sendall(str(os.waitstatus_to_exitcode(status)).encode())
        asker.close()

    def _unwanted(self, asker: socket.socket) -> None:
        """Who asked was killed; so is its fork."""
        self._selector.unregister(asker)
        if asker in self._forks:
            os.kill(self._forks[asker][0], signal.SIGKILL)

    def _leave(self) -> NoReturn:
        for pid, _ in self._forks.values():
            os.kill(pid, signal.SIGKILL)
        os._exit(0)

    def _become(self, asked: dict[str, Any], pipes: list[int]) -> NoReturn:
        """Goes on as a process that was started for who asked."""
        for number, pipe in enumerate(pipes):
            os.dup2(pipe, number)
        self._selector.close()
        for ours in (self._at, *self._forks):
            ours.close()
        os.closerange(3, 4096)
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["folder"])
        self._runs(asked["arguments"])
        raise SystemExit


def _run_backend(_arguments: list[str]) -> None:
    """As `python -m app.backend.server`."""
    try:
        importlib.import_module("app.backend.server").main()
    finally:
        os._exit(1)


def _run_program(arguments: list[str]) -> None:
    """As `python -m app.cli ARGUMENT…`."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        old = getattr(sys, name)
        file: Any = os.fdopen(number, "wb" if number else "rb")
        stream = io.TextIOWrapper(
            file, old.encoding, old.errors, line_buffering=number == 2 or file.isatty()
        )
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.argv = arguments
    runpy.run_module("app.cli", run_name="__main__", alter_sys=True)


def _load_backend() -> None:
    """Loads all that a backend has loaded that has answered; a fork finds out what that is."""
    importlib.import_module("app.backend.server")
    door = importlib.import_module("app.backend.litellm_door")
    door._import_litellm()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        asyncio.run(door.warm_up(door.LitellmDoor()))
        with os.fdopen(writing, "w") as pipe:
            json.dump([*sys.modules], pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        names = json.load(pipe)
    os.waitpid(pid, 0)
    _import_all(names)


def _load_program() -> None:
    """Loads the commands, but for the one that opens the screen."""
    commands = importlib.import_module("app.commands")
    found = [f"app.commands.{module.name}" for module in pkgutil.iter_modules(commands.__path__)]
    _import_all(name for name in found if not name.endswith(".chat"))


def _import_all(names: Any) -> None:
    for name in names:
        if name not in sys.modules:
            with suppress(ImportError):
                importlib.import_module(name)


_LOADS = {"backend": (_load_backend, _run_backend), "program": (_load_program, _run_program)}


def main() -> None:
    """Loads, and serves."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    load, runs = _LOADS[sys.argv[1]]
    load()
    gc.freeze()
    gc.enable()
    Spare(socket.socket(fileno=int(sys.argv[2])), runs).serve()


if __name__ == "__main__":
    main()
