"""Indexing behind the conversation: words of older sessions, vectors, the index (RECALL-2)."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

from memory import telemetry
from memory.background import Background
from memory.errors import StrataError
from memory.events import Message, Recorded
from memory.index_backlog import Backlog
from memory.journal import Journal
from memory.protocols import Embedder, VectorIndex, at_once, embedded
from memory.recall.library import Library
from memory.recall.nearness import STEP, Neighbours, packed
from memory.recall_views import IndexState, IndexView
from memory.storage import catching_up, vectors
from memory.storage.catching_up import Behind
from memory.storage.sources import READ_KINDS
from memory.storage.vectors import Space
from memory.trouble import Trouble

LOGGER = logging.getLogger("strata.memory")

EMBEDDED_AT_ONCE = 16
"""Texts in one request: about 0.3 s of the embedder, after which a turn's request comes first."""
EMBEDDED_CHARS = 4_000
"""Characters of a text that are embedded: models of this kind read no more."""
LONGEST_REST_S = 2.0
"""While an answer streams, each step is followed by a rest as long as the step, at most this: on a
busy machine its words, and keys, would come late otherwise."""
REST_S = 0.005
"""Between two steps through older events, whose words keep the interpreter to themselves."""
LOOK_SECONDS = 1.0
"""Between two looks at what other processes and other parts of memory have written."""
LEAVING_S = 2.0
"""Longest wait for a short backlog where the session is closed; a longer one is left at once."""
BRIEFLY_S = 0.3
"""Longest wait for vectors of what was said last where nothing else is embedded."""
SHORT_BACKLOG = 2 * EMBEDDED_AT_ONCE
SHOWN_EVERY_S = 1.0
"""How often progress is shown: each time costs a look at memory."""


class Indexing:
    """Keeps what a search looks through complete, while others have their turns.

    What is new comes first, then what was there before, oldest first. Nothing is lost where it
    ends at any instant: the tables say what is still to be done.

    Args:
        journal: The open session, whose agent's passages are indexed.
        agent: The agent.
        tell: Is called where the view has changed.
    """

    def __init__(
        self, journal: Journal, agent: str, tell: Callable[[], None] = lambda: None
    ) -> None:
        self._journal = journal
        self._tell = tell
        self._told = IndexView()
        self._told_at = 0.0
        self._database = journal.database
        self._embedder: Embedder | None = None
        self._brief: Embedder | None = None
        self.neighbours = Neighbours(journal.database, agent)
        self.library = Library(journal.database, self.neighbours)
        self._used: Embedder | None = None
        self._backlog = Backlog(journal.database)
        self._left = Behind(renew=False, events=0, texts=0, passage=0, vector=0)
        self._others_dropped = False
        self._state: IndexState = "off"
        self._failing = _no_troubles()
        self._woken = asyncio.Event()
        self._waiting: list[asyncio.Future[None]] = []
        self._streams: Callable[[], bool] = lambda: False
        self._background = Background("strata indexing")
        journal.listen(self._note)

    def begin(self) -> None:
        """Begins it in the background."""
        self._background.begin(self._work)

    def use(self, embedder: Embedder | None, index: VectorIndex | None = None) -> None:
        """From here on these make the vectors, and find near ones; what is not given stays.

        Without an embedder passages are found by their words.
        """
        if index is not None:
            self.neighbours.use_index(index)
        self._embedder = embedder or self._embedder
        self._wake()

    def use_briefly(self, embedder: Embedder) -> None:
        """From here on this makes the vectors of what is asked for, and of nothing else.

        For who leaves soon: the index stays closed, and passages are compared one by one. A later
        start makes the vectors that are missing.
        """
        self._brief = embedder
        self.neighbours.use(embedder.name, embedder.dimensions)

    def yield_while(self, streams: Callable[[], bool]) -> None:
        """From here on half of the time is left to others while this holds."""
        self._streams = streams

    async def settled(self) -> None:
        """Waits until everything is indexed that can be."""
        if self._background.busy:
            done = asyncio.get_running_loop().create_future()
            self._waiting.append(done)
            self._wake()
            await done
        if not self._background.busy:
            await self._background.settled()

    async def look(self) -> IndexView:
        """How far it has got, also where it has only begun: counted here, beside its own work.

        Where this process has no embedder, the vectors that another one made count: they are used
        as soon as there is one again.

        Raises:
            StorageError: The database refused.
        """
        name = self.neighbours.embedder or await vectors.last_embedder(self._database)
        space = Space(self.neighbours.space.agent, name)
        left = await catching_up.behind(self._database)
        part = await vectors.count(self._database, space, 1, left.passage)
        behind = left.events + left.texts
        vectors_left = part.passages - part.vectors if name else 0
        state = self.view.state
        if state == "off" and name:
            state = "ready" if not behind + vectors_left else "waiting"
        return replace(
            self.view,
            passages=part.passages,
            indexed=part.vectors,
            backlog=behind + vectors_left,
            state=state,
        )

    async def leave(self, *, loaded: bool = False) -> None:
        """Waits a moment for a short backlog; what is left is done at the next start.

        Args:
            loaded: Whether the embedder that is used briefly has answered, and so takes no time.
        """
        if self._brief is not None and self._embedder is None and loaded:
            with contextlib.suppress(TimeoutError, StrataError):
                await self._embed_newest(self._brief)
        if self._embedder is not None and self.view.backlog <= SHORT_BACKLOG:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LEAVING_S):
                    await self.settled()

    async def _embed_newest(self, embedder: Embedder) -> None:
        """Makes the vectors of what was said last, if that takes no time that anybody notices."""
        newest = (await vectors.newest(self._database)).passage
        texts = await vectors.without(
            self._database,
            self.neighbours.space,
            max(1, newest - STEP),
            newest,
            EMBEDDED_AT_ONCE,
            newest_first=True,
        )
        if texts and not self._journal.read_only:
            async with asyncio.timeout(BRIEFLY_S):
                made = await embedded(
                    at_once(embedder), [text[:EMBEDDED_CHARS] for _, text in texts]
                )
            kept = [(id, packed(vector)) for (id, _), vector in zip(texts, made, strict=True)]
            await vectors.keep(self._database, embedder.name, kept)

    async def stop(self) -> None:
        """Ends the work."""
        await self._background.stop()

    @telemetry.operation("memory.index.forget")
    async def forget(self, passages: Iterable[int]) -> bool:
        """Takes passages that have gone out of the index as well; False where none is open here.

        Raises:
            StrataError: The index can't be reached; it is put right when it is opened again.
        """
        self._backlog.some_went()
        return await self.neighbours.forget(passages)

    @property
    def embedder(self) -> Embedder | None:
        """What makes the vectors; None where there is nothing that does."""
        return self._embedder or self._brief

    @property
    def view(self) -> IndexView:
        """How far it has got."""
        known = self._backlog
        backlog = known.missing if self.embedder is not None else 0
        problem = next((each.problem for each in self._failing.values() if each.problem), "")
        return IndexView(
            passages=known.passages,
            indexed=known.passages - known.missing,
            backlog=backlog + self._left.events + self._left.texts,
            state=self._state,
            problem=problem or self.neighbours.problem,
        )

    # -- inside

    def _note(self, recorded: Recorded) -> None:
        kind = recorded.event.KIND
        if kind in READ_KINDS:
            if kind != Message.KIND:
                self._backlog.some_went()
            self._wake()

    def _wake(self) -> None:
        self._woken.set()

    async def _work(self) -> None:
        try:
            while True:
                waiting, self._waiting = self._waiting, []
                try:
                    await self._round()
                    self._show()
                finally:
                    for done in waiting:
                        if not done.done():
                            done.set_result(None)
                if not self._waiting:
                    await self._rest()
        finally:
            for done in self._waiting:
                if not done.done():
                    done.set_result(None)

    def _show(self) -> None:
        """Has the view shown, where it is another one."""
        if self.view != self._told:
            self._told, self._told_at = self.view, time.monotonic()
            self._tell()

    async def _rest(self) -> None:
        """Waits for something to do."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._woken.wait()
            if self._woken.is_set() or await self._changed():
                self._woken.clear()
                return

    async def _changed(self) -> bool:
        """Whether others have written, or what failed is to be tried again."""
        if any(trouble.problem and not trouble.rests for trouble in self._failing.values()):
            return True
        try:
            left = await catching_up.behind(self._database)
        except StrataError:
            return True  # the round tells of it
        return left != self._left

    async def _round(self) -> None:
        """Does what there is to do, up to the first failure."""
        trouble = self._failing["embedder"]
        try:
            self._left = await catching_up.behind(self._database)
            if not self._journal.read_only:
                await self._catch_up()
            await self._backlog.count(self.neighbours.space)
            if self._embedder is None:
                self._state = "off" if self._brief is None else "waiting"
            elif not trouble.rests:
                embedder = self._embedder
                await self._vectors(embedder)
                trouble.over()
                if embedder is self._embedder:
                    await self._complete()
        except StrataError as error:
            trouble.note(error)
            self._state = "waiting"

    async def _catch_up(self) -> None:
        if self.library.damaged:
            await catching_up.renew_words(self._database)
            self.library.damaged = False
        while self._left.any:
            self._state = "reading"
            with telemetry.span("memory.index.words", self, events=self._left.events):
                await catching_up.catch_up(self._database, self._left)
            self._left = await catching_up.behind(self._database)
            await asyncio.sleep(REST_S)

    async def _vectors(self, embedder: Embedder) -> None:
        if embedder is not self._used:
            await self._start_with(embedder)
        await self._opened()
        while embedder is self._embedder:
            began = time.monotonic()
            done = not self._journal.read_only and await self._embed_some(embedder)
            if not (await self._fed() or done):
                return
            if time.monotonic() - self._told_at >= SHOWN_EVERY_S:
                self._show()
            took = time.monotonic() - began
            await asyncio.sleep(min(took, LONGEST_REST_S) if self._streams() else 0)

    async def _complete(self) -> None:
        """Tidies up, where every passage has its vector."""
        space = self.neighbours.space
        if not self._journal.read_only:
            await self._backlog.count_again(space)
            while not self._others_dropped:
                self._others_dropped = not await vectors.drop_others(self._database, space)
        self._left = await catching_up.behind(self._database)
        if self._left.passage > self._backlog.seen and not self._journal.read_only:
            self._wake()  # it came while this was tidied up
        self._state = "waiting" if self.neighbours.waits else "ready"

    async def _start_with(self, embedder: Embedder) -> None:
        """Begins anew with another embedder: vectors of different ones can't be compared."""
        self._used = embedder
        self.neighbours.use(embedder.name, embedder.dimensions)
        self._others_dropped = False
        self._failing = _no_troubles()
        await self._backlog.begin(self.neighbours.space)

    async def _embed_some(self, embedder: Embedder) -> bool:
        """Embeds some texts, the newest first, then the oldest; whether there were any."""
        space = self.neighbours.space
        await self._backlog.count(space)
        texts = await self._backlog.next_texts(space, EMBEDDED_AT_ONCE)
        if not texts:
            return False
        self._state = "indexing"
        with telemetry.span("memory.index.embed", self, passages=len(texts)):
            made = await embedded(embedder, [text[:EMBEDDED_CHARS] for _, text in texts])
            if embedder is not self._embedder:
                return False
            kept = [(id, packed(vector)) for (id, _), vector in zip(texts, made, strict=True)]
            await vectors.keep(self._database, embedder.name, kept)
            self._backlog.made(len(kept))
        return True

    async def _opened(self) -> None:
        """Opens the index; without it vectors are made and compared all the same."""
        trouble = self._failing["index"]
        if not self.neighbours.waits or trouble.rests:
            return
        try:
            await self.neighbours.open()
        except StrataError as error:
            trouble.note(error)
        else:
            trouble.over()

    async def _fed(self) -> bool:
        try:
            fed = await self.neighbours.feed()
        except StrataError as error:
            self._failing["index"].note(error)
            return False
        if fed:
            self._state = "indexing"
        return fed


def _no_troubles() -> dict[str, Trouble]:
    return {name: Trouble("indexing") for name in ("embedder", "index")}
