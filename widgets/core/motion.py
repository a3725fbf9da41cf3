"""How the core moves when memory was folded: bands sink, darken, become the next layer. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from math import ceil

from widgets.core.heights import WHOLE
from widgets.core.rows import SKY, CoreRow
from widgets.core.view import ORDER, CoreView

SINKING = "sinking"
FOLDED_INK = "folding"
_PLACES = [name for name in ORDER if name != "window"]
_PLACES[_PLACES.index("draft") : _PLACES.index("draft")] = [SINKING, "window"]

Parts = dict[str, list[CoreRow]]
"""The rows of the column from the bottom to the top, by what moves together."""


def folded(before: CoreView, after: CoreView) -> bool:
    """Whether a compaction has landed between two views: a summary now covers what was verbatim."""
    if before.session != after.session or before.versions == after.versions:
        return False
    if not before.messages:
        return False
    first = after.messages[0].number if after.messages else before.messages[-1].number + 1
    return first > before.messages[0].number


def between(before: Sequence[CoreRow], after: Sequence[CoreRow], t: float) -> list[CoreRow]:
    """The rows on the way from one layout to another of the same height.

    Args:
        before: Rows as they were, from the top to the bottom.
        after: Rows as they will be.
        t: The part of the way, from 0 to 1.
    """
    if t <= 0 and len(before) == len(after):
        return list(before)
    if t >= 1 or len(before) != len(after):
        return list(after)
    kept = min((row.first for row in after if row.first), default=0)
    old, new = _parts(before, kept), _parts(after, kept)
    rows = _column(old, new, t)[: len(after)]
    sky = [row if not row.layers else SKY for row in after[: len(after) - len(rows)]]
    return [*sky, *reversed(rows)]


def _parts(rows: Sequence[CoreRow], kept: int) -> Parts:
    """The parts of a column; what lies below message `kept` of the window sinks."""
    parts: Parts = {}
    for row in reversed(rows):
        if row.layers:
            sinks = row.first and (not kept or row.last < kept)
            parts.setdefault(SINKING if sinks else row.layers[0], []).append(row)
    return parts


def _column(old: Parts, new: Parts, t: float) -> list[CoreRow]:
    """The rows of the column from the bottom to the top; the top is as full as it truly is."""
    names = [name for name in _PLACES if name in old or name in new]
    heights = [(1 - t) * _height(old.get(name)) + t * _height(new.get(name)) for name in names]
    edges = [0, *accumulate(heights)]
    total = ceil(edges[-1] - 1e-9)
    rows: list[CoreRow] = []
    for name, edge in zip(names, edges[1:], strict=True):
        number = (total if name == names[-1] else min(total, round(edge))) - len(rows)
        rows += _stretched(name, old, new, t, max(0, number))
    if rows:
        share = edges[-1] - (len(rows) - 1)
        rows[-1] = replace(rows[-1], eighths=min(WHOLE, max(1, round(WHOLE * share))))
    return rows


def _height(rows: Sequence[CoreRow] | None) -> float:
    return len(rows) - 1 + rows[-1].eighths / WHOLE if rows else 0.0


def _stretched(name: str, old: Parts, new: Parts, t: float, number: int) -> list[CoreRow]:
    """So many rows of a part, as it was in the first half of the way and will be in the second."""
    source = (old.get(name) or new[name]) if t < 0.5 else (new.get(name) or old[name])  # noqa: PLR2004
    rows = [source[index * len(source) // number] for index in range(number)]
    if name == SINKING:
        return [replace(row, eighths=WHOLE, toward=FOLDED_INK, mix=t) for row in rows]
    return [row if row.eighths == WHOLE else replace(row, eighths=WHOLE) for row in rows]
