"""The loss report of a compaction: what was kept, can be brought back, and is lost. Pure."""

from collections.abc import Sequence

from rich.cells import cell_len

from memory.views import ItemState, LossItem
from widgets.figures import count
from widgets.panes.blocks import Keyed, barred, heading, plain
from widgets.panes.view import PARTS, clipped, spread, wrapped
from widgets.plain import one_line
from widgets.rows import Piece, Row

GROUPS: tuple[tuple[ItemState, str, str], ...] = (
    ("lost", "lost", "gone from the prompt"),
    ("retrievable", "recalled", "out of the prompt, but can be brought back"),
    ("kept", "model", "still in the prompt"),
)
"""The groups, lost first: state, ink, what it means."""
OPENED_AT_FIRST = frozenset({"group:lost"})
KIND_CELLS = len("identifier") + 2
INDENT = "  "
LONGEST_ROW = 120
"""Cells between the ends of a row: farther apart, they are no longer read as one."""
NOTHING = "No name, number, date, path, address, condition or task stood in what was folded."
FOLDED, UNFOLDED = "▸ ", "▾ "


def loss_rows(
    items: Sequence[LossItem], pinned: frozenset[str], unfolded: frozenset[str], width: int
) -> list[Keyed]:
    """The report; a group's row folds it, an item's is what is pinned.

    Args:
        items: Everything that was found in the source.
        pinned: Texts that are pinned by now.
        unfolded: The keys of groups that show their items.
        width: Cells of a row.
    """
    counts = {state: sum(item.state == state for item in items) for state, _, _ in GROUPS}
    figures = PARTS.join(f"{counts[state]:,} {state}" for state, _, _ in GROUPS)
    rows = plain(heading("loss report", figures if items else "", width))
    if not items:
        return [*rows, *plain(wrapped(NOTHING, width, "dim"))]
    for state, ink, meaning in GROUPS:
        key = f"group:{state}"
        is_open = key in unfolded and counts[state] > 0
        rows.append((_group(state, ink, meaning, counts[state], is_open, width), key))
        if is_open:
            for index, item in enumerate(items):
                if item.state == state:
                    rows += _item(index, item, ink, one_line(item.sentence) in pinned, width)
    return rows


def item_of(key: str | None, items: Sequence[LossItem]) -> LossItem | None:
    """The item that a row stands for, if it stands for one."""
    if key is None or not key.startswith("item:"):
        return None
    index = int(key.removeprefix("item:"))
    return items[index] if index < len(items) else None


def _group(state: str, ink: str, meaning: str, number: int, is_open: bool, width: int) -> Row:
    sign = "  " if not number else UNFOLDED if is_open else FOLDED
    head = f"{sign}{number:,} {state}"
    room = width - cell_len(head) - 2
    tail = (Piece(f"  {clipped(meaning, room)}", "dim"),) if room > 0 else ()
    return Row((Piece(clipped(head, width), ink, "b"), *tail))


def _item(index: int, item: LossItem, ink: str, pinned: bool, width: int) -> list[Keyed]:
    key = f"item:{index}"
    where = f"message {item.number}" if item.number is not None else "from an earlier summary"
    told = "pinned now" if pinned else f"{where}{PARTS}{one_line(item.how)}"
    left_width = max(8, width - len(INDENT) - KIND_CELLS)
    text = clipped(one_line(item.text), left_width)
    left = [
        Piece(INDENT),
        Piece(f"{item.kind:<{KIND_CELLS}}", "dim"),
        Piece(text, "facts" if pinned else ink, "b"),
    ]
    first = spread(left, [Piece(told, "facts" if pinned else "dim")], min(width, LONGEST_ROW))
    rows = [first]
    inset = INDENT + " " * (KIND_CELLS if width > 2 * KIND_CELLS else 0)
    if len(first.pieces) == len(left):
        rows += barred(wrapped(told, width - len(inset), "dim"), inset)
    sentence = one_line(item.sentence)
    if sentence and sentence != one_line(item.text):
        quoted = wrapped(f"“{sentence}”", min(width, LONGEST_ROW) - len(inset), "dim")
        rows += barred(
            (Row((row.pieces[0]._replace(style="i"),), row.glue) for row in quoted), inset
        )
    return [(row, key) for row in rows]


def lost_sentence(items: Sequence[LossItem]) -> str:
    """How many are lost, in a few words."""
    return count(sum(item.state == "lost" for item in items), "item") + " lost"
