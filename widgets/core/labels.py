"""What stands beside the rows: each layer's name and figure, in rows of its own. Pure."""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from widgets.core.heights import trigger_row
from widgets.core.rows import INKS, CoreRow
from widgets.core.view import CoreView, LayerName
from widgets.figures import THOUSAND, short_number

NAMES: dict[LayerName, tuple[str, str]] = {
    "system": ("system", "system"),
    "files": ("files", "files"),
    "tools": ("tools", "tools"),
    "long_term": ("long-term", "long"),
    "short_term": ("short-term", "short"),
    "window": ("window", "window"),
    "draft": ("typing", "typing"),
    "answer": ("answer", "answer"),
    "working": ("working", "work"),
    "facts": ("facts", "facts"),
    "recalled": ("recalled", "recall"),
}
"""The name of each layer, and the shorter one for where there is little room."""
ARROW = "◂"
LEAST_SKY = 5
"""Rows of sky that are named."""


class Label(NamedTuple):
    """A text and its ink."""

    text: str
    ink: str


NOTHING = Label("", "dim")


def labels(rows: Sequence[CoreRow], view: CoreView, width: int) -> list[Label]:
    """A label for every row, from the top to the bottom; where they stand depends on rows only.

    The trigger keeps its label where the column has grown over its line.

    Args:
        rows: As `layout` makes them.
        view: Their figures.
        width: Cells for a label.
    """
    made = [NOTHING] * len(rows)
    tokens = {layer.name: layer.tokens for layer in view.layers}
    start = 0
    for (names, of_sky), run in groupby(rows, _kind):
        number = len(list(run))
        if names:
            figure = sum(tokens.get(name, 0) for name in names)
            texts, ink = _named(names[0], figure, number, width), INKS[names[0]]
        else:
            # The sky above the trigger is part of the same free space: it is named once.
            adjoining = start + number < len(rows) and bool(rows[start + number].layers)
            texts, ink = _of_sky(of_sky, view, number if adjoining else 1, width)
        first = start + (number - 1) // 2
        made[first : first + len(texts)] = [Label(text, ink) for text in texts]
        start += number
    line = len(rows) - 1 - trigger_row(view, len(rows))
    if view.folds and line >= 0 and made[line] is NOTHING and rows[line].layers:
        made[line] = Label(short_number(view.trigger)[:width], "trigger")
    return made


def _kind(row: CoreRow) -> tuple[tuple[LayerName, ...], str]:
    return row.layers, "" if row.layers else row.ink


def _named(name: LayerName, tokens: int, rows: int, width: int) -> list[str]:
    """Name above figure, or both in one row, or what fits of them."""
    long, short = NAMES[name]
    if rows > 1:
        return [long if len(long) <= width else short[:width], short_number(tokens)[:width]]
    rough = f"{tokens / THOUSAND:.0f}k" if tokens >= THOUSAND else str(tokens)
    texts = (f"{short} {short_number(tokens)}", f"{short} {rough}", short[:width])
    return [next(text for text in texts if len(text) <= width)]


def _of_sky(ink: str, view: CoreView, rows: int, width: int) -> tuple[list[str], str]:
    if ink == "trigger":
        return [short_number(view.trigger)[:width]], "trigger"
    if ink == "over":
        return [f"{short_number(view.overflow)} over"[:width]], "over"
    free = view.limit - view.used
    if rows < LEAST_SKY or free <= 0 or not view.layers or not view.known:
        return [], "dim"
    return ["free"[:width], short_number(free)[:width]], "dim"
