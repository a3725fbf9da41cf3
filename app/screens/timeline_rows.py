"""The compactions of a session as the Timeline screen lists them, newest on top. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rich.cells import cell_len

from memory.history import CompactionRecord
from memory.snapshot import CompactionProgress, Snapshot
from widgets.figures import clock, count, short_number, short_seconds
from widgets.panes.upcoming import empty_sentence, next_fold, why_not
from widgets.panes.view import PARTS, PaneView, clipped, wrapped
from widgets.plain import one_line
from widgets.rows import Piece, Row

FULL, FREED = "▆", "▂"
TOKENS_CELLS = len("9.1k → 5.0k")
TOKEN_CELLS = 4
RATIO_CELLS = len("stays")
SECONDS_CELLS = len("undone")
BY_CELLS = len("by model")
SHORTEST_BAR, LONGEST_BAR = 8, 48
LEAST_DIGITS = len("msg")
GAP = 2


@dataclass(frozen=True, slots=True)
class Columns:
    """The cells of each column; 0 where it has no room."""

    number: int
    trigger: int
    when: int
    bar: int
    ratio: int
    seconds: int
    by: int


def list_rows(
    records: Sequence[CompactionRecord], snapshot: Snapshot, width: int, now: datetime
) -> PaneView:
    """A row a compaction; its key is the compaction's id."""
    running = snapshot.running
    if not records and running is None:
        sentence = empty_sentence(snapshot, "No compaction yet", "the first comes", now)
        return PaneView(tuple(wrapped(sentence, width, "dim")))
    hindered = why_not(snapshot, now)
    columns = columns_for(records, snapshot, width, now)
    rows = wrapped(hindered, width, "note") if hindered else []
    rows.append(_header(columns))
    if running is not None:
        rows.append(_running(running, columns, width))
    keys: list[str | None] = [None] * len(rows)
    largest = max((record.event.tokens_before for record in records), default=1)
    for record in reversed(records):
        rows.append(_row(record, columns, largest, now))
        keys.append(record.event.id)
    return PaneView(tuple(rows), list_figures(records, snapshot), tuple(keys))


def list_figures(records: Sequence[CompactionRecord], snapshot: Snapshot) -> str:
    """How many there are, and when the next one comes."""
    undone = sum(record.undone for record in records)
    parts = (
        count(len(records), "compaction"),
        f"{undone} undone" if undone else "",
        next_fold(snapshot),
    )
    return PARTS.join(filter(None, parts))


def columns_for(
    records: Sequence[CompactionRecord], snapshot: Snapshot, width: int, now: datetime
) -> Columns:
    """Which columns there is room for, the most important first; the bar takes what is left."""
    number = max(LEAST_DIGITS, len(str(snapshot.messages)))
    triggers: list[str] = [record.event.trigger for record in records]
    if snapshot.running is not None:
        triggers.append(snapshot.running.trigger)
    trigger = max((len(name) for name in triggers), default=0)
    when = max((len(clock(record.at, now)) for record in records), default=0)
    cells = {
        "seconds": SECONDS_CELLS,
        "bar": SHORTEST_BAR,
        "ratio": RATIO_CELLS,
        "when": when,
        "by": BY_CELLS,
    }
    room = width - number - GAP - trigger - GAP - TOKENS_CELLS
    given = dict.fromkeys(cells, 0)
    for name, wanted in cells.items():
        if room < wanted + GAP:
            break
        given[name] = wanted
        room -= wanted + GAP
    if given["bar"]:
        given["bar"] = min(LONGEST_BAR, SHORTEST_BAR + room)
    return Columns(number, trigger, **given)


def bar_pieces(before: int, after: int, largest: int, cells: int, ink: str) -> list[Piece]:
    """A bar of the tokens before, of which a part is what is left after.

    Args:
        before: Tokens before.
        after: Tokens after.
        largest: Tokens that fill all cells.
        cells: Its length.
        ink: Of the part that is left.
    """
    whole = max(1, round(cells * before / max(1, largest)))
    left = min(whole, max(1, round(cells * after / max(1, largest))))
    return [
        Piece(FULL * left, ink),
        Piece(FREED * (whole - left), "dim"),
        Piece(" " * (cells - whole), "dim"),
    ]


def _header(columns: Columns) -> Row:
    cells = [
        f"{'msg':>{columns.number}}",
        f"{'why':<{columns.trigger}}",
        f"{'when':<{columns.when}}",
        f"{'before and after' if columns.bar >= len('before and after') else '':<{columns.bar}}",
        f"{'tokens':<{TOKENS_CELLS}}",
        f"{'stays':>{columns.ratio}}",
        f"{'took':>{columns.seconds}}",
        f"{'written':<{columns.by}}",
    ]
    shown = _shown(columns)
    text = (" " * GAP).join(cell for cell, there in zip(cells, shown, strict=True) if there)
    return Row((Piece(text.rstrip(), "dim"),))


def _row(record: CompactionRecord, columns: Columns, largest: int, now: datetime) -> Row:
    event, undone = record.event, record.undone
    ink, struck = ("dim", "s") if undone else ("text", "")
    seconds = "undone" if undone else short_seconds(event.duration_s)
    bar_ink = "dim" if undone else "short-term"
    cells: list[list[Piece]] = [
        _cell(f"{event.message}", columns.number, ink, struck, right=True),
        _cell(event.trigger, columns.trigger, "dim", struck),
        _cell(clock(record.at, now), columns.when, "dim", struck),
        bar_pieces(event.tokens_before, event.tokens_after, largest, columns.bar, bar_ink),
        [
            *_cell(short_number(event.tokens_before), TOKEN_CELLS, ink, struck, right=True),
            Piece(" → ", "dim", struck),
            *_cell(short_number(event.tokens_after), TOKEN_CELLS, ink, struck, right=True),
        ],
        _cell(f"{record.ratio:.0%}", columns.ratio, "dim", struck, right=True),
        _cell(seconds, columns.seconds, "dim", "", right=True),
        _cell(f"by {event.by}", columns.by, "dim", struck),
    ]
    pieces: list[Piece] = []
    for cell, there in zip(cells, _shown(columns), strict=True):
        if there:
            pieces += [Piece(" " * GAP, "dim"), *cell] if pieces else cell
    return Row(tuple(pieces))


def _cell(text: str, cells: int, ink: str, style: str, *, right: bool = False) -> list[Piece]:
    """A text in its column; what fills the column up is not struck through."""
    gap = Piece(" " * (cells - len(text)), ink)
    return [gap, Piece(text, ink, style)] if right else [Piece(text, ink, style), gap]


def _shown(columns: Columns) -> tuple[bool, ...]:
    """Which columns there are, in the order in which they stand."""
    optional = (columns.bar, columns.ratio, columns.seconds, columns.by)
    bar, ratio, seconds, by = (cells > 0 for cells in optional)
    return (True, True, columns.when > 0, bar, True, ratio, seconds, by)


def _running(running: CompactionProgress, columns: Columns, width: int) -> Row:
    number, trigger = running.message, running.trigger
    head = f"{number:>{columns.number}}  {trigger:<{columns.trigger}}  "
    stage = clipped(f"● {one_line(running.stage)}", width - cell_len(head))
    return Row((Piece(head + stage, "live"),))
