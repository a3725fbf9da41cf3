"""How many rows each layer has. Pure.

Heights are true to tokens, but what is not empty has a row at least. What that adds is taken from
the window and the sky below the trigger, so that the trigger stands where it belongs and the
column reaches it exactly when the prompt does.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil

from widgets.core.view import LIVE, CoreView, Layer

WHOLE = 8
"""Eighths of a row, the steps in which the top of the column rises."""
LEAST_ROWS_TO_WARN = 3
"""In less there is no room for a row that tells what does not fit."""


@dataclass(frozen=True, slots=True)
class Bed:
    """Rows that stand for a layer, or for several where there are more layers than rows."""

    layers: tuple[Layer, ...]
    rows: int
    height: float
    """The true height in rows, of which `rows` are drawn."""
    eighths: int = WHOLE
    """How full the top row is."""

    @property
    def tokens(self) -> int:
        """Of all its layers."""
        return sum(layer.tokens for layer in self.layers)

    @property
    def chief(self) -> Layer:
        """The layer that gives name and colour."""
        return max(self.layers, key=lambda layer: layer.tokens)


def trigger_row(view: CoreView, height: int) -> int:
    """The row, counted from the bottom, in which the trigger lies; `height` where none is left."""
    return min(max(1, height - 1), max(1, view.trigger * height // view.limit))


def beds(view: CoreView, height: int) -> list[Bed]:
    """The layers with their rows, from the bottom to the top; the rest of `height` is sky."""
    whole = height - (1 if warns(view, height) else 0)
    if whole < 1 or not view.layers:
        return []
    room = min(whole, trigger_row(view, height)) if view.used < view.trigger else whole
    if len(view.layers) > room:
        room = whole
    groups = _merged(view.layers, room)
    live = [group for group in groups if _is_live(group)]
    fixed = [_tokens(group) for group in groups if not _is_live(group)]
    rows = _lowered(
        [max(1, round(tokens * height / view.limit)) for tokens in fixed], room - len(live)
    )
    top = _live_height(view, height, room, sum(rows), sum(fixed)) if live else 0.0
    stacked = iter(_live_beds(live, top, room - sum(rows), covered=_is_live(groups[-1])))
    settled = iter(rows)
    return [
        next(stacked) if _is_live(group) else Bed(group, number := next(settled), number)
        for group in groups
    ]


def warns(view: CoreView, height: int) -> bool:
    """Whether the top row tells that something does not fit."""
    return view.overflow > 0 and height >= LEAST_ROWS_TO_WARN


def _is_live(group: Sequence[Layer]) -> bool:
    return group[0].name in LIVE


def _tokens(group: Sequence[Layer]) -> int:
    return sum(layer.tokens for layer in group)


def _merged(layers: Sequence[Layer], room: int) -> list[tuple[Layer, ...]]:
    """As many groups of neighbours as there are rows; first what stands for the window."""
    groups: list[tuple[Layer, ...]] = [(layer,) for layer in layers]
    while len(groups) > room:
        live = [i for i, group in enumerate(groups) if _is_live(group)]
        upper = live[-1] if len(live) > 1 else len(groups) - 1
        groups[upper - 1 : upper + 1] = [groups[upper - 1] + groups[upper]]
    return groups


def _lowered(rows: list[int], room: int) -> list[int]:
    """The rows, the largest made smaller until all fit."""
    while sum(rows) > room and max(rows) > 1:
        rows[rows.index(max(rows))] -= 1
    return rows


def _live_height(view: CoreView, height: int, room: int, base: int, tokens: int) -> float:
    """The true height of the window on `base` rows of other layers, which have `tokens`.

    Below the trigger, the rows up to it are shared by window and sky; above it, those up to the
    limit.
    """
    trigger = trigger_row(view, height)
    inside = view.used - tokens
    if base >= trigger or tokens >= view.trigger:
        return (room - base) * min(1.0, inside / max(1, view.limit - tokens))
    if view.used < view.trigger:
        return (trigger - base) * inside / (view.trigger - tokens)
    above = min(1.0, (view.used - view.trigger) / max(1, view.limit - view.trigger))
    return trigger - base + max(1 / WHOLE, (room - trigger) * above)


def _live_beds(
    groups: Sequence[tuple[Layer, ...]], top: float, room: int, *, covered: bool
) -> list[Bed]:
    """The beds of what stands for the window.

    Args:
        groups: Its parts, oldest first.
        top: True height of them all.
        room: Rows there are.
        covered: Whether nothing lies above, so that the top row may be partly filled.
    """
    if not groups:
        return []
    sizes = [_tokens(group) for group in groups]
    heights = [top * size / sum(sizes) for size in sizes]
    rows = min(room, max(len(groups), ceil(top - 1e-9)))
    edges = [0]
    for index, edge in enumerate(accumulate(heights[:-1]), start=1):
        edges.append(max(edges[-1] + 1, min(round(edge), rows - len(groups) + index)))
    edges.append(rows)
    made = [
        Bed(group, above - below, tall)
        for group, tall, below, above in zip(groups, heights, edges, edges[1:], strict=False)
    ]
    if covered:
        made[-1] = _part_filled(made[-1], top - (rows - 1))
    return made


def _part_filled(bed: Bed, share: float) -> Bed:
    """The topmost bed with its top row as full as it truly is."""
    name = bed.layers[0].name
    if name == "draft" or (name == "window" and bed.rows == 1):
        return bed
    if bed.rows == 1:
        share = max(share, bed.height)
    return Bed(bed.layers, bed.rows, bed.height, min(WHOLE, max(1, round(WHOLE * share))))
