"""The messages that stand otherwise since a compaction. Pure."""

from collections.abc import Iterator, Sequence

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
    runs = _runs(edits)
    digits = max(len(_numbers(run)) for run in runs)
    for run in runs:
        key = f"edit:{run[0].number}"
        is_open = key in unfolded
        rows.append((_row(run, digits, is_open, width), key))
        if is_open:
            rows += plain(_opened(run, width))
    return rows


def _runs(edits: Sequence[EditView]) -> list[list[EditView]]:
    """Neighbours that were left out share one receipt, and so a row; all others stand alone."""
    runs: list[list[EditView]] = []
    for edit in edits:
        last = runs[-1][-1] if runs else None
        if last is not None and _is_next(last, edit):
            runs[-1].append(edit)
        else:
            runs.append([edit])
    return runs


def _is_next(last: EditView, edit: EditView) -> bool:
    both_left_out = last.stage == edit.stage == "snip"
    return both_left_out and last.after == edit.after and last.number + 1 == edit.number


def _numbers(run: Sequence[EditView]) -> str:
    first, last = run[0].number, run[-1].number
    return str(first) if first == last else f"{first}–{last}"


def _sizes(run: Sequence[EditView]) -> str:
    edit = run[0]
    if edit.stage == "snip":
        return "left out"
    return f"{short_number(len(edit.before))} → {short_number(len(edit.after))} characters"


def _row(run: Sequence[EditView], digits: int, is_open: bool, width: int) -> Row:
    stage = run[0].stage
    left = [
        Piece(UNFOLDED if is_open else FOLDED, "dim"),
        Piece(f"{_numbers(run):>{digits}}  "),
        Piece(f"{stage:<8}", INKS[stage]),
    ]
    room = width - sum(len(piece.text) for piece in left)
    whys = ", ".join(dict.fromkeys(edit.why for edit in run))
    right = [Piece(f"  {_sizes(run)}", "dim")]
    why = clipped(one_line(whys), room)
    return spread([*left, Piece(why, "dim")], right, min(width, LONGEST_ROW))


def _opened(run: Sequence[EditView], width: int) -> list[Row]:
    inner = max(2, width - 4)
    shown: list[Row] = []
    for edit in run:
        number = f"{PARTS}{edit.number}" if len(run) > 1 else ""
        shown.append(_title(f"before{number}{PARTS}{count(len(edit.before), 'character')}"))
        shown += [*_before(edit, inner), EMPTY]
    shared = "after, in the prompt, for all of them"
    shown.append(_title(shared if len(run) > 1 else "after, in the prompt"))
    shown += wrapped(run[0].after.strip("\n") or "nothing", inner)
    return list(barred(shown, "  ▎ "))


def _before(edit: EditView, inner: int) -> Iterator[Row]:
    rows = wrapped(edit.before.strip("\n"), inner, "dim")
    yield from rows[:MOST_ROWS]
    if len(rows) > MOST_ROWS:
        more = f"… {count(len(rows) - MOST_ROWS, 'more row')}, all in the log"
        yield Row((Piece(clipped(more, inner), "dim", "i"),))


def _title(text: str) -> Row:
    return Row((Piece(text, "dim", "b"),))
