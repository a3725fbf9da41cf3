"""The index's own process: a child of the backend in which Chroma may crash or hang by itself.

It does one thing after the other, ends at once with its input, and holds the index's lock.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.backend.chroma_door import ChromaFailure, Server
from app.backend.chroma_spaces import FolderSpace, Lost, ServerSpace, Space
from app.backend.index_folder import LOCK, Label, home_id
from app.backend.pipes import FrameWriter, read_frames, take_standard_output
from app.backend.protocol import JsonObject
from app.backend.safelog import LOGGER, set_up_logging
from app.backend.vector_protocol import Entries, Query
from app.host.locks import FileLock

LOCK_TRIES = 10
LOCK_PAUSE_S = 0.1
"""A process that was just ended lets go of the lock a moment later."""

NICENESS = 5
"""Answers and keys go first; lower still, and on a busy machine a search would wait for minutes."""

REFILL_PAUSE_S = 0.02
"""Between two portions put back after a removal, so that it does not take a whole core."""


class Held(Exception):
    """Another process has the index."""


class Worker:
    """Carries out requests, one after the other."""

    def __init__(self) -> None:
        self._data = Path()
        self._lock: FileLock | None = None
        self._server: Server | None = None
        self._home = ""
        self._spaces: dict[str, Space] = {}
        self._work: dict[str, Callable[[JsonObject], Any]] = {
            "configure": self._configure,
            "open": self._open,
            "add": self._add,
            "nearest": self._nearest,
            "remove": self._remove,
        }

    def carry_out(self, message: JsonObject) -> JsonObject:
        """The answer to a request; never raises."""
        number = message["id"]
        try:
            return {"id": number, "result": self._work[message["op"]](message)}
        except Held:
            return {"id": number, "error": "held"}
        except Lost:
            self._drop(message)
            return {"id": number, "error": "lost"}
        except Exception as error:  # noqa: BLE001 - the rim: a fault here must not end the child
            LOGGER.warning("%s failed in the vector index", message.get("op"), exc_info=error)
            LOGGER.warning("its cause", exc_info=error.__cause__)
            self._drop(message)
            return {"id": number, "error": "failed", "reason": _reason(error)}

    def refill(self) -> bool:
        """Does a little of what removals left to do; whether more is left."""
        more = False
        for name, space in list(self._spaces.items()):
            try:
                more = space.refill() or more
            except (ChromaFailure, OSError) as error:
                LOGGER.warning("the vector index could not be filled again", exc_info=error)
                self._spaces.pop(name).close()
        return more

    def _configure(self, message: JsonObject) -> None:
        self._data = Path(message["data"])
        # Chroma reads a file .env of the folder it is started in, which may be anybody's.
        os.chdir(self._data)
        if message["url"] is not None:
            self._server = Server(message["url"], message["token"])
            self._home = home_id(self._data)
            return
        self._lock = FileLock(self._data / LOCK)
        for _ in range(LOCK_TRIES):
            if self._lock.try_acquire(str(os.getpid())):
                return
            time.sleep(LOCK_PAUSE_S)
        raise Held

    def _open(self, message: JsonObject) -> JsonObject:
        label = Label(message["space"], message["dimensions"])
        known = self._spaces.get(label.space)
        if known is not None and known.label == label and known.present():
            return {"made": known.made, "ids": known.ids(), "note": ""}
        self._drop(message)
        space: Space
        if self._server is not None:
            space = ServerSpace(self._server, self._home, label)
        else:
            space = FolderSpace(self._data, label, suspect=message["suspect"])
        self._spaces[label.space] = space
        return {"made": space.made, "ids": space.ids(), "note": space.note}

    def _add(self, message: JsonObject) -> None:
        self._opened(message).add(Entries.from_json(message["entries"]))

    def _nearest(self, message: JsonObject) -> list[tuple[int, float]]:
        return self._opened(message).nearest(Query.from_json(message["query"]))

    def _remove(self, message: JsonObject) -> None:
        self._opened(message).remove(message["ids"])

    def _drop(self, message: JsonObject) -> None:
        """Lets go of the space a request is about; it is looked through when it is opened again."""
        space = self._spaces.pop(message.get("space", ""), None)
        if space is not None:
            space.close()

    def _opened(self, message: JsonObject) -> Space:
        if message["space"] not in self._spaces:
            raise Lost
        return self._spaces[message["space"]]


def _reason(error: Exception) -> str:
    """What the system said, which holds no text of anybody."""
    return error.strerror or "" if isinstance(error, OSError) else ""


def main() -> None:
    """Runs the child until its input ends."""
    writer = FrameWriter(take_standard_output())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    set_up_logging()
    if sys.platform != "win32":
        os.nice(NICENESS)
    requests: queue.SimpleQueue[JsonObject] = queue.SimpleQueue()
    read_frames(requests.put, lambda: os._exit(0))
    worker, more = Worker(), False
    while True:
        try:
            message = requests.get(timeout=REFILL_PAUSE_S if more else None)
        except queue.Empty:
            more = worker.refill()
            continue
        writer.send(worker.carry_out(message))
        more = more or message.get("op") == "remove"


if __name__ == "__main__":
    main()
