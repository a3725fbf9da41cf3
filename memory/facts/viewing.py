"""What panes and commands see of facts. Pure."""

from collections.abc import Iterable, Mapping

from memory.facts.folding import Fact, Facts
from memory.storage.bodies import ERASED
from memory.views import FactsView, FactView

SHOWN = 50
"""Facts that a snapshot shows; `Memory.facts` has them all."""


def weightiest(facts: Iterable[Fact]) -> list[Fact]:
    """Facts with the pinned ones first, then by importance, then the newest."""
    newest = sorted(facts, key=lambda fact: fact.changed_at, reverse=True)
    return sorted(newest, key=lambda fact: (not fact.pinned, -fact.importance))


def fact_view(fact: Fact, texts: Mapping[str, str]) -> FactView:
    """A fact with its texts."""
    return FactView(
        id=fact.id,
        text=texts.get(fact.body, ERASED),
        live=fact.live,
        pinned=fact.pinned,
        importance=fact.importance,
        by=fact.by,
        model=fact.model,
        learned_at=fact.learned_at,
        valid_from=fact.valid_from,
        valid_until=fact.until,
        why_ended=fact.why,
        successor=fact.successor,
        conflicts_with=fact.conflicts_with,
        sources=fact.sources,
        earlier=tuple(texts.get(body, ERASED) for body in fact.earlier),
        confirmed=fact.confirmed,
    )


def facts_view(facts: Facts, texts: Mapping[str, str]) -> FactsView:
    """The weightiest facts that hold, and how many there are."""
    live = facts.live()
    shown = weightiest(live)[:SHOWN]
    return FactsView(
        live=len(live),
        ended=len(facts.facts) - len(live),
        pinned=sum(fact.pinned for fact in live),
        shown=tuple(fact_view(fact, texts) for fact in shown),
    )
