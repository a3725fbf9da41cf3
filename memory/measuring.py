"""Measures behind the conversation how well a compaction represents its sources (COMPACT-13)."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Iterable, Sequence

from memory import telemetry
from memory.background import Background
from memory.errors import StrataError
from memory.events import Compacted, LossMeasured, Recorded
from memory.history import CompactionRecord
from memory.journal import Journal
from memory.loss.similarity import Vector, evenly, mean, nearest, passages_of
from memory.parts import MessageRef, SummaryRef
from memory.protocols import Embedder, embedded
from memory.state import State
from memory.storage import checkpoints

LOGGER = logging.getLogger("strata.memory")

MOST_MESSAGES = 400
"""Messages measured of one compaction; of more, so many at even distances. Some 4 s of work."""

COMPARED_AT_ONCE = 120
"""Vectors compared before others get their turn: about 3 ms."""


class Measuring:
    """Adds to the log how near each folded message is to what stands for it now.

    One compaction at a time; what a turn needs goes first, in the backend. Without an embedder
    nothing is measured.

    Args:
        journal: The open session.
        embedder: Compares texts; can be set later.
    """

    def __init__(self, journal: Journal, embedder: Embedder | None) -> None:
        self._journal = journal
        self._embedder = embedder
        self._waiting: deque[tuple[int, Compacted]] = deque()
        self._background = Background("strata measuring")
        journal.listen(self._note)

    def begin(self, records: Sequence[CompactionRecord]) -> None:
        """Measures the newest compaction where the program ended before it was."""
        newest = [(r.n, r.event) for r in records[-1:] if not (r.undone or r.measured)]
        self._waiting.extend(pair for pair in newest if pair[1].folds)
        self._start()

    def use(self, embedder: Embedder) -> None:
        """From here on this model compares texts."""
        self._embedder = embedder
        self._start()

    async def settled(self) -> None:
        """Waits until everything is measured that can be."""
        await self._background.settled()

    async def stop(self) -> None:
        """Ends the work; what is not measured is at the next start."""
        await self._background.stop()

    def _note(self, recorded: Recorded) -> None:
        if isinstance(recorded.event, Compacted) and recorded.event.folds:
            self._waiting.append((recorded.n, recorded.event))
            self._start()

    def _start(self) -> None:
        if self._journal.read_only:
            self._waiting.clear()
        if self._waiting and (embedder := self._embedder) is not None:
            self._background.begin(lambda: self._work(embedder))

    async def _work(self, embedder: Embedder) -> None:
        while self._waiting:
            n, event = self._waiting.popleft()
            try:
                await self._measure(embedder, n, event)
            except StrataError as error:
                LOGGER.warning("measuring similarity: %s", error)

    @telemetry.operation("memory.loss_similarity")
    async def _measure(self, embedder: Embedder, n: int, event: Compacted) -> None:
        began = time.monotonic()
        journal = self._journal
        before = await checkpoints.state_at(journal.database, journal.log, n - 1)
        refs = evenly(_sources(before, event), MOST_MESSAGES)
        texts = await journal.bodies.texts([ref.body for ref in refs])
        said = {ref.number: texts[ref.body] for ref in refs if texts.get(ref.body, "").strip()}
        standing = await self._standing(event)
        if not said or not standing:
            return
        sources = await embedded(embedder, list(said.values()))
        values = await _compared(sources, await embedded(embedder, standing))
        measured = LossMeasured(
            compaction=event.id,
            embedder=embedder.name,
            numbers=tuple(said),
            percents=tuple(round(100 * value) for value in values),
            similarity=mean(values),
        )
        await journal.append(lambda _: ([measured], {}))
        seconds = time.monotonic() - began
        LOGGER.info(
            "similarity %.2f of %d messages, in %.1f s", measured.similarity, len(said), seconds
        )

    async def _standing(self, event: Compacted) -> list[str]:
        """What stands for the folded messages: sentences and bullets of the newest summary."""
        summary = _newest(event)
        if summary is None:
            return []
        bodies = [body for body in (summary.body, summary.details) if body is not None]
        texts = await self._journal.bodies.texts(bodies)
        return passages_of(texts[body] for body in bodies if body in texts)


def _sources(before: State, event: Compacted) -> list[MessageRef]:
    """The messages that left the window with a compaction and do not stand word for word."""
    pinned = {ref.number for ref in event.pinned}
    return [
        ref
        for ref in before.folding.verbatim
        if ref.number < event.verbatim_from and ref.number not in pinned
    ]


def _newest(event: Compacted) -> SummaryRef | None:
    """The summary that reaches up to the window: policies with one alone call it long-term."""
    known = [summary for summary in (event.long_term, event.short_term) if summary is not None]
    return max(known, key=lambda summary: summary.last, default=None)


async def _compared(sources: Iterable[Vector], standing: Sequence[Vector]) -> list[float]:
    """The similarity of each source to what is nearest to it; lets others in between."""
    values: list[float] = []
    step = max(1, COMPARED_AT_ONCE // len(standing))
    for vector in sources:
        values.append(nearest(vector, standing))
        if len(values) % step == 0:
            await asyncio.sleep(0)
    return values
