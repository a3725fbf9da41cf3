"""The face of the memory library: everything a program does with a session goes through it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memory import opening, titles, undoing
from memory.answer import (
    Answer,
    NewMessage,
    StoredMessage,
    append_message,
    append_messages,
)
from memory.budget import Budget
from memory.config import MemoryConfig
from memory.errors import StrataError
from memory.events import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Event,
    ModelChosen,
    Recorded,
    RequestEnded,
    RequestPrepared,
    RequestRefused,
)
from memory.finishing import finish
from memory.history import HISTORY_KINDS, CompactionRecord, followed, history
from memory.ids import new_id
from memory.journal import Journal
from memory.measuring import Measuring
from memory.parts import Origin, Role
from memory.pieces import ChatMessage
from memory.prompt import (
    Prompt,
    build_prompt,
    rewrite,
    rewrite_text,
    room_for_message,
    texts_of,
)
from memory.protocols import Embedder, LanguageModel
from memory.reporting import Reporting
from memory.sent import LastSent
from memory.snapshot import RECENT_RECORDS, Snapshot, Surroundings, take_snapshot
from memory.state import State
from memory.storage import checkpoints, leases
from memory.storage.failures import StorageError
from memory.storage.log import ALL
from memory.storage.sessions import SessionInfo, Sessions
from memory.tokens import TokenCounter
from memory.upkeep import Upkeep, Watcher
from memory.vault_keeper import VaultKeeper
from memory.wish import Wish

if TYPE_CHECKING:
    from memory.branching import Branches
    from memory.content_store import Content
    from memory.inspecting import Inspecting
    from memory.pinning import Pinning
    from memory.rewriting import Rewriting
    from memory.tracing import Traced
    from memory.travelling import Past
    from memory.vault_reading import KeptSession
    from memory.views import TurnPoint

LOGGER = logging.getLogger("strata.memory")
ADDED_AT_ONCE = 500
"""Messages of an import in one transaction."""
FOLLOW_SECONDS = 0.5
"""Between two looks at whether another process has written."""


class EmptyMessage(StrataError):
    """A message without any text."""

    def __init__(self) -> None:
        super().__init__("The message is empty.", "Write something first.")


class Memory:
    """One session of one agent, open for reading and writing.

    Made by `Memory.open`. All methods may be called from one event loop.
    """

    def __init__(
        self,
        journal: Journal,
        info: SessionInfo,
        config: MemoryConfig,
        upkeep: Upkeep,
        embedder: Embedder | None = None,
    ) -> None:
        self.config = config
        self.info = info
        self._journal = journal
        self._upkeep = upkeep
        self._elsewhere = info.usage_beside(journal.state.usage)
        self._measuring = Measuring(journal, embedder)
        self._reporting = Reporting(journal)
        self._sent = LastSent(journal)
        self._vault = VaultKeeper(journal, info.id, config, upkeep.tell)
        self._records: tuple[CompactionRecord, ...] = ()
        self._renewal: asyncio.Task[None] | None = None
        self._answer: Answer | None = None
        journal.listen(self._note)

    @classmethod
    @asynccontextmanager
    async def open(  # noqa: PLR0913 (one call opens everything, by keywords)
        cls,
        directory: Path | str,
        session: str | None = None,
        *,
        config: MemoryConfig | None = None,
        model: LanguageModel | None = None,
        counter: TokenCounter | None = None,
        embedder: Embedder | None = None,
        index: object | None = None,  # noqa: ARG003 (recall is to come)
        chat_model: ModelChosen | None = None,
        wish: Wish | None = None,
    ) -> AsyncIterator["Memory"]:
        """Opens a session below the data directory `directory`; leaving the block closes it.

        Args:
            directory: The data directory; made where it is missing.
            session: Title or id; the agent's newest without it. Made where there is none.
            config: Thresholds and wording.
            model: Writes the summaries; without it they are made by rule.
            counter: Counts tokens; without it they are estimated.
            embedder: Measures how well compactions represent what they folded.
            index: Not used yet.
            chat_model: The model that answers, whose window and template count.
            wish: Which session in more detail; `session` goes before it.

        Raises:
            StorageError: The database can't be opened.
            SessionHeld: Another process writes to the session.
        """
        config = config or MemoryConfig()
        wish = wish or Wish()
        wish = replace(wish, session=session or wish.session)
        journal, info = await opening.open_journal(Path(directory), wish, config, chat_model)
        upkeep = Upkeep(journal, config, model, counter, passive=wish.passive)
        memory = cls(journal, info, config, upkeep, embedder)
        try:
            await memory._begin()
            yield memory
            await memory.settled()
        finally:
            await finish(memory._end())

    # -- what is said

    async def add(
        self,
        role: Role,
        content: str,
        *,
        tool_calls: Sequence[Mapping[str, Any]] = (),
        tool_call_id: str | None = None,
        reasoning: Mapping[str, Any] | None = None,
        origin: Origin = "library",
    ) -> StoredMessage:
        """Appends a message, and starts in the background what compaction it makes due.

        Returns:
            The message; it is on disk.

        Raises:
            EmptyMessage: It has neither text nor tool calls nor reasoning, and is no tool's result.
            StorageError: The database refused; nothing was written.
        """
        if not content.strip() and role != "tool" and not tool_calls and not reasoning:
            raise EmptyMessage
        new = NewMessage(role, content, origin, tool_calls, tool_call_id, reasoning)
        stored = await append_message(self._journal, new)
        self._upkeep.start()
        return stored

    async def add_all(self, messages: Sequence[NewMessage]) -> list[StoredMessage]:
        """Appends many messages, a few hundred in each transaction.

        Raises:
            StorageError: The database refused; what was returned before is kept.
        """
        stored: list[StoredMessage] = []
        for start in range(0, len(messages), ADDED_AT_ONCE):
            stored += await append_messages(self._journal, messages[start : start + ADDED_AT_ONCE])
        self._upkeep.start()
        return stored

    async def restore(self, kept: "KeptSession") -> None:
        """Lets this session, in which nothing was said yet, go on as the kept one.

        Raises:
            SessionNotEmpty: Something was said; nothing was changed.
            StorageError: The database refused; nothing was changed.
        """
        from memory.restoring import restore  # rarely needed, and slow to load

        await restore(self._journal, kept)

    async def prompt(self, text: str = "", *, spare: float = 1.0) -> Prompt:
        """The prompt of the next request; `text` stands at its end as a user message not yet added.

        Args:
            text: What the user is about to send.
            spare: Factor for safety, above 1 once an exact count has shown ours to be too low.

        Raises:
            PromptTooLarge: It can't be made to fit.
        """
        if self.config.compaction == "wait":
            await self._upkeep.settled()
        await self._upkeep.count()
        await self._upkeep.relieve()
        budget = self.budget
        budget = replace(budget, spare=budget.spare * spare)
        return build_prompt(
            self._journal.state, self._journal.texts, self._journal.tally, budget, text
        )

    async def prepare(self, prompt: Prompt) -> str:
        """Records a prompt that is about to be sent; returns the request's id."""
        request = new_id()
        await self._append(RequestPrepared(request, await self._sent.compared(prompt)))
        return request

    async def refused(
        self, request: str, counted: int, limit: int | None, sent: int | None
    ) -> Compacted | None:
        """Records that the provider refused a request as too large, and makes it smaller.

        Args:
            request: The request.
            counted: Our count of it, in tokens.
            limit: Tokens that the provider says it takes; None where it does not say.
            sent: Tokens that it counted; None where it does not say.

        Returns:
            What was compacted, or None where nothing could be.

        Raises:
            StorageError: The database refused, or the session was taken over.
        """
        await self._append(RequestRefused(request, counted, limit, sent))
        return await self._upkeep.refused()

    async def ended(self, attempt: RequestEnded) -> None:
        """Records how one attempt at a request ended."""
        await self._append(attempt)

    def answer(self, request: str) -> Answer:
        """The answer to a request, to be grown as it streams and closed at its end."""
        self._answer = Answer(self._journal, request)
        return self._answer

    def start_upkeep(self) -> None:
        """Starts in the background what compaction has become due."""
        self._upkeep.start()

    async def request_messages(self, request: str) -> tuple[ChatMessage, ...]:
        """The exact messages of a past request.

        Raises:
            StrataError: There is no such request.
            NotReproducible: What it was made from is no longer there.
        """
        ledger = await self._journal.log.ledger(request)
        if ledger is None:
            raise StrataError(f"There is no request {request!r} in this session.")
        state = await self._state_at(ledger.n)
        return rewrite(state, await self._journal.bodies.texts(texts_of(state)), ledger)

    async def request_text(self, request: str) -> str | None:
        """The exact plain text of a past request; None where messages were sent (PROMPT-6).

        Raises:
            StrataError: There is no such request.
            NotReproducible: What it was made from is no longer there.
        """
        ledger = await self._journal.log.ledger(request)
        if ledger is None:
            raise StrataError(f"There is no request {request!r} in this session.")
        state = await self._state_at(ledger.n)
        return rewrite_text(state, await self._journal.bodies.texts(texts_of(state)), ledger)

    # -- compaction

    async def compact(self) -> Compacted | None:
        """Compacts now, whatever the thresholds; None where there is nothing to gain."""
        return await self._upkeep.compact("manual")

    async def undo(self, compaction: str | None = None) -> CompactionUndone:
        """Takes back the newest compaction, or the named one with all that came after it.

        Raises:
            NothingToUndo: There is none.
            WouldNotFit: The prompt would no longer fit.
        """
        return await undoing.undo(self._journal, self.budget, compaction)

    async def redo(self) -> CompactionRedone:
        """Lets the compaction undone last hold again.

        Raises:
            NothingToUndo: There is none.
        """
        return await undoing.redo(self._journal)

    @property
    def rewriting(self) -> "Rewriting":
        """Other versions of the summaries in force."""
        from memory.rewriting import Rewriting  # rarely needed

        return Rewriting(self._journal, self._upkeep)

    @property
    def content(self) -> "Content":
        """What is kept outside the prompt and cited by handles."""
        from memory.content_store import Content  # rarely needed

        return Content(self._journal)

    @property
    def inspecting(self) -> "Inspecting":
        """The requests, piece by piece; whoever looks at many keeps it, since it keeps them."""
        from memory.inspecting import Inspecting  # rarely needed

        return Inspecting(self._journal, self._upkeep.budget)

    @property
    def reports(self) -> Reporting:
        """What compactions kept and lost."""
        return self._reporting

    async def trace(self, text: str) -> "Traced":
        """The way of a text through memory: where it is today, or when and by what it left.

        Raises:
            NothingToTrace: There is no text.
        """
        from memory import tracing  # rarely needed

        return await tracing.trace(self._journal, text)

    async def trace_message(self, number: int) -> "Traced":
        """The way of a whole message.

        Raises:
            NothingToTrace: There is no such message.
        """
        from memory import tracing  # rarely needed

        return await tracing.trace_message(self._journal, number)

    @property
    def pinning(self) -> "Pinning":
        """What stays word for word."""
        from memory.pinning import Pinning  # rarely needed

        return Pinning(self._journal, self._upkeep.budget)

    async def settled(self) -> None:
        """Waits for everything in the background."""
        await self._upkeep.settled()
        await self._reporting.settled()
        await self._measuring.settled()
        await self._vault.settled()

    def watch_compaction(self, watcher: Watcher) -> None:
        """Has the progress of compactions told to `watcher`."""
        self._upkeep.watch(watcher)

    # -- what there is to see

    @property
    def state(self) -> State:
        """The fold of the log as far as it has got."""
        return self._journal.state

    @property
    def budget(self) -> Budget:
        """The levels of the model's window."""
        return self._upkeep.budget()

    @property
    def room_for_message(self) -> int:
        """Tokens that one message may have, as they are counted."""
        return room_for_message(self.state, self._journal.tally, self.budget)

    @property
    def read_only(self) -> bool:
        """Whether this process only watches the session."""
        return self._journal.read_only

    @property
    def directory(self) -> Path:
        """The data directory."""
        return self._journal.database.path.parent

    @property
    def sessions(self) -> Sessions:
        """All sessions of the data directory."""
        return Sessions(self._journal.database)

    @property
    def branches(self) -> "Branches":
        """The branches of this session."""
        from memory.branching import Branches

        return Branches(self._journal, self.info)

    def snapshot(self) -> Snapshot:
        """Memory as it is now, for panes and reports."""
        journal = self._journal
        around = Surroundings(
            session_id=self.info.id,
            now=datetime.now(UTC),
            records=self._records[-RECENT_RECORDS:],
            running=self._upkeep.running,
            read_only=self.read_only,
            elsewhere=self._elsewhere,
        )
        return take_snapshot(journal.state, journal.texts, journal.tally, self.budget, around)

    async def snapshot_at(self, n: int) -> Snapshot:
        """Memory as it was after event `n`; `past` is quicker for many moments."""
        return await self.past().snapshot(n)

    def past(self) -> "Past":
        """The moments of the session, for going back in time."""
        from memory.travelling import Past  # rarely needed

        return Past(self._journal, self.info.id, self._upkeep.budget)

    async def turn_points(self) -> tuple["TurnPoint", ...]:
        """The turns of the session in figures, oldest first."""
        from memory import plotting  # rarely needed

        return await plotting.turn_points(self._journal)

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

    async def token_counts(self, bodies: Sequence[str]) -> dict[str, int]:
        """Known token counts by body id."""
        tokenizer = self._journal.tokenizer or (
            self.state.model.tokenizer if self.state.model else ""
        )
        return await self._journal.bodies.counts(bodies, tokenizer)

    def listen(self, listener: Callable[[Recorded], None]) -> None:
        """Has every event told to `listener` once it is on disk."""
        self._journal.listen(listener)

    async def refresh(self) -> bool:
        """Takes in what another process has written; returns whether there was anything."""
        return await self._journal.refresh()

    # -- what may change

    async def use_model(
        self,
        chat: ModelChosen,
        counter: TokenCounter | None,
        summaries: LanguageModel | None,
        *,
        embedder: Embedder | None = None,
    ) -> None:
        """From here on this model answers, this one counts, and this one writes summaries.

        An embedder stays in use where no other is given.

        A session that was opened passively compacts in the background from here on.
        """
        self._upkeep.passive = False
        self._upkeep.counter = counter
        self._upkeep.model = summaries
        if embedder is not None:
            self._measuring.use(embedder)
        await self._journal.use_tokenizer(chat.tokenizer)
        if not self.read_only:
            await opening.record_model(self._journal, chat)
        await self._upkeep.count()
        self._upkeep.start()

    async def use_policy(self, name: str) -> None:
        """Folds by another policy in this session from here on.

        Raises:
            BrokenPolicy: There is none of the name, or its package does not give one.
        """
        from memory.compaction.policies import find

        await opening.choose_policy(self._journal, find(name).name)
        self._upkeep.start()

    async def rename(self, title: str) -> None:
        """Gives the session a title.

        Raises:
            EmptyMessage: The title is empty.
        """
        if await titles.rename(self._journal, title) is None:
            raise EmptyMessage

    async def suggest_title(self, title: str, by: Literal["model", "rule"]) -> str | None:
        """Gives the session a title that nobody asked for; returns it where it was taken.

        A title by the user stays, whoever was faster; one by rule makes way for a model's.
        """
        return await titles.suggest(self._journal, self.info, title, by)

    # -- inside

    async def _append(self, event: Event) -> None:
        await self._journal.append(lambda _: ([event], {}))

    async def _state_at(self, n: int) -> State:
        return await checkpoints.state_at(self._journal.database, self._journal.log, n)

    async def _begin(self) -> None:
        journal = self._journal
        recent = await journal.log.read_newest(HISTORY_KINDS, 5 * RECENT_RECORDS)
        self._records = history(recent)
        self._renewal = asyncio.create_task(self._keep_up(), name="strata lease")
        self._vault.begin()
        self._measuring.begin(self._records)
        self._reporting.begin(self._records)
        self._upkeep.start()

    async def _end(self) -> None:
        await self._upkeep.stop()
        await self._measuring.stop()
        await self._reporting.stop()
        if self._answer is not None:
            await self._answer.leave()
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.wait({self._renewal})
        journal = self._journal
        try:
            await self._vault.close()
            if journal.lease is not None and journal.lost is None:
                await journal.keep_last_checkpoint()
                await leases.release(journal.database, journal.lease)
        except StorageError as error:
            # It ends by itself soon, and this process's end ends it at once.
            LOGGER.warning("the session could not be given back: %s", error.sentence)
        finally:
            await journal.database.close()

    async def _keep_up(self) -> None:
        """Keeps the lease while it is ours, and else takes in what the holder writes."""
        version = -1
        while True:
            try:
                if not self.read_only:
                    await asyncio.sleep(leases.RENEW_SECONDS)
                    await self._journal.renew()
                    continue
                current = await self._journal.database.data_version()
                if current != version:
                    version = current
                    await self._journal.refresh()
            except StrataError as error:
                LOGGER.warning("keeping up with the database: %s", error)
            await asyncio.sleep(FOLLOW_SECONDS)

    def _note(self, recorded: Recorded) -> None:
        """Keeps the newest compactions at hand for snapshots."""
        self._records = followed(self._records, recorded)[-RECENT_RECORDS:]
