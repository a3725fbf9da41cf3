"""What a terminal shows of the bytes that a program writes to it.

Enough of a terminal for a program that fills the screen: places, text, clearing, the second
screen, modes. What it does not know it refuses, so that no test rests on a guess.
"""

import re
from codecs import getincrementaldecoder

from rich.cells import get_character_cell_size

_PART = re.compile(
    r"\x1b\[(?P<parameters>[0-?]*)(?P<between>[ -/]*)(?P<final>[@-~])"
    r"|\x1b[]PX^_](?P<string>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b(?P<short>[^]\[PX^_])"
    r"|(?P<control>[\x00-\x1a\x1c-\x1f\x7f])"
    r"|(?P<text>[^\x00-\x1f\x7f]+)"
)
_COLOURS = frozenset((3, 4, 9, 10))
"""The tens of the numbers that ask for a colour; `_OWN` asks for the terminal's own."""
_OWN = frozenset((39, 49))
SECOND_SCREEN = 1049
ORDINARY_MODES = frozenset({7, 25})
"""Lines wrap and the cursor is seen: how a terminal begins and has to be left."""

Cells = list[list[str]]


class Screen:
    """A screen that is written to and read from."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self.modes = set(ORDINARY_MODES)
        """The private modes that are on, by number."""
        self.keyboards = 0
        """How many ways of telling keys were put upon the terminal's own."""
        self.strings: list[str] = []
        """What was sent to the terminal itself, as for its clipboard."""
        self.colours = 0
        """How often a colour was asked for."""
        self.column = self.row = 0
        self._cells = self._blank()
        self._other = self._blank()
        self._rest = ""
        self._decode = getincrementaldecoder("utf-8")("replace").decode

    @property
    def lines(self) -> list[str]:
        """What is shown, row by row, without the spaces at the end."""
        return ["".join(row).rstrip() for row in self._cells]

    @property
    def text(self) -> str:
        """All that is shown."""
        return "\n".join(self.lines)

    def feed(self, data: bytes) -> None:
        """Takes what the program has written."""
        self._rest += self._decode(data)
        while self._rest and (part := _PART.match(self._rest)) is not None:
            self._rest = self._rest[part.end() :]
            self._obey(part)
        assert len(self._rest) < 100_000, self._rest[:80]

    def resize(self, columns: int, rows: int) -> None:
        """Has another size from now on; what lies outside is lost."""
        self.columns, self.rows = columns, rows
        self._cells, self._other = (self._cut(cells) for cells in (self._cells, self._other))
        self._move(self.row, self.column)

    # -- inside

    def _obey(self, part: re.Match[str]) -> None:
        if part["text"] is not None:
            self._write(part["text"])
        elif part["control"] is not None:
            self._control(part["control"])
        elif part["string"] is not None:
            self.strings.append(part["string"])
        elif part["final"] is not None:
            self._sequence(part["parameters"], part["between"] + part["final"])
        else:
            raise AssertionError(f"unknown: {part.group()!r}")

    def _sequence(self, parameters: str, final: str) -> None:
        numbers = [int(number or 0) for number in parameters.lstrip("?><=").split(";")]
        first, second = numbers[0], numbers[1] if len(numbers) > 1 else 0
        match final:
            case "H":
                self._move((first or 1) - 1, (second or 1) - 1)
            case "m":
                self.colours += any(n // 10 in _COLOURS and n not in _OWN for n in numbers)
            case "h" | "l" if parameters.startswith("?"):
                self._set_modes(numbers, on=final == "h")
            case "J" | "K":
                self._clear(first, whole=final == "J")
            case "u" if parameters[:1] in "><":
                self.keyboards += 1 if parameters.startswith(">") else -1
            case "$p":
                pass  # a question that no terminal has to answer
            case _:
                raise AssertionError(f"unknown: {parameters}{final}")

    def _set_modes(self, numbers: list[int], *, on: bool) -> None:
        for number in numbers:
            if number == SECOND_SCREEN and on != (number in self.modes):
                self._cells, self._other = self._other, self._cells
                self._cells = self._blank() if on else self._cells
            (self.modes.add if on else self.modes.discard)(number)

    def _control(self, control: str) -> None:
        match control:
            case "\r":
                self.column = 0
            case "\n" if self.row + 1 < self.rows:
                self.row += 1
            case "\n":
                self._cells = [*self._cells[1:], [" "] * self.columns]
            case "\b":
                self.column = max(0, self.column - 1)
            case "\x07":
                pass
            case _:
                raise AssertionError(f"unknown: {control!r}")

    def _write(self, text: str) -> None:
        for character in text:
            width = get_character_cell_size(character)
            if width == 0:
                self._cells[self.row][max(0, self.column - 1)] += character
                continue
            if self.column + width > self.columns:
                self._overflow(width)
            row = self._cells[self.row]
            row[self.column : self.column + width] = [character, ""][:width]
            self.column += width

    def _overflow(self, width: int) -> None:
        if 7 in self.modes:
            self._control("\n")
            self.column = 0
        else:
            self.column = max(0, self.columns - width)

    def _move(self, row: int, column: int) -> None:
        self.row = min(row, self.rows - 1)
        self.column = min(column, self.columns - 1)

    def _clear(self, what: int, *, whole: bool) -> None:
        """Clears from the cursor on (0), up to it (1) or everything (2), in its row or in all."""
        here = self.row * self.columns + self.column
        start, end = (here if what == 0 else 0), (here + 1 if what == 1 else 10**9)
        if not whole:
            start = max(start, self.row * self.columns)
            end = min(end, (self.row + 1) * self.columns)
        for place in range(start, min(end, self.rows * self.columns)):
            self._cells[place // self.columns][place % self.columns] = " "

    def _blank(self) -> Cells:
        return [[" "] * self.columns for _ in range(self.rows)]

    def _cut(self, cells: Cells) -> Cells:
        blank = [" "] * self.columns
        rows = [[*row, *blank][: self.columns] for row in cells[: self.rows]]
        return [*rows, *(list(blank) for _ in range(self.rows - len(rows)))]
