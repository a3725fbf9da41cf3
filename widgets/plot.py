"""Prompt tokens over turns against the full history, drawn in cells. Pure (VIEW-7).

The prompt is an area of blocks, the full history a line of dots, a compaction a diamond on the
axis: they are told apart without any colour.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.views import TurnPoint
from widgets.figures import short_number
from widgets.rows import Piece, Row

BLOCKS = " ▁▂▃▄▅▆▇█"
SHADE, MARK, LINE_SAMPLE = "▒", "◆", "⠒⠒"
BRAILLE = 0x2800
DOTS = ((0x40, 0x04, 0x02, 0x01), (0x80, 0x20, 0x10, 0x08))
"""Bits of a braille cell's two columns, each from the bottom up."""
EIGHTHS, QUARTERS = 8, 4
"""Steps of a row: of blocks, and of dots."""
HEADROOM = 4
"""The full history is drawn up to so many times the largest prompt; it leaves the picture above."""
NICE = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
LEAST_SHARE = 0.005
"""Of the full history; what differs by less is the same."""
LEAST_WIDTH, LEAST_HEIGHT = 24, 5
"""Cells below which nothing could be read."""
BELOW = 2
"""Rows of the axis and its figures."""
Span = tuple[int, int]
"""The smallest and the largest value in a column."""


@dataclass(frozen=True, slots=True)
class PlotView:
    """What is drawn."""

    points: Sequence[TurnPoint]
    marks: Sequence[int] = ()
    """Places among the points before which a compaction fell."""

    @property
    def prompt_tokens(self) -> int:
        """Tokens of all prompts together."""
        return sum(point.prompt_tokens for point in self.points)

    @property
    def full_history_tokens(self) -> int:
        """What they would have been with the full history each time."""
        return sum(point.full_history_tokens for point in self.points)


def plot_rows(view: PlotView, width: int, height: int) -> list[Row]:
    """The plot with its axes; nothing where there is too little room for one.

    Args:
        view: What is drawn.
        width: Cells of each row.
        height: Rows in all.
    """
    if not view.points or width < LEAST_WIDTH or height < LEAST_HEIGHT:
        return []
    top = top_of(view)
    rows = height - BELOW
    labels = {rows // 2: short_number(top // 2), rows - 1: short_number(top)}
    gutter = max(len(label) for label in labels.values()) + 2
    columns = width - gutter
    area = areas([point.prompt_tokens for point in view.points], columns, rows, top)
    line = _history(view, area, rows, top)
    drawn = []
    for row in range(rows - 1, -1, -1):
        label = labels.get(row, "")
        axis = Piece(f"{label:>{gutter - 2}} {'┤' if label else '│'}", "axis")
        cells = [_cell(area[column], line[row][column], row) for column in range(columns)]
        drawn.append(Row((axis, *_joined(cells))))
    return [*drawn, _axis(view, gutter, columns), _numbers(view, gutter, columns)]


def legend(view: PlotView) -> Row:
    """What each sign stands for."""
    pieces = [
        Piece("█ ", "prompt"),
        Piece("prompt   ", "text"),
        Piece(f"{LINE_SAMPLE} ", "history"),
    ]
    pieces.append(Piece("full history", "text"))
    if view.points and leaves(view):
        largest = short_number(max(point.full_history_tokens for point in view.points))
        pieces.append(Piece(f", up to {largest} above the picture", "dim"))
    if view.marks:
        pieces += [Piece(f"   {MARK} ", "mark"), Piece("compaction", "text")]
    return Row(tuple(pieces))


def totals(view: PlotView) -> str:
    """What all requests had together: `12.4k of 88.0k tokens: 86 % less`."""
    sent, full = view.prompt_tokens, view.full_history_tokens
    if not full:
        return "0 tokens"
    less = 1 - sent / full
    if abs(less) < LEAST_SHARE:
        return f"{short_number(sent)} tokens, as the full history has"
    words = f"{abs(less) * 100:.0f} % {'less' if less >= 0 else 'more'}"
    return f"{short_number(sent)} of {short_number(full)} tokens: {words}"


def top_of(view: PlotView) -> int:
    """The tokens at the upper edge: a round figure, above all prompts at least."""
    prompts = max((point.prompt_tokens for point in view.points), default=0)
    full = max((point.full_history_tokens for point in view.points), default=0)
    wanted = max(1, prompts, min(full, HEADROOM * prompts))
    size = 10.0 ** (len(str(wanted)) - 1)
    return round(next(step for step in NICE if step * size >= wanted) * size)


def leaves(view: PlotView) -> bool:
    """Whether the full history goes beyond the upper edge."""
    return max(point.full_history_tokens for point in view.points) > top_of(view)


def reduced(values: Sequence[int], columns: int) -> list[Span]:
    """The smallest and the largest value of each column, however many values there are."""
    count = len(values)
    spans = []
    for column in range(columns):
        first = column * count // columns
        last = max(first + 1, (column + 1) * count // columns)
        part = values[first:last]
        spans.append((min(part), max(part)))
    return spans


def areas(values: Sequence[int], columns: int, rows: int, top: int) -> list[Span]:
    """How high each column reaches in eighths of a row: its smallest and its largest value."""
    steps = rows * EIGHTHS
    return [
        (_height(low, top, steps), _height(high, top, steps))
        for low, high in reduced(values, columns)
    ]


def dots(values: Sequence[int], columns: int, rows: int, top: int) -> list[list[str]]:
    """A line of dots, as one character for each cell, the lowest row first; blank where none is."""
    bits = [[0] * columns for _ in range(rows)]
    steps = rows * QUARTERS
    before: int | None = None
    for place, (low, high) in enumerate(reduced(values, 2 * columns)):
        start, end = low * steps // top, high * steps // top
        if before is not None:
            # Joined to the column before, so that a steep line has no holes.
            start, end = min(start, before + 1), max(end, min(before, steps))
        before = high * steps // top
        for step in range(start, min(end, steps - 1) + 1):
            bits[step // QUARTERS][place // 2] |= DOTS[place % 2][step % QUARTERS]
    return [[chr(BRAILLE + cell) if cell else " " for cell in row] for row in bits]


def _history(view: PlotView, area: Sequence[Span], rows: int, top: int) -> list[list[str]]:
    """The line of the full history, where it is not the prompt itself."""
    full = [point.full_history_tokens for point in view.points]
    line = dots(full, len(area), rows, top)
    for column, (_, high) in enumerate(areas(full, len(area), rows, top)):
        if high <= area[column][1]:
            for cells in line:
                cells[column] = " "
    return line


def _height(value: int, top: int, steps: int) -> int:
    """At least one step for what is not nothing."""
    return min(steps, max(int(value > 0), round(value * steps / top)))


def _cell(span: Span, dot: str, row: int) -> Piece:
    low, high = (level - row * EIGHTHS for level in span)
    if low >= EIGHTHS:
        return Piece(BLOCKS[-1], "prompt")
    if high >= EIGHTHS:
        return Piece(SHADE, "prompt") if low <= 0 else Piece(BLOCKS[-1], "prompt")
    if high > 0:
        return Piece(BLOCKS[high], "prompt")
    return Piece(dot, "history")


def _axis(view: PlotView, gutter: int, columns: int) -> Row:
    count = len(view.points)
    marked = {min(columns - 1, place * columns // count) for place in view.marks}
    cells = [
        Piece(MARK, "mark") if column in marked else Piece("─", "axis") for column in range(columns)
    ]
    return Row((Piece(f"{'0':>{gutter - 2}} └", "axis"), *_joined(cells)))


def _numbers(view: PlotView, gutter: int, columns: int) -> Row:
    """The messages at both ends of the axis."""
    first = f"message {view.points[0].message:,}"
    last = f"{view.points[-1].message:,}"
    room = columns - len(first) - len(last)
    if room < 1:
        return Row((Piece(" " * gutter + first[:columns], "dim"),))
    return Row((Piece(" " * gutter + first + " " * room + last, "dim"),))


def _joined(cells: Sequence[Piece]) -> list[Piece]:
    """Neighbours of one ink as one piece."""
    joined: list[Piece] = []
    for cell in cells:
        if joined and joined[-1].ink == cell.ink:
            joined[-1] = Piece(joined[-1].text + cell.text, cell.ink)
        else:
            joined.append(cell)
    return joined
