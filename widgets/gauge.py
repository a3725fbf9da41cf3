"""The gauge: one line that shows how full the next prompt is, of what, and what comes next."""

from typing import TYPE_CHECKING, ClassVar

from widgets.figures import count, short_number
from widgets.line import Line, Piece
from widgets.plain import one_line

if TYPE_CHECKING:
    from memory.snapshot import Snapshot

SECTIONS = (
    ("system", "system"),
    ("files", "files"),
    ("tools", "working"),
    ("long_term", "long-term"),
    ("short_term", "short-term"),
    ("messages", "window"),
    ("working", "working"),
    ("facts", "facts"),
    ("recalled", "recalled"),
)
"""Sections of the prompt in their order, each with the stratum whose colour it has."""
INKS = ("free", "mark", "figure", "near", "over", "next", *dict.fromkeys(s for _, s in SECTIONS))
LONGEST_BAR, SHORTEST_BAR = 60, 8
FIGURES_WIDTH, NEXT_WIDTH = len("~99.9k of 27.9k"), 23
FULL, FREE, MARK = "▆", "─", "┊"


def gauge_line(snapshot: "Snapshot", width: int) -> list[Piece]:
    """The line, in pieces; what does not fit is left out, the figures last."""
    context = snapshot.context
    about = "~" if context.counted_by == "estimate" else ""
    share = context.used / context.limit if context.limit else 0.0
    used, limit = short_number(context.used), short_number(context.limit)
    # Of one length whatever the figures are, so that the bar stands still.
    figures = f"{f'{about}{used} of {limit}':<{FIGURES_WIDTH}}{share:>5.0%} "
    ink = "figure"
    if context.used >= context.warning:
        ink = "over" if context.used >= context.trigger else "near"
    following = f" {next_step(snapshot):>{NEXT_WIDTH}}"
    room = width - len(figures)
    if room - len(following) < SHORTEST_BAR:
        following = ""
    if room < SHORTEST_BAR:
        return [(f"{about}{used} of {limit}"[:width], ink)]
    bar = bar_pieces(snapshot, min(LONGEST_BAR, room - len(following)))
    return [(figures, ink), *bar, (following, "next")]


def bar_pieces(snapshot: "Snapshot", width: int) -> list[Piece]:
    """The prompt's sections as a bar as long as the limit, with the mark of the trigger."""
    context = snapshot.context
    limit = max(1, context.limit)
    inks: list[str] = []
    for name, stratum in SECTIONS:
        tokens = context.sections.get(name, 0)
        if tokens:
            inks += [stratum] * max(1, round(width * tokens / limit))
    inks = inks[:width]
    cells: list[Piece] = [(FULL, ink) for ink in inks]
    cells += [(FREE, "free")] * (width - len(cells))
    trigger = min(width - 1, round(width * context.trigger / limit))
    if len(inks) <= trigger:
        cells[trigger] = (MARK, "mark")
    return cells


def next_step(snapshot: "Snapshot") -> str:
    """What memory does next, and when."""
    following = snapshot.next_compaction
    waits = _what_it_waits_for(snapshot)
    if waits or following is None:
        return waits
    if not following.in_messages or not following.in_tokens:
        return "folds next"
    if following.trigger == "tokens":
        return f"folds in {short_number(following.in_tokens)} tokens"
    return f"folds in {count(following.in_messages, 'message')}"


def _what_it_waits_for(snapshot: "Snapshot") -> str:
    if snapshot.running is not None:
        return "folding now"
    if snapshot.policy == "none":
        return "nothing is folded (policy none)"
    if snapshot.automatic_waits:
        return "folding waits for @compact-memories"
    if snapshot.breaker.open:
        return f"folding rests: {one_line(snapshot.breaker.reason or 'it failed')}"
    return ""


class Gauge(Line):
    """Draws a snapshot's prompt in one line."""

    PREFIX = "gauge"
    COMPONENT_CLASSES: ClassVar[set[str]] = {f"gauge--{ink}" for ink in INKS}
    DEFAULT_CSS = """
    Gauge {
        height: 1;
        padding: 0 1;
        background: $background;
        color: $stratum-dim;
        & > .gauge--free { color: $stratum-dim 40%; }
        & > .gauge--mark { color: $stratum-warning; }
        & > .gauge--figure { color: $foreground; }
        & > .gauge--near { color: $stratum-warning; }
        & > .gauge--over { color: $stratum-lost; }
        & > .gauge--next { color: $stratum-dim; }
        & > .gauge--system { color: $stratum-system; }
        & > .gauge--files { color: $stratum-files; }
        & > .gauge--long-term { color: $stratum-long-term; }
        & > .gauge--short-term { color: $stratum-short-term; }
        & > .gauge--window { color: $stratum-model; }
        & > .gauge--working { color: $stratum-working; }
        & > .gauge--facts { color: $stratum-facts; }
        & > .gauge--recalled { color: $stratum-recalled; }
    }
    """

    def __init__(self) -> None:
        super().__init__(id="gauge")
        self._snapshot: Snapshot | None = None

    def show(self, snapshot: "Snapshot | None") -> None:
        """Draws another snapshot; none while there is no memory to show."""
        self._snapshot = snapshot
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """Figures, bar, and what comes next."""
        return [] if self._snapshot is None else gauge_line(self._snapshot, width)
