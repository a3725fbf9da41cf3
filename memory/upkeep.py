"""What happens behind a turn: counting, and the compaction that has become due (COMPACT-9)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import InitVar, dataclass, field
from datetime import UTC, datetime

from memory import telemetry
from memory.background import Background
from memory.breaker import THRASH_DISTANCE
from memory.budget import Budget, budget_for
from memory.compaction.triggers import due, over_trigger
from memory.compactor import Compactor
from memory.config import MemoryConfig
from memory.counting import Counting
from memory.errors import StrataError
from memory.events import Compacted
from memory.journal import Journal
from memory.parts import Trigger
from memory.prompt import prompt_tokens
from memory.protocols import LanguageModel
from memory.snapshot import CompactionProgress, breaker_at
from memory.state import Folding, State
from memory.telling import told_of_compaction
from memory.tokens import TokenCounter, count_texts

LOGGER = logging.getLogger("strata.memory")
PATIENCE = 8
"""After a compaction without gain, wait for this fraction of a recent window of messages."""

Notice = CompactionProgress | Compacted | StrataError | None
Watcher = Callable[[Notice], None]


@dataclass(slots=True)
class Upkeep:
    """Has texts counted and folds messages, at most one compaction at a time."""

    journal: Journal
    config: MemoryConfig
    model: LanguageModel | None
    counter: InitVar[TokenCounter | None]
    passive: bool = False
    """Do nothing unless asked."""
    running: CompactionProgress | None = None
    _background: Background = field(default_factory=lambda: Background("strata upkeep"))
    _again: bool = False
    _patient_until: int = 0
    _vain: Folding | None = None
    """What could not be folded with any gain."""
    _wished: bool = False
    """Whether a goal or a task has ended after which memory is to be compacted."""
    _watchers: tuple[Watcher, ...] = ()
    _compacting: asyncio.Lock = field(default_factory=asyncio.Lock)
    counting: Counting = field(init=False)

    def __post_init__(self, counter: TokenCounter | None) -> None:
        self.counting = Counting(self.journal, counter, lambda: self.budget().limit)

    def watch(self, watcher: Watcher) -> None:
        """Has compactions told to `watcher`: progress, then the event, an error, or None."""
        self._watchers = (*self._watchers, watcher)

    def use(self, model: LanguageModel | None, counter: TokenCounter | None) -> None:
        """From here on this model summarises and this one counts; no longer passive."""
        self.passive, self.model, self.counting.counter = False, model, counter
        self._vain = None

    def start(self) -> None:
        """Begins the work in the background, or has it look again."""
        if self.journal.read_only or self.passive:
            return
        self._again = True
        self._background.begin(self._work)

    async def settled(self) -> None:
        """Waits until nothing is left to do.

        Raises:
            Exception: What went wrong in the background, if it was no failure we know.
        """
        await self._background.settled()

    async def stop(self) -> None:
        """Ends the work; a compaction that is running changes nothing."""
        await self.counting.stop()
        await self._background.stop()

    def budget(self, state: State | None = None) -> Budget:
        """The levels of the model's window, now or in another state of the session."""
        state = state or self.journal.state
        rules = state.thresholds or self.journal.state.rules
        return budget_for(
            state.model, rules, self.config.context_window, state.ratio, state.learned_window
        )

    async def count(self) -> None:
        """Counts what the next prompt can show and is not counted yet."""
        await self.counting.needed()

    async def compact(self, trigger: Trigger) -> Compacted | None:
        """Runs one compaction now, whatever the thresholds; None where there is nothing to gain.

        Raises:
            ReadOnly: The session is only watched here.
            StorageError: The database refused, or the session was taken over.
        """
        self.journal.assert_writable()
        async with self._compacting:
            folding = self.journal.state.folding
            # A model that was asked in vain about these very messages need not be asked again.
            if trigger != "tokens" and self.found_vain:
                return None
            await self.count()
            done = await self._carry_out(lambda compactor: compactor.fold(trigger), trigger)
            if done is None and trigger != "tokens":
                self._vain = folding
            return done

    @property
    def found_vain(self) -> bool:
        """Whether it was tried to fold what stands there now, and nothing would be gained."""
        return self._vain is not None and self._vain is self.journal.state.folding

    def finished(self, what: str) -> None:
        """Compacts behind the conversation at the end of a goal or a task, where that is wished.

        Args:
            what: `goal` or `task`; what compacts after a task does so after a goal as well.
        """
        wished = {"goal": ("goal",), "task": ("goal", "task")}.get(self.config.compact_after, ())
        if what in wished:
            self._wished = True
            self.start()

    async def relieve(self) -> None:
        """Makes room by rule at once where the next prompt is over the limit (COMPACT-9).

        A compaction by the model that is running goes on.
        """
        journal = self.journal
        rules = journal.state.thresholds
        if journal.read_only or self.passive or rules is None or rules.policy == "none":
            return
        if self.budget().fits(self._prompt_tokens()):
            return
        await self._compactor("tokens").edit("tokens", whole=True)

    async def refused(self) -> Compacted | None:
        """Compacts after the provider refused the prompt as too large (COMPACT-5).

        Raises:
            StorageError: The database refused, or the session was taken over.
        """
        self.journal.assert_writable()
        async with self._compacting:
            await self.count()
            return await self._carry_out(_whatever_helps, "overflow")

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
                self.counting.begin_rest()
                return

    async def _compact_if_due(self) -> bool:
        state, tally, budget = self.journal.state, self.journal.tally, self.budget()
        trigger = due(state, tally, budget)
        wished, self._wished = self._wished, False
        if trigger is None and wished and not self._resting(state):
            return await self.compact("manual") is not None
        if trigger is None:
            return False
        if trigger == "tokens" and over_trigger(state, tally, budget):
            edited = await self._edit_if_enough()
            if edited is not None:
                return True
        patient = state.messages < self._patient_until and budget.fits(self._prompt_tokens())
        if patient or breaker_at(state, datetime.now(UTC)).open:
            return False
        done = await self.compact(trigger)
        if done is None:
            self._patient_until = state.messages + max(1, self.config.recent_window // PATIENCE)
        return done is not None

    def _resting(self, state: State) -> bool:
        """Whether nothing is compacted by itself: after an undo, or after failures."""
        return state.automatic_waits or breaker_at(state, datetime.now(UTC)).open

    async def _edit_if_enough(self) -> Compacted | None:
        """The deterministic stages where they suffice by themselves, or nothing else may be done.

        Due again right after a compaction, they alone did not help: then the policy has its turn.
        """
        state = self.journal.state
        resting = breaker_at(state, datetime.now(UTC)).open
        since = state.messages - state.last_compaction
        if state.last_compaction and since <= THRASH_DISTANCE and not resting:
            return None
        async with self._compacting:
            return await self._carry_out(
                lambda compactor: compactor.edit("tokens", whole=resting), "tokens"
            )

    async def _carry_out(
        self, run: Callable[[Compactor], Awaitable[Compacted | None]], trigger: Trigger
    ) -> Compacted | None:
        """Runs a part of the pipeline, and tells the watchers how it goes."""
        done = None
        with telemetry.span("memory.compact", self, trigger=trigger) as span:
            try:
                done = await run(self._compactor(trigger))
                span.tell(**told_of_compaction(done))
            finally:
                if self.running is not None or done is not None:
                    self._end(done)
        return done

    def _compactor(self, trigger: Trigger) -> Compactor:
        message = self.journal.state.messages

        def progress(stage: str) -> None:
            self.running = CompactionProgress(trigger, message, stage)
            self.tell(self.running)

        return Compactor(
            self.journal, self.config, self.model, self._count_texts, self.budget(), progress
        )

    def _prompt_tokens(self) -> int:
        return prompt_tokens(self.journal.state, self.journal.tally)

    def _end(self, done: Compacted | None) -> None:
        """Tells how a compaction ended; who looks at memory then sees none running."""
        self.running = None
        self.tell(done)

    async def _count_texts(self, texts: Mapping[str, str]) -> dict[str, int]:
        tokens = await count_texts(self.counting.counter, list(texts.values()))
        return dict(zip(texts, tokens, strict=True))

    def tell(self, notice: Notice) -> None:
        """Tells the watchers."""
        for watcher in self._watchers:
            watcher(notice)


async def _whatever_helps(compactor: Compactor) -> Compacted | None:
    """A folding with edits; where nothing can be folded, the edits alone."""
    return await compactor.fold("overflow") or await compactor.edit("overflow", whole=True)
