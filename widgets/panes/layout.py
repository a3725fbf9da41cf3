"""Where panes stand: in columns, as tall as their content asks."""

from collections.abc import Sequence

from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from widgets.panes.pane import Pane
from widgets.panes.shares import LEAST_ROWS, share

GAP = 1
"""Cells between two columns."""


class SharedColumns(Layout):
    """Places panes one below the other in columns, as tall as their content asks."""

    name = "shared"

    def __init__(self) -> None:
        self.columns = 1
        self.column_of: dict[str, int] = {}
        self.beyond: frozenset[str] = frozenset()
        """The panes below what was in sight when they were placed last."""

    def arrange(
        self,
        parent: Widget,  # noqa: ARG002
        children: list[Widget],
        size: Size,
        greedy: bool = True,  # noqa: ARG002
    ) -> ArrangeResult:
        """The place of each pane."""
        panes = [child for child in children if isinstance(child, Pane)]
        columns = [
            [pane for pane in panes if self._column(pane) == number]
            for number in range(self.columns)
        ]
        filled = [column for column in columns if column]
        number = max(1, len(filled))
        width = (size.width - GAP * (number - 1)) // number
        placements: ArrangeResult = []
        for index, column in enumerate(filled):
            x = index * (width + GAP)
            # The last one has what is left over by the division.
            wide = size.width - x if index == number - 1 else width
            placements += _stacked(column, Region(x, 0, wide, size.height))
        self.beyond = frozenset(
            placed.widget.kind
            for placed in placements
            if isinstance(placed.widget, Pane) and placed.region.y >= size.height
        )
        return placements

    def _column(self, pane: Pane) -> int:
        return min(self.column_of.get(pane.kind, 0), self.columns - 1)


def _stacked(panes: Sequence[Pane], room: Region) -> ArrangeResult:
    if len(panes) == 1 and panes[0].enlarged:
        heights = [room.height]
    else:
        wanted = [pane.wanted(room.width) for pane in panes]
        heights = share(wanted, [LEAST_ROWS] * len(panes), room.height)
    placements: ArrangeResult = []
    y = room.y
    for pane, height in zip(panes, heights, strict=True):
        region = Region(room.x, y, room.width, height)
        placements.append(WidgetPlacement(region, NULL_OFFSET, Spacing(), pane))
        y += height
    return placements
