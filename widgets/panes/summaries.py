"""The two summaries as panes show them. Pure."""

from typing import TYPE_CHECKING, Literal

from widgets.figures import short_number
from widgets.panes.ages import age
from widgets.panes.upcoming import empty_sentence, first_fold, why_not
from widgets.panes.view import PARTS, PaneView, clipped, spread, wrapped
from widgets.plain import one_line
from widgets.rows import Piece

if TYPE_CHECKING:
    from datetime import datetime

    from memory.parts import SummaryBy
    from memory.snapshot import Snapshot, SummaryView

BECOMES = "the oldest messages become a summary here"
ONE_SUMMARY = "This policy keeps one running summary: the long-term one."
Which = Literal["short_term", "long_term"]


def short_term_rows(snapshot: "Snapshot", width: int, now: "datetime") -> PaneView:
    """The short-term summary: what left the window last."""
    if snapshot.short_term is not None:
        return _filled(snapshot, "short_term", snapshot.short_term, width, now)
    if snapshot.one_summary:
        return PaneView(tuple(wrapped(ONE_SUMMARY, width, "dim")))
    sentence = empty_sentence(snapshot, "Nothing folded yet", BECOMES, now)
    return PaneView(tuple(wrapped(sentence, width, "dim")))


def long_term_rows(snapshot: "Snapshot", width: int, now: "datetime") -> PaneView:
    """The long-term summary: what lies below the short-term one."""
    if snapshot.long_term is not None:
        return _filled(snapshot, "long_term", snapshot.long_term, width, now)
    return PaneView(tuple(wrapped(_nothing_old(snapshot, now), width, "dim")))


def made_by(by: "SummaryBy", model: str | None) -> str:
    """Who wrote a summary."""
    if by == "carried":
        return "carried over unchanged"
    return f"by {model_name(model)}" if by == "model" else "by rule, no model"


def model_name(name: str | None) -> str:
    """A model as people call it: without its provider or folder."""
    return one_line((name or "a model").rsplit("/", 1)[-1])


def span(first: int, last: int) -> str:
    """A range of messages."""
    return f"{first}–{last}" if last > first else str(first)


def _filled(
    snapshot: "Snapshot", which: Which, summary: "SummaryView", width: int, now: "datetime"
) -> PaneView:
    text = wrapped(summary.text.strip("\n"), width)
    if summary.details:
        text = [*text, *wrapped(f"Details: {summary.details}", width, "dim")]
    ago = age(summary.made_at, now)
    # On one row, whatever the age: a pane must not grow because time goes by.
    who = clipped(made_by(summary.by, summary.model), width - len(ago) - 1)
    rows = (*text, spread([Piece(who, "dim")], [Piece(ago, "dim")], width))
    parts = (
        span(summary.first, summary.last),
        f"v{summary.version}",
        f"{short_number(summary.tokens)} tok",
    )
    key = _maker(snapshot, which, summary.version)
    return PaneView(rows, PARTS.join(parts), (key,) * len(rows))


def _maker(snapshot: "Snapshot", which: Which, version: int) -> str:
    """The compaction that made a version of a summary; empty where it is too long ago."""
    for record in snapshot.recent_compactions:
        ref = record.event.short_term if which == "short_term" else record.event.long_term
        if ref is not None and ref.version == version:
            return record.event.id
    return ""


def _nothing_old(snapshot: "Snapshot", now: "datetime") -> str:
    nothing = "Nothing older yet"
    if snapshot.one_summary:
        return empty_sentence(snapshot, nothing, BECOMES, now)
    if snapshot.policy == "none":
        return f"{nothing}. {why_not(snapshot, now)}"
    which = "second" if snapshot.short_term is None else "next"
    when = "" if why_not(snapshot, now) or snapshot.short_term is None else first_fold(snapshot)
    comes = f"with the {which} folding the short-term summary moves here"
    return f"{nothing}: {comes}, {when}." if when else f"{nothing}: {comes}."
