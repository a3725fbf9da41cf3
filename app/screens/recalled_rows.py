"""What was recalled for a turn, as its screen lists and opens it (RECALL-4). Pure."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from widgets.figures import clock, count, short_number
from widgets.panes.ages import age
from widgets.panes.blocks import Keyed, heading, plain
from widgets.panes.content import short_age
from widgets.panes.fitting import at_ends, line, padded, paragraph, thin_bar
from widgets.panes.labelled import LABEL_CELLS, labelled
from widgets.panes.recalled import (
    BAR_CELLS,
    BY_WORDS,
    FACT,
    LEFT_OUT,
    NOT_NOW,
    ORIGINS,
    PASSAGE,
    SCORE_CELLS,
    backlog,
    best_of,
    figures,
    score_pieces,
    source_of,
)
from widgets.panes.view import PARTS, PaneView, wrapped
from widgets.plain import one_line
from widgets.rows import EMPTY, Piece, Row

if TYPE_CHECKING:
    from memory.recall_views import FoundView, IndexView, RecallView
    from memory.storage.said import Said

PINNED_FACT = "it is pinned: it stands in every prompt"
STANDS = "it stands in this turn"
ORDER = (
    "words",
    "meaning",
    "neighbours",
    "episode",
    "speaker",
    "dates",
    "form",
    "recency",
    "importance",
)
"""The parts of a score as they are listed; others come after them."""
NAME_CELLS = 7
"""Cells of the longest kind."""
LEAST_FOR_BARS = 34
BARS_CELLS = 20


def found_by(view: "RecallView | None") -> "dict[str, FoundView]":
    """All that was found, by the keys of their rows."""
    return dict(_keyed(view)) if view is not None else {}


def list_rows(
    view: "RecallView | None", index: "IndexView | None", width: int, now: datetime
) -> PaneView:
    """Passages, facts, and what was left out: a row each.

    Args:
        view: What was found; None where nothing was.
        index: How far searches are complete; None for a moment of the past.
        width: Cells of a row.
        now: The moment.
    """
    told = backlog(index) if index is not None else ""
    rows: list[Keyed] = plain(paragraph(told, width) if told else ())
    if view is None:
        return _pane([*rows, *plain(paragraph(NOT_NOW, width))])
    if not view.meaning:
        rows += plain(paragraph(BY_WORDS, width))
    best, titles = best_of(view), {PASSAGE: "passages", FACT: "facts", LEFT_OUT: "left out"}
    for key, found in _keyed(view):
        title = titles.pop(f"{key.partition(':')[0]}:", "")
        if title:
            rows += plain(heading(title, "", width, "dim")[0 if rows else 1 :])
        rows.append((_row(found, best, width, now), key))
    return _pane(rows)


def detail_rows(found: "FoundView", said: "Said | None", width: int, now: datetime) -> PaneView:
    """All that is known of one of them.

    Args:
        found: What was found.
        said: The whole text and where it stands; None where that is not known any more.
        width: Cells of a row.
        now: The moment.
    """
    rows = [
        *wrapped(said.text if said is not None else found.text, width),
        EMPTY,
        *labelled(_about(found, said, now), width),
        *_bars(found.parts, width),
    ]
    return PaneView(tuple(rows))


def heading_of(view: "RecallView | None") -> str:
    """For which message it was searched, and what that brought."""
    if view is None:
        return "nothing in this turn"
    words = "" if view.meaning else BY_WORDS
    return PARTS.join(filter(None, (f"for message {view.number:,}", figures(view), words)))


def _keyed(view: "RecallView") -> "Iterator[tuple[str, FoundView]]":
    for name, all_found in ((PASSAGE, view.texts), (FACT, view.facts), (LEFT_OUT, view.left_out)):
        for place, found in enumerate(all_found):
            yield f"{name}{place}", found


def _row(found: "FoundView", best: float, width: int, now: datetime) -> Row:
    name, ink = source_of(found)
    score = score_pieces(found.score, best, BAR_CELLS)
    if not found.parts:
        score = [Piece(f"{'pinned':>{BAR_CELLS + SCORE_CELLS}} ", "dim")]
    left = [*score, Piece(f"{padded(name, NAME_CELLS)} ", ink)]
    right = [
        Piece(f" {short_number(found.tokens):>5}", "dim"),
        Piece(f" {short_age(found.at, now):>6}", "dim"),
    ]
    return line(left, Piece(found.text, "dim" if found.why_not else "text"), right, width)


def _about(found: "FoundView", said: "Said | None", now: datetime) -> dict[str, str]:
    name, _ = source_of(found)
    by = f"{name} by {one_line(found.role)}" if found.kind not in ("message", "fact") else name
    why = STANDS if found.parts else PINNED_FACT
    place = "this session" if found.here else ""
    if not found.here and said is not None and said.number:
        place = f"“{said.name}”"
    return {
        "brought": f"no: {found.why_not}" if found.why_not else f"yes, {why}",
        "from": PARTS.join(filter(None, (by, ORIGINS.get(found.origin, "")))),
        "message": f"{found.number:,}" if found.number else "",
        "session": place,
        "said": f"{clock(found.at, now)} ({age(found.at, now)})" if found.at else "",
        "size": count(found.tokens, "token"),
        "score": f"{found.score:.2f}" if found.parts else "",
    }


def _bars(parts: Mapping[str, float], width: int) -> list[Row]:
    """The parts of a score: a bar each, as long as it is a part of the largest."""
    if not parts:
        return []
    most = max(abs(part) for part in parts.values()) or 1.0
    rows = heading("what the score is made of", "", width, "dim")
    cells = min(BARS_CELLS, width - LABEL_CELLS - 8) if width >= LEAST_FOR_BARS else 0
    for name in _ordered(parts):
        part = parts[name]
        label = Piece(f"{padded(name, LABEL_CELLS)} ", "dim")
        figure = Piece(f"{part:>6.2f} ", "lost" if part < 0 else "text")
        bar = thin_bar(max(0.0, part) / most, cells, "recalled") if cells > 0 else []
        rows.append(at_ends([label, figure, *bar], [], width))
    return rows


def _ordered(parts: Mapping[str, float]) -> Sequence[str]:
    known = [name for name in ORDER if name in parts]
    return (*known, *(name for name in parts if name not in ORDER))


def _pane(rows: Sequence[Keyed]) -> PaneView:
    return PaneView(tuple(row for row, _ in rows), "", tuple(key for _, key in rows))
