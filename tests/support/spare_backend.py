"""A process that has loaded what a backend loads, and is forked for each backend of a test.

The start of a backend costs two seconds of a processor, and hundreds of tests start one. With
this they get one that is loaded already; all else of it is real: its own process, its pipes, its
environment and its end. Tests of the start itself take the real way (see `real_start`).

    python -P -m tests.support.spare_backend LISTENING_SOCKET

It ends with its standard input.
"""

import asyncio
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
HOOK = Path(__file__).parent / "spare"
ADDRESS = "SPARE_BACKEND"
"""The variable that tells a backend where to ask for a fork; without it, it starts by itself."""


@contextmanager
def spare_backend() -> Iterator[None]:
    """Has all backends be forked that are started with this process's environment.

    The process that is forked is started with the first of them.
    """
    if sys.platform != "linux":
        yield
        return
    with tempfile.TemporaryDirectory(prefix="spare") as folder, socket.socket(socket.AF_UNIX) as at:
        path = str(Path(folder) / "at")
        at.bind(path)
        at.listen(64)
        ends, tells = socket.socketpair()
        waiting = threading.Thread(target=_start_when_wanted, args=(at, ends), daemon=True)
        waiting.start()
        before = {name: os.environ.get(name) for name in (ADDRESS, "PYTHONPATH")}
        os.environ[ADDRESS] = path
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(HOOK), before["PYTHONPATH"])))
        yield
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        tells.close()
        waiting.join()


def _start_when_wanted(at: socket.socket, ends: socket.socket) -> None:
    """Waits until the first backend asks, and keeps the process until all is over."""
    with selectors.DefaultSelector() as selector, ends:
        selector.register(at, selectors.EVENT_READ)
        selector.register(ends, selectors.EVENT_READ)
        if any(key.fileobj is ends for key, _ in selector.select()):
            return
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.support.spare_backend", str(at.fileno())],
            stdin=ends.fileno(),
            pass_fds=[at.fileno()],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        process.wait()


# The process that is forked


class Spare:
    """Forks itself for who asks, tells how the forks ended, and ends those nobody wants now."""

    def __init__(self, at: socket.socket) -> None:
        self._at = at
        self._selector = selectors.DefaultSelector()
        self._forks: dict[socket.socket, tuple[int, int]] = {}

    def serve(self) -> None:
        """Serves until standard input ends."""
        self._selector.register(self._at, selectors.EVENT_READ, self._accept)
        self._selector.register(0, selectors.EVENT_READ, self._leave)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj in self._selector.get_map():
                    key.data()

    def _accept(self) -> None:
        asker, _ = self._at.accept()
        head, pipes, _, _ = socket.recv_fds(asker, 4, 3)
        with asker.makefile("rb", buffering=0) as file:
            wanted = _exactly(file, int.from_bytes(head, "big"))
        pid = os.fork()
        if pid == 0:
            self._become(json.loads(wanted), pipes)
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

    def _become(self, wanted: dict[str, Any], pipes: list[int]) -> NoReturn:
        """Runs a backend as if this process had been started for it."""
        try:
            for number, pipe in enumerate(pipes):
                os.dup2(pipe, number)
            os.closerange(3, 4096)
            os.environ.clear()
            os.environ.update(wanted["environment"])
            os.chdir(wanted["folder"])
            server = importlib.import_module("app.backend.server")
            server.main()
        finally:
            os._exit(1)


def _exactly(file: Any, size: int) -> bytes:
    """Reads so many bytes."""
    got = b""
    while len(got) < size and (more := file.read(size - len(got))):
        got += more
    return got


def _names_of_all_that_is_loaded() -> list[str]:
    """The modules of a backend that has answered, found out in a fork that does it and ends."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        door = importlib.import_module("app.backend.litellm_door")
        asyncio.run(door.warm_up(door.LitellmDoor()))
        with os.fdopen(writing, "w") as pipe:
            json.dump([*sys.modules], pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        names: list[str] = json.load(pipe)
    os.waitpid(pid, 0)
    return names


def main() -> None:
    """Loads, and serves."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    importlib.import_module("app.backend.server")
    importlib.import_module("app.backend.litellm_door")._import_litellm()
    for name in _names_of_all_that_is_loaded():
        if name not in sys.modules:
            with suppress(ImportError):
                importlib.import_module(name)
    gc.freeze()
    gc.enable()
    Spare(socket.socket(fileno=int(sys.argv[1]))).serve()


if __name__ == "__main__":
    main()
