"""What long-term memory brought to the present turn, as a pane shows it (RECALL-4). Pure."""

from typing import TYPE_CHECKING

from widgets.figures import call_seconds, count, short_number
from widgets.panes.blocks import Keyed, plain
from widgets.panes.content import short_age
from widgets.panes.fitting import at_ends, indented, line, paragraph, thin_bar
from widgets.panes.view import PARTS, PaneView
from widgets.panes.window import SPEAKERS
from widgets.plain import one_line
from widgets.rows import EMPTY, Piece, Row

if TYPE_CHECKING:
    from datetime import datetime

    from memory.recall_views import FoundView, IndexView, RecallView
    from memory.snapshot import Snapshot

NOTHING_YET = (
    "Nothing recalled for this turn: what other sessions, folded messages, facts and content say "
    "about a message will stand here once it is sent."
)
NOT_NOW = "Nothing recalled for this turn."
SEARCHING = "Memory is being searched for what has to do with your message."
SEARCHED = "searching"
NOTHING_FITS = "Nothing of it stands in the prompt."
BY_WORDS = "by words only"
PASSAGE, FACT = "passage:", "fact:"
"""Begin the keys of what was found, before its place in the list."""
LEFT_OUT = "out:"
BAR_CELLS, SCORE_CELLS = 4, 5
LEAST_FOR_BAR = 26
"""Cells of a row from which a score has a bar."""
OF_A_TURN = 8
"""Entries that a turn may leave to be indexed behind it."""
READING = ("reading", "off")
"""States in which words come first, vectors later or never."""
ORIGINS = {"import": "imported", "tool": "from a tool"}


def recalled_rows(snapshot: "Snapshot", width: int, now: "datetime") -> PaneView:
    """What stands in this turn, best first; below it the best of what was left out, and why."""
    found = snapshot.recalled
    index = backlog(snapshot.index) if tells_backlog(snapshot.index) else ""
    ink = "note" if snapshot.index.problem else "dim"
    rows = plain(paragraph(index, width, ink) if index else ())
    if found is None:
        return _view([*rows, *plain(paragraph(_nothing(snapshot), width))], "")
    best = best_of(found)
    if not found.texts and not found.facts:
        rows += plain(paragraph(NOTHING_FITS, width))
    for place, passage in enumerate(found.texts):
        rows += _keyed(_passage(passage, best, width, now), f"{PASSAGE}{place}")
    if not found.meaning:
        rows += plain(paragraph(BY_WORDS, width))
    if found.left_out:
        rows += plain([*([EMPTY] if rows else []), *paragraph("left out", width)])
    for place, passage in enumerate(found.left_out):
        rows += _keyed(_left_out(passage, width), f"{LEFT_OUT}{place}")
    return _view(rows, SEARCHED if snapshot.searching else figures(found))


def _nothing(snapshot: "Snapshot") -> str:
    """Why nothing stands here."""
    if snapshot.searching:
        return SEARCHING
    return NOT_NOW if may_recall(snapshot) else NOTHING_YET


def may_recall(snapshot: "Snapshot") -> bool:
    """Whether there is anything beyond the window that can be found."""
    known = snapshot.recalled or snapshot.compactions or snapshot.facts.live
    return bool(known or snapshot.index.passages > snapshot.messages)


def tells_backlog(index: "IndexView") -> bool:
    """Whether more waits than what was just said, which comes and goes with each turn."""
    return index.backlog > OF_A_TURN or bool(index.problem)


def backlog(index: "IndexView") -> str:
    """How far searches are complete; empty where they are."""
    if not index.backlog:
        return ""
    if index.state in READING:
        told = f"{count(index.backlog, 'older entry', 'older entries')} still to be read"
    else:
        told = f"{index.indexed:,} of {index.passages:,} indexed"
    return f"{told}: {one_line(index.problem)}" if index.problem else told


def best_of(found: "RecallView") -> float:
    """The highest score among what was found."""
    every = (*found.texts, *found.facts, *found.left_out)
    return max((one.score for one in every), default=0.0)


def figures(found: "RecallView") -> str:
    """What stands in the border."""
    if not found.texts and not found.facts:
        left = f"{len(found.left_out):,} left out" if found.left_out else ""
        return PARTS.join(filter(None, (left, call_seconds(found.duration_s))))
    number = count(len(found.texts), "passage")
    tokens = f"{short_number(found.tokens)} of {short_number(found.budget)} tok"
    facts = count(len(found.facts), "fact") if found.facts else ""
    return PARTS.join(filter(None, (number, tokens, facts, call_seconds(found.duration_s))))


def source_of(found: "FoundView") -> tuple[str, str]:
    """Who said something, and the ink of it."""
    if found.kind != "message":
        return found.kind, "facts" if found.kind == "fact" else "dim"
    name, ink = next(
        (told for role, told in SPEAKERS.items() if role == found.role),
        (one_line(found.role), "dim"),
    )
    return name, ink


def where_of(found: "FoundView") -> str:
    """Where something is from, in a few words; facts are nowhere in particular."""
    number = f"{found.number:,}" if found.number else ""
    far = not found.here and found.kind != "fact"
    place = "elsewhere" if far else ""
    return PARTS.join(filter(None, (number, place, ORIGINS.get(found.origin, ""))))


def score_pieces(score: float, best: float, cells: int) -> list[Piece]:
    """A score with its bar, as long as it is a part of the best one's."""
    share = score / best if best > 0 else 0.0
    return [*thin_bar(share, cells, "recalled"), Piece(f"{score:>{SCORE_CELLS}.1f} ", "recalled")]


def _passage(found: "FoundView", best: float, width: int, now: "datetime") -> list[Row]:
    if width >= LEAST_FOR_BAR:
        left = score_pieces(found.score, best, BAR_CELLS)
    else:
        left = [Piece(f"{found.score:.1f} ", "recalled")]
    first = line(left, Piece(found.text), [], width)
    name, ink = source_of(found)
    told = PARTS.join(filter(None, (where_of(found), short_age(found.at, now))))
    tokens = [Piece(f" {short_number(found.tokens)}", "dim")]
    below = at_ends([Piece(f"  {name} ", ink), Piece(told, "dim")], tokens, width)
    return [first, below]


def _left_out(found: "FoundView", width: int) -> list[Row]:
    score = Piece(f"{found.score:.1f} ", "dim")
    head = line([score], Piece(found.text, "dim"), [], width)
    return [head, *indented(paragraph(found.why_not, max(2, width - 2), most=2), 2)]


def _keyed(rows: list[Row], key: str) -> list[Keyed]:
    return [(row, key) for row in rows]


def _view(rows: list[Keyed], told: str) -> PaneView:
    return PaneView(tuple(row for row, _ in rows), told, tuple(key for _, key in rows))
