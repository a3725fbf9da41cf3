"""Carries compactions out: deterministic edits at once, foldings by the model beside the turn."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from memory import telemetry
from memory.budget import Budget
from memory.compaction.commit import Bodies, edits_event, fold_event
from memory.compaction.editing import EditPlan, edited, plan_edits
from memory.compaction.keeping import kept_results, with_ids
from memory.compaction.plan import LEAST_GAIN, FoldPlan, plan_fold
from memory.compaction.run import Folded, NewSummary, Writing, run_fold
from memory.compaction.summariser import NoGain, Style, Summariser
from memory.config import MemoryConfig
from memory.events import Compacted, Event
from memory.journal import Journal
from memory.parts import Trigger
from memory.privacy import Cleaned, Door
from memory.prompt import prompt_tokens
from memory.protocols import LanguageModel
from memory.state import State
from memory.storage.summary_cache import StoredSummaryCache
from memory.telling import told_of_compaction
from memory.tokens import Tally

LOGGER = logging.getLogger("strata.memory")
TARGET_SHARE = 0.9
"""Part of the trigger that edits aim at: just below it they would be due again at once."""

LEAST_SHARE = 0.05
"""Part of a prompt that edits must save to be worth it where they alone do not suffice."""

CountTexts = Callable[[Mapping[str, str]], Awaitable[Mapping[str, int]]]
"""From texts by body id to their tokens."""


@dataclass(frozen=True, slots=True)
class Compactor:
    """Plans, runs and commits compactions of an open session.

    Args:
        journal: The session.
        config: Length and wording of summaries.
        model: Writes the summaries; without it they are made by rule.
        count: Counts texts with the chat model's tokenizer.
        budget: The levels of the model's window.
        progress: Told which stage runs.
    """

    journal: Journal
    config: MemoryConfig
    model: LanguageModel | None
    count: CountTexts
    budget: Budget
    progress: Callable[[str], None]

    @telemetry.operation("memory.compact.edit", told_of_compaction)
    async def edit(self, trigger: Trigger, *, whole: bool = False) -> Compacted | None:
        """Runs the deterministic stages alone; None where they would not suffice, or save nothing.

        Args:
            trigger: What asked for it.
            whole: Keep what they save though it does not suffice, if it is worth a new prefix.
        """
        plan = self._edits()
        if plan is None:
            return None
        counts = await self._counted(plan.bodies)
        state = self.journal.state
        before = prompt_tokens(state, self.journal.tally)
        after = prompt_tokens(edited(state, plan.edits), self._tally(counts))
        if after >= self.budget.trigger_at and not (whole and self._is_worth(before, after)):
            return None

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
            event = edits_event(trigger, plan, state, self._tally(counts))
            return plan.recorded_with(event, self.journal.door) if event is not None else None

        return await self._commit(make)

    @telemetry.operation("memory.compact.fold", told_of_compaction)
    async def fold(self, trigger: Trigger) -> Compacted | None:
        """Folds messages, with the deterministic stages before it where tokens are short.

        Returns:
            What was done, or None where nothing is to be gained yet.

        Raises:
            StorageError: The database refused, or the session was taken over.
        """
        planned = self._fold_plan(trigger)
        if planned is None or not self._gains(planned[0]):
            return None
        plan, edits = planned
        LOGGER.info(
            "%s starts: trigger %s, %d messages, folding %d to %d",
            plan.policy.name,
            plan.trigger,
            plan.message,
            plan.first,
            plan.last,
        )
        folded = await self._run(plan)
        return None if folded is None else await self._commit_fold(plan, folded, edits)

    def _gains(self, plan: FoldPlan) -> bool:
        """Whether a folding on tokens is worth a new prefix; else messages wait for others."""
        before = prompt_tokens(self.journal.state, self.journal.tally)
        if plan.trigger != "tokens" or not self.budget.fits(before):
            return True
        freed = before - plan.tokens_before + plan.source_tokens // LEAST_GAIN
        return freed >= LEAST_SHARE * before

    def _is_worth(self, before: int, after: int) -> bool:
        """Whether edits that do not suffice still pay for the prefix that they break."""
        return self.budget.fits(after) or before - after >= LEAST_SHARE * before

    def _edits(self) -> EditPlan | None:
        state, journal = self.journal.state, self.journal
        below = int(self.budget.trigger_at * TARGET_SHARE)

        def stage(name: str) -> telemetry.Within:
            return telemetry.span(f"memory.compact.{name}", self)

        return plan_edits(state, journal.texts, journal.tally, below, stage)

    def _fold_plan(self, trigger: Trigger) -> tuple[FoldPlan, EditPlan] | None:
        """What to fold, and what to edit of the messages that stay and put aside of the others."""
        state, tally = self.journal.state, self.journal.tally
        edits = self._edits() if trigger in ("tokens", "overflow") else None
        if edits is not None:
            state = edited(state, edits.edits)
        plan = plan_fold(state, tally, self.budget, trigger)
        if plan is None:
            return None
        texts = {**self.journal.texts, **(edits.bodies if edits else {})}
        kept = kept_results(plan.fold, state, texts)
        edits = (edits or EditPlan.none(self.journal.state)).among(plan.verbatim_from)
        return replace(plan, kept=kept), edits

    async def _run(self, plan: FoldPlan) -> Folded | None:
        journal = self.journal
        model = self.model if plan.policy.writes == "model" else None
        summariser = Summariser(
            model, self._style(), self._count_one, StoredSummaryCache(journal.database)
        )
        writing = Writing(
            dict(journal.texts), journal.tally, journal.state.rules, summariser, self.progress
        )
        try:
            return await run_fold(plan, writing)
        except NoGain as error:
            LOGGER.info("folding waits: %s", error.sentence)
            return None

    async def _commit_fold(
        self, plan: FoldPlan, folded: Folded, edits: EditPlan
    ) -> Compacted | None:
        ids = Bodies.new()
        door = self.journal.door
        bodies: dict[str, Cleaned] = {}
        counts: dict[str, int] = {}
        for new, text_id, details_id in (
            (folded.short_term, ids.short, ids.short_details),
            (folded.long_term, ids.long, ids.long_details),
        ):
            if new is not None:
                _add_summary(new, text_id, details_id, door, bodies, counts)
        counts |= await self._counted(edits.bodies)

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
            # A prompt that had to be made to fit meanwhile has brought edits of its own.
            held = edits if edits.holds_for(state) else EditPlan.none(state)
            kept = with_ids(plan.kept, state.content_items + len(held.items) + 1)
            told = replace(plan, kept=kept)
            event = fold_event(told, folded, ids, held.edits, state, self._tally(counts))
            if event is None:
                return None
            known = {item.id for item in plan.kept}
            new = tuple(item for item in kept if item.id not in known)
            events, texts = replace(held, items=(*held.items, *new)).recorded_with(event, door)
            return events, {**bodies, **texts}

        return await self._commit(make)

    async def _commit(
        self, make: Callable[[State], tuple[list[Event], dict[str, Cleaned]] | None]
    ) -> Compacted | None:
        recorded = await self.journal.append(make)
        if not recorded:
            LOGGER.info("compaction dropped: it would have gained nothing, or memory changed")
            return None
        event = cast(Compacted, recorded[-1].event)
        LOGGER.info(
            "compaction done: %s by %s, %d to %d tokens in %.1f s",
            ", ".join(stage.name for stage in event.stages),
            event.by,
            event.tokens_before,
            event.tokens_after,
            event.duration_s,
        )
        return event

    async def _counted(self, bodies: Mapping[str, str]) -> dict[str, int]:
        return dict(await self.count(bodies)) if bodies else {}

    async def _count_one(self, text: str) -> int:
        return (await self.count({"": text}))[""]

    def _tally(self, more: Mapping[str, int]) -> Tally:
        return replace(self.journal.tally, counted={**self.journal.counts, **more})

    def _style(self) -> Style:
        config = self.config
        return Style(
            sentences=config.summary_sentences,
            max_tokens=config.summary_max_tokens,
            temperature=config.summary_temperature,
            instructions=config.summary_prompt,
        )


def _add_summary(
    new: NewSummary,
    text_id: str,
    details_id: str,
    door: Door,
    bodies: dict[str, Cleaned],
    counts: dict[str, int],
) -> None:
    bodies[text_id] = door.clean(new.written.text)
    counts[text_id] = new.written.tokens
    if new.details:
        bodies[details_id] = door.clean(new.details)
        counts[details_id] = new.details_tokens
