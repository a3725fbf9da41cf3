"""Digests of rows: columns, how many rows, and samples of them."""

from itertools import islice

from memory.content.compactors.sketch import About, Group, Sketch, lines_of, many
from memory.content.telling import READ, clipped

MARKS = ("\t", "|", ";", ",")
"""What columns are separated by."""
LOOKED_AT = 5
"""Rows whose columns have to agree."""
LEAST_ROWS = 3
"""A header and two rows: less is any text with a comma."""
SAMPLES = 4
"""Rows that are quoted: three of the beginning and the last one."""


def read_rows(text: str, about: About) -> Sketch | None:
    """A table whose first rows have equally many columns."""
    text = text.lstrip()
    head = text[:READ].split("\n", LOOKED_AT + 1)[: LOOKED_AT + 1]
    for mark in MARKS:
        cells = {row.count(mark) for row in head[:LOOKED_AT] if row.strip(" -+|")}
        if len(head) >= LEAST_ROWS and len(cells) == 1 and min(cells) > 0:
            return _drawn(text, head[0], mark)
    return None


def _drawn(text: str, header: str, mark: str) -> Sketch:
    columns = [cell.strip(' "') for cell in header.strip(mark).split(mark)]
    rows = [row for row in islice(_rows(text), 1, SAMPLES) if row.strip(" -+|:")]
    last = text[-READ:].rstrip().rsplit("\n", 1)[-1]
    samples = [_sample(row, mark) for row in dict.fromkeys([*rows, last])]
    return Sketch(
        f"table, {lines_of(text)}, columns",
        (Group(columns), Group([f"“{row}”" for row in samples], f"{_count(text)}:")),
    )


def _rows(text: str) -> list[str]:
    return text[:READ].split("\n", 2 * SAMPLES)


def _sample(row: str, mark: str) -> str:
    return clipped(" | ".join(cell.strip(' "') for cell in row.strip(mark).split(mark)))


def _count(text: str) -> str:
    """How many rows stand below the header; lines drawn below it are none."""
    second = text.split("\n", 2)[1]
    ruled = not second.strip(" -+|:")
    return many(text.rstrip("\n").count("\n") - ruled, "row")
