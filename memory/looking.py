"""Looking into an open session: as it is, as it was, and what its log holds."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memory import telemetry, undoing
from memory.agents import AgentBook
from memory.budget import Budget
from memory.errors import StrataError
from memory.events import Recorded
from memory.fact_keeping import FactKeeping
from memory.history import HISTORY_KINDS, CompactionRecord, followed, history
from memory.indexing import Indexing
from memory.journal import Journal
from memory.parts import Ledger
from memory.pieces import ChatMessage
from memory.prompt import rewrite, rewrite_text, room_for_message, texts_of
from memory.shelf import Shelf
from memory.snapshot import RECENT_RECORDS, Snapshot, Surroundings, take_snapshot
from memory.state import State
from memory.storage import checkpoints
from memory.storage.log import ALL
from memory.storage.sessions import SessionInfo, Sessions
from memory.upkeep import Upkeep, Watcher

if TYPE_CHECKING:
    from memory.tracing import Traced
    from memory.travelling import Past
    from memory.views import TurnPoint

Written = TypeVar("Written")


class Looking:
    """What there is to see of a session; nothing here changes it."""

    def __init__(self, journal: Journal, info: SessionInfo, upkeep: Upkeep) -> None:
        self.info = info
        self._journal = journal
        self._upkeep = upkeep
        self._elsewhere = info.usage_beside(journal.state.usage)
        self._records: tuple[CompactionRecord, ...] = ()
        self._shelf = Shelf(journal)
        self._indexing = Indexing(journal, info.agent, lambda: upkeep.tell(upkeep.running))
        self._facts = FactKeeping(journal, upkeep.budget)
        journal.listen(self._note)

    @property
    def state(self) -> State:
        """The fold of the log as far as it has got."""
        return self._journal.state

    @property
    def budget(self) -> Budget:
        """The levels of the model's window."""
        return self._upkeep.budget()

    @property
    def question(self) -> str:
        """What the user said last, as far as it stands in the window; empty where nothing does."""
        newest = self.state.folding.question
        return self._journal.texts[newest.body] if newest is not None else ""

    @property
    def has_used_tools(self) -> bool:
        """Whether a tool's result stands in the window."""
        return any(ref.role == "tool" for ref in self.state.folding.verbatim)

    @property
    def room_for_message(self) -> int:
        """Tokens that one message may have, as they are counted."""
        return room_for_message(self.state, self._journal.tally, self.budget)

    @property
    def read_only(self) -> bool:
        """Whether this process only watches the session."""
        return self._journal.read_only

    @property
    def frozen(self) -> bool:
        """Whether the data directory can't be written, so that all can only be read."""
        return self._journal.database.frozen

    @property
    def directory(self) -> Path:
        """The data directory."""
        return self._journal.database.path.parent

    @property
    def sessions(self) -> Sessions:
        """All sessions of the data directory."""
        return Sessions(self._journal.database)

    @property
    def agents(self) -> AgentBook:
        """All agents of the data directory."""
        return AgentBook(self._journal.database)

    # -- as it is, and as it was

    def snapshot(self) -> Snapshot:
        """Memory as it is now, for panes and reports."""
        journal = self._journal
        around = Surroundings(
            session_id=self.info.id,
            now=datetime.now(UTC),
            records=self._records[-RECENT_RECORDS:],
            running=self._upkeep.running,
            vain=self._upkeep.found_vain,
            read_only=self.read_only,
            elsewhere=self._elsewhere,
            items=self._shelf.views(journal.state.folding),
            index=self._indexing.view,
            stream=journal.log.stream,
            facts=self._facts.view(),
        )
        return take_snapshot(journal.state, journal.texts, journal.tally, self.budget, around)

    @telemetry.operation("memory.snapshot_at")
    async def snapshot_at(self, n: int) -> Snapshot:
        """Memory as it was after event `n`; `past` is quicker for many moments."""
        return await self.past().snapshot(n)

    def past(self) -> "Past":
        """The moments of the session, for going back in time."""
        from memory.travelling import Past  # rarely needed

        return Past(self._journal, self.info.id, self._upkeep.budget)

    @telemetry.operation("memory.past_request")
    async def request_messages(self, request: str) -> tuple[ChatMessage, ...]:
        """The exact messages of a past request.

        Raises:
            StrataError: There is no such request.
            NotReproducible: What it was made from is no longer there.
        """
        return await self._again(request, rewrite)

    @telemetry.operation("memory.past_request")
    async def request_text(self, request: str) -> str | None:
        """The exact plain text of a past request; None where messages were sent (PROMPT-6).

        Raises:
            StrataError: There is no such request.
            NotReproducible: What it was made from is no longer there.
        """
        return await self._again(request, rewrite_text)

    @telemetry.operation("memory.turn_points")
    async def turn_points(self) -> tuple["TurnPoint", ...]:
        """The turns of the session in figures, oldest first."""
        from memory import plotting  # rarely needed

        return await plotting.turn_points(self._journal)

    @telemetry.operation("memory.trace")
    async def trace(self, text: str) -> "Traced":
        """The way of a text through memory: where it is today, or when and by what it left.

        Raises:
            NothingToTrace: There is no text.
        """
        from memory import tracing  # rarely needed

        return await tracing.trace(self._journal, text)

    @telemetry.operation("memory.trace")
    async def trace_message(self, number: int) -> "Traced":
        """The way of a whole message.

        Raises:
            NothingToTrace: There is no such message.
        """
        from memory import tracing  # rarely needed

        return await tracing.trace_message(self._journal, number)

    # -- what the log holds

    async def compactions(self) -> tuple[CompactionRecord, ...]:
        """Every compaction of the session, oldest first."""
        return await undoing.compactions(self._journal)

    async def log(self, after: int = 0, upto: int = ALL) -> list[Recorded]:
        """The events after number `after` up to `upto`, oldest first."""
        return await self._journal.log.read(after, upto)

    async def messages(self, first: int, last: int) -> list[Recorded]:
        """The messages with numbers `first` to `last`, whatever has become of them since."""
        return await self._journal.log.messages(first, last)

    async def texts(self, bodies: Sequence[str]) -> dict[str, str]:
        """Texts by body id."""
        return await self._journal.bodies.texts(bodies)

    @property
    def texts_at_hand(self) -> Mapping[str, str]:
        """The texts that the present state names, those of goals and tasks among them."""
        return self._journal.texts

    async def token_counts(self, bodies: Sequence[str]) -> dict[str, int]:
        """Known token counts by body id."""
        tokenizer = self._journal.tokenizer or (
            self.state.model.tokenizer if self.state.model else ""
        )
        return await self._journal.bodies.counts(bodies, tokenizer)

    def listen(self, listener: Callable[[Recorded], None]) -> None:
        """Has every event told to `listener` once it is on disk."""
        self._journal.listen(listener)

    def watch_compaction(self, watcher: Watcher) -> None:
        """Has the progress of compactions told to `watcher`."""
        self._upkeep.watch(watcher)

    async def refresh(self) -> bool:
        """Takes in what another process has written; returns whether there was anything."""
        written = await self._journal.refresh()
        return await self._facts.refresh() or written

    # -- inside

    async def _again(
        self, request: str, write: Callable[[State, Mapping[str, str], Ledger], Written]
    ) -> Written:
        """A past request, written from what it was made from."""
        journal = self._journal
        ledger = await journal.log.ledger(request)
        if ledger is None:
            raise StrataError(f"There is no request {request!r} in this session.")
        state = await checkpoints.state_at(journal.database, journal.log, ledger.n)
        return write(state, await journal.bodies.texts(texts_of(state)), ledger)

    async def _read_records(self) -> None:
        recent = await self._journal.log.read_newest(HISTORY_KINDS, 5 * RECENT_RECORDS)
        self._records = history(recent)

    def _note(self, recorded: Recorded) -> None:
        """Keeps the newest compactions at hand for snapshots."""
        self._records = followed(self._records, recorded)[-RECENT_RECORDS:]
