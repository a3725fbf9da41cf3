"""How well each source message of a compaction is still represented, a cell for each. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.views import Represented
from widgets.panes.blocks import Keyed, heading, plain
from widgets.panes.summaries import span
from widgets.panes.view import wrapped
from widgets.rows import Piece, Row

LEVELS = (
    (0.70, "█", "model"),
    (0.50, "▓", "you"),
    (0.35, "▒", "short-term"),
    (0.20, "░", "note"),
    (0.00, "·", "lost"),
)
"""From which similarity on, the sign, and the ink. Texts of one matter come to .3 to .4 with the
embedder of the catalogue, so the levels are not of equal width."""
MOST_ROWS = 6
LONGEST_ROW = 64
NOT_MEASURED = "Not measured yet: it is found out in the background, once there is a model for it."
EXPLAINED = "how alike each is to what stands for it"


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row of the strip."""

    key: str
    groups: tuple[tuple[Represented, ...], ...]
    """What each cell stands for."""
    indent: int
    """Cells before the first of them."""

    def told_at(self, column: int) -> str:
        """What the cell in a column tells; empty beside the cells."""
        place = column - self.indent
        return _told(self.groups[place]) if 0 <= place < len(self.groups) else ""

    @property
    def told(self) -> str:
        """What the row tells."""
        return _told([one for group in self.groups for one in group])


def heat_strip(represented: Sequence[Represented], width: int) -> tuple[HeatRow, ...]:
    """The strip at a width: a cell a message, or a group where there are too many."""
    if not represented:
        return ()
    digits = len(str(represented[-1].number))
    cells = max(1, min(LONGEST_ROW, width - 2 * digits - 2))
    size = -(-len(represented) // (cells * MOST_ROWS))
    groups = [tuple(represented[at : at + size]) for at in range(0, len(represented), size)]
    return tuple(
        HeatRow(f"heat:{row[0][0].number}", tuple(row), digits + 1)
        for row in (groups[at : at + cells] for at in range(0, len(groups), cells))
    )


def heat_rows(
    represented: Sequence[Represented], mean: float | None, unfolded: frozenset[str], width: int
) -> list[Keyed]:
    """The strip with its legend; a row that is unfolded lists its messages below it."""
    figures = EXPLAINED if mean is None else f"{EXPLAINED}: {mean:.0%} on average"
    rows = plain(heading("source messages", figures, width))
    if not represented:
        return [*rows, *plain(wrapped(NOT_MEASURED, width, "dim"))]
    for row in heat_strip(represented, width):
        rows.append((_strip(row), row.key))
        if row.key in unfolded:
            rows += [(_message(one), None) for group in row.groups for one in group]
    return [*rows, *plain([_legend(width)])]


def level(similarity: float) -> tuple[str, str]:
    """The sign and the ink of a similarity."""
    for least, sign, ink in LEVELS:
        if similarity >= least:
            return sign, ink
    return LEVELS[-1][1:]


def _strip(row: HeatRow) -> Row:
    first, last = row.groups[0][0].number, row.groups[-1][-1].number
    cells = [Piece(*level(min(one.similarity for one in group))) for group in row.groups]
    return Row((Piece(f"{first:>{row.indent - 1}} ", "dim"), *cells, Piece(f" {last}", "dim")))


def _message(one: Represented) -> Row:
    sign, ink = level(one.similarity)
    told = f"message {one.number}"
    return Row((Piece(f"    {sign} ", ink), Piece(f"{one.similarity:>4.0%} "), Piece(told, "dim")))


def _legend(width: int) -> Row:
    pieces: list[Piece] = []
    left = width
    for least, sign, ink in LEVELS:
        words = f" {least:.0%} and more  " if least else " less"
        left -= len(words) + 1
        if left < 0:
            break
        pieces += [Piece(sign, ink), Piece(words, "dim")]
    return Row(tuple(pieces))


def _told(group: Sequence[Represented]) -> str:
    weakest = min(group, key=lambda one: one.similarity)
    if len(group) == 1:
        return f"Message {weakest.number}: {weakest.similarity:.0%}"
    which = span(group[0].number, group[-1].number)
    return f"Messages {which}: the weakest is {weakest.number} with {weakest.similarity:.0%}"
