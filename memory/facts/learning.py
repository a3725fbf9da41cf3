"""What becomes of something that was said: a new fact, a known one, the end of another. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory.events import Event
from memory.fact_events import FactConfirmed, FactEnded, FactLearned
from memory.facts.folding import Fact, Facts, added_sources
from memory.facts.likeness import compare
from memory.facts.values import Verdict
from memory.parts import FactBy, FactSource

How = Literal["new", "known", "dropped"]
Cosine = Callable[[str, str], float | None]
"""How near two texts are in meaning; None where nobody can tell."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may be a fact."""

    text: str
    valid_from: str
    importance: float
    by: FactBy
    sources: tuple[FactSource, ...] = ()
    model: str | None = None
    echo: bool = False
    """Whether only the model's own answers say it: repeating what is known, it confirms nothing."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a candidate."""

    how: How
    id: str
    """The fact that says it now."""
    ended: tuple[str, ...] = ()
    """Facts that ceased to hold by it."""
    conflicts: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Rival:
    """A known fact that a candidate is held against."""

    fact: Fact
    text: str


@dataclass(slots=True)
class _Against:
    """What a candidate's rivals are to it."""

    same: Rival | None = None
    ends: list[Rival] = field(default_factory=list)
    unsure: list[Rival] = field(default_factory=list)


def learn(
    candidate: Candidate, rivals: Sequence[Rival], facts: Facts, body: str, cosine: Cosine
) -> Outcome:
    """Decides what becomes of a candidate.

    Args:
        candidate: What was said.
        rivals: Facts that hold and may be about the same.
        facts: What is known.
        body: The body that its text gets if it is new.
        cosine: Compares meanings.
    """
    against = _judged(candidate, rivals, cosine)
    if against.same is not None:
        return _known(candidate, against.same.fact)
    id = facts.next_id
    conflicts = tuple(rival.fact.id for rival in against.unsure)
    learned = FactLearned(
        id=id,
        body=body,
        chars=len(candidate.text),
        valid_from=candidate.valid_from,
        importance=candidate.importance,
        by=candidate.by,
        sources=candidate.sources,
        model=candidate.model,
        conflicts_with=conflicts,
    )
    events: list[Event] = [learned]
    newer = [rival.fact for rival in against.ends if rival.fact.valid_from > candidate.valid_from]
    if newer:
        # What was said earlier is read later where a session lay unread.
        first = min(newer, key=lambda fact: fact.valid_from)
        events.append(FactEnded(id, first.valid_from, "contradicted", first.id))
        return Outcome("new", id, (id,), conflicts, tuple(events))
    ended = tuple(rival.fact.id for rival in against.ends)
    events += [FactEnded(old, candidate.valid_from, "contradicted", id) for old in ended]
    return Outcome("new", id, ended, conflicts, tuple(events))


def _judged(candidate: Candidate, rivals: Sequence[Rival], cosine: Cosine) -> _Against:
    against = _Against()
    for rival in rivals:
        near = cosine(rival.text, candidate.text)
        older_first = rival.fact.valid_from <= candidate.valid_from
        pair = (rival.text, candidate.text) if older_first else (candidate.text, rival.text)
        verdict: Verdict = compare(*pair, near)
        if verdict == "same" and against.same is None:
            against.same = rival
        elif verdict == "contradicts" and not rival.fact.pinned:
            against.ends.append(rival)
        elif verdict in ("contradicts", "unsure"):
            # What the user pinned never ends by itself.
            against.unsure.append(rival)
    return against


def _known(candidate: Candidate, fact: Fact) -> Outcome:
    """Confirms a fact where that says something new about it."""
    sources = added_sources(fact.sources, candidate.sources)
    says_more = sources != fact.sources or candidate.importance > fact.importance
    if candidate.echo or not says_more:
        return Outcome("known", fact.id)
    event = FactConfirmed(fact.id, candidate.sources, candidate.importance)
    return Outcome("known", fact.id, events=(event,))
