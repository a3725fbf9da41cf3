"""The facts of an agent: learned, corrected, ended, pinned, forgotten (RECALL-1, RECALL-6)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory import telemetry
from memory.budget import Budget
from memory.clock import utc_now
from memory.events import Event, Recorded
from memory.fact_comparing import Comparing
from memory.fact_events import FactEdited, FactEnded, FactForgotten, FactPinned, FactUnpinned
from memory.fact_reading import FactError, FactReading
from memory.facts.folding import Fact, Facts, fold_facts
from memory.facts.passages import keep_findable
from memory.finishing import finish
from memory.ids import new_id
from memory.journal import Journal
from memory.parts import FactBy, FactEnd, FactSource
from memory.privacy import Cleaned
from memory.protocols import Embedder
from memory.storage import purging
from memory.storage.database import Transaction
from memory.storage.failures import Conflict
from memory.storage.log import numbered
from memory.storage.passages import Place
from memory.tokens import estimate
from memory.views import FactView

if TYPE_CHECKING:
    from memory.facts.learning import Candidate, Cosine, How, Outcome, Rival
    from memory.facts.rivals import Rivals

LONGEST = 400
"""Characters of a fact: a sentence or two. What is longer is a note, or a message to pin."""
ASKED_FOR = 0.8
"""Importance of what the user, or the model by a tool, wants remembered."""
SHARE = 8
"""Pinned facts may have one part in so many of the room of a prompt, which they never leave."""
ATTEMPTS = 5
"""How often a change is decided anew because another process was faster."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of something that was to be remembered."""

    fact: FactView
    how: "How"
    ended: tuple[FactView, ...] = ()
    """Facts that no longer hold by it."""
    conflicts: tuple[FactView, ...] = ()
    """Facts that may say otherwise."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The events of one change, the texts they name, and those that go."""

    events: Sequence[Event]
    bodies: Mapping[str, Cleaned] = field(default_factory=dict)
    erased: Sequence[str] = ()


Decide = Callable[[Facts], Decided | None]


class FactKeeping(FactReading):
    """What the session's agent knows, and the ways to change it.

    Args:
        journal: The open session.
        budget: The levels of the model's window, as they are now.
    """

    def __init__(self, journal: Journal, budget: Callable[[], Budget]) -> None:
        super().__init__(journal)
        self._budget = budget
        self._comparing = Comparing()
        self._rivals: Rivals | None = None

    def use(self, embedder: Embedder) -> None:
        """From here on this model tells how near facts are in meaning."""
        self._comparing.use(embedder)

    @telemetry.operation("memory.fact.remember")
    async def remember(
        self,
        text: str,
        *,
        importance: float = ASKED_FOR,
        by: FactBy = "user",
        sources: Sequence[FactSource] = (),
    ) -> Remembered:
        """Keeps a fact; one that is known is confirmed, and one that it contradicts ends.

        Args:
            text: What is to be known, in a sentence.
            importance: 0 to 1.
            by: Who wants it remembered.
            sources: The messages that say it.

        Raises:
            FactError: It can't be kept.
            ReadOnly, StorageError: Nothing was changed.
        """
        from memory.facts.learning import Candidate  # what compares facts is rarely needed

        candidate = Candidate(self._checked(text), utc_now(), importance, by, tuple(sources))
        (outcome,) = await self.learn([candidate])
        return Remembered(
            self.get(outcome.id),
            outcome.how,
            tuple(map(self.get, outcome.ended)),
            tuple(map(self.get, outcome.conflicts)),
        )

    @telemetry.operation("memory.fact.learn", lambda outcomes: {"facts": len(outcomes)})
    async def learn(
        self, candidates: "Sequence[Candidate]", also: Sequence[Event] = ()
    ) -> "list[Outcome]":
        """Takes candidates over, with further events, all in one write.

        Args:
            candidates: What was said, oldest first.
            also: Events of the agent's stream that belong to it.

        Returns:
            What became of each.

        Raises:
            ReadOnly, StorageError: Nothing was written.
        """
        await self.refresh()
        texts = {rival.text for c in candidates for rival in self._rivals_of(c, self._facts)}
        cosine = await self._comparing.cosines([c.text for c in candidates], texts)
        outcomes: list[Outcome] = []

        def decide(facts: Facts) -> Decided:
            decided, made = self._taken_over(candidates, facts, cosine)
            outcomes[:] = made
            return Decided([*decided.events, *also], decided.bodies)

        await self._change(decide)
        return outcomes

    @telemetry.operation("memory.fact.edit")
    async def edit(self, id: str, text: str) -> FactView:
        """Lets a fact say something else; one that had ended holds again.

        Raises:
            FactError: There is none of the id, or the text can't be kept.
            ReadOnly, StorageError: Nothing was changed.
        """
        text = self._checked(text)

        def decide(facts: Facts) -> Decided | None:
            fact = self._found(id)
            if fact.live and self._texts.get(fact.body) == text:
                return None
            body, cleaned = new_id(), self._journal.door.clean(text)
            return Decided([FactEdited(fact.id, body, len(cleaned.text))], {body: cleaned})

        await self._change(decide)
        return self.get(id)

    @telemetry.operation("memory.fact.end")
    async def end(self, id: str, why: FactEnd = "user") -> FactView:
        """Lets a fact no longer hold; it is kept, but no longer pinned.

        Raises:
            FactError: There is none of the id, or it has ended.
            ReadOnly, StorageError: Nothing was changed.
        """

        def decide(facts: Facts) -> Decided:
            fact = self._found(id)
            if not fact.live:
                raise FactError(f"Fact {fact.id} has ended already.")
            return Decided([FactEnded(fact.id, utc_now(), why)])

        await self._change(decide)
        return self.get(id)

    @telemetry.operation("memory.fact.pin")
    async def pin(self, id: str) -> FactView:
        """Keeps a fact in the prompt (COMPACT-14).

        Raises:
            FactError: There is none of the id, it has ended, or there is no room.
            ReadOnly, StorageError: Nothing was changed.
        """

        def decide(facts: Facts) -> Decided | None:
            fact = self._found(id)
            if not fact.live:
                raise FactError(f"Fact {fact.id} has ended.", "@facts edit lets it hold again.")
            if fact.pinned:
                return None
            self._assert_room(fact, facts)
            return Decided([FactPinned(fact.id)])

        await self._change(decide)
        return self.get(id)

    @telemetry.operation("memory.fact.unpin")
    async def unpin(self, id: str) -> FactView:
        """Lets go of a pinned fact.

        Raises:
            FactError: There is none of the id, or it is not pinned.
            ReadOnly, StorageError: Nothing was changed.
        """

        def decide(facts: Facts) -> Decided:
            fact = self._found(id)
            if not fact.pinned:
                raise FactError(f"Fact {fact.id} is not pinned.")
            return Decided([FactUnpinned(fact.id)])

        await self._change(decide)
        return self.get(id)

    @telemetry.operation("memory.fact.forget")
    async def forget(self, id: str) -> None:
        """Takes a fact's texts away, in every file; only that there was one is left.

        Raises:
            FactError: There is none of the id.
            ReadOnly, StorageError: Nothing was changed.
        """

        def decide(facts: Facts) -> Decided:
            fact = self._found(id)
            return Decided([FactForgotten(fact.id)], erased=(fact.body, *fact.earlier))

        await finish(self._erase(decide))

    def here(self, *numbers: int) -> FactSource:
        """Messages of this session as a source."""
        log = self._journal.log
        return FactSource(log.stream, log.branch, numbers)

    # -- inside

    async def _erase(self, decide: Decide) -> None:
        """Makes a change by which texts go, and cleans up after it."""
        cleaning = await self._change(decide)
        if cleaning is not None:
            await purging.clean_up(self._journal.database, cleaning)

    async def _change(self, decide: Decide) -> int | None:
        """Appends what is decided on the newest state; again where another process was faster.

        Returns:
            The number of the forgetting after which the file is to be cleaned; None without one.
        """
        self._journal.assert_writable()
        async with self._lock:
            for attempt in range(ATTEMPTS):
                await self._refresh()
                decided = decide(self._facts)
                if decided is None or not decided.events:
                    return None
                try:
                    cleaning = await self._append(decided)
                except Conflict:
                    if attempt == ATTEMPTS - 1:
                        raise
                    continue
                await self._journal.tell_replaced()
                return cleaning
        return None

    async def _append(self, decided: Decided) -> int | None:
        cleaning: list[int] = []

        async def beside(
            transaction: Transaction, stream: str, branch: str, recorded: Sequence[Recorded]
        ) -> None:
            await self._keep_findable(transaction, stream, branch, recorded)
            if decided.erased:
                cleaning.append(await purging.begin_cleaning(transaction))

        recorded = await self._agents.append(
            self._agent,
            decided.events,
            decided.bodies,
            after=self._head,
            erased=decided.erased,
            beside=beside,
        )
        self._journal.note(*decided.bodies.values())
        self._texts.update((id, cleaned.text) for id, cleaned in decided.bodies.items())
        self._take_in(fold_facts(recorded, self._facts), recorded[-1].n)
        return cleaning[-1] if cleaning else None

    async def _keep_findable(
        self, transaction: Transaction, stream: str, branch: str, recorded: Sequence[Recorded]
    ) -> None:
        after = fold_facts(recorded, self._facts)
        place = Place(stream, branch, recorded[-1].n, recorded[-1].at)
        await keep_findable(transaction, place, self._facts.facts, after.facts)

    def _taken_over(
        self, candidates: "Sequence[Candidate]", facts: Facts, cosine: "Cosine"
    ) -> "tuple[Decided, list[Outcome]]":
        """The events by which candidates are taken over, one after the other."""
        from memory.facts.learning import Rival, learn

        events: list[Event] = []
        bodies: dict[str, Cleaned] = {}
        fresh: list[Rival] = []
        outcomes: list[Outcome] = []
        for candidate in candidates:
            body, cleaned = new_id(), self._journal.door.clean(candidate.text)
            among = [Rival(facts.facts[r.fact.id], r.text) for r in fresh]
            rivals = [r for r in (*self._rivals_of(candidate, facts), *among) if r.fact.live]
            outcome = learn(candidate, rivals, facts, body, cosine)
            facts = fold_facts(numbered(outcome.events, facts.n), facts)
            if outcome.how == "new":
                bodies[body] = cleaned
                fresh.append(Rival(facts.facts[outcome.id], cleaned.text))
            outcomes.append(outcome)
            events += outcome.events
        return Decided(events, bodies), outcomes

    def _rivals_of(self, candidate: "Candidate", facts: Facts) -> "list[Rival]":
        from memory.facts.learning import Rival
        from memory.facts.rivals import Rivals

        self._rivals = self._rivals or Rivals()
        self._rivals.follow(self._facts.facts, self._texts)
        near = (facts.facts[id] for id in self._rivals.of(candidate.text))
        return [Rival(fact, self._texts[fact.body]) for fact in near if fact.body in self._texts]

    def _checked(self, text: str) -> str:
        """A fact as it may be stored: one line, not too long.

        Raises:
            FactError: There is nothing in it, or it is too long.
        """
        cleaned = self._journal.door.clean(text)
        text = " ".join(cleaned.text.split())
        _assert_fits(text)
        self._journal.note(cleaned)
        return text

    def _assert_room(self, more: Fact, facts: Facts) -> None:
        pinned = [fact for fact in facts.live() if fact.pinned]
        needed = sum(estimate(fact.chars) for fact in (*pinned, more))
        room = self._budget().room // SHARE
        if needed > room:
            raise FactError(
                f"Pinned facts would have about {needed:,} tokens, but they may have {room:,}.",
                "Unpin another one first.",
            )


def _assert_fits(text: str) -> None:
    if not text:
        raise FactError("There is nothing to remember.", "Write it after the command.")
    if len(text) > LONGEST:
        raise FactError(
            f"A fact may have {LONGEST:,} characters; this has {len(text):,}.",
            "Say it in a sentence, or pin the message.",
        )
