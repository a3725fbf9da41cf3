"""A ruler of turns: how large each prompt was, where compactions fell, and which turn is seen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.message import Message
from textual.widget import Widget

from memory.views import TurnPoint
from widgets.rows import Piece, Row

BLOCKS = "▁▂▃▄▅▆▇█"
HERE, MARK, BEFORE, AFTER = "●", "◆", "━", "─"
INKS = ("prompt", "later", "mark", "here", "before", "after", "text", "dim")
LONGEST = 400
"""Cells it is drawn over at most."""


@dataclass(frozen=True, slots=True)
class RulerView:
    """What is drawn."""

    points: Sequence[TurnPoint] = ()
    marks: Sequence[int] = ()
    """Places among the points that are the first after a compaction."""
    at: int = 0
    """The place that is seen."""


def column_of(place: int, count: int, width: int) -> int:
    """The column of a place among so many, the last one in the last column."""
    return 0 if count < 2 else round(place * (width - 1) / (count - 1))  # noqa: PLR2004


def place_at(column: int, count: int, width: int) -> int:
    """The place that a column stands for; the nearest one outside."""
    column = max(0, min(column, width - 1))
    return 0 if count < 2 or width < 2 else round(column * (count - 1) / (width - 1))  # noqa: PLR2004


def ruler_rows(view: RulerView, width: int) -> list[Row]:
    """The rows: prompts, the track with its marks, and where one is.

    Args:
        view: What is drawn.
        width: Cells of each row.
    """
    if not view.points or width < 1:
        return [Row(), Row(), Row()]
    here = column_of(view.at, len(view.points), width)
    return [_prompts(view, width, here), _track(view, width, here), _words(view, width, here)]


def before_mark(view: RulerView) -> int | None:
    """The place of the last compaction before the one that is seen; None where there is none."""
    return max((place for place in view.marks if place < view.at), default=None)


def after_mark(view: RulerView) -> int | None:
    """The place of the first compaction after the one that is seen; None where there is none."""
    return min((place for place in view.marks if place > view.at), default=None)


def _prompts(view: RulerView, width: int, here: int) -> Row:
    count = len(view.points)
    highest = max(1, *(point.prompt_tokens for point in view.points))
    text = ""
    for column in range(width):
        first = place_at(column, count, width)
        last = max(first, place_at(column + 1, count, width) - 1)
        tokens = max(point.prompt_tokens for point in view.points[first : last + 1])
        text += BLOCKS[min(len(BLOCKS) - 1, tokens * len(BLOCKS) // (highest + 1))]
    return Row((Piece(text[: here + 1], "prompt"), Piece(text[here + 1 :], "later")))


def _track(view: RulerView, width: int, here: int) -> Row:
    marked = {column_of(place, len(view.points), width) for place in view.marks}
    pieces: list[Piece] = []
    for column in range(width):
        if column == here:
            pieces.append(Piece(HERE, "here"))
        elif column in marked:
            pieces.append(Piece(MARK, "mark"))
        elif column < here:
            pieces.append(Piece(BEFORE, "before"))
        else:
            pieces.append(Piece(AFTER, "after"))
    return Row(tuple(pieces))


def _words(view: RulerView, width: int, here: int) -> Row:
    """Where one is, below its column; the ends where there is room for them."""
    last = len(view.points) - 1
    words = f"turn {view.at + 1:,} of {last + 1:,}"
    if view.at in view.marks:
        words += f" · {MARK} compacted"
    words = words[:width]
    start = max(0, min(here - cell_len(words) // 2, width - cell_len(words)))
    first = f"message {view.points[0].message:,}"
    end = f"{view.points[last].message:,}"
    left = first if len(first) < start else ""
    room = width - start - cell_len(words)
    right = end if len(end) < room else ""
    gap = start - len(left)
    return Row(
        (
            Piece(left + " " * gap, "dim"),
            Piece(words, "text"),
            Piece(" " * (room - len(right)) + right, "dim"),
        )
    )


class Ruler(Widget, can_focus=True):
    """Draws a `RulerView`; the mouse chooses a turn on it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"ruler--{ink}" for ink in INKS}
    DEFAULT_CSS = """
    Ruler {
        height: 3;
        padding: 0 1;
        background: $panel;
        color: $stratum-dim;
        & > .ruler--prompt { color: $stratum-you; }
        & > .ruler--later { color: $stratum-dim 50%; }
        & > .ruler--mark { color: $stratum-short-term; }
        & > .ruler--here { color: $foreground; text-style: bold; }
        & > .ruler--before { color: $stratum-dim; }
        & > .ruler--after { color: $stratum-dim 60%; }
        & > .ruler--text { color: $foreground; }
        & > .ruler--dim { color: $stratum-dim; }
    }
    """

    class Chosen(Message):
        """The reader wants to see a turn, by its place."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self) -> None:
        super().__init__(id="ruler")
        self.view = RulerView()
        self._held = False

    def show(self, view: RulerView) -> None:
        """Draws another view."""
        if view != self.view:
            self.view = view
            self.refresh()

    @property
    def lines(self) -> list[str]:
        """What is drawn, as text."""
        return [row.text for row in ruler_rows(self.view, self._width)]

    def render(self) -> Text:
        """The rows in their colours."""
        text = Text(no_wrap=True, overflow="crop", end="")
        for index, row in enumerate(ruler_rows(self.view, self._width)):
            text.append("\n" if index else "")
            for piece in row.pieces:
                text.append(piece.text, self.get_component_rich_style(f"ruler--{piece.ink}"))
        return text

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Goes to the turn under the mouse, and follows it while it is held."""
        self._held = True
        self.capture_mouse()
        self._choose(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Follows the mouse while it is held."""
        if self._held:
            self._choose(event)

    def on_mouse_up(self) -> None:
        """Lets go."""
        self._held = False
        self.release_mouse()

    # -- inside

    @property
    def _width(self) -> int:
        return min(LONGEST, self.content_size.width)

    def _choose(self, event: events.MouseEvent) -> None:
        count, width = len(self.view.points), self._width
        if count:
            column = event.x - self.gutter.left
            self.post_message(self.Chosen(place_at(column, count, width)))
