"""A quick look at a session's newest messages, before anything else of memory is loaded (ALL-7).

It reads with the standard library alone and changes nothing. Where anything is unusual, and where
the database is encrypted, it sees nothing: opening the session properly comes a moment later.
"""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.events import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Event,
    Forked,
    Message,
    Recorded,
    RequestEnded,
)
from memory.parts import MessageRef, Stage, SummaryRef, Usage
from memory.storage.header import is_encrypted
from memory.storage.lineage import lineage
from memory.storage.places import FILE_NAME
from memory.wish import Wish

NEWEST = 30
"""Messages looked at: more than one screen shows."""
LONGEST = 50_000
"""Characters of a text above which the look stops before it; breaking it into rows takes time."""
SHOWN: tuple[type[Event], ...] = (
    Message,
    RequestEnded,
    Compacted,
    CompactionUndone,
    CompactionRedone,
    Forked,
)
EXECUTED = "tool_executed"
"""The kind of event that tells how a call went; loaded only where a session has called tools."""
PARTS: Mapping[str, type[Any]] = {
    "ref": MessageRef,
    "usage": Usage,
    "long_term": SummaryRef,
    "short_term": SummaryRef,
    "pinned": MessageRef,
    "restored": MessageRef,
    "stages": Stage,
}
"""What the fields that are no plain values are made of."""
SESSION = (
    "SELECT s.name, s.title, s.agent, b.model, b.messages, b.id FROM branch b "
    "JOIN stream s ON s.id = b.stream "
    "WHERE s.kind = 'session' AND s.owner IS NULL AND NOT b.hidden AND {} "
    "ORDER BY b.updated_at DESC, b.id DESC LIMIT 1"
)


@dataclass(frozen=True, slots=True)
class Glance:
    """What a session looks like at its end."""

    session_id: str
    title: str | None
    agent: str
    model: str | None
    messages: int
    recorded: tuple[Recorded, ...]
    """Its newest events, oldest first, from the first message on that was looked at."""
    texts: Mapping[str, str]
    """The bodies of the messages among them."""


def glance(directory: Path, wish: Wish) -> Glance | None:
    """Looks at the session that a wish will open; None where there is nothing to be seen."""
    path = directory / FILE_NAME
    if wish.fresh or wish.branch or not path.exists() or is_encrypted(directory):
        return None
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0.05)
        try:
            return _look(connection, wish)
        finally:
            connection.close()
    except (sqlite3.Error, ValueError, TypeError, LookupError):
        return None


def _look(connection: sqlite3.Connection, wish: Wish) -> Glance | None:
    where = "(s.name = ?1 OR s.title = ?1)" if wish.session else "s.agent = ?1"
    found = connection.execute(SESSION.format(where), (wish.session or wish.agent,)).fetchone()
    if found is None:
        return None
    name, title, agent, model, messages, branch = found
    rows = _events(connection, branch, max(1, messages - NEWEST + 1))
    recorded = [Recorded(n, at, _event(kind, version, data)) for n, at, kind, version, data in rows]
    texts = _texts(connection, _bodies(recorded))
    while any(isinstance(e.event, Message) and e.event.ref.body not in texts for e in recorded):
        recorded.pop(0)
    while recorded and not _begins(recorded[0].event):
        recorded.pop(0)
    return Glance(name, title, agent, model, messages, tuple(recorded), texts)


def _events(connection: sqlite3.Connection, branch: str, first: int) -> list[tuple[Any, ...]]:
    """The rows of a branch and its ancestors from message number `first` on."""
    kinds = [*(event.KIND for event in SHOWN), EXECUTED]
    marks = ", ".join("?" * len(kinds))
    query = (
        f"SELECT n, at, kind, version, data FROM event "
        f"WHERE branch = ? AND n BETWEEN ? AND ? AND kind IN ({marks}) ORDER BY n"
    )
    # With a limit on n SQLite would walk the log from its beginning.
    start = (
        "SELECT min(n) FROM event INDEXED BY event_number "
        "WHERE branch = ? AND number >= ? AND n <= ?"
    )
    rows: list[tuple[Any, ...]] = []
    for source, low, high in lineage(connection, branch):
        (n,) = connection.execute(start, (source, first, high)).fetchone()
        if rows or n is not None:
            n = low if rows else max(low, n)
            rows += connection.execute(query, (source, n, high, *kinds)).fetchall()
    return rows


def _begins(event: Event) -> bool:
    """Whether a look can begin with it; with the result of a call it can't: its call is missed."""
    return isinstance(event, Message) and event.ref.role != "tool"


def _bodies(recorded: list[Recorded]) -> list[str]:
    refs = [e.event.ref for e in recorded if isinstance(e.event, Message)]
    return [body for ref in refs for body in (ref.body, ref.calls) if body is not None]


def _texts(connection: sqlite3.Connection, bodies: list[str]) -> dict[str, str]:
    marks = ", ".join("?" * len(bodies))
    query = f"SELECT id, text FROM body WHERE id IN ({marks}) AND length(text) <= {LONGEST}"
    return dict(connection.execute(query, bodies))


def _event(kind: str, version: int, data: str) -> Event:
    """An event of the present form.

    Raises:
        LookupError: It is of an older or a newer form.
    """
    if kind == EXECUTED:
        return _executed(version, json.loads(data))
    event = next(event for event in SHOWN if kind == event.KIND)
    if version != event.VERSION:
        raise LookupError(kind)
    return event(**{name: _value(name, value) for name, value in json.loads(data).items()})


def _executed(version: int, data: dict[str, Any]) -> Event:
    from memory.work_events import ToolExecuted
    from memory.work_parts import Text

    if version != ToolExecuted.VERSION:
        raise LookupError(EXECUTED)
    texts = {name: Text(**data[name]) for name in ("arguments", "result")}
    return ToolExecuted(**{**data, **texts})


def _value(name: str, value: Any) -> Any:
    part = PARTS.get(name)
    if isinstance(value, list):
        return tuple(_value(name, item) for item in value)
    if part is not None and isinstance(value, dict):
        return part(**{key: _value("", item) for key, item in value.items()})
    return value
