"""The child's ends of the pipes: frames in from standard input, frames out to standard output.

Threads read and write, because a blocked event loop must neither keep the child alive after its
parent has gone nor be held up by a parent that reads slowly.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

from app.backend.errors import ProtocolError
from app.backend.frames import encode_frame, parse_body, parse_length
from app.backend.protocol import JsonObject


def take_standard_output() -> int:
    """Returns a private copy of standard output, and points the public one at standard error.

    Call it before anything else is imported: what libraries print must not end up among frames.
    """
    private = os.dup(1)
    os.dup2(2, 1)
    return private


class FrameWriter:
    """Writes frames in a thread of its own, in the order they were given.

    Args:
        descriptor: Where to write.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._frames: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._write, name="frames-out", daemon=True).start()

    def send(self, message: JsonObject) -> None:
        """Puts a message in the queue."""
        self._frames.put(encode_frame(message))

    def _write(self) -> None:
        while True:
            frame = memoryview(self._frames.get())
            while frame:
                try:
                    frame = frame[os.write(self._descriptor, frame) :]
                except OSError:
                    return  # The parent has gone; the reader sees it too and ends the process.


def read_frames(on_message: Callable[[JsonObject], object], on_end: Callable[[], None]) -> None:
    """Starts a thread that reads standard input and hands out its messages.

    Args:
        on_message: Called in the thread with each message.
        on_end: Called in the thread when the input ends or makes no sense.
    """

    def run() -> None:
        try:
            while (message := _read_frame(sys.stdin.buffer)) is not None:
                on_message(message)
        except (OSError, ProtocolError):
            pass  # As good as the end.
        finally:
            on_end()

    threading.Thread(target=run, name="frames-in", daemon=True).start()


def _read_frame(source: BinaryIO) -> JsonObject | None:
    line = source.readline(32)
    if not line:
        return None
    length = parse_length(line)
    body = source.read(length + 1)
    return parse_body(body) if len(body) == length + 1 else None
