"""Facts as a pane shows them: what the agent knows from all of its sessions. Pure."""

from functools import lru_cache
from typing import TYPE_CHECKING

from widgets.figures import count, short_number
from widgets.panes.blocks import Keyed
from widgets.panes.content import short_age
from widgets.panes.fitting import indented, paragraph
from widgets.panes.summaries import span
from widgets.panes.view import PARTS, PaneView
from widgets.panes.window import PINNED
from widgets.rows import Piece, Row

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from memory.snapshot import PinView, Snapshot
    from memory.views import FactView

NO_FACTS = (
    "Nothing known yet: what @remember TEXT keeps, and what is read out of folded messages, will "
    "stand here, in all sessions of this agent."
)
NONE_HOLDS = "No fact holds now."
FACT, PIN, ENDED, MORE = "fact:", "pin:", "ended", "more"
"""Begin the keys of rows, or are them."""
STANDS, STANDS_NOT = ("● ", "facts"), ("○ ", "dim")
"""Whether a fact stands in the prompt."""
CONFLICT = "may not go with"
TEXT_ROWS = 2
INDENT = 2
KEPT_FACTS = 1_024
MOST_NAMED = 3


def fact_rows(snapshot: "Snapshot", width: int, now: "datetime") -> PaneView:
    """A fact in up to three rows: its text, then pin, importance, age and conflicts."""
    facts, pins = snapshot.facts, sentences(snapshot)
    if not (facts.live or facts.ended or pins):
        return PaneView(tuple(paragraph(NO_FACTS, width)))
    standing = in_prompt(snapshot)
    rows: list[Keyed] = []
    for pin in pins:
        rows += [(row, PIN + str(pin.number or "")) for row in _pin_rows(pin, width)]
    for fact in facts.shown:
        told = about(fact, short_age(fact.learned_at, now))
        laid = _rows_of(fact.text, told, bool(fact.conflicts_with), fact.id in standing, width)
        rows += [(row, FACT + fact.id) for row in laid]
    if not facts.live and not pins:
        rows += [(row, ENDED) for row in paragraph(NONE_HOLDS, width)]
    rows += _rest(snapshot, width)
    keys = tuple(key for _, key in rows)
    return PaneView(tuple(row for row, _ in rows), _figures(snapshot), keys)


def has_facts(snapshot: "Snapshot") -> bool:
    """Whether anything is known, or was."""
    return bool(snapshot.facts.live or snapshot.facts.ended)


def sentences(snapshot: "Snapshot") -> "list[PinView]":
    """What is pinned and is no whole message: it stands among the facts in the prompt."""
    return [pin for pin in snapshot.pins if not pin.whole]


def in_prompt(snapshot: "Snapshot") -> frozenset[str]:
    """Ids of the facts that stand in the present turn."""
    found = snapshot.recalled
    if found is None:
        return frozenset()
    texts = {fact.text for fact in found.facts}
    return frozenset(fact.id for fact in snapshot.facts.shown if fact.text in texts)


def about(fact: "FactView", age: str) -> str:
    """What stands below a fact's text, but for its conflicts."""
    pinned = f"{PINNED}pinned" if fact.pinned else ""
    again = f"said {count(fact.confirmed + 1, 'time')}" if fact.confirmed else ""
    ended = "" if fact.live else "ended"
    importance = f"importance {percent(fact.importance)}"
    return PARTS.join(filter(None, (pinned, ended, importance, age, again)))


def conflicts(ids: "Iterable[str]") -> str:
    """Which facts may say otherwise."""
    named = list(ids)
    more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return f"{CONFLICT} {', '.join(named[:MOST_NAMED])}{more}" if named else ""


def percent(share: float) -> str:
    """A share from 0 to 1."""
    return f"{share:.0%}".replace("%", " %")


@lru_cache(maxsize=KEPT_FACTS)
def _rows_of(
    text: str,
    told: str,
    disputed: bool,
    stands: bool,
    width: int,
) -> tuple[Row, ...]:
    sign, ink = STANDS if stands else STANDS_NOT
    room = max(2, width - INDENT)
    rows = indented(paragraph(text, room, "text", most=TEXT_ROWS), INDENT)
    if rows:
        rows[0] = Row((Piece(sign, ink), *rows[0].pieces[1:]), rows[0].glue, INDENT)
    rows += indented(paragraph(told, room, "dim", most=1), INDENT)
    if disputed:
        warning = paragraph("! another fact may say otherwise", room, "note", most=1)
        rows += indented(warning, INDENT)
    return tuple(rows)


def _pin_rows(pin: "PinView", width: int) -> list[Row]:
    where = f" from message {span(pin.number, pin.number)}" if pin.number else ""
    told = PARTS.join((f"{PINNED}pinned{where}", f"{short_number(pin.tokens)} tok"))
    return list(_rows_of(pin.text, told, False, True, width))


def _rest(snapshot: "Snapshot", width: int) -> list[Keyed]:
    facts = snapshot.facts
    rows: list[Keyed] = []
    more = facts.live - len(facts.shown)
    if more > 0:
        rows += [(row, MORE) for row in paragraph(f"{more:,} more", width, most=1)]
    if facts.ended:
        told = f"{count(facts.ended, 'fact')} ended"
        rows += [(row, ENDED) for row in paragraph(told, width, most=1)]
    return rows


def _figures(snapshot: "Snapshot") -> str:
    facts = snapshot.facts
    parts = [count(facts.live, "fact")]
    if facts.ended:
        parts.append(f"{facts.ended:,} ended")
    tokens = snapshot.context.sections.get("facts", 0)
    if tokens:
        about = "~" if snapshot.context.counted_by == "estimate" else ""
        parts.append(f"{about}{short_number(tokens)} tok")
    return PARTS.join(parts)
