"""What the session's agent knows, read from its stream and kept at hand (RECALL-1)."""

import asyncio
from collections.abc import Sequence

from memory.errors import StrataError
from memory.events import Recorded
from memory.fact_events import FACT_EVENTS
from memory.facts.folding import Fact, Facts, fold_facts
from memory.facts.viewing import fact_view, facts_view, weightiest
from memory.journal import Journal
from memory.storage.agents import Agents
from memory.storage.bodies import Bodies
from memory.views import FactsView, FactView
from memory.words import index_words

KINDS = tuple(event.KIND for event in FACT_EVENTS)


class FactError(StrataError):
    """Something can't be done with a fact, and why."""


class FactReading:
    """The facts of an agent; sessions of one agent share them.

    All of it is at hand: a turn reads nothing but the number of the stream's last event. What
    other processes write is taken in by `refresh`.

    Args:
        journal: The open session.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._agents = Agents(journal.database)
        self._facts = Facts()
        self._head = 0
        """The last event of the stream that was taken in, of whatever kind."""
        self._texts: dict[str, str] = {}
        self._lock = asyncio.Lock()
        self._view: tuple[Facts, FactsView] = (self._facts, FactsView())

    @property
    def state(self) -> Facts:
        """The facts by reference."""
        return self._facts

    def view(self) -> FactsView:
        """The weightiest facts that hold, for panes."""
        if self._view[0] is not self._facts:
            self._view = (self._facts, facts_view(self._facts, self._texts))
        return self._view[1]

    def live(self) -> list[FactView]:
        """The facts that hold, the weightiest first."""
        return self._seen(weightiest(self._facts.live()))

    def pinned_now(self) -> list[Fact]:
        """The pinned facts that hold, by reference."""
        return [fact for fact in self._facts.live() if fact.pinned]

    def ended(self) -> list[FactView]:
        """The facts that no longer hold, the one that ended last first."""
        gone = [fact for fact in self._facts.facts.values() if not fact.live]
        return self._seen(sorted(gone, key=lambda fact: fact.until or "", reverse=True))

    def all(self) -> list[FactView]:
        """Every fact: those that hold, then those that no longer do."""
        return [*self.live(), *self.ended()]

    def get(self, id: str) -> FactView:
        """A fact by its id.

        Raises:
            FactError: There is none.
        """
        return self._seen([self._found(id)])[0]

    def find(self, text: str) -> list[FactView]:
        """Facts in which all words of a text stand, or the one of this id; all for no words."""
        known = self._facts.facts.get(text.strip())
        if known is not None:
            return self._seen([known])
        wanted = set(index_words(text))
        return [fact for fact in self.all() if wanted <= set(index_words(fact.text))]

    def of(self, message: int) -> list[FactView]:
        """The facts that were learned from a message of this session."""
        branches = {segment.branch for segment in self._journal.log.segments}
        return self._seen(
            [
                fact
                for fact in self._facts.facts.values()
                if any(s.branch in branches and message in s.numbers for s in fact.sources)
            ]
        )

    def is_here(self, branch: str, n: int) -> bool:
        """Whether an event of a branch, of whatever session, stands in the one that is open."""
        segments = self._journal.log.segments
        return any(segment.branch == branch and n <= segment.high for segment in segments)

    async def refresh(self) -> bool:
        """Takes in what was written since; returns whether there was anything.

        Raises:
            StorageError: The database refused.
        """
        async with self._lock:
            return await self._refresh()

    # -- inside

    @property
    def _agent(self) -> str:
        return self._journal.state.agent or "default"

    async def _refresh(self) -> bool:
        head = await self._agents.head(self._agent)
        if head == self._head:
            return False
        recorded = await self._agents.read_after(self._agent, self._head, KINDS)
        facts = fold_facts(recorded, self._facts)
        missing = _bodies(facts) - self._texts.keys()
        self._texts |= await Bodies(self._journal.database).texts(missing)
        self._take_in(facts, max(head, recorded[-1].n if recorded else 0))
        return bool(recorded)

    def _take_in(self, facts: Facts, head: int) -> None:
        """Goes on with later facts, whose texts are at hand."""
        before, self._facts, self._head = self._facts.facts, facts, head
        for id in before.keys() - facts.facts.keys():
            for body in (before[id].body, *before[id].earlier):
                self._texts.pop(body, None)

    def _found(self, id: str) -> Fact:
        fact = self._facts.facts.get(id.strip())
        if fact is None:
            raise FactError(f"There is no fact {id.strip()!r}.", "@facts lists them.")
        return fact

    def _seen(self, facts: Sequence[Fact]) -> list[FactView]:
        return [fact_view(fact, self._texts) for fact in facts]


class PastFacts:
    """What the session's agent knew at past moments; each of its events is read once."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._recorded: list[Recorded] = []
        self._head = 0
        self._texts: dict[str, str] = {}

    async def view_at(self, at: str) -> FactsView:
        """The facts as they were at a time (UTC).

        Raises:
            StorageError: The database refused.
        """
        agents, agent = Agents(self._journal.database), self._journal.state.agent or "default"
        head = await agents.head(agent)
        if head != self._head:
            self._recorded += await agents.read_after(agent, self._head, KINDS)
            self._head = max(head, self._recorded[-1].n if self._recorded else 0)
        facts = fold_facts(entry for entry in self._recorded if entry.at <= at)
        missing = _bodies(facts) - self._texts.keys()
        self._texts |= await Bodies(self._journal.database).texts(missing)
        return facts_view(facts, self._texts)


def _bodies(facts: Facts) -> set[str]:
    known = facts.facts.values()
    return {body for fact in known for body in (fact.body, *fact.earlier)}
