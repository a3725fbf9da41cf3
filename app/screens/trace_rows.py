"""The ways of a text as the Trace screen lists them. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len

from app.chat.trace_command import answer, more, nowhere
from memory.views import PlaceKind, Trace, TraceStep
from widgets.figures import clock, count
from widgets.panes.blocks import Keyed, plain
from widgets.panes.view import PARTS, PaneView, wrapped
from widgets.plain import one_line
from widgets.rows import EMPTY, Piece, Row

if TYPE_CHECKING:
    from memory.tracing import Traced

INKS: Mapping[PlaceKind, str] = {
    "message": "you",
    "window": "you",
    "edited": "recalled",
    "receipt": "recalled",
    "summary": "short-term",
    "details": "short-term",
    "pin": "facts",
    "content": "recalled",
    "left": "lost",
}
"""The hue of each station, which is that of the stratum it lies in."""
MARKS: Mapping[PlaceKind, str] = {
    "message": "●",
    "window": "●",
    "edited": "◐",
    "receipt": "○",
    "summary": "▪",
    "details": "▪",
    "pin": "◆",
    "content": "○",
    "left": "×",
}
"""Hue is never the only sign."""


def trace_rows(
    traced: "Traced", compactions: Mapping[int, str], width: int, now: datetime
) -> PaneView:
    """The ways, newest first; a station that is a compaction opens it.

    Args:
        traced: The ways.
        compactions: The ids of compactions by their events' numbers.
        width: Cells of a row.
        now: The present, which decides how times are told.
    """
    if not traced.ways:
        return PaneView(tuple(wrapped(nowhere(traced), width, "dim")))
    rows: list[Keyed] = []
    for place, way in enumerate(traced.ways):
        rows += _way_rows(way, place, compactions, width, now)
    if traced.more:
        rows += plain([EMPTY, *wrapped(more(traced), width, "dim")])
    inside = sum(way.in_prompt for way in traced.ways)
    figures = f"{count(len(traced.ways), 'way')}{PARTS}{inside} in the prompt"
    return PaneView(tuple(row for row, _ in rows), figures, tuple(key for _, key in rows))


def compaction_of(key: str) -> str:
    """The compaction that a row opens."""
    return key.partition(":")[2]


def _way_rows(
    way: Trace, place: int, compactions: Mapping[int, str], width: int, now: datetime
) -> list[Keyed]:
    ink = "you" if way.in_prompt else "lost"
    told = [
        Row(tuple(Piece(piece.text, ink, "b") for piece in row.pieces), row.glue)
        for row in wrapped(answer(way), width)
    ]
    rows = plain([EMPTY, *told] if place else told)
    times = [_when(step, now) for step in way.steps]
    indent = max(map(len, times), default=0)
    for step, at in zip(way.steps, times, strict=True):
        id = compactions.get(step.n)
        key = f"{place}-{step.n}:{id}" if id is not None else None
        rows += [(row, key) for row in _step_rows(step, f"{at:>{indent}}", width)]
    return rows


def _when(step: TraceStep, now: datetime) -> str:
    """The time, and the newest message then."""
    at = clock(step.at, now)
    return at if step.message is None else f"{at} {step.message:>5,}"


def _step_rows(step: TraceStep, at: str, width: int) -> list[Row]:
    ink = INKS[step.place]
    if step.place == "summary" and "long-term" in step.what:
        ink = "long-term"
    lead = f"{at} "
    indent = cell_len(lead) + 2
    told = wrapped(one_line(step.what), width - indent)
    rows = [Row((Piece(lead, "dim"), Piece(f"{MARKS[step.place]} ", ink), *told[0].pieces))]
    quoted = wrapped(one_line(step.excerpt), width - indent, "dim") if step.excerpt else []
    return [*rows, *(_indented(row, indent) for row in (*told[1:], *quoted))]


def _indented(row: Row, cells: int) -> Row:
    return Row((Piece(" " * cells, "dim"), *row.pieces), row.glue, cells)
