"""Blocks that grow at their end by lines: code, tables, and text that is shown as it is."""

import re
from dataclasses import replace
from typing import Protocol

from widgets.markdown.blocks import Block, Code, Line, Paragraph, Table
from widgets.markdown.breaking import line_rows
from widgets.markdown.code import GrowingCode
from widgets.markdown.layout import block_rows, code_rows, label_rows
from widgets.markdown.library import References
from widgets.markdown.parsing import language_of, parse
from widgets.markdown.tables import Columns
from widgets.markdown.unfinished import without_loose_ends
from widgets.rows import Piece, Row
from widgets.wrapping import TAB

_FENCE = re.compile(
    r"(?P<above>(?:[ \t]*+\n)*+)(?P<indent>[ ]{0,3}+)(?P<fence>`{3,}+|~{3,}+)(?P<info>.*+)\n"
)


class OpenBlock(Protocol):
    """A block that is not at its end."""

    @property
    def block(self) -> Block:
        """What it is; its text may be left out."""

    def grow(self, text: str) -> str | None:
        """Adds text; gives what stands behind the block where it ends, else None."""

    def rows(self) -> list[Row]:
        """The rows of the block so far."""


class OpenCode:
    """Code behind an opening fence, coloured line by line until the closing one comes."""

    def __init__(self, fence: re.Match[str], width: int) -> None:
        language = language_of(fence["info"])
        self.gap = bool(fence["above"])
        self.block: Block = Code("", language)
        self._indent = len(fence["indent"])
        mark = fence["fence"]
        fence_again = rf"^[ ]{{0,3}}{re.escape(mark[0])}{{{len(mark)},}}+[ \t]*+"
        self._end = re.compile(rf"{fence_again}\n", re.MULTILINE)
        self._perhaps_end = re.compile(rf"{fence_again}\Z")
        self._language = language
        self._width = width
        self._code = GrowingCode(language)
        self._rows = label_rows(language, width)
        self._last = ""
        self._ended = False

    def grow(self, text: str) -> str | None:
        """Adds text; gives what stands behind the closing fence."""
        text = self._last + text
        end = self._end.search(text)
        *lines, self._last = (text[: end.start()] if end else text).split("\n")
        if lines:
            shown = self._code.add([self._dedented(line) for line in lines])
            self._rows += code_rows(shown, self._width)
        self._ended = end is not None
        return text[end.end() :] if end else None

    def rows(self) -> list[Row]:
        """The rows so far; the right ones where the code has ended."""
        if self._ended:
            return block_rows(Code(self._code.text, self._language), self._width)
        last = self._dedented(self._last)
        if not last or self._perhaps_end.match(self._last):
            return list(self._rows)
        return [*self._rows, *code_rows(self._code.preview([last]), self._width)]

    def _dedented(self, line: str) -> str:
        spaces = len(line) - len(line.lstrip(" "))
        return line[min(self._indent, spaces) :]


def opened_code(text: str) -> re.Match[str] | None:
    """The fence that a text begins with, if it does."""
    fence = _FENCE.match(text)
    return None if fence and fence["fence"][0] == "`" and "`" in fence["info"] else fence


class OpenTable:
    """A table whose names and the line below them have come."""

    def __init__(self, head: str, table: Table, width: int, references: References) -> None:
        self.block: Block = table
        self._head = head
        self._columns = Columns(replace(table, rows=()), width)
        self._references = references
        self._last = ""
        self._more: tuple[tuple[Line, ...], ...] = ()

    def grow(self, text: str) -> str | None:
        """Adds text; gives what stands behind the last row where something else does."""
        lines = (self._last + text).split("\n")
        shown = without_loose_ends("\n".join([self._head, *lines]))
        blocks = parse(shown, dict(self._references))
        found = blocks[0].block
        rows = found.rows if isinstance(found, Table) else ()
        ended = len(blocks) > 1 or (len(lines) > len(rows) + 1 and not lines[len(rows)].strip())
        whole = len(rows) if ended else min(len(rows), len(lines) - 1)
        self._columns.add(rows[:whole])
        self._more = rows[whole:]
        self._last = "\n".join(lines[whole:])
        return self._last if ended else None

    def rows(self) -> list[Row]:
        """The rows so far."""
        return self._columns.rows(self._more)


class OpenText:
    """Text that is shown as it is."""

    def __init__(self, width: int) -> None:
        self.block: Block = Paragraph(())
        self._width = width
        self._rows: list[Row] = []
        self._last = Row()

    def grow(self, text: str) -> None:
        """Adds text. Only the last row can still change."""
        for index, line in enumerate((self._last.text + text).split("\n")):
            shown = line.expandtabs(TAB)
            rows = line_rows((Piece(shown),) if shown else (), self._width)
            if index:
                self._rows.append(self._last)
            else:
                rows[0] = replace(rows[0], glue=self._last.glue)
            *whole, self._last = rows
            self._rows += whole

    def rows(self) -> list[Row]:
        """The rows so far."""
        return [*self._rows, self._last]
