"""Breaking text into rows of a width; quick, since a long transcript is broken anew at a resize."""

from collections.abc import Iterator

from rich.cells import cell_len

from widgets.plain import complete_part, printable

TAB = 4


def wrap(text: str, width: int) -> list[str]:
    """The rows of a text that `printable` has cleaned.

    Args:
        text: Any number of lines.
        width: Cells of a row, at least 2, so that a wide character has room.
    """
    rows: list[str] = []
    for line in text.split("\n"):
        rows.extend(wrap_line(line.expandtabs(TAB).rstrip(), max(2, width)))
    return rows


def wrap_line(line: str, width: int) -> Iterator[str]:
    """The rows of one line, broken at spaces where there are any."""
    narrow = len(line) == cell_len(line)
    start = 0
    while True:
        end = start + width if narrow else _fitting(line, start, width)
        if end >= len(line):
            yield line[start:]
            return
        space = line.rfind(" ", start, end + 1)
        # Spaces at the start are an indentation: a row of nothing else would be a hole.
        if space <= start or not line[start:space].strip():
            space = -1
        yield line[start : space if space > 0 else end]
        start = space + 1 if space > 0 else end


def _fitting(line: str, start: int, width: int) -> int:
    """Where the longest piece of a line ends that begins at `start` and fits."""
    cells = 0
    for index in range(start, len(line)):
        cells += cell_len(line[index])
        if cells > width:
            return max(index, start + 1)
    return len(line)


class GrowingText:
    """A text that grows at its end, broken into rows as it comes.

    All rows but the last stay as they are, so that a piece costs its own length and not the
    length of what came before.
    """

    def __init__(self, width: int, text: str = "") -> None:
        self._width = max(2, width)
        self._whole: list[str] = []
        self._rows: list[str] = []
        self._last = ""
        self._begun = ""
        if text:
            self.grow(text)

    @property
    def text(self) -> str:
        """All that has come, as it came."""
        return "".join(self._whole)

    @property
    def rows(self) -> list[str]:
        """The rows so far."""
        return [*self._rows, self._last]

    def grow(self, text: str) -> None:
        """Adds a piece."""
        self._whole.append(text)
        shown, self._begun = complete_part(self._begun + text)
        lines = (self._last + printable(shown)).split("\n")
        for index, line in enumerate(lines):
            rows = list(wrap_line(line.expandtabs(TAB), self._width))
            self._last = rows.pop()
            self._rows += rows
            if index < len(lines) - 1:
                self._rows.append(self._last)

    def at_width(self, width: int) -> "GrowingText":
        """The same text in rows of another width."""
        return GrowingText(width, self.text)
