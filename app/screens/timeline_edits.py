"""The messages that stand otherwise since a compaction. Pure."""

from collections.abc import Sequence

from memory.views import EditView
from widgets.figures import count, short_number
from widgets.panes.blocks import Keyed, barred, heading, plain
from widgets.panes.view import PARTS, clipped, spread, wrapped
from widgets.plain import one_line
from widgets.rows import EMPTY, Piece, Row

LONGEST_ROW = 120
"""Cells between the ends of a row: farther apart, they are no longer read as one."""
MOST_ROWS = 40
"""Of a text before it was changed; the log has all of it."""
FOLDED, UNFOLDED = "▸ ", "▾ "
INKS = {"budget": "working", "snip": "files", "micro": "recalled"}


def edit_rows(edits: Sequence[EditView], unfolded: frozenset[str], width: int) -> list[Keyed]:
    """A row an edit; one that is unfolded shows the text before and after."""
    if not edits:
        return []
    said = f"{count(len(edits), 'message')} that stand otherwise now"
    rows = plain(heading("edits", said, width))
    digits = len(str(max(edit.number for edit in edits)))
    for edit in edits:
        key = f"edit:{edit.number}"
        is_open = key in unfolded
        rows.append((_row(edit, digits, is_open, width), key))
        if is_open:
            rows += plain(_opened(edit, width))
    return rows


def _row(edit: EditView, digits: int, is_open: bool, width: int) -> Row:
    sizes = f"{short_number(len(edit.before))} → {short_number(len(edit.after))} characters"
    left = [
        Piece(UNFOLDED if is_open else FOLDED, "dim"),
        Piece(f"{edit.number:>{digits}}  "),
        Piece(f"{edit.stage:<8}", INKS[edit.stage]),
    ]
    room = width - sum(len(piece.text) for piece in left)
    why = clipped(one_line(edit.why), room)
    return spread([*left, Piece(why, "dim")], [Piece(f"  {sizes}", "dim")], min(width, LONGEST_ROW))


def _opened(edit: EditView, width: int) -> list[Row]:
    inner = max(2, width - 4)
    before = wrapped(edit.before.strip("\n"), inner, "dim")
    if len(before) > MOST_ROWS:
        more = f"… {count(len(before) - MOST_ROWS, 'more row')}, all in the log"
        before = [*before[:MOST_ROWS], Row((Piece(clipped(more, inner), "dim", "i"),))]
    names = [f"before{PARTS}{len(edit.before):,} characters", "after, in the prompt"]
    after = wrapped(edit.after.strip("\n") or "nothing", inner)
    shown = [_title(names[0]), *before, EMPTY, _title(names[1]), *after]
    return list(barred(shown, "  ▎ "))


def _title(text: str) -> Row:
    return Row((Piece(text, "dim", "b"),))
