"""Facts as the facts screen lists and describes them. Pure."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from app.screens.place import Place
from memory.views import FactView
from memory.words import index_words
from widgets.figures import clock, count
from widgets.panes.ages import age
from widgets.panes.blocks import Keyed, heading, plain
from widgets.panes.content import short_age
from widgets.panes.facts import STANDS, STANDS_NOT, percent
from widgets.panes.fitting import indented, line, paragraph
from widgets.panes.labelled import labelled
from widgets.panes.view import PARTS, PaneView, wrapped
from widgets.panes.window import PINNED, SPEAKERS
from widgets.plain import one_line
from widgets.rows import EMPTY, Piece, Row

Which = Literal["live", "pinned", "ended", "all"]
WHICH: tuple[tuple[Which, str], ...] = (
    ("live", "those that hold"),
    ("pinned", "pinned ones"),
    ("ended", "ended ones"),
    ("all", "all of them"),
)
"""What can be listed, and what that is called."""
NOTHING = "Nothing is known yet. n keeps a fact, in all sessions of this agent."
NONE_FOUND = "No fact has these words, or is about the same."
NONE_OF = "There is none among {}: y lists others."
COLUMNS = "importance, age"
"""What stands at the end of each row."""
SOURCE, OTHER = "source:", "fact:"
"""Begin the keys of rows of the detail."""
SOURCE_ROWS = 3
MOST_SOURCES = 20
BY = {"user": "you", "tool": "the model, by a tool", "model": "the model, from what was said"}
WHY = {"contradicted": "something else was said", "user": "by you", "tool": "by the model"}
DISPUTED = "! "


@dataclass(frozen=True, slots=True)
class Cited:
    """A message that a fact was learned from."""

    place: Place
    role: str
    at: str
    text: str


def found(
    facts: Sequence[FactView], which: Which, words: str, near: Sequence[str] = ()
) -> tuple[FactView, ...]:
    """The facts that are wanted: those with all words first, then those near in meaning.

    Args:
        facts: All of them, in their order.
        which: Which of them.
        words: What is looked for; the last one may be a beginning.
        near: Ids of those that are near in meaning, the nearest first.
    """
    wanted = [fact for fact in facts if _is(fact, which)]
    if not words.split():
        return tuple(wanted)
    exact = [fact for fact in wanted if _has(fact, words)]
    known = {fact.id: fact for fact in wanted if fact not in exact}
    return (*exact, *(known[id] for id in near if id in known))


def list_rows(
    facts: Sequence[FactView],
    standing: Collection[str],
    told: str,
    width: int,
    now: datetime,
) -> PaneView:
    """A row a fact.

    Args:
        facts: Those that were found.
        standing: Ids of those in the present prompt.
        told: What is said where there is none.
        width: Cells of a row.
        now: The present.
    """
    if not facts:
        return PaneView(tuple(wrapped(told, width, "dim")))
    ids = max(len(fact.id) for fact in facts)
    rows = tuple(_row(fact, fact.id in standing, ids, width, now) for fact in facts)
    told = f"{count(len(facts), 'fact')}: {COLUMNS}"
    return PaneView(rows, told, tuple(fact.id for fact in facts))


def detail_rows(
    fact: FactView,
    known: Mapping[str, FactView],
    cited: Sequence[Cited] | None,
    stands: bool,
    width: int,
    now: datetime,
) -> PaneView:
    """All that is known of a fact.

    Args:
        fact: The fact.
        known: All facts by their ids.
        cited: Its sources; None until they have been read.
        stands: Whether it is in the present prompt.
        width: Cells of a row.
        now: The present.
    """
    rows: list[Keyed] = [
        *plain([*wrapped(fact.text, width), EMPTY]),
        *plain(labelled(_about(fact, stands, now), width)),
        *_others("may not go with", fact.conflicts_with, known, width),
        *_others("holds in its place", filter(None, [fact.successor]), known, width),
        *_others("holds in the place of", _replaced(fact, known), known, width),
        *_history(fact, width),
        *_sources(fact, cited, width, now),
    ]
    return PaneView(tuple(row for row, _ in rows), "", tuple(key for _, key in rows))


def _is(fact: FactView, which: Which) -> bool:
    if which == "pinned":
        return fact.pinned
    return which == "all" or fact.live == (which == "live")


def _has(fact: FactView, words: str) -> bool:
    if words.strip() == fact.id or words.strip().casefold() in fact.text.casefold():
        return True
    own, sought = set(index_words(fact.text)), index_words(words)
    return bool(sought) and set(sought) <= own


def _row(fact: FactView, stands: bool, ids: int, width: int, now: datetime) -> Row:
    sign, ink = STANDS if stands else STANDS_NOT
    left = [Piece(sign, ink), Piece(f"{fact.id:<{ids}} ", "dim")]
    if fact.pinned:
        left.append(Piece(PINNED, "facts"))
    if fact.conflicts_with and fact.live:
        left.append(Piece(DISPUTED, "note"))
    if not fact.live:
        left.append(Piece("ended ", "dim"))
    right = [
        Piece(f" {percent(fact.importance):>5}", "dim"),
        Piece(f" {short_age(fact.learned_at, now):>6}", "dim"),
    ]
    return line(left, Piece(fact.text, "text" if fact.live else "dim"), right, width)


def _about(fact: FactView, stands: bool, now: datetime) -> dict[str, str]:
    ended = ""
    if fact.valid_until is not None:
        why = WHY.get(fact.why_ended or "", "")
        ended = f"{clock(fact.valid_until, now)}{f', {why}' if why else ''}"
    model = f" ({one_line(fact.model)})" if fact.model else ""
    now_holds = "yes, and it stands in this turn" if stands else "yes"
    return {
        "holds": now_holds if fact.live else "no longer",
        "since": clock(fact.valid_from, now),
        "until": ended,
        "pinned": "it stands in every prompt" if fact.pinned else "",
        "importance": percent(fact.importance),
        "learned": f"{clock(fact.learned_at, now)} ({age(fact.learned_at, now)})",
        "by": f"{BY[fact.by]}{model}",
        "repeated": count(fact.confirmed, "time") if fact.confirmed else "",
    }


def _replaced(fact: FactView, known: Mapping[str, FactView]) -> list[str]:
    return [other.id for other in known.values() if other.successor == fact.id]


def _others(
    title: str, ids: Iterable[str], known: Mapping[str, FactView], width: int
) -> list[Keyed]:
    """Other facts, each of which a row opens."""
    rows: list[Keyed] = []
    for id in ids:
        other = known.get(id)
        text = Piece(other.text) if other is not None else Piece("forgotten", "dim")
        rows.append((line([Piece(f"{id} ", "facts")], text, [], width), OTHER + id))
    return [*plain(heading(title, "", width, "dim")), *rows] if rows else []


def _history(fact: FactView, width: int) -> list[Keyed]:
    if not fact.earlier:
        return []
    told = count(len(fact.earlier), "edit")
    rows = heading("before", f"{told}, the newest first", width, "dim")
    for text in reversed(fact.earlier):
        rows += paragraph(text, width, "dim")
    return plain(rows)


def _sources(
    fact: FactView, cited: Sequence[Cited] | None, width: int, now: datetime
) -> list[Keyed]:
    number = sum(len(source.numbers) for source in fact.sources)
    if not number:
        return []
    rows = plain(heading("sources", count(number, "message"), width, "dim"))
    if cited is None:
        return [*rows, *plain(paragraph("Being read.", width))]
    for place, one in enumerate(cited[:MOST_SOURCES]):
        key = f"{SOURCE}{place}"
        rows += [(row, key) for row in _source(one, width, now)]
    gone = number - len(cited)
    if gone > 0:
        rows += plain(paragraph(f"{count(gone, 'message')} can't be read any more", width))
    return rows


def _source(one: Cited, width: int, now: datetime) -> list[Row]:
    name, ink = next(
        (told for role, told in SPEAKERS.items() if role == one.role), (one_line(one.role), "dim")
    )
    place = f"“{one_line(one.place.name)}”" if one.place.branch else ""
    told = filter(None, (f"message {one.place.number:,}", place, clock(one.at, now)))
    head = line([Piece(f"{name} ", ink)], Piece(PARTS.join(told), "dim"), [], width)
    below = paragraph(one.text, max(2, width - 2), "text", most=SOURCE_ROWS)
    return [head, *indented(below, 2)]
