"""A widget that draws the core and lets a compaction be seen to happen."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from widgets.core.inks import HUES, inks_css
from widgets.core.labels import ARROW, NOTHING, Label, labels
from widgets.core.motion import between, folded
from widgets.core.paint import bar
from widgets.core.rows import CoreRow, empty, layout
from widgets.core.view import CoreView, core_view
from widgets.hues import few_hues

if TYPE_CHECKING:
    from memory.snapshot import Snapshot

BAR = 6
"""Cells of the column; before it stands the mark, behind it a gap."""
ROOMY, NARROW_BAR = 16, 4
"""Cells of all of it from which the column has so many, and how many it has in less."""
MARK = "▸"
FRAMES = 8
FRAME_SECONDS = 1 / 24
"""A third of a second for the bands to sink."""
OTHER_INKS = {
    "folding": "$stratum-short-term 55%",
    "sky": "$stratum-dim",
    "mark": "$foreground",
    "pointed": "$stratum-dim",
    "dim": "$stratum-dim",
}


class Column(Widget):
    """Draws a snapshot's prompt as a column, 16 to 20 cells wide.

    Args:
        animate: Whether a compaction may be seen to happen. It never is where the app's animations
            are off.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"core--{ink}" for ink in HUES | OTHER_INKS}
    DEFAULT_CSS = f"""
    Column {{
        width: 18;
        height: 1fr;
        background: $background;
        color: $stratum-dim;
        {inks_css("core", **OTHER_INKS)}
    }}
    """

    def __init__(self, *, animate: bool = True) -> None:
        super().__init__(id="core")
        self.animates = animate
        self.view: CoreView | None = None
        self.rows: list[CoreRow] = []
        """The rows as they stand when nothing moves, from the top to the bottom."""
        self._drawn: list[tuple[CoreRow, Label]] = []
        self._before: list[CoreRow] = []
        self._frame = 0
        self._timer: Timer | None = None

    # -- what is shown

    def show(
        self, snapshot: "Snapshot | None", *, draft_tokens: int = 0, answer_tokens: int = 0
    ) -> None:
        """Draws memory at another moment; none while there is no memory to show.

        Args:
            snapshot: Memory.
            draft_tokens: Of what is being typed.
            answer_tokens: Of the answer that is on its way.
        """
        view = None
        if snapshot is not None:
            view = core_view(snapshot, draft_tokens=draft_tokens, answer_tokens=answer_tokens)
        before, self.view = self.view, view
        if before is None or view is None or before.session != view.session:
            self._stand_still()
        elif folded(before, view) and self._may_move:
            self._sink()
        self._arrange()

    @property
    def lines(self) -> list[str]:
        """What is drawn, as text."""
        return [self.render_line(y).text.rstrip() for y in range(len(self._drawn))]

    @property
    def moving(self) -> bool:
        """Whether bands are sinking."""
        return self._timer is not None

    def on_resize(self) -> None:
        """Draws everything anew at another size."""
        self._stand_still()
        self._arrange()

    # -- for who points at it

    def mark_ink(self, y: int) -> str:
        """The ink of the mark at the left of a row, or nothing."""
        raise NotImplementedError

    def rows_changed(self, before: list[CoreRow]) -> None:
        """Called when the rows were laid out anew."""
        raise NotImplementedError

    def refresh_rows(self, numbers: Iterable[int]) -> None:
        """Draws some rows anew, and no other."""
        left, top = self.gutter.top_left
        regions = [Region(left, top + y, self.size.width, 1) for y in numbers]
        if regions:
            self.refresh(*regions)

    # -- motion

    @property
    def _may_move(self) -> bool:
        return self.animates and self.app.animation_level != "none" and bool(self.rows)

    def _sink(self) -> None:
        self._stand_still()
        self._before = self.rows
        self._timer = self.set_interval(FRAME_SECONDS, self._next_frame)

    def _next_frame(self) -> None:
        self._frame += 1
        if self._frame >= FRAMES:
            self._stand_still()
        self._draw()

    def _stand_still(self) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer, self._frame, self._before = None, 0, []

    # -- drawing

    def _arrange(self) -> None:
        height, before = self.size.height, self.rows
        self.rows = empty(height) if self.view is None else layout(self.view, height)
        self.rows_changed(before)
        self._draw()

    def _draw(self) -> None:
        """Draws the rows that have changed, and no other."""
        rows = self.rows
        if self.moving:
            t = self._frame / FRAMES
            rows = between(self._before, rows, t * t * (3 - 2 * t))
        beside = [NOTHING] * len(rows)
        if self.view is not None:
            beside = labels(rows, self.view, max(0, self.size.width - self._bar - 2))
        before, self._drawn = self._drawn, list(zip(rows, beside, strict=True))
        if len(before) != len(rows):
            self.refresh()
        else:
            self.refresh_rows(y for y, row in enumerate(self._drawn) if row != before[y])

    def render_line(self, y: int) -> Strip:
        """Draws one row: the mark, the column, the label."""
        width = self.size.width
        if not 0 <= y < len(self._drawn):
            return Strip.blank(width, self.rich_style)
        row, label = self._drawn[y]
        ink = self.mark_ink(y)
        lead = f"{ARROW} " if label.ink == "trigger" else " "
        segments = [
            Segment(MARK if ink else " ", self._style(ink or "sky")),
            *bar(row, min(self._bar, width), self._style, patterns=few_hues(self.app)),
            Segment(lead + label.text, self._style(label.ink)),
        ]
        return Strip(segments).adjust_cell_length(width, self.rich_style)

    @property
    def _bar(self) -> int:
        """Cells of the column: fewer where names would have no room beside it."""
        return BAR if self.size.width >= ROOMY else NARROW_BAR

    def _style(self, ink: str) -> Style:
        return self.get_component_rich_style(f"core--{ink}")
