"""What an agent knows as a fold over its stream: ids, sources and times, never texts. Pure."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memory.events import Event, Recorded
from memory.fact_events import (
    FactConfirmed,
    FactEdited,
    FactEnded,
    FactForgotten,
    FactLearned,
    FactPinned,
    FactsSought,
    FactUnpinned,
)
from memory.parts import FactBy, FactEnd, FactSource

Span = tuple[int, int]
"""First and last message of a range (inclusive)."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is known, by reference."""

    id: str
    body: str
    chars: int
    learned_at: str
    valid_from: str
    importance: float
    by: FactBy
    sources: tuple[FactSource, ...] = ()
    model: str | None = None
    pinned: bool = False
    until: str | None = None
    """When it ceased to hold; None while it holds."""
    why: FactEnd | None = None
    successor: str | None = None
    conflicts_with: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    """Bodies of what it said before it was edited, oldest first."""
    confirmed: int = 0
    """How often it was said again."""
    changed_at: str = ""
    """When it was learned, edited or confirmed last."""

    @property
    def live(self) -> bool:
        """Whether it holds."""
        return self.until is None


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of an agent after event `n` of its stream."""

    n: int = 0
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """By id, in the order in which they were learned."""
    learned: int = 0
    """How many there ever were; ids are numbered by it."""
    sought: Mapping[str, tuple[Span, ...]] = field(default_factory=dict)
    """The messages that were read for facts, by the branch they were said in."""

    @property
    def next_id(self) -> str:
        """The id of the fact that is learned next; none is used twice."""
        return f"f{self.learned + 1}"

    def live(self) -> list[Fact]:
        """Those that hold, in the order in which they were learned."""
        return [fact for fact in self.facts.values() if fact.live]

    def is_sought(self, branch: str, number: int) -> bool:
        """Whether a message was read for facts."""
        return any(first <= number <= last for first, last in self.sought.get(branch, ()))


@dataclass(slots=True)
class _Folding:
    """The fold while it goes on, so that a thousand events copy nothing a thousand times."""

    facts: dict[str, Fact]
    sought: dict[str, tuple[Span, ...]]
    learned: int


def fold_facts(recorded: Iterable[Recorded], before: Facts | None = None) -> Facts:
    """The facts after further events of an agent's stream; what is unknown to it is passed over."""
    before = before or Facts()
    folding = _Folding(dict(before.facts), dict(before.sought), before.learned)
    n = before.n
    for entry in recorded:
        n = entry.n
        applied = _APPLY.get(type(entry.event))
        if applied is not None:
            applied(folding, entry.event, entry.at)
    return Facts(n, folding.facts, folding.learned, folding.sought)


def added_sources(
    known: tuple[FactSource, ...], more: Iterable[FactSource]
) -> tuple[FactSource, ...]:
    """Both together; each message once."""
    numbers: dict[tuple[str, str], list[int]] = {}
    for source in (*known, *more):
        held = numbers.setdefault((source.session, source.branch), [])
        held += [number for number in source.numbers if number not in held]
    return tuple(FactSource(*place, tuple(held)) for place, held in numbers.items())


# -- one function an event


def _learned(folding: _Folding, event: FactLearned, at: str) -> None:
    folding.learned += 1
    folding.facts[event.id] = Fact(
        id=event.id,
        body=event.body,
        chars=event.chars,
        learned_at=at,
        valid_from=event.valid_from,
        importance=event.importance,
        by=event.by,
        sources=event.sources,
        model=event.model,
        conflicts_with=event.conflicts_with,
        changed_at=at,
    )


def _confirmed(folding: _Folding, event: FactConfirmed, at: str) -> None:
    fact = folding.facts.get(event.id)
    if fact is not None:
        folding.facts[event.id] = replace(
            fact,
            sources=added_sources(fact.sources, event.sources),
            importance=max(fact.importance, event.importance),
            confirmed=fact.confirmed + 1,
            changed_at=at,
        )


def _edited(folding: _Folding, event: FactEdited, at: str) -> None:
    fact = folding.facts.get(event.id)
    if fact is not None:
        folding.facts[event.id] = replace(
            fact,
            body=event.body,
            chars=event.chars,
            earlier=(*fact.earlier, fact.body),
            until=None,
            why=None,
            successor=None,
            conflicts_with=(),
            changed_at=at,
        )


def _ended(folding: _Folding, event: FactEnded, at: str) -> None:
    fact = folding.facts.get(event.id)
    if fact is not None and fact.live:
        folding.facts[event.id] = replace(
            fact, until=event.until, why=event.why, successor=event.successor, pinned=False
        )


def _pinned(folding: _Folding, event: FactPinned | FactUnpinned, at: str) -> None:
    fact = folding.facts.get(event.id)
    if fact is not None:
        # One that has ended is let go of: no prompt has it, and what is pinned stands in each.
        pinned = fact.live and isinstance(event, FactPinned)
        folding.facts[event.id] = replace(fact, pinned=pinned)


def _forgotten(folding: _Folding, event: FactForgotten, at: str) -> None:
    folding.facts.pop(event.id, None)


def _sought(folding: _Folding, event: FactsSought, at: str) -> None:
    spans = sorted({*folding.sought.get(event.branch, ()), (event.first, event.last)})
    joined: list[Span] = []
    for first, last in spans:
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    folding.sought[event.branch] = tuple(joined)


_APPLY: dict[type[Event], Callable[[_Folding, Any, str], None]] = {
    FactLearned: _learned,
    FactConfirmed: _confirmed,
    FactEdited: _edited,
    FactEnded: _ended,
    FactPinned: _pinned,
    FactUnpinned: _pinned,
    FactForgotten: _forgotten,
    FactsSought: _sought,
}
