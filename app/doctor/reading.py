"""Reads the log of a session from its beginning and compares it with what is kept beside it."""

import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from pydantic import TypeAdapter, ValidationError

from memory.codec import UnreadableEvent, decode
from memory.events import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Event,
    Message,
    Recorded,
    SessionRestored,
    SystemPromptSet,
)
from memory.fold import FOLD_VERSION, apply
from memory.parts import MessageRef
from memory.state import State
from memory.storage.failures import StorageError
from memory.storage.inspection import Inspection, SessionRow

_ID = re.compile(r'"([0-9A-HJKMNP-TV-Z]{26})"')
"""What has the form of an id (`memory.ids`), in the JSON of an event."""


LONG = 5_000
"""Events of a session above which a quick look begins at its newest checkpoint: about 0.3 s."""


class OutOfTime(Exception):
    """The look had to end before the session did."""


@dataclass(slots=True)
class Read:
    """What the log of a session says.

    Args:
        session: Which one.
        whole: Whether it was read from its beginning.
        state: The fold over all of it; None where an event can't be read.
        events: How many of its own were read.
        unknown: Events that can't be read, by kind and version.
        broken: Why the table itself can't be read to its end; empty where it can.
        gap: Whether numbers are missing, or the head is not where the session says.
        missing: How many texts are named that are not there.
        orphans: How many texts are there that nothing names.
        differs: Whether the newest checkpoint is another state than the log gives.
        compactions: Those that were made.
        fallbacks: Those where the rule stood in for a model that failed, and why it did.
    """

    session: SessionRow
    whole: bool = True
    state: State | None = None
    events: int = 0
    unknown: Counter[str] = field(default_factory=Counter)
    broken: str = ""
    gap: bool = False
    missing: int = 0
    orphans: int = 0
    differs: bool = False
    compactions: int = 0
    fallbacks: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether every event could be read."""
        return not (self.unknown or self.broken)


def read_session(
    database: Inspection, session: SessionRow, deadline: float, *, full: bool = True
) -> Read:
    """Reads a session's log.

    Args:
        database: Where it is.
        session: Which one.
        deadline: When to give up, on the monotonic clock.
        full: Read a long one from its beginning too.

    Raises:
        OutOfTime: It is longer than the time that is left.
    """
    read = Read(session)
    try:
        _read(database, read, deadline, full)
    except StorageError as error:
        read.broken, read.state = error.sentence, None
    return read


def _read(database: Inspection, read: Read, deadline: float, full: bool) -> None:
    session = read.session
    at_checkpoint, kept = _checkpoint(database, session)
    read.whole = full or kept is None or session.head <= LONG
    state = State() if read.whole or kept is None else kept
    last = state.n
    named: set[str] = set()
    mentioned: set[str] = set()
    for n, at, kind, version, data in database.events(session.branch, last):
        if time.monotonic() > deadline:
            raise OutOfTime
        read.gap = read.gap or n != last + 1
        last = n
        # What a branch shares with the one it comes from is counted there.
        read.events += n > session.parent_n
        mentioned.update(_ID.findall(data))
        try:
            event = decode(kind, version, data)
        except UnreadableEvent:
            read.unknown[f"{kind} (version {version})"] += 1
            continue
        named.update(bodies_of(event))
        if n > session.parent_n:
            _note_compaction(read, event)
        if not read.unknown:
            state = apply(state, Recorded(n, at, event))
            read.differs = read.differs or (n == at_checkpoint and state != kept)
    read.gap = read.gap or last != session.head
    _compare_texts(database, read, named, mentioned)
    if not read.unknown:
        read.state = state
        read.gap = read.gap or state.messages != session.messages


def bodies_of(event: Event) -> Iterator[str]:
    """The texts that an event needs."""
    match event:
        case SystemPromptSet():
            yield event.body
        case Message():
            yield from _of_message(event.ref)
        case Compacted() | CompactionUndone() | CompactionRedone() | SessionRestored():
            yield from (s.body for s in (event.long_term, event.short_term) if s)
            for ref in event.pinned:
                yield from _of_message(ref)


def _of_message(ref: MessageRef) -> Iterator[str]:
    yield from (body for body in (ref.body, ref.calls, ref.reasoning) if body)


def _note_compaction(read: Read, event: Event) -> None:
    if isinstance(event, Compacted):
        read.compactions += 1
        if event.by == "rule" and event.failures:
            read.fallbacks.append(event.failures[-1])


def _checkpoint(database: Inspection, session: SessionRow) -> tuple[int, State | None]:
    """The newest state that is kept, and after which event; 0 where there is none to be used."""
    found = database.rows(
        "SELECT n, data FROM checkpoint WHERE branch = ? AND fold_version = ? "
        "ORDER BY n DESC LIMIT 1",
        session.branch,
        FOLD_VERSION,
    )
    if not found:
        return 0, None
    try:
        state = TypeAdapter(State).validate_json(found[0][1])
    except ValidationError:
        return 0, None  # memory passes it over as well
    return (int(found[0][0]), state) if state.n == found[0][0] else (0, None)


def _compare_texts(database: Inspection, read: Read, named: set[str], mentioned: set[str]) -> None:
    stored = {
        row[0] for row in database.rows("SELECT id FROM body WHERE stream = ?", read.session.stream)
    }
    read.missing = len(named - stored)
    # A fork's texts lie in the same stream: only where there is one branch is that known.
    branches = database.rows("SELECT count(*) FROM branch WHERE stream = ?", read.session.stream)[
        0
    ][0]
    read.orphans = len(stored - mentioned) if branches == 1 and read.whole else 0
