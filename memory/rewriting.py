"""Writes a summary in force anew, from what it was made of, with other words or another model.

Nothing changes until a version is accepted; every version stays in the log (COMPACT-11).
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from memory import telemetry
from memory.clock import utc_now
from memory.compaction.plan import summary_room
from memory.compaction.summariser import Style, Summariser, Written
from memory.compaction.transcript import transcript_lines
from memory.errors import StrataError
from memory.events import Event, Message, Recorded, SummaryRewritten
from memory.fold import apply
from memory.ids import new_id
from memory.journal import Journal
from memory.parts import MessageRef, SummaryRef, SummarySlot, Usage
from memory.privacy import Cleaned
from memory.prompt import prompt_tokens
from memory.protocols import LanguageModel
from memory.state import State
from memory.storage.bodies import ERASED
from memory.storage.summary_cache import StoredSummaryCache
from memory.tokens import Tally, count_text
from memory.upkeep import Upkeep
from memory.versions import SummaryVersion, summary_versions

NAMES: dict[SummarySlot, str] = {"short_term": "short-term", "long_term": "long-term"}


class CantRewrite(StrataError):
    """A summary can't be written anew, or its new version can't take its place."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Another version of a summary, written but not accepted."""

    slot: SummarySlot
    replaces: SummaryRef
    before: str
    """The text in force."""
    written: Written
    source_tokens: int
    instructions: str | None = None
    """What the user asked for; None where the built-in wording was used."""

    @property
    def after(self) -> str:
        """The new text."""
        return self.written.text

    @property
    def same(self) -> bool:
        """Whether it says what is in force already."""
        return self.after.strip() == self.before.strip()


class _Fresh:
    """Remembers nothing: who has a summary written anew wants another one."""

    async def find(self, digest: str) -> str | None:
        """Nothing, whatever the request."""
        del digest
        return None

    async def keep(self, digest: str, text: str) -> None:
        """Forgets it."""
        del digest, text


class Rewriting:
    """Other versions of the summaries in force.

    Args:
        journal: The open session.
        upkeep: Knows the model that writes summaries, the counter and the budget.
    """

    def __init__(self, journal: Journal, upkeep: Upkeep) -> None:
        self._journal = journal
        self._upkeep = upkeep

    @telemetry.operation("memory.rewrite.preview")
    async def preview(
        self,
        slot: SummarySlot,
        instructions: str | None = None,
        model: LanguageModel | None = None,
    ) -> Rewritten:
        """Writes another version of a summary in force; changes nothing.

        Args:
            slot: Which one.
            instructions: What it is to say; the configured wording without.
            model: Who writes; the model that writes summaries without.

        Raises:
            CantRewrite: There is no such summary, what it was made of is gone, or nobody is here
                who could follow instructions.
            NoGain: Nothing smaller than its source can be made.
        """
        ref = _in_force(self._journal.state, slot)
        instructions = " ".join((instructions or "").split()) or None
        model = model or self._upkeep.model
        if instructions and model is None:
            raise CantRewrite("Only a model can follow instructions, and none is here.")
        style = self._style(instructions)
        summariser = Summariser(model, style, self._count, _Fresh())
        before = (await self._journal.bodies.texts([ref.body])).get(ref.body, "")
        parents = await self._parents(ref)
        if parents:
            written, source = await self._merged(summariser, parents)
        else:
            written, source = await self._summarised(summariser, ref)
        written = replace(written, text=self._journal.door.clean(written.text).text)
        return Rewritten(slot, ref, before, written, source, instructions)

    @telemetry.operation("memory.rewrite.accept")
    async def accept(self, preview: Rewritten) -> SummaryRewritten:
        """Puts a version in the place of the one it was written for.

        Raises:
            CantRewrite: Another one is in force by now, it says the same, or with it the prompt
                would no longer fit.
            StorageError: The database refused; nothing was changed.
        """
        if preview.same:
            raise CantRewrite("The new summary says the same, so the old one stays.")
        body, asked = new_id(), new_id() if preview.instructions else None
        bodies = {body: self._journal.door.clean(preview.after)}
        if asked is not None and preview.instructions:
            bodies[asked] = self._journal.door.clean(preview.instructions)

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]]:
            event = _event(preview, state, body, asked)
            self._assert_fits(event, state)
            return [event], bodies

        (recorded,) = await self._journal.append(make)
        return cast(SummaryRewritten, recorded.event)

    async def keep(self, preview: Rewritten) -> None:
        """Remembers a version for a day, so that it can be accepted from another process."""
        told = {**asdict(preview), "replaces": preview.replaces.body, "before": ""}
        await self._cache.keep(self._key, json.dumps(told))

    async def kept(self) -> Rewritten:
        """The version that was remembered last, if what it was written for is still in force.

        Raises:
            CantRewrite: There is none, or another summary is in force by now.
        """
        found = await self._cache.find(self._key)
        if found is None:
            raise CantRewrite(
                "No summary has been written anew in the last 24 hours.",
                "Write one first: @rewrite short or @rewrite long.",
            )
        told: dict[str, Any] = json.loads(found)
        ref = _in_force(self._journal.state, told["slot"])
        if ref.body != told["replaces"]:
            raise _outdated(told["slot"])
        before = (await self._journal.bodies.texts([ref.body])).get(ref.body, "")
        kept = told["written"]
        usage = Usage(**kept.get("usage", {}))
        written = Written(**{**kept, "failures": tuple(kept["failures"]), "usage": usage})
        return Rewritten(
            told["slot"], ref, before, written, told["source_tokens"], told["instructions"]
        )

    async def versions(self) -> list[SummaryVersion]:
        """Every summary ever made in this session, oldest first."""
        return await summary_versions(self._journal)

    # -- inside

    @property
    def _cache(self) -> StoredSummaryCache:
        return StoredSummaryCache(self._journal.database)

    @property
    def _key(self) -> str:
        return f"rewrite {self._journal.log.branch}"

    def _style(self, instructions: str | None) -> Style:
        config = self._upkeep.config
        own = f"Summarize in at most {config.summary_sentences} sentences. {instructions}"
        return Style(
            sentences=config.summary_sentences,
            max_tokens=config.summary_max_tokens,
            temperature=config.summary_temperature,
            instructions=own if instructions else config.summary_prompt,
        )

    async def _count(self, text: str) -> int:
        return await count_text(self._upkeep.counting.counter, text)

    async def _parents(self, ref: SummaryRef) -> list[str]:
        """The texts of the summaries it was made from, where they are all still there."""
        texts = await self._journal.bodies.texts(ref.parents)
        found = [texts.get(body, ERASED) for body in ref.parents]
        return [] if ERASED in found else found

    async def _merged(self, summariser: Summariser, parents: Sequence[str]) -> tuple[Written, int]:
        source = sum([await self._count(text) for text in parents])
        room = min(self._journal.state.rules.summary_tokens, max(1, source - 1))
        return await summariser.merge(parents, source, room), source

    async def _summarised(self, summariser: Summariser, ref: SummaryRef) -> tuple[Written, int]:
        rules = self._journal.state.rules
        refs, texts = await self._sources(ref)
        counts = await self._journal.bodies.counts(
            {body for ref in refs for body in _bodies(ref)}, self._journal.tokenizer or ""
        )
        tally = Tally.for_model(self._journal.state.model, counts)
        source = sum(map(tally.message, refs))
        lines = transcript_lines(refs, texts, rules.receipt_chars)
        return await summariser.summarise(
            lines, source, summary_room(source, rules.summary_tokens)
        ), source

    async def _sources(self, ref: SummaryRef) -> tuple[list[MessageRef], dict[str, str]]:
        """The messages under a summary, and their texts."""
        recorded = await self._journal.log.messages(ref.first, ref.last)
        refs = [entry.event.ref for entry in recorded if isinstance(entry.event, Message)]
        texts = await self._journal.bodies.texts({b for ref in refs for b in _bodies(ref)})
        if len(refs) != ref.last - ref.first + 1 or ERASED in texts.values():
            raise CantRewrite(
                f"Messages {ref.first} to {ref.last} are no longer all in this log, "
                "so their summary can't be written anew."
            )
        return [ref for ref in refs if ref.role != "system"], texts

    def _assert_fits(self, event: SummaryRewritten, state: State) -> None:
        counted = {**self._journal.counts, event.summary.body: event.summary.tokens}
        tally = Tally.for_model(state.model, counted)
        after = apply(state, Recorded(state.n + 1, "", event))
        before = prompt_tokens(state, tally)
        tokens, budget = prompt_tokens(after, tally), self._upkeep.budget(state)
        if tokens > before and not budget.fits(tokens):
            raise CantRewrite(
                f"With this summary the prompt would have about {tokens:,} tokens, "
                f"but {budget.room:,} is the most that fits.",
                "Ask for a shorter one.",
            )


def _in_force(state: State, slot: SummarySlot) -> SummaryRef:
    folding = state.folding
    ref = folding.short_term if slot == "short_term" else folding.long_term
    if ref is None:
        raise CantRewrite(f"There is no {NAMES[slot]} summary yet.")
    return ref


def _outdated(slot: SummarySlot) -> CantRewrite:
    return CantRewrite(
        f"The {NAMES[slot]} summary is another one by now, so this version can't take its place.",
        "Write it anew.",
    )


def _event(preview: Rewritten, state: State, body: str, asked: str | None) -> SummaryRewritten:
    slot, old, written = preview.slot, preview.replaces, preview.written
    if _in_force(state, slot).body != old.body:
        raise _outdated(slot)
    newest = state.short_versions if slot == "short_term" else state.long_versions
    summary = replace(
        old,
        body=body,
        version=newest + 1,
        by=written.by,
        made_at=utc_now(),
        model=written.model,
        duration_s=round(written.duration_s, 3),
        tokens_in=preview.source_tokens,
        tokens=written.tokens,
    )
    return SummaryRewritten(slot, old.body, summary, asked)


def _bodies(ref: MessageRef) -> list[str]:
    return [body for body in (ref.body, ref.calls) if body is not None]
