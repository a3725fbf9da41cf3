"""Memory as it was: states and snapshots of past moments, kept while one moves among them."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice

from memory.budget import Budget
from memory.clock import parse_time
from memory.content.listing import NEWEST, item_views
from memory.events import Recorded
from memory.fact_reading import PastFacts
from memory.fold import fold
from memory.history import HISTORY_KINDS, history
from memory.journal import Journal
from memory.prompt import texts_of
from memory.shelf import line_of, newest_items
from memory.snapshot import RECENT_RECORDS, Snapshot, Surroundings, take_snapshot
from memory.state import State
from memory.storage import checkpoints
from memory.tokens import Tally
from memory.work_views import ItemView

KEPT = 64
"""Moments that are kept: one steps to and fro."""
WAYPOINT = 25
"""Events between two states that are kept on the way; a step back then folds no more than these."""
WAYPOINTS = 40
"""States that are kept: those of the last thousand events."""
SPARE_TEXTS = 2_000
"""Texts that are kept beyond those of the newest moment."""


class Past:
    """The moments of a session; each is read once, and near ones cost what lies between them.

    Args:
        journal: The open session.
        session_id: Its id.
        budget: From a state to the levels of the window.
    """

    def __init__(
        self, journal: Journal, session_id: str, budget: Callable[[State], Budget]
    ) -> None:
        self._journal = journal
        self._session_id = session_id
        self._budget = budget
        self._lock = asyncio.Lock()
        self._moments: OrderedDict[int, tuple[Snapshot, datetime]] = OrderedDict()
        self._states: OrderedDict[int, tuple[State, str]] = OrderedDict()
        """States by event, each with the time of that event; the one used last stands last."""
        self._texts: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._tokenizer = ""
        self._changes: list[Recorded] = []
        self._changes_upto = 0
        self._known = PastFacts(journal)
        self._lines: dict[tuple[str, str], str] = {}
        """What stored items are, in one line each."""

    async def snapshot(self, n: int) -> Snapshot:
        """Memory as it was after event `n`.

        Raises:
            StorageError: The database refused.
        """
        return (await self.moment(n))[0]

    async def moment(self, n: int) -> tuple[Snapshot, datetime]:
        """Memory as it was after event `n`, and when that was.

        Raises:
            StorageError: The database refused.
        """
        async with self._lock:
            if n not in self._moments:
                self._moments[n] = await self._taken(n)
            self._moments.move_to_end(n)
            while len(self._moments) > KEPT:
                self._moments.popitem(last=False)
            return self._moments[n]

    # -- inside

    async def _taken(self, n: int) -> tuple[Snapshot, datetime]:
        state, at = await self._state(n)
        then = parse_time(at) if at else datetime.now(UTC)
        await self._load(state)
        await self._load_changes(n)
        records = history(entry for entry in self._changes if entry.n <= n)[-RECENT_RECORDS:]
        around = Surroundings(
            self._session_id,
            then,
            records,
            read_only=True,
            items=await self._items(state),
            facts=await self._known.view_at(at),
            stream=self._journal.log.stream,
        )
        tally = Tally.for_model(state.model, self._counts)
        return take_snapshot(state, self._texts, tally, self._budget(state), around), then

    async def _items(self, state: State) -> tuple[ItemView, ...]:
        """The newest items of a moment; a line, once it is found out, is kept for other moments."""
        if not state.content_items:
            return ()
        catalogue = await newest_items(self._journal, state.n)
        newest = list(islice(catalogue.listed(), NEWEST))
        lines: dict[str, str] = {}
        for item in newest:
            digest = catalogue.digests.get(item.id)
            key = (item.id, digest or item.body)
            if key not in self._lines:
                self._lines[key] = await line_of(self._journal, item, digest)
            lines[item.id] = self._lines[key]
        return item_views(newest, lines, state.folding)

    async def _state(self, n: int) -> tuple[State, str]:
        """The state after event `n`, from the nearest one before it, and the time of that event."""
        journal = self._journal
        near = max((held for held in self._states if held <= n), default=0)
        if near != n and near // checkpoints.EVERY != n // checkpoints.EVERY:
            start, at = await checkpoints.nearest(journal.database, journal.log, n), ""
            if start.n < near:
                start, at = self._states[near]
        else:
            start, at = self._states.get(near, (State(), ""))
        events = await journal.log.read(after=start.n, upto=n)
        for first in range(0, len(events), WAYPOINT):
            start = fold(events[first : first + WAYPOINT], start)
            at = events[min(first + WAYPOINT, len(events)) - 1].at
            self._keep(start, at)
        if not at and start.n:
            at = (await journal.log.read(start.n - 1, start.n))[0].at
        self._keep(start, at)
        return start, at

    def _keep(self, state: State, at: str) -> None:
        self._states[state.n] = state, at
        self._states.move_to_end(state.n)
        while len(self._states) > WAYPOINTS:
            self._states.popitem(last=False)

    async def _load(self, state: State) -> None:
        """Reads the texts and counts of a state that are not here yet."""
        wanted = texts_of(state)
        tokenizer = state.model.tokenizer if state.model else ""
        if tokenizer != self._tokenizer:
            self._tokenizer = tokenizer
            self._counts = await self._journal.bodies.counts(self._texts, tokenizer)
        missing = wanted.difference(self._texts)
        if missing:
            self._texts |= await self._journal.bodies.texts(missing)
            self._counts |= await self._journal.bodies.counts(missing, tokenizer)
        if len(self._texts) > len(wanted) + SPARE_TEXTS:
            self._texts = {body: self._texts[body] for body in wanted}
            self._counts = {b: t for b, t in self._counts.items() if b in wanted}

    async def _load_changes(self, n: int) -> None:
        """Reads the compactions up to event `n` that are not here yet."""
        if n > self._changes_upto:
            upto = max(n, self._journal.state.n)
            self._changes += await self._journal.log.read(
                self._changes_upto, upto, kinds=HISTORY_KINDS
            )
            self._changes_upto = upto
