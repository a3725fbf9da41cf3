"""What stands in the list of sessions: columns for a width, and which sessions a filter keeps."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len, set_cell_size

from app.chat.names import START_LENGTH, ago, name_of, short_model, short_size
from widgets.figures import clock, count
from widgets.line import Piece
from widgets.plain import one_line

if TYPE_CHECKING:
    from memory.storage.sessions import SessionInfo

OPEN, ELSEWHERE = "open", "elsewhere"
GAP = 2
BETWEEN = " · "
MARK = 3
"""Cells before the title."""
MARGIN = 1
"""Cells after a row."""
MODEL_CELLS = ((125, 32), (100, 24), (75, 14))
"""Cells of the model's column by the width of a row; in less it is left out."""
LEAST_FOR_FIGURES = 60
LEAST_FOR_WORDS = 100
FIGURES = 8
SIZE = 7
USED = len("21 Nov 2025")
WIDE_USED = len(f"{OPEN} {ELSEWHERE}")
WIDEST = 140
"""Cells of a row: beyond that the eye loses it."""


class Columns(NamedTuple):
    """Cells of the columns; 0 for one that is left out."""

    title: int
    model: int
    messages: int
    size: int
    used: int


def columns_for(width: int) -> Columns:
    """The columns of a list that has so many cells."""
    width = min(width, WIDEST) - MARGIN
    model = next((cells for least, cells in MODEL_CELLS if width >= least), 0)
    messages, size = (FIGURES, SIZE) if width >= LEAST_FOR_FIGURES else (0, 0)
    used = WIDE_USED if width >= LEAST_FOR_WORDS else USED
    others = [cells for cells in (model, messages, size, used) if cells]
    title = max(8, width - MARK - sum(others) - GAP * len(others))
    return Columns(title, model, messages, size, used)


def head_pieces(columns: Columns) -> list[Piece]:
    """The names of the columns."""
    names = ("title", "model", "messages", "size", "last used")
    return [(" " * MARK, "dim"), *_row(names, columns, ("dim",) * len(names))]


def session_pieces(
    session: "SessionInfo", columns: Columns, now: datetime, current: str | None
) -> list[Piece]:
    """A row of the list: its pieces with their inks."""
    here = session.id == current
    elsewhere = session.holder is not None and not here
    used = OPEN if here else ago(session.last_used, now)
    if elsewhere:
        used = f"{OPEN} {ELSEWHERE}" if columns.used >= WIDE_USED else ELSEWHERE
    texts = (
        name_of(session, now),
        short_model(session.model),
        f"{session.messages:,}",
        short_size(session.bytes),
        used,
    )
    inks = (
        "title" if session.title else "untitled",
        "dim",
        "figure",
        "figure",
        "here" if here else "held" if elsewhere else "dim",
    )
    return [(f" {'›' if here else ' '} ", "here"), *_row(texts, columns, inks)]


def detail_pieces(
    session: "SessionInfo", now: datetime, current: str | None, width: int
) -> list[Piece]:
    """What else there is to know of the chosen session, as far as there is room in a line."""
    usage = session.usage
    parts = [
        *([count(session.branches, "branch", "branches")] if session.branches > 1 else []),
        f"begun {clock(session.started_at[:START_LENGTH], now)}",
        f"agent {one_line(session.agent)}",
        one_line(session.model or "no model yet").removeprefix("embedded/"),
    ]
    if usage.input or usage.output:
        parts.append(f"{usage.input:,} tokens in, {usage.output:,} out")
    if usage.cost is not None:
        parts.append(f"${usage.cost:.4f}")
    held = session.holder is not None and session.id != current
    before = f"Open in {one_line(session.holder or '')}. " if held else ""
    while parts and cell_len(before + BETWEEN.join(parts)) > width:
        parts.pop()
    return [(before, "held"), (BETWEEN.join(parts), "dim")]


def said_pieces(said: str, number: int, wanted: str, width: int) -> list[Piece]:
    """What was said in the chosen session of what is sought, as far as there is room.

    Args:
        said: The words with what stands around them.
        number: The message's number; 0 for what is no message.
        wanted: What is sought; its words are marked.
        width: Cells of the line.
    """
    before = f"Message {number:,}: " if number else "Said there: "
    text = _fitted(one_line(said), max(1, width - len(before)), right=False)
    words = [re.escape(word) for word in wanted.split()]
    parts = re.split(f"({'|'.join(words)})", text, flags=re.IGNORECASE) if words else [text]
    marked = [(part, "name" if place % 2 else "dim") for place, part in enumerate(parts)]
    return [(before, "dim"), *(piece for piece in marked if piece[0])]


def found(
    sessions: Sequence["SessionInfo"], wanted: str, now: datetime
) -> "tuple[SessionInfo, ...]":
    """The sessions whose name, model, agent or id holds every word that is wanted."""
    words = wanted.casefold().split()
    return tuple(session for session in sessions if _holds(session, words, now))


def whole_figures(sessions: Sequence["SessionInfo"], shown: int) -> str:
    """How many sessions there are, or are shown, and how large all of them are."""
    size = short_size(sum(session.bytes for session in sessions))
    if not sessions:
        return ""
    if shown == len(sessions):
        return f"{count(shown, 'session')}, {size}"
    return f"{shown:,} of {count(len(sessions), 'session')}"


def _holds(session: "SessionInfo", words: Sequence[str], now: datetime) -> bool:
    said = f"{name_of(session, now)} {session.model or ''} {session.agent} {session.id}".casefold()
    return all(word in said for word in words)


def _row(texts: Sequence[str], columns: Columns, inks: Sequence[str]) -> list[Piece]:
    pieces: list[Piece] = []
    for place, (text, cells, ink) in enumerate(zip(texts, columns, inks, strict=True)):
        if not cells:
            continue
        right = columns._fields[place] in ("messages", "size")
        gap = " " * GAP if pieces else ""
        pieces.append((gap + _fitted(text, cells, right=right), ink))
    return pieces


def _fitted(text: str, cells: int, *, right: bool) -> str:
    length = cell_len(text)
    if length > cells:
        return set_cell_size(text, cells - 1).rstrip().ljust(cells - 1) + "…"
    blank = " " * (cells - length)
    return blank + text if right else text + blank
