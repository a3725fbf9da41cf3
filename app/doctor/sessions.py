"""The sessions: whether their logs can be read and agree with what is kept beside them."""

import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from app.doctor.check import Check, note, ok, problem
from app.doctor.database import way_out_of_damage
from app.doctor.reading import OutOfTime, Read, read_session
from memory.storage.inspection import Inspection, SessionRow, inspect
from widgets.figures import count

QUICK_SECONDS = 2.0
MOST_NAMES = 3


def read_sessions(
    path: Path, sessions: Sequence[SessionRow], *, full: bool
) -> tuple[list[Read], list[Check]]:
    """Reads the sessions, the newest first, for two seconds or all of them.

    Raises:
        StorageError: The database can't be opened any more.
    """
    deadline = time.monotonic() + (float("inf") if full else QUICK_SECONDS)
    reads: list[Read] = []
    with inspect(path) as database:
        for session in sessions:
            try:
                reads.append(read_session(database, session, deadline, full=full))
            except OutOfTime:
                continue
        return reads, [*session_checks(path, reads, len(sessions)), *_left_behind(database)]


def session_checks(path: Path, reads: Sequence[Read], sessions: int) -> list[Check]:
    """What the logs say.

    Args:
        path: The database.
        reads: The sessions that were read.
        sessions: How many logs there are: one a session, and one more for each further branch.
    """
    if not sessions:
        return [ok("events", "There is no session yet.")]
    if not reads:
        return _unread(reads, sessions)
    return [
        *_unread(reads, sessions),
        events_check(path, reads),
        states_check(reads),
        *_texts(path, reads),
    ]


def _unread(reads: Sequence[Read], sessions: int) -> list[Check]:
    """What was left out for want of time."""
    parts = sum(not read.whole for read in reads)
    told = []
    if len(reads) < sessions:
        told.append(f"Read in {QUICK_SECONDS:.0f} seconds: {len(reads):,} of {sessions:,} logs.")
    if parts:
        told.append(f"Read at its end only, since it is long: {count(parts, 'session')}.")
    if not told:
        return []
    return [note("extent", " ".join(told), "`strata doctor --full` reads everything.")]


def events_check(path: Path, reads: Sequence[Read]) -> Check:
    """Whether every event can be read."""
    broken = [read for read in reads if read.broken or read.gap]
    if broken:
        readable = _sessions(reads) - _sessions([read for read in reads if read.broken])
        whole = f" {readable:,} of {count(_sessions(reads), 'session')} can be read to the end."
        sentence = f"The log is not whole in {names(broken)}.{whole}"
        return problem("events", sentence, way_out_of_damage(path))
    unknown: Counter[str] = sum((read.unknown for read in reads), Counter())
    if unknown:
        kinds = ", ".join(
            f"{number:,} × {kind}" for kind, number in unknown.most_common(MOST_NAMES)
        )
        where = names([read for read in reads if read.unknown])
        return problem(
            "events",
            f"Events that this Strata can't read stand in {where}: {kinds}.",
            "Update Strata; if it is the newest, keep a copy of the database.",
        )
    events = sum(read.events for read in reads)
    return ok(
        "events",
        f"All {count(events, 'event')} of {count(_sessions(reads), 'session')} can be read.",
    )


def states_check(reads: Sequence[Read]) -> Check:
    """Whether the states that are kept are those that the logs give."""
    differing = [read for read in reads if read.differs]
    if differing:
        return problem(
            "states",
            f"What is kept as the state of {names(differing)} is not what the log gives.",
            "`strata export --session NAME FILE` saves its messages, "
            "`strata import FILE --session NEW` begins anew with them.",
        )
    return ok("states", "The states that are kept agree with the logs.")


def _texts(path: Path, reads: Sequence[Read]) -> list[Check]:
    missing = [read for read in reads if read.missing]
    if missing:
        texts = count(sum(read.missing for read in missing), "text")
        sentence = f"{texts} that the log names are not there, in {names(missing)}."
        return [problem("texts", sentence, way_out_of_damage(path))]
    orphans = sum(read.orphans for read in reads if read.sound)
    if orphans:
        return [note("texts", f"{count(orphans, 'text')} that nothing names only take room.")]
    return [ok("texts", "Every text that is named is there, and no other.")]


def _left_behind(database: Inspection) -> list[Check]:
    """What killed processes left: mended when the session is opened."""
    checks: list[Check] = []
    if drafts := database.drafts():
        sentence = f"An answer was cut off in {_some(drafts)}."
        checks.append(note("drafts", sentence, "Opening the session keeps what had arrived of it."))
    if leases := database.dead_leases():
        sentence = f"Left by a Strata that ended early: {count(leases, 'session')}."
        checks.append(note("leases", sentence, "Nothing has to be done: open it as ever."))
    return checks


def names(reads: Sequence[Read]) -> str:
    """The names of some sessions, for a sentence."""
    return _some(list(dict.fromkeys(read.session.name for read in reads)))


def _sessions(reads: Sequence[Read]) -> int:
    """How many sessions they are branches of."""
    return len({read.session.stream for read in reads})


def _some(all_names: Sequence[str]) -> str:
    shown = ", ".join(f"“{name}”" for name in all_names[:MOST_NAMES])
    others = len(all_names) - MOST_NAMES
    return f"{shown} and {others:,} more" if others > 0 else shown
