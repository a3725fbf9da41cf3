"""The summaries: who made them, whether they cover everything, and what holds them up. Pure."""

from collections.abc import Sequence
from datetime import datetime

from app.doctor.check import Check, note, ok, problem
from app.doctor.reading import Read
from app.doctor.sessions import names
from memory.snapshot import breaker_at
from memory.state import State
from widgets.figures import count
from widgets.plain import one_line

LONGEST = 120


def summary_checks(reads: Sequence[Read], now: datetime) -> list[Check]:
    """What there is to say of the summaries of sessions that could be read.

    Args:
        reads: The sessions.
        now: The time, aware: an open breaker closes by itself.
    """
    known = [read for read in reads if read.state is not None]
    compactions = sum(read.compactions for read in known)
    if not any(read.compactions or _covering(read) for read in known):
        return [ok("coverage", "Nothing was folded yet.")]
    return [
        _coverage(known),
        _fallbacks(known, compactions),
        *_breakers(known, now),
        *_waiting(known),
    ]


def gap_in(state: State) -> bool:
    """I1: whether a message stands neither under a summary nor word for word, or twice."""
    folding = state.folding
    spans = [(s.first, s.last) for s in (folding.long_term, folding.short_term) if s]
    spans += [(ref.number, ref.number) for ref in folding.verbatim]
    following = 1
    for first, last in spans:
        if first != following or last < first:
            return True
        following = last + 1
    return following != state.messages + 1


def _covering(read: Read) -> bool:
    return read.state is not None and read.state.folding.long_term is not None


def _coverage(reads: Sequence[Read]) -> Check:
    gaps = [read for read in reads if read.state is not None and gap_in(read.state)]
    if gaps:
        return problem(
            "coverage",
            f"Summaries and messages leave a gap in {names(gaps)}.",
            "`strata export --session NAME FILE` saves all messages, "
            "`strata import FILE --session NEW` begins anew with them.",
        )
    return ok("coverage", "Every message stands word for word or under one summary.")


def _fallbacks(reads: Sequence[Read], compactions: int) -> Check:
    failed = [read for read in reads if read.fallbacks]
    if not failed:
        return ok("made by", f"{count(compactions, 'compaction')}; no model failed at one.")
    fallbacks = sum(len(read.fallbacks) for read in failed)
    reason = one_line(failed[0].fallbacks[-1])[:LONGEST]
    return note(
        "made by",
        f"{fallbacks:,} of {count(compactions, 'compaction')} were made by rule because the model "
        f"failed, in {names(failed)}; last because: {reason}.",
        "`strata status --session NAME` tells of each; `model.summary_model` sets another model.",
    )


def _breakers(reads: Sequence[Read], now: datetime) -> list[Check]:
    checks: list[Check] = []
    for read in reads:
        if read.state is None or not read.state.breaker.failures:
            continue
        view = breaker_at(read.state, now)
        name = read.session.name
        row = (
            f"{count(view.failures, 'failure')} in a row: {one_line(view.reason or '')[:LONGEST]}."
        )
        again = f"`strata compact --session {quoted(name)}` tries again at once."
        if view.open:
            sentence = f"Automatic compaction rests in “{name}” after {row}"
            checks.append(problem("breaker", sentence, again))
        else:
            checks.append(note("failures", f"Compaction failed in “{name}”: {row}", again))
    return checks


def _waiting(reads: Sequence[Read]) -> list[Check]:
    waiting = [read for read in reads if read.state is not None and read.state.automatic_waits]
    if not waiting:
        return []
    return [
        note(
            "waiting",
            f"After an undo, automatic compaction waits in {names(waiting)}.",
            f"`strata compact --session {quoted(waiting[0].session.name)}` lets it go on.",
        )
    ]


def quoted(name: str) -> str:
    """A name as a shell takes it."""
    import shlex

    return shlex.quote(one_line(name))
