"""Breaking plain text into rows of a width; quick, since long texts are broken anew at a resize."""

from collections.abc import Iterator

from rich.cells import cell_len

from widgets.rows import Piece, Row

TAB = 4


def wrap(text: str, width: int) -> list[str]:
    """The rows of a text that `printable` has cleaned, as text alone.

    Args:
        text: Any number of lines.
        width: Cells of a row, at least 2, so that a wide character has room.
    """
    return [row.text for row in plain_rows(text, width)]


def plain_rows(text: str, width: int, ink: str = "text") -> list[Row]:
    """The rows of a text that `printable` has cleaned, in one ink.

    Args:
        text: Any number of lines.
        width: Cells of a row, at least 2, so that a wide character has room.
        ink: The look of all of it.
    """
    rows: list[Row] = []
    for line in text.split("\n"):
        pieces = broken(line.expandtabs(TAB).rstrip(), max(2, width))
        rows += [Row((Piece(part, ink),) if part else (), glue) for part, glue in pieces]
    return rows


def broken(line: str, width: int) -> Iterator[tuple[str, str | None]]:
    """The parts of one line that fit, broken at spaces where there are any.

    Yields:
        Each part, and what stood before it: a space, nothing, or None at the line's start.
    """
    narrow = len(line) == cell_len(line)
    start, glue = 0, None
    while True:
        end = start + width if narrow else _fitting(line, start, width)
        if end >= len(line):
            yield line[start:], glue
            return
        space = line.rfind(" ", start, end + 1)
        # Spaces at the start are an indentation: a row of nothing else would be a hole.
        if space <= start or not line[start:space].strip():
            space = -1
        yield line[start : space if space > 0 else end], glue
        start, glue = (space + 1, " ") if space > 0 else (end, "")


def wrap_line(line: str, width: int) -> Iterator[str]:
    """The parts of one line that fit, as `broken` finds them."""
    return (part for part, _ in broken(line, width))


def _fitting(line: str, start: int, width: int) -> int:
    """Where the longest piece of a line ends that begins at `start` and fits."""
    cells = 0
    for index in range(start, len(line)):
        cells += cell_len(line[index])
        if cells > width:
            return max(index, start + 1)
    return len(line)
