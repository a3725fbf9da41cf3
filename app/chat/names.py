"""How a session is put in the status line and in lists: its name, model, size and age. Pure."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from rich.cells import cell_len

from widgets.figures import clock, count
from widgets.plain import one_line

if TYPE_CHECKING:
    from memory.storage.sessions import SessionInfo

START_LENGTH = len("2026-11-21T08:00:00.000Z")
MINUTE, HOUR = 60, 3600
UNITS = ("B", "kB", "MB", "GB", "TB")
THOUSAND, TEN = 1000, 10
FIGURES = (1, 2, 3)
"""Columns of a list that stand to the right."""


def session_name(
    title: str | None, session_id: str, now: datetime, zone: tzinfo | None = None
) -> str:
    """What a session is called everywhere: its title, or when it began.

    Args:
        title: Its title, if it has one.
        session_id: `user:agent:started-at`.
        now: The present, which decides how much of the date is told.
        zone: Where the person is; the machine's own by default.
    """
    if title:
        return one_line(title)
    started = session_id.split(":", 2)[-1]
    try:
        return f"session of {clock(started[:START_LENGTH], now, zone)}"
    except ValueError:
        return one_line(session_id)


def name_of(session: "SessionInfo", now: datetime, zone: tzinfo | None = None) -> str:
    """What a session of a list is called."""
    return session_name(session.title, session.id, now, zone)


def content_of(session: "SessionInfo") -> str:
    """What a session holds, as it is said before it is deleted: 12 messages, 3 branches."""
    branches = f", {count(session.branches, 'branch', 'branches')}" if session.branches > 1 else ""
    return f"{count(session.messages, 'message')}{branches}"


def listed(sessions: "Sequence[SessionInfo]", now: datetime, here: str | None = None) -> list[str]:
    """The lines of a list of sessions, in columns.

    A session without a title of its own ends with its id, by which it can be named.

    Args:
        sessions: In their order.
        now: The present.
        here: The id of the session that is open, which is marked.
    """
    titles = Counter((session.title or "").casefold() for session in sessions)
    rows = [
        (
            f"{'›' if session.id == here else ' '} " * (here is not None) + name_of(session, now),
            count(session.messages, "message"),
            short_size(session.bytes),
            count(session.branches, "branch", "branches") if session.branches > 1 else "",
            ago(session.last_used, now),
            session.agent,
            short_model(session.model),
            ""
            if titles[(session.title or "").casefold()] == 1 and session.title
            else one_line(session.id),
        )
        for session in sessions
    ]
    return columns(rows, right=FIGURES)


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows of texts as lines in columns; a column in which nothing stands is left out.

    Args:
        rows: Each with as many texts as the others.
        right: The columns whose texts stand at their right.
    """
    widths = [max(map(cell_len, column), default=0) for column in zip(*rows, strict=True)]
    return ["  ".join(_columns(row, widths, right)).rstrip() for row in rows]


def _columns(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> list[str]:
    gaps = [" " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)]
    return [
        gap + text if place in right else text + gap
        for place, (text, gap) in enumerate(zip(row, gaps, strict=True))
        if widths[place]
    ]


def short_model(model: str | None) -> str:
    """A model's name without where it comes from: gpt-4o, smollm2-135m."""
    return one_line((model or "").rstrip("/").rsplit("/", 1)[-1])


def short_size(size: int) -> str:
    """Bytes in at most three figures: 812 B, 3.9 kB, 128 kB."""
    value, unit = float(size), 0
    while round(value) >= THOUSAND and unit + 1 < len(UNITS):
        value, unit = value / THOUSAND, unit + 1
    figure = f"{value:.1f}" if unit and round(value, 1) < TEN else f"{value:.0f}"
    return f"{figure} {UNITS[unit]}"


def ago(at: str, now: datetime, zone: tzinfo | None = None) -> str:
    """A UTC time of the log as it is said in a list: 3 min ago, yesterday, 21 Nov.

    Args:
        at: ISO 8601.
        now: The present.
        zone: Where the person is; the machine's own by default.
    """
    then, today = datetime.fromisoformat(at).astimezone(zone), now.astimezone(zone)
    seconds = (today - then).total_seconds()
    if seconds < MINUTE:
        return "just now"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min ago"
    days = (today.date() - then.date()).days
    if days == 0:
        return f"{seconds // HOUR:.0f} h ago"
    if days == 1:
        return "yesterday"
    return f"{then.day} {then:%b}" + (f" {then.year}" if then.year != today.year else "")
