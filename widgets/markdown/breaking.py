"""Breaking lines in several looks into rows, never inside what the eye takes for one character."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

from widgets.markdown.blocks import Line
from widgets.rows import Row

_ONE_CELL_EACH = re.compile(
    "[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u0590\u1e00-\u200a"
    "\u2010-\u2027\u2030-\u205f\u2070-\u20cf\u2190-\u2319]*"
)
_JOINERS = "\u200d\ufe0f"
_FLAG_LETTERS = "\U0001f1e6", "\U0001f1ff"
# Chinese and Japanese never begin a row with these.
_CLOSING = frozenset("、。，．！？：；）」』】》〉…ー々")
_WIDE = 2
_NEAR = 3
"""Code is broken at a space in the last third of a row, rather than inside of a word."""


class Span(NamedTuple):
    """A row of a line: where it starts and ends in it, and what was left out before it."""

    start: int
    end: int
    glue: str | None


def cells(line: Line) -> int:
    """The cells that a line takes, as the screen counts them: piece by piece."""
    return sum(cell_len(piece.text) for piece in line)


def line_rows(line: Line, width: int, *, exact: bool = False) -> list[Row]:
    """The rows of a line.

    Args:
        line: Text without line breaks and tabs.
        width: Cells of a row, at least 2.
        exact: Keep every character, as in code, and break near the end of a row at the soonest.
    """
    text = line[0].text if len(line) == 1 else "".join(piece.text for piece in line)
    if len(text) <= width and text.isascii():
        return [Row(line)]
    if text[0] in _JOINERS:
        # Nothing stands before them that they could join; their width is not agreed upon.
        return line_rows(_without_start(line), width, exact=exact)
    if len(line) > 1 and not _ONE_CELL_EACH.fullmatch(text):
        line = _joined(line, text)
    spans = list(_spans(text, width, exact=exact))
    if len(spans) == 1:
        return [Row(line)]
    return [Row(part, span.glue) for part, span in zip(_cut(line, spans), spans, strict=True)]


def _spans(text: str, width: int, *, exact: bool) -> Iterator[Span]:
    if _ONE_CELL_EACH.fullmatch(text):
        yield from _narrow_spans(text, width, exact=exact)
    else:
        yield from _Clusters(text).spans(width, exact=exact)


def _narrow_spans(text: str, width: int, *, exact: bool) -> Iterator[Span]:
    start, glue = 0, None
    while len(text) - start > width:
        end = start + width
        if exact:
            span = Span(start, _behind_space(text, start, end), glue)
        else:
            span = _up_to(text, start, end, text.rfind(" ", start, end + 1), glue)
        yield span
        start, glue = _behind(text, span.end, exact=exact)
    yield Span(start, len(text), glue)


def _behind_space(text: str, start: int, end: int) -> int:
    """The place behind the last space near the end of a row, or the end if there is none."""
    least = end - (end - start) // _NEAR
    space = text.rfind(" ", least, end)
    return space + 1 if space > 0 and text[start:space].strip(" ") else end


def _up_to(text: str, start: int, end: int, space: int, glue: str | None) -> Span:
    # Spaces at the start are an indentation: a row of nothing else would be a hole.
    if space > start and (kept := text[start:space].rstrip(" ")):
        return Span(start, start + len(kept), glue)
    return Span(start, end, glue)


def _behind(text: str, end: int, *, exact: bool) -> tuple[int, str]:
    """Where the next row starts, and the spaces that were left out before it."""
    start = end
    while not exact and start < len(text) - 1 and text[start] == " ":
        start += 1
    return start, text[end:start]


class _Clusters:
    """A line as the characters that the eye sees, which may be several of Unicode's."""

    def __init__(self, text: str) -> None:
        self._text = text
        found = _with_flags(text, split_graphemes(text)[0])
        self._starts = [start for start, _, _ in found]
        self._sizes = [size for _, _, size in found]
        self._before = [0, *accumulate(self._sizes)]
        self._starts.append(len(text))

    def spans(self, width: int, *, exact: bool) -> Iterator[Span]:
        """The rows, as `_spans` gives them."""
        index, last, glue = 0, len(self._sizes), None
        while self._before[last] - self._before[index] > width:
            fits = bisect_right(self._before, self._before[index] + width) - 1
            end = max(fits, index + 1)
            if exact:
                place = _behind_space(self._text, self._starts[index], self._starts[end])
                end = max(index + 1, bisect_right(self._starts, place) - 1)
            else:
                end = self._good_end(index, end)
            span = Span(self._starts[index], self._starts[end], glue)
            if not exact:
                kept = self._text[span.start : span.end].rstrip(" ")
                span = span._replace(end=span.start + len(kept)) if kept else span
            yield span
            start, _ = _behind(self._text, span.end, exact=exact)
            index = bisect_right(self._starts, start) - 1
            glue = self._text[span.end : self._starts[index]]
        yield Span(self._starts[index], len(self._text), glue)

    def _good_end(self, index: int, end: int) -> int:
        """The last place up to `end` where a row may end: at a space, or beside a wide one."""
        for place in range(min(end, len(self._sizes) - 1), index, -1):
            here = self._text[self._starts[place]]
            if here == " " or (self._is_wide(place) and here not in _CLOSING):
                if self._text[self._starts[index] : self._starts[place]].strip(" "):
                    return place
                break
        return end

    def _is_wide(self, place: int) -> bool:
        return self._sizes[place - 1] == _WIDE or self._sizes[place] == _WIDE


def _with_flags(text: str, found: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Joins the two letters of a flag, which are one picture."""
    first, last = _FLAG_LETTERS
    if not any(first <= character <= last for character in text):
        return found
    joined: list[tuple[int, int, int]] = []
    open_flag = False
    for start, end, size in found:
        letter = first <= text[start] <= last
        if letter and open_flag:
            before = joined.pop()
            joined.append((before[0], end, before[2] + size))
        else:
            joined.append((start, end, size))
        open_flag = letter and not open_flag
    return joined


def _without_start(line: Line) -> Line:
    """The line without joiners at its start."""
    for index, piece in enumerate(line):
        if text := piece.text.lstrip(_JOINERS):
            return (piece._replace(text=text), *line[index + 1 :])
    return ()


def _joined(line: Line, text: str) -> Line:
    """The line with no look that begins inside a character; such a part goes to the one before."""
    starts = {start for start, _, _ in split_graphemes(text)[0]}
    pieces = [line[0]]
    place = len(line[0].text)
    for piece in line[1:]:
        ahead = 0
        while ahead < len(piece.text) and place + ahead not in starts:
            ahead += 1
        if ahead:
            pieces[-1] = pieces[-1]._replace(text=pieces[-1].text + piece.text[:ahead])
        if ahead < len(piece.text):
            pieces.append(piece._replace(text=piece.text[ahead:]))
        place += len(piece.text)
    return tuple(pieces)


def _cut(line: Line, spans: list[Span]) -> Iterator[Line]:
    """The parts of a line that the spans name, in their looks."""
    index, before = 0, 0
    for start, end, _ in spans:
        part = []
        while index < len(line):
            piece = line[index]
            text = piece.text[max(0, start - before) : end - before]
            if text:
                part.append(piece if text == piece.text else piece._replace(text=text))
            if before + len(piece.text) > end:
                break
            before += len(piece.text)
            index += 1
        yield tuple(part)
