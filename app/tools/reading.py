"""Reads the part of a text file that was asked for, and no more of it than needed."""

import codecs
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import FileIO

from app.tools.opening import open_file
from app.tools.telling import counted, size_told
from app.tools.texts import SAMPLE, encoding_of, kind_of
from app.tools.troubles import (
    NotText,
    PastTheEnd,
    TimedOut,
    trouble_of,
)
from app.tools.workspace import Place, shown

PIECE = 262_144
"""Bytes that are read at once."""
COUNTED = 64_000_000
"""Bytes of a file up to which its lines are counted: a tenth of a second."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The part of a file that was asked for.

    Args:
        first: Its first line, from 1 on.
        lines: Lines; None for all that follow.
        skipped: Characters of the first line that are left out.
        chars: Characters that it may have.
    """

    first: int = 1
    lines: int | None = None
    skipped: int = 0
    chars: int = 100_000


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a text file."""

    text: str
    size: int
    """Bytes of the whole file."""
    encoding: str
    first: int
    last: int
    """The line that it ends in."""
    of: int | None
    """Lines of the whole file; None where they were not counted."""
    next_line: int | None
    """Where to read on; None at the end of the file."""
    next_skipped: int = 0
    """Characters of that line that stand in this part."""


def read_part(place: Place, wanted: Wanted, halted: Callable[[], bool]) -> Part:
    """Reads a part of a text file.

    Args:
        place: The file.
        wanted: Which part.
        halted: Asked often; once it says so, reading ends with `TimedOut`.

    Raises:
        FileTrouble: It is missing, no text, shorter, not to be read, or takes too long.
    """
    name = shown(place.inside)
    try:
        with open_file(place) as file:
            return _part(_Cursor(file, name, halted), name, wanted)
    except OSError as error:
        raise trouble_of(error, name) from error


def time_is_up(seconds: float) -> Callable[[], bool]:
    """Says whether so many seconds have gone by from now on."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def _part(cursor: "_Cursor", name: str, wanted: Wanted) -> Part:
    passed = cursor.pass_lines(wanted.first - 1)
    if passed < wanted.first - 1 or (passed and cursor.at_end()):
        has = counted(passed + cursor.unfinished, "line")
        raise PastTheEnd(f"{name} has {has} only.")
    cursor.pass_chars(wanted.skipped)
    text = cursor.take(wanted.lines, wanted.chars)
    breaks, ended = text.count("\n"), cursor.at_end()
    open_chars = len(text) - (text.rfind("\n") + 1)
    skipped = open_chars + (0 if breaks else wanted.skipped)
    of = None if cursor.size > COUNTED else passed + breaks + cursor.count_lines(bool(skipped))
    return Part(
        text=text,
        size=cursor.size,
        encoding=cursor.encoding,
        first=wanted.first,
        last=wanted.first + breaks - (not skipped and breaks > 0),
        of=of,
        next_line=None if ended else wanted.first + breaks,
        next_skipped=0 if ended else skipped,
    )


class _Cursor:
    """Goes forward through a text file, a piece at a time."""

    def __init__(self, file: FileIO, name: str, halted: Callable[[], bool]) -> None:
        self._file = file
        self._name = name
        self._halted = halted
        sample = file.read(SAMPLE) or b""
        self.size = file.seek(0, 2)
        encoding = encoding_of(sample)
        if encoding is None:
            kind, size = kind_of(sample), size_told(self.size)
            raise NotText(f"{name} is no text: it seems to be {kind}, {size}.")
        self.encoding = encoding
        self.unfinished = 0
        """1 where the lines that were passed ended in one without a break."""
        file.seek(0)
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._held = ""
        self._ended = False

    def at_end(self) -> bool:
        """Whether nothing follows."""
        return not self._held and not self._more()

    def pass_lines(self, lines: int) -> int:
        """Goes over so many lines; how many there were that end with a break."""
        passed = 0
        while passed < lines:
            here = self._held.count("\n")
            if passed + here >= lines:
                self._held = self._held[_behind_lines(self._held, lines - passed) :]
                return lines
            passed += here
            self.unfinished = int(bool(self._held) and not self._held.endswith("\n"))
            self._held = ""
            if not self._more():
                break
        return passed

    def pass_chars(self, chars: int) -> None:
        """Goes over so many characters, but not past the line."""
        while chars > 0 and not self.at_end():
            end = self._held.find("\n")
            step = min(chars, len(self._held) if end < 0 else end)
            self._held = self._held[step:]
            chars = chars - step if end < 0 else 0

    def take(self, lines: int | None, chars: int) -> str:
        """The next lines, as many as there is room for; the beginning of the first at least."""
        while len(self._held) <= chars and self._more():
            if lines is not None and self._held.count("\n") >= lines:
                break
        text = self._held
        if lines is not None and text.count("\n") >= lines:
            text = text[: _behind_lines(text, lines)]
        if len(text) > chars:
            text = text[: text.rfind("\n", 0, chars) + 1] or text[:chars]
        self._held = self._held[len(text) :]
        return text

    def count_lines(self, begun: bool) -> int:
        """Goes to the end and counts lines; `begun`: one has begun before."""
        lines, last = 0, "x" if begun else "\n"
        while not self.at_end():
            lines, last = lines + self._held.count("\n"), self._held[-1]
            self._held = ""
        return lines + (last != "\n")

    def _more(self) -> bool:
        """Reads a piece; whether there was one."""
        before = len(self._held)
        while len(self._held) == before and not self._ended:
            if self._halted():
                raise TimedOut(f"Reading so far into {self._name} takes too long.")
            piece = self._file.read(PIECE) or b""
            self._ended = not piece
            self._held += self._decoder.decode(piece, self._ended).replace("\0", "\ufffd")
        return len(self._held) > before


def _behind_lines(text: str, lines: int) -> int:
    """Where so many lines end in a text that has them."""
    at = 0
    for _ in range(lines):
        at = text.index("\n", at) + 1
    return at
