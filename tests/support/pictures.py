"""Pictures of a screen as text, which can be read, compared and reviewed.

A picture has the rows of the screen; below them, in which ink each cell is drawn, as runs of
letters with their lengths; and what each letter stands for: colour, ground and emphasis, in one
theme after the other.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, product
from string import ascii_letters
from typing import NamedTuple

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.app import App

EMPHASIS = ("bold", "dim", "italic", "underline", "strike", "reverse")
SEEN_OF_BLANKS = ("underline", "strike", "reverse")


class Cell(NamedTuple):
    """What is drawn in a cell; the second one of a wide character has no text."""

    text: str
    front: str
    """Colour and emphasis; empty where nothing of them is seen."""
    ground: str


Row = tuple[Cell, ...]
Ink = tuple[tuple[str, str], ...]
"""Front and ground in one theme after the other."""


def drawn(app: App[None]) -> list[list[Segment]]:
    """The rows of the screen as they go to the terminal."""
    return [list(strip) for strip in app.screen._compositor.render_strips()]


def cells(rows: Sequence[Sequence[Segment]]) -> tuple[Row, ...]:
    """Rows, cell by cell."""
    return tuple(tuple(cell for part in row for cell in _cells(part)) for row in rows)


def words(rows: Sequence[Row]) -> str:
    """The text of a screen, without blanks at the ends of rows."""
    return "\n".join("".join(cell.text for cell in row).rstrip() for row in rows)


def picture(*screens: Sequence[Row]) -> str:
    """One screen, shown in several themes, as text."""
    letters: dict[Ink, str] = {}
    names = _names()
    lines = []
    for rows in zip(*screens, strict=True):
        inks = _inks(list(zip(*rows, strict=True)))
        lines.append([letters.get(ink) or letters.setdefault(ink, next(names)) for ink in inks])
    listed = [f"{name:<3}{_told(ink)}" for ink, name in letters.items()]
    return "\n".join((words(screens[0]), "", *_runs(lines), "", *listed, ""))


def _cells(part: Segment) -> Iterator[Cell]:
    style = part.style or Style()
    marks = [mark for mark in EMPHASIS if getattr(style, mark)]
    front = " ".join((_hex(style.color), *marks))
    blank = not any(mark in SEEN_OF_BLANKS for mark in marks)
    ground = _hex(style.bgcolor)
    for character in part.text:
        cell = Cell(character, "" if character == " " and blank else front, ground)
        yield cell
        if cell_len(character) > 1:
            yield cell._replace(text="")


def _hex(colour: Color | None) -> str:
    if colour is None or colour.is_default:
        return "default"
    return colour.triplet.hex if colour.triplet is not None else colour.name


def _inks(row: Sequence[tuple[Cell, ...]]) -> list[Ink]:
    """The ink of each cell of a row; a blank is in that of its neighbour where it could be."""
    inks: list[Ink] = []
    for cell in row:
        ink = tuple((one.front, one.ground) for one in cell)
        grounds = [ground for _, ground in ink]
        blank = not any(front for front, _ in ink)
        if blank and inks and grounds == [ground for _, ground in inks[-1]]:
            ink = inks[-1]
        inks.append(ink)
    return inks


def _names() -> Iterator[str]:
    yield from ascii_letters
    for pair in product(ascii_letters, ascii_letters):
        yield "".join(pair)


def _told(ink: Ink) -> str:
    return "   ".join(f"{front or 'blank':<22} on {ground}" for front, ground in ink).rstrip()


def _runs(lines: Sequence[Sequence[str]]) -> Iterator[str]:
    """The letters of each row with their lengths; rows that are alike are told once."""
    first = 1
    for runs, alike in groupby(
        " ".join(f"{name}{len(list(run))}" for name, run in groupby(line)) for line in lines
    ):
        last = first + len(list(alike)) - 1
        yield f"{first if first == last else f'{first}-{last}'}: {runs}"
        first = last + 1
