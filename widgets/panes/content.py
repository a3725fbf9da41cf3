"""The content store as a pane shows it: its newest items. Pure."""

from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from widgets.figures import clock, count, short_number
from widgets.panes.ages import DAY, HOUR, MINUTE
from widgets.panes.fitting import line, paragraph
from widgets.panes.view import PARTS, PaneView, clipped
from widgets.plain import one_line
from widgets.rows import Piece, Row

if TYPE_CHECKING:
    from memory.snapshot import Snapshot
    from memory.work_views import ItemView

NO_ITEMS = (
    "Nothing stored yet: what tools bring, long pastes and @store TEXT will stand here, and the "
    "prompt only cites them."
)
WHOLE = ""
"""The key that opens the list of all items."""
TYPES = {
    "action_result": "result",
    "web_content": "page",
    "database_result": "rows",
    "search_results": "found",
    "pasted_text": "paste",
}
"""Short words for types; other types are their own."""
TYPE_CELLS = 6
SHOWN = {"full": ("●", "recalled"), "receipt": ("◐", "recalled"), "no": ("○", "dim")}
"""How the next request shows an item: in full, as a receipt, or not."""
SHOWN_WORDS = {"full": "in full", "receipt": "as a receipt", "no": "not in the prompt"}
SIZE_CELLS = 5
KEPT_ITEMS = 2_048
"""Items whose rows are not made anew with every snapshot."""
LEAST_FOR_TYPE = 44
"""Cells of a row from which the type has a column of its own."""


def content_rows(snapshot: "Snapshot", width: int, now: datetime) -> PaneView:
    """A row an item, the newest first: how it is shown, handle, type, source, size, age."""
    if not snapshot.items:
        return PaneView(tuple(paragraph(NO_ITEMS, width)))
    handles = max(len(item.id) for item in snapshot.items)
    rows = [item_row(item, handles, width, now) for item in snapshot.items]
    keys: list[str | None] = [item.id for item in snapshot.items]
    older = snapshot.content_items - len(snapshot.items)
    if older > 0:
        rows.append(Row((Piece(clipped(f"{older:,} older", width), "dim"),)))
        keys.append(WHOLE)
    total = max(snapshot.content_items, len(snapshot.items))
    chars = snapshot.content_chars or sum(item.chars for item in snapshot.items)
    figures = PARTS.join((count(total, "item"), f"{short_number(chars)} characters"))
    return PaneView(tuple(rows), figures, tuple(keys))


def has_items(snapshot: "Snapshot") -> bool:
    """Whether anything is stored."""
    return bool(snapshot.items)


def item_row(item: "ItemView", handles: int, width: int, now: datetime) -> Row:
    """One item.

    Args:
        item: Data about it.
        handles: Cells of the longest handle.
        width: Cells of the row.
        now: The present.
    """
    return _item_row(item, short_age(item.at, now), handles, width)


@lru_cache(maxsize=KEPT_ITEMS)
def _item_row(item: "ItemView", age: str, handles: int, width: int) -> Row:
    sign, ink = SHOWN[item.in_prompt]
    left = [Piece(f"{sign} ", ink), Piece(f"{one_line(item.id):<{handles}} ", "recalled")]
    if width >= LEAST_FOR_TYPE:
        left.append(Piece(f"{type_word(item.type):<{TYPE_CELLS}} ", "dim"))
    right = [
        Piece(f" {short_number(item.chars):>{SIZE_CELLS}}"),
        Piece(f" {age:>6}", "dim"),
    ]
    return line(left, Piece(title_of(item)), right, width)


def title_of(item: "ItemView") -> str:
    """What an item is called in a list: its source and what it is."""
    source, digest = one_line(item.source), one_line(item.digest)
    return PARTS.join(filter(None, (source, digest))) or type_word(item.type)


def type_word(type: str) -> str:
    """A short word for a type of item."""
    return clipped(TYPES.get(type, one_line(type.replace("_", " "))), TYPE_CELLS)


def short_age(at: str, now: datetime) -> str:
    """How long ago something was, as a column tells it: now, 3 min, 2 h, 21 Nov."""
    seconds = (now - datetime.fromisoformat(at)).total_seconds()
    if seconds < MINUTE:
        return "now"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min"
    if seconds < DAY:
        return f"{seconds // HOUR:.0f} h"
    return " ".join(clock(at, now).split()[:2])
