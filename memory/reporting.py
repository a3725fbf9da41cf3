"""Tells behind the conversation what each compaction kept and lost (COMPACT-13)."""

import asyncio
import logging
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, cast

from memory import telemetry
from memory.background import Background
from memory.content_events import ContentStored
from memory.errors import StrataError
from memory.events import Compacted, LossReported, Recorded
from memory.fold import apply
from memory.history import CompactionRecord
from memory.journal import Journal
from memory.parts import ContentItem
from memory.refinding import refound
from memory.state import State
from memory.storage import checkpoints
from memory.telling import told_of_loss
from memory.undoing import compactions
from memory.views import CompactionView, LossItem

if TYPE_CHECKING:
    from memory.loss.gathering import Change

LOGGER = logging.getLogger("strata.memory")
AT_ONCE = 30_000
"""Characters that are read on the spot, in about 5 ms; more is done beside the event loop."""


class UnknownCompaction(StrataError):
    """A compaction that the session does not have."""


class Reporting:
    """Adds to the log, after each compaction, how much of its sources is kept and how much lost.

    Only what the compaction touched is read, however long the log has become.

    Args:
        journal: The open session.
        searched: Whether what left the prompt is looked for in long-term memory.
    """

    def __init__(self, journal: Journal, *, searched: bool = True) -> None:
        self._journal = journal
        self._searched = searched
        self._newest: State = journal.state
        self._items: dict[str, ContentItem] = {}
        self._all_items = False
        self._waiting: deque[tuple[Recorded, State | None]] = deque()
        self._background = Background("strata loss report")
        journal.listen(self._note)

    def begin(self, records: Sequence[CompactionRecord]) -> None:
        """Reports the newest compaction where the program ended before it was.

        Args:
            records: The newest compactions, oldest first.
        """
        for record in records[-1:]:
            if record.loss is None and not self._journal.read_only:
                self._waiting.append((Recorded(record.n, record.at, record.event), None))
                self._start()

    async def settled(self) -> None:
        """Waits until every compaction is reported."""
        await self._background.settled()

    async def stop(self) -> None:
        """Ends the work; the newest report that is missing then is made at the next start."""
        await self._background.stop()

    @telemetry.operation("memory.compaction_view")
    async def compaction_view(self, id: str) -> CompactionView:
        """A compaction opened: before, after, and each item with what became of it.

        Raises:
            UnknownCompaction: The session has none of this id.
            StorageError: The database refused.
        """
        await _load_rules()
        from memory.loss.gathering import bodies_of
        from memory.loss.opened import compaction_view

        records = {record.event.id: record for record in await compactions(self._journal)}
        record = records.get(id)
        if record is None:
            raise UnknownCompaction(f"There is no compaction {id!r} in this session.")
        change = await self._change(Recorded(record.n, record.at, record.event), None)
        items = await self._cited(change)
        texts = await self._journal.bodies.texts(bodies_of(change, items) | _bodies_before(change))
        view = await asyncio.to_thread(compaction_view, record, change, texts, items)
        return replace(view, items=await self._refound(view.items))

    # -- inside

    def _note(self, recorded: Recorded) -> None:
        before, state = self._newest, self._journal.state
        if state.n == recorded.n:
            self._newest = state
        match recorded.event:
            case ContentStored(items=items):
                self._items.update((item.id, item) for item in items)
            case Compacted() if not self._journal.read_only:
                known = before if before.n == recorded.n - 1 else None
                self._waiting.append((recorded, known))
                self._start()

    def _start(self) -> None:
        self._background.begin(self._work)

    async def _work(self) -> None:
        while self._waiting:
            recorded, before = self._waiting.popleft()
            try:
                await _load_rules()
                await self._report(await self._change(recorded, before))
            except StrataError as error:
                LOGGER.warning("loss report: %s", error)

    @telemetry.operation("memory.loss_report", told_of_loss)
    async def _report(self, change: "Change") -> LossReported:
        from memory.loss.gathering import bodies_of, sources_of, standing_after, ways_of
        from memory.loss.report import counted, loss_items

        items = await self._cited(change)
        texts = await self._journal.bodies.texts(bodies_of(change, items))

        def derive() -> tuple[LossItem, ...]:
            sources, standing = sources_of(change, texts), standing_after(change, texts)
            return loss_items(sources, standing, ways_of(change, texts, items))

        if sum(map(len, texts.values())) <= AT_ONCE:
            judged = derive()
        else:
            judged = await asyncio.to_thread(derive)
        report = counted(change.event.id, await self._refound(judged))
        await self._journal.append(lambda _: ([report], {}))
        return report

    async def _refound(self, items: tuple[LossItem, ...]) -> tuple[LossItem, ...]:
        """What a search really returns is not lost."""
        if not self._searched:
            return items
        return await refound(self._journal, self._journal.state.agent, items)

    async def _change(self, recorded: Recorded, before: State | None) -> "Change":
        """The compaction with the states on both sides."""
        from memory.loss.gathering import Change

        journal = self._journal
        if before is None:
            before = await checkpoints.state_at(journal.database, journal.log, recorded.n - 1)
        return Change(before, apply(before, recorded), cast(Compacted, recorded.event))

    async def _cited(self, change: "Change") -> dict[str, ContentItem]:
        """The content items that a compaction's messages cite."""
        from memory.loss.gathering import item_ids

        wanted = item_ids(change)
        await self._load_items(wanted)
        return {id: self._items[id] for id in wanted if id in self._items}

    async def _load_items(self, wanted: Collection[str]) -> None:
        """Reads what was stored before this session was opened here, once it is asked for."""
        if self._all_items or self._items.keys() >= set(wanted):
            return
        for recorded in await self._journal.log.read(kinds=(ContentStored.KIND,)):
            stored = cast(ContentStored, recorded.event).items
            self._items.update((item.id, item) for item in stored)
        self._all_items = True


async def _load_rules() -> None:
    """Loads the rules, which takes 30 ms, beside the event loop: most sessions never need them."""
    await asyncio.to_thread(import_module, "memory.loss.opened")


def _bodies_before(change: "Change") -> set[str]:
    """The texts that stood before a compaction in the places that it changed."""
    bodies = {edit.body for edit in change.before.folding.edits if edit.body is not None}
    folding = change.before.folding
    for summary in (folding.long_term, folding.short_term):
        if summary is not None:
            bodies.update(filter(None, (summary.body, summary.details)))
    return bodies
