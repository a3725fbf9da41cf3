"""What happens behind a turn: counting, and the compaction that has become due (COMPACT-9)."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import cast

from memory.budget import Budget, budget_for
from memory.compaction.cascade import Cascaded, run_cascade
from memory.compaction.commit import compacted_event
from memory.compaction.plan import CascadePlan, plan_cascade
from memory.compaction.summariser import NoGain, Style, Summariser
from memory.compaction.triggers import due
from memory.config import MemoryConfig
from memory.errors import StrataError
from memory.events import Compacted, Event, Trigger
from memory.ids import new_id
from memory.journal import Journal
from memory.privacy import Cleaned, Door
from memory.prompt import section_tokens, texts_of
from memory.protocols import LanguageModel
from memory.snapshot import CompactionProgress, breaker_at
from memory.state import State
from memory.storage.summary_cache import StoredSummaryCache
from memory.tokens import Tally, TokenCounter, count_text

LOGGER = logging.getLogger("strata.memory")
LONGEST_COUNTED = 400_000
"""Characters above which a text's tokens stay an estimate: it can't stand in a prompt in full."""
PATIENCE = 8
"""After a compaction without gain, wait for this fraction of a recent window of messages."""

Notice = CompactionProgress | Compacted | StrataError | None
Watcher = Callable[[Notice], None]


@dataclass(slots=True)
class Upkeep:
    """Counts texts and folds messages, at most one compaction at a time."""

    journal: Journal
    config: MemoryConfig
    model: LanguageModel | None
    counter: TokenCounter | None
    passive: bool = False
    """Do nothing unless asked."""
    running: CompactionProgress | None = None
    _task: asyncio.Task[None] | None = None
    _again: bool = False
    _patient_until: int = 0
    _watchers: tuple[Watcher, ...] = ()
    _compacting: asyncio.Lock = field(default_factory=asyncio.Lock)

    def watch(self, watcher: Watcher) -> None:
        """Has compactions told to `watcher`: progress, then the event, an error, or None."""
        self._watchers = (*self._watchers, watcher)

    def start(self) -> None:
        """Begins the work in the background, or has it look again."""
        if self.journal.read_only or self.passive:
            return
        if self._task is not None and not self._task.done():
            self._again = True
            return
        self._task = asyncio.create_task(self._work(), name="strata upkeep")

    async def settled(self) -> None:
        """Waits until nothing is left to do.

        Raises:
            Exception: What went wrong in the background, if it was no failure we know.
        """
        while (task := self._task) is not None:
            await asyncio.wait({task})
            if self._task is task:
                self._task = None
            if not task.cancelled():
                task.result()

    async def stop(self) -> None:
        """Ends the work; a compaction that is running changes nothing."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait({self._task})

    def budget(self, state: State | None = None) -> Budget:
        """The levels of the model's window, now or in another state of the session."""
        state = state or self.journal.state
        rules = state.thresholds or self.journal.state.rules
        return budget_for(state.model, rules, self.config.context_window, state.ratio)

    async def count(self) -> None:
        """Counts the texts of the next prompt that are not counted yet.

        A counter that fails leaves estimates in force: a turn never waits for it twice.
        """
        counter, journal = self.counter, self.journal
        if counter is None:
            return
        await journal.use_tokenizer(counter.tokenizer)
        missing = {
            body: text
            for body in texts_of(journal.state)
            if body not in journal.counts and len(text := journal.texts[body]) <= LONGEST_COUNTED
        }
        if not missing:
            return
        try:
            tokens = await counter.count(list(missing.values()))
        except StrataError as error:
            LOGGER.warning("counting failed: %s", error.sentence)
            return
        counts = dict(zip(missing, tokens, strict=True))
        journal.keep_counts(counts, counter.tokenizer)
        if not journal.read_only:
            await journal.bodies.keep_counts(counts, counter.tokenizer)

    async def compact(self, trigger: Trigger) -> Compacted | None:
        """Plans, runs and commits one compaction; None where there was nothing to gain.

        Raises:
            ReadOnly: The session is only watched here.
            StorageError: The database refused, or the session was taken over.
        """
        self.journal.assert_writable()
        async with self._compacting:
            await self.count()
            plan = plan_cascade(self.journal.state, self.journal.tally, self.budget(), trigger)
            if plan is None:
                return None
            try:
                return await self._carry_out(plan)
            finally:
                self.running = None

    async def _work(self) -> None:
        while True:
            self._again = False
            try:
                await self.count()
                worked = await self._compact_if_due()
            except StrataError as error:
                LOGGER.warning("compaction: %s", error)
                self.tell(error)
                return
            if not (self._again or worked):
                return

    async def _compact_if_due(self) -> bool:
        state = self.journal.state
        budget = self.budget()
        tokens = sum(section_tokens(state, self.journal.tally).values())
        trigger = due(state, tokens, budget)
        patient = state.messages < self._patient_until and budget.fits(tokens)
        if trigger is None or patient or breaker_at(state, datetime.now(UTC)).open:
            return False
        done = await self.compact(trigger)
        if done is None:
            self._patient_until = state.messages + max(1, self.config.recent_window // PATIENCE)
        return done is not None

    async def _carry_out(self, plan: CascadePlan) -> Compacted | None:
        journal = self.journal
        thresholds = journal.state.rules
        LOGGER.info(
            "cascade starts: trigger %s, %d messages, folding %d to %d",
            plan.trigger,
            plan.message,
            plan.first,
            plan.last,
        )
        texts, tally = dict(journal.texts), journal.tally
        summariser = Summariser(
            self.model, self._style(), self._count_one, StoredSummaryCache(journal.database)
        )

        def progress(stage: str) -> None:
            self.running = CompactionProgress(plan.trigger, plan.message, stage)
            self.tell(self.running)

        try:
            cascaded = await run_cascade(plan, texts, tally, thresholds, summariser, progress)
        except NoGain as error:
            LOGGER.info("cascade waits: %s", error.sentence)
            self._end(None)
            return None
        return await self._commit(plan, cascaded)

    async def _commit(self, plan: CascadePlan, cascaded: Cascaded) -> Compacted | None:
        door = Door()
        short_id, long_id = new_id(), new_id()
        bodies = {short_id: door.clean(cascaded.short_term.text)}
        counts = {short_id: cascaded.short_term.tokens}
        if cascaded.long_term is not None:
            bodies[long_id] = door.clean(cascaded.long_term.text)
            counts[long_id] = cascaded.long_term.tokens

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
            event = compacted_event(plan, cascaded, short_id, long_id, state, self._tally(counts))
            return ([event], bodies) if event is not None else None

        recorded = await self.journal.append(make)
        if not recorded:
            LOGGER.info(
                "cascade dropped: it would have gained nothing, or memory changed meanwhile"
            )
            self._end(None)
            return None
        event = cast(Compacted, recorded[0].event)
        LOGGER.info(
            "cascade done: %s, %d to %d tokens in %.1f s",
            event.by,
            event.tokens_before,
            event.tokens_after,
            event.duration_s,
        )
        self._end(event)
        return event

    def _end(self, done: Compacted | None) -> None:
        """Tells how a compaction ended; who looks at memory then sees none running."""
        self.running = None
        self.tell(done)

    def _tally(self, more: dict[str, int]) -> Tally:
        return replace(self.journal.tally, counted={**self.journal.counts, **more})

    def _style(self) -> Style:
        config = self.config
        return Style(
            sentences=config.summary_sentences,
            max_tokens=config.summary_max_tokens,
            temperature=config.summary_temperature,
            instructions=config.summary_prompt,
        )

    async def _count_one(self, text: str) -> int:
        return await count_text(self.counter, text)

    def tell(self, notice: Notice) -> None:
        """Tells the watchers."""
        for watcher in self._watchers:
            watcher(notice)
