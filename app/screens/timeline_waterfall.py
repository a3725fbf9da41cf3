"""What each stage of a compaction freed, as a waterfall of tokens. Pure."""

from collections.abc import Sequence

from rich.cells import cell_len

from memory.parts import Stage, StageName
from widgets.figures import short_number
from widgets.panes.blocks import heading
from widgets.panes.view import clipped
from widgets.rows import Piece, Row

FULL, THIN = "▆", "▂"
LONGEST_BAR, SHORTEST_BAR = 64, 12
NAME_CELLS = len("reactive")
FREED_CELLS = len("-99.9k")
GAP = 2
STAGES: dict[StageName, tuple[str, str]] = {
    "budget": ("long tool results cut", "working"),
    "snip": ("the inessential left out", "files"),
    "micro": ("digests of what is long", "recalled"),
    "auto": ("folded into summaries", "short-term"),
    "reactive": ("cut to what fits", "note"),
}
"""What each stage does, and its hue."""


def waterfall_rows(before: int, after: int, stages: Sequence[Stage], width: int) -> list[Row]:
    """A bar of what there was, one for each stage from where the last one ended, and what is left.

    Args:
        before: Tokens before.
        after: Tokens after.
        stages: In the order in which they ran.
        width: Cells of a row.
    """
    if not stages:
        return []
    words = max(cell_len(STAGES[stage.name][0]) for stage in stages)
    room = width - NAME_CELLS - FREED_CELLS - 2 * GAP
    bar = min(LONGEST_BAR, max(SHORTEST_BAR, room - GAP - words))
    rows = heading("stages", "tokens each of them freed", width)
    rows.append(_row("before", short_number(before), _bar(0, before, before, bar, "you"), width))
    level = before
    for stage in stages:
        does, ink = STAGES[stage.name]
        below = max(0, level - stage.freed)
        pieces = [*_bar(below, level, before, bar, ink), Piece(" " * GAP), Piece(does, "dim")]
        rows.append(_row(stage.name, f"-{short_number(stage.freed)}", pieces, width))
        level = below
    rows.append(_row("after", short_number(after), _bar(0, after, before, bar, "you"), width))
    return rows


def _row(name: str, figure: str, bar: Sequence[Piece], width: int) -> Row:
    head = f"{name:<{NAME_CELLS}}{' ' * GAP}{figure:>{FREED_CELLS}}{' ' * GAP}"
    pieces = [Piece(head[: NAME_CELLS + GAP]), Piece(head[NAME_CELLS + GAP :], "dim"), *bar]
    left = width
    fitted: list[Piece] = []
    for piece in pieces:
        text = clipped(piece.text, left)
        left -= cell_len(text)
        if text:
            fitted.append(piece._replace(text=text))
    return Row(tuple(fitted))


def _bar(below: int, level: int, largest: int, cells: int, ink: str) -> list[Piece]:
    """A bar from one level up to another; what lies below it is a thin line."""
    end = min(cells, max(1, round(cells * level / max(1, largest))))
    start = min(end - 1, round(cells * below / max(1, largest)))
    if level <= below:
        start = end
    return [
        Piece(THIN * start, "dim"),
        Piece(FULL * (end - start), ink),
        Piece(" " * (cells - end), "dim"),
    ]
