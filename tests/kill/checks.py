"""What must hold of a data directory after a kill."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from memory.config import MemoryConfig
from memory.events import Message, Recorded
from memory.fold import fold
from memory.memory import Memory
from memory.state import Folding, State
from memory.storage.places import FILE_NAME
from memory.wish import Wish


@dataclass(frozen=True)
class Reopened:
    """A session as the next start finds it."""

    state: State
    events: list[Recorded]
    texts: dict[str, str]

    @property
    def said(self) -> list[tuple[str, str, bool]]:
        """Role, text and whether it is marked interrupted, of every message."""
        messages = [e.event for e in self.events if isinstance(e.event, Message)]
        return [(m.ref.role, self.texts[m.ref.body], m.ref.interrupted) for m in messages]

    @property
    def kinds(self) -> list[str]:
        """The kinds of the events."""
        return [recorded.event.KIND for recorded in self.events]


async def reopen(data: Path, session: str | None, config: MemoryConfig | None = None) -> Reopened:
    """Opens a session for writing, as the next start does, and checks all that must hold."""
    wish = Wish(session=session, create=False, passive=True, label="the check")
    async with Memory.open(data, config=config, wish=wish) as memory:
        # What a kill kept from being told of a compaction is told at the next start.
        await memory.settled()
        events = await memory.log()
        bodies = [
            body
            for e in events
            if isinstance(e.event, Message)
            for body in (e.event.ref.body, e.event.ref.calls, e.event.ref.reasoning)
            if body
        ]
        texts = await memory.texts(bodies)
        state = memory.state
    assert set(bodies) <= texts.keys(), "a message without its text"
    assert [e.n for e in events] == list(range(1, len(events) + 1))
    assert fold(events) == state, "the state is not the fold of the log"
    check_coverage(state)
    check_database(data)
    return Reopened(state, events, texts)


def check_coverage(state: State) -> None:
    """I1: every message is verbatim or under one summary, without a gap."""
    folding: Folding = state.folding
    spans = [(s.first, s.last) for s in (folding.long_term, folding.short_term) if s]
    spans += [(ref.number, ref.number) for ref in folding.verbatim]
    following = 1
    for first, last in spans:
        assert first == following, f"gap or overlap at message {following}: {spans}"
        assert last >= first
        following = last + 1
    assert following == state.messages + 1, f"coverage ends at {following - 1} of {state.messages}"


def check_database(data: Path) -> None:
    """The file is sound, no draft is left, and nobody holds a lease."""
    connection = sqlite3.connect(data / FILE_NAME)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        assert connection.execute("SELECT count(*) FROM draft").fetchone() == (0,)
        assert connection.execute("SELECT * FROM lease WHERE expires_at > ''").fetchall() == []
    finally:
        connection.close()
