"""The values of a large JSON text, one at a time, so that never more than one is in memory.

The text is an array, whose elements are told, or values behind one another (JSONL among them).
Only brackets and quotes are looked at here; what is between them is read by `json`.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from memory.errors import StrataError

LONGEST = 64 * 1024 * 1024
"""Characters of one conversation; the longest seen in exports have a few million."""
DEEPEST = 200
"""Brackets in brackets; exports have about ten."""

_OUTSIDE = re.compile(r'["\[\]{}]')
_INSIDE = re.compile(r'["\\]')


class NotJson(StrataError):
    """A file is no JSON, or breaks off."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A value that can't be read, and why."""

    place: int
    why: str


@dataclass(frozen=True, slots=True)
class Value:
    """A value that was read."""

    place: int
    value: Any


def values(chunks: Iterable[str], name: str) -> Iterator[Value | Broken]:
    """The objects and arrays of a text.

    Args:
        chunks: The text, in pieces of any size.
        name: What the file is called, for messages.

    Raises:
        NotJson: It is no JSON, or ends in the middle of a value.
    """
    cutting = _Cutting(name)
    for chunk in chunks:
        yield from cutting.cut(chunk)
    cutting.end()


@dataclass(slots=True)
class _Cutting:
    """Where in the text we are."""

    name: str
    in_array: bool | None = None
    """Whether the whole is one array; None at the beginning."""
    ended: bool = False
    depth: int = 0
    in_text: bool = False
    skip: int = 0
    """Characters of the next piece that an escape takes."""
    deepest: int = 0
    size: int = 0
    place: int = 0
    pieces: list[str] = field(default_factory=list)

    def cut(self, chunk: str) -> Iterator[Value | Broken]:
        """The values that end in a piece."""
        at, begin = self.skip, 0
        self.skip = 0
        while at < len(chunk):
            found = (_INSIDE if self.in_text else _OUTSIDE).search(chunk, at)
            if self.depth == 0:
                self._assert_between(chunk[at : found.start() if found else len(chunk)])
            if found is None:
                break
            at = found.end()
            sign = found[0]
            if sign == "\\":
                at += 1
                self.skip = max(0, at - len(chunk))
            elif sign == '"':
                self.in_text = not self.in_text
                self._assert_inside()
            elif sign in "[{":
                begin = self._open(sign, found.start(), begin)
            elif self._close(sign):
                yield self._take(chunk[begin:at])
                begin = at
        if self.depth:
            self._keep(chunk[begin:])

    def end(self) -> None:
        """Checks that nothing is missing.

        Raises:
            NotJson: Something is.
        """
        if self.depth or (self.in_array and not self.ended):
            raise NotJson(f"{self.name} breaks off: it is not whole JSON.", "Get it again.")

    def _open(self, sign: str, at: int, begin: int) -> int:
        if self.ended:
            raise self._not_json()
        if self.in_array is None:
            self.in_array = sign == "["
            if self.in_array:
                return begin
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        return at if self.depth == 1 else begin

    def _close(self, sign: str) -> bool:
        """Whether a value ends here."""
        if self.depth:
            self.depth -= 1
            return self.depth == 0
        if sign != "]" or not self.in_array or self.ended:
            raise self._not_json()
        self.ended = True
        return False

    def _keep(self, piece: str) -> None:
        self.size += len(piece)
        if self.size <= LONGEST:
            self.pieces.append(piece)
        else:
            self.pieces.clear()

    def _take(self, piece: str) -> Value | Broken:
        self._keep(piece)
        text, size, deepest = "".join(self.pieces), self.size, self.deepest
        self.pieces.clear()
        self.size = self.deepest = 0
        self.place += 1
        if size > LONGEST:
            return Broken(self.place, f"it is larger than {LONGEST // 1024 // 1024} MB")
        if deepest > DEEPEST:
            return Broken(self.place, "it is nested too deeply")
        try:
            return Value(self.place, json.loads(text))
        except (ValueError, RecursionError):
            return Broken(self.place, "it is not JSON")

    def _assert_between(self, between: str) -> None:
        """Between values stand commas and blanks alone."""
        rest = between.strip(" \t\r\n")
        if rest and (rest != "," or not self.in_array or self.ended):
            raise self._not_json()

    def _assert_inside(self) -> None:
        if self.depth == 0:
            raise self._not_json()

    def _not_json(self) -> NotJson:
        where = f" after its {self.place:,} first conversations" if self.place else ""
        return NotJson(
            f"{self.name} is no JSON of conversations{where}.", "Nothing more was read of it."
        )
