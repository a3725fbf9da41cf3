"""The output of a command: shown as it comes, kept in bounded room."""

import asyncio
import codecs
from collections import deque
from collections.abc import Callable

from widgets.plain import printable

SHOW_EVERY_S = 0.05
SHOWN_CHARS = 2_000
"""Of what came since the last showing the newest characters: nobody reads more in 50 ms."""


class Kept:
    """The beginning and the end of a text of any length.

    Args:
        limit: Characters to keep, half of them from the beginning.
    """

    def __init__(self, limit: int) -> None:
        self._head_room = limit // 2
        self._tail_room = limit - self._head_room
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._tail_chars = 0
        self._left_out = 0

    def add(self, text: str) -> None:
        """Adds what came next."""
        if self._head_room:
            first, text = text[: self._head_room], text[self._head_room :]
            self._head_room -= len(first)
            self._head.append(first)
        if not text:
            return
        self._tail.append(text)
        self._tail_chars += len(text)
        while self._tail_chars > self._tail_room:
            self._drop(self._tail_chars - self._tail_room)

    def text(self) -> str:
        """What is kept, with a note where something was left out."""
        note = f"\n[… {self._left_out:,} characters left out …]\n" if self._left_out else ""
        return "".join((*self._head, note, *self._tail))

    def _drop(self, chars: int) -> None:
        """Drops the oldest piece of the end, or as much of it as is too much."""
        oldest = self._tail.popleft()
        dropped = min(chars, len(oldest))
        if dropped < len(oldest):
            self._tail.appendleft(oldest[dropped:])
        self._tail_chars -= dropped
        self._left_out += dropped


class Output:
    """Takes bytes as they come, shows them about 20 times a second, and keeps what fits.

    Args:
        limit: Characters to keep.
        show: Told each piece to show.
    """

    def __init__(self, limit: int, show: Callable[[str], None]) -> None:
        self._kept = Kept(limit)
        self._show = show
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._due: asyncio.TimerHandle | None = None
        self._finished = False

    def take(self, data: bytes) -> None:
        """Takes what came; what comes after the end is nobody's any more."""
        if not self._finished:
            self._take_text(self._decoder.decode(data))

    def finish(self) -> str:
        """Shows the rest; returns what was kept, without what terminals would obey."""
        self._take_text(self._decoder.decode(b"", final=True))
        self._finished = True
        if self._due is not None:
            self._due.cancel()
        self._flush()
        return printable(_last_states(self._kept.text()))

    def _take_text(self, text: str) -> None:
        if not text:
            return
        self._kept.add(text)
        self._pending += text
        if len(self._pending) > SHOWN_CHARS:
            self._pending = "…" + self._pending[-SHOWN_CHARS:]
        if self._due is None:
            self._due = asyncio.get_running_loop().call_later(SHOW_EVERY_S, self._flush)

    def _flush(self) -> None:
        self._due = None
        if self._pending:
            shown, self._pending = self._pending, ""
            self._show(shown)


def _last_states(text: str) -> str:
    """Of lines that were written over, such as progress bars, only what stood there last."""
    if "\r" not in text:
        return text
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
