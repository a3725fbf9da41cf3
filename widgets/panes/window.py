"""The immediate window as a pane shows it: its messages, newest on top. Pure."""

from functools import lru_cache
from typing import TYPE_CHECKING

from rich.cells import cell_len

from widgets.figures import count, short_number
from widgets.panes.summaries import span
from widgets.panes.view import LABEL_CELLS, PARTS, PaneView, clipped, spread, wrapped
from widgets.plain import one_line
from widgets.rows import Piece, Row

if TYPE_CHECKING:
    from datetime import datetime

    from memory.parts import Role
    from memory.snapshot import MessageView, Snapshot

SPEAKERS: dict["Role", tuple[str, str]] = {
    "user": ("you", "you"),
    "assistant": ("strata", "model"),
    "tool": ("tool", "working"),
    "system": ("system", "system"),
}
"""How a speaker is called, and the ink."""
NAME_CELLS = 6
PINNED = "◆ "
"""Before a message that stays word for word."""
SHORTEST_PREVIEW = 8
EMPTY_WINDOW = "No messages yet: here stands what goes to the model word for word."
KEPT_ROWS = 8_192
"""Rows that are not made anew with every snapshot; a window is rarely longer."""


def window_rows(snapshot: "Snapshot", width: int, now: "datetime") -> PaneView:
    """One row a message; it opens the message's number."""
    if not snapshot.window:
        return PaneView(tuple(wrapped(EMPTY_WINDOW, width, "dim")))
    newest_first = snapshot.window[::-1]
    digits = len(str(newest_first[0].number))
    cells = max(len(short_number(message.tokens)) for message in newest_first)
    pinned = snapshot.pinned_numbers
    rows = tuple(_row(m, digits, cells, width, m.number in pinned) for m in newest_first)
    about = "~" if snapshot.context.counted_by == "estimate" else ""
    tokens = snapshot.context.sections.get("messages", 0)
    covers = span(snapshot.window[0].number, newest_first[0].number)
    size = f"{about}{short_number(tokens)} tok"
    figures = PARTS.join((covers, count(len(rows), "message"), size))
    if cell_len(figures) > width - LABEL_CELLS:
        figures = PARTS.join((covers, size))
    return PaneView(rows, figures, tuple(str(m.number) for m in newest_first))


@lru_cache(maxsize=KEPT_ROWS)
def _row(message: "MessageView", digits: int, cells: int, width: int, pinned: bool) -> Row:
    name, ink = SPEAKERS[message.role]
    left = [
        Piece(f"{message.number:>{digits}} ", "dim"),
        Piece(f"{name:<{NAME_CELLS}} ", ink),
    ]
    if pinned:
        left.append(Piece(PINNED, "facts"))
    if message.interrupted:
        left.append(Piece("(stopped) ", "note"))
    tokens = f"{short_number(message.tokens):>{cells}}"
    room = width - sum(len(piece.text) for piece in left) - len(tokens) - 1
    right = [Piece(tokens, "dim")]
    if room < SHORTEST_PREVIEW:
        room, right = room + len(tokens) + 1, []
    text = one_line(message.preview)
    left.append(Piece(clipped(text, room)) if text else Piece(clipped("calls tools", room), "dim"))
    return spread(left, right, width)
