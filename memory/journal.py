"""The session as one process holds it: its state, its texts, and the way to change them."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from memory.errors import StrataError
from memory.events import Event, Message, Recorded, SecretsReplaced
from memory.finishing import finish
from memory.fold import fold
from memory.privacy import Cleaned, Door
from memory.prompt import texts_of
from memory.state import State
from memory.storage import checkpoints, leases
from memory.storage.bodies import Bodies
from memory.storage.database import Database, Transaction
from memory.storage.drafts import Draft, Drafts
from memory.storage.failures import Conflict, StorageError
from memory.storage.leases import Lease
from memory.storage.log import Batch, Log, numbered
from memory.tokens import Tally

LOGGER = logging.getLogger("strata.memory")
Listener = Callable[[Recorded], None]
Result = TypeVar("Result")
EMPTY: Mapping[str, int] = MappingProxyType({})


class ReadOnly(StrataError):
    """This process only watches the session."""

    def __init__(self) -> None:
        super().__init__(
            "This session is open read-only here.", "Take it over, or open another session."
        )


@dataclass(slots=True)
class Journal:
    """State, texts and counts of an open session; the only place that appends to its log."""

    database: Database
    log: Log
    lease: Lease | None
    state: State
    texts: dict[str, str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    tokenizer: str | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    """Which session it is, for the spans of its operations (ALL-4)."""
    digests: dict[str, str] = field(default_factory=dict)
    """What a model wrote of stored items, by their ids, for receipts that are made from now on."""
    lost: Conflict | None = None
    """Why this process may no longer write, once it may not."""
    _replaced: Counter[str] = field(default_factory=Counter)
    """Secrets that were replaced in what no message says, of which the log knows nothing yet."""
    _listeners: list[Listener] = field(default_factory=list)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _opened_at: int = field(init=False)

    def __post_init__(self) -> None:
        self._opened_at = self.state.n

    @property
    def bodies(self) -> Bodies:
        """The body table."""
        return Bodies(self.database)

    @property
    def door(self) -> Door:
        """What every text passes before it is stored."""
        return self.database.door

    @property
    def drafts(self) -> Drafts:
        """The draft of this branch."""
        return Drafts(self.database, self.log.branch)

    @property
    def tally(self) -> Tally:
        """The counts at hand."""
        return Tally.for_model(self.state.model, self.counts)

    @property
    def read_only(self) -> bool:
        """Whether this process may not append."""
        return self.lease is None or self.lost is not None

    def listen(self, listener: Listener) -> None:
        """Has every event passed to `listener` once it is on disk and folded."""
        self._listeners.append(listener)

    def note(self, *texts: Cleaned) -> None:
        """Counts what was replaced in texts that stand in no body of an event of this log."""
        for cleaned in texts:
            self._replaced.update(cleaned.kinds)

    def cleaned(self, text: str) -> str:
        """A text for an event itself as it may be stored; what was replaced in it is counted."""
        cleaned = self.door.clean(text)
        self.note(cleaned)
        return cleaned.text

    async def tell_replaced(self) -> None:
        """Records what was noted, where nothing else is appended to do so.

        Raises:
            Conflict, StorageError: As `append`.
        """
        if self._replaced and not self.read_only:
            await self.append(lambda _state: ([], {}))

    async def append(
        self,
        make: Callable[[State], tuple[Sequence[Event], Mapping[str, Cleaned]] | None],
        *,
        closes_draft: bool = False,
    ) -> list[Recorded]:
        """Appends the events that `make` decides on, seeing the newest state.

        Args:
            make: From the state to the events and the texts they name; None for nothing.
            closes_draft: Remove the draft in the same transaction.

        Raises:
            ReadOnly: The session is only watched here.
            Conflict: Another process took it over; nothing was written.
            StorageError: The database refused; nothing was written.
        """
        return await finish(self._append(make, closes_draft=closes_draft))

    async def write_draft(self, draft: Draft) -> None:
        """Replaces the draft of the answer that is streaming.

        Raises:
            ReadOnly, Conflict, StorageError: As `append`.
        """
        await self.drafts.write(draft, self.held())

    async def drop_draft(self) -> None:
        """Removes the draft without making it a message.

        Raises:
            ReadOnly, Conflict, StorageError: As `append`.
        """
        await self.drafts.drop(self.held())

    async def renew(self) -> None:
        """Puts off the end of the lease; notes it where somebody took the session over.

        Raises:
            StorageError: The database refused; the lease holds as long as it did.
        """
        if not self.read_only and self.lease is not None:
            try:
                await leases.renew(self.database, self.lease)
            except Conflict as conflict:
                self.lost = conflict

    async def refresh(self) -> bool:
        """Folds what another process has appended; returns whether there was anything."""
        async with self._lock:
            recorded = await self.log.read(after=self.state.n)
            state = fold(recorded, self.state)
            await self.load_texts(state)
            self.state = state
            self._forget_folded()
            if state.model is not None:
                await self.use_tokenizer(state.model.tokenizer)
        for entry in recorded:
            self._tell(entry)
        return bool(recorded)

    async def rewrite(self, work: Callable[[Transaction], Awaitable[Result]]) -> Result:
        """Does what changes texts that are stored, and then reads anew all that is at hand.

        Args:
            work: Writes; it may append to this branch itself.

        Raises:
            ReadOnly, Conflict, StorageError: As `append`; nothing was written.
        """
        return await finish(self._rewrite(work))

    async def read_anew(self, *, fold_anew: bool = False) -> None:
        """Lets go of every text that is held here, and reads those that are needed again.

        Args:
            fold_anew: Fold from the last checkpoint as well: words in events have changed.

        Raises:
            StorageError: The database refused; what was held before still is.
        """
        async with self._lock:
            recorded = await self._read_anew(fold_anew=fold_anew)
        for entry in recorded:
            self._tell(entry)

    async def _rewrite(self, work: Callable[[Transaction], Awaitable[Result]]) -> Result:
        async with self._lock:
            lease = self.held()

            async def write(transaction: Transaction) -> Result:
                await leases.assert_held(transaction, lease)
                return await work(transaction)

            result = await self.database.write(write)
            recorded = await self._read_anew(fold_anew=False)
        for entry in recorded:
            self._tell(entry)
        return result

    async def _read_anew(self, *, fold_anew: bool) -> list[Recorded]:
        recorded = await self.log.read(after=self.state.n)
        if fold_anew:
            state = await checkpoints.state_at(self.database, self.log)
        else:
            state = fold(recorded, self.state)
        texts = await self.bodies.texts(texts_of(state))
        # In one go: who draws meanwhile finds either all of the old texts or all of the new ones.
        self.state = state
        self.texts.clear()
        self.texts.update(texts)
        self.counts.clear()
        self.digests.clear()
        await self._load_counts(texts.keys())
        return recorded

    async def load_texts(
        self, state: State | None = None, fresh: Collection[str] = ()
    ) -> Collection[str]:
        """Reads the texts and counts that a state's prompt needs and that are not here yet.

        Args:
            state: The state; the present one without it.
            fresh: Bodies that are about to be written.

        Returns:
            The bodies of all texts that it needs.
        """
        wanted = texts_of(state or self.state)
        if missing := wanted.difference(self.texts, fresh):
            self.texts.update(await self.bodies.texts(missing))
            await self._load_counts(missing)
        return wanted

    async def use_tokenizer(self, tokenizer: str) -> None:
        """Counts with another tokenizer from here on."""
        if tokenizer != self.tokenizer:
            self.tokenizer = tokenizer
            self.counts.clear()
            await self._load_counts(texts_of(self.state))

    def keep_counts(self, counts: Mapping[str, int], tokenizer: str) -> None:
        """Takes in counts, unless another tokenizer or other texts matter by now."""
        if tokenizer == self.tokenizer:
            self.counts.update((id, tokens) for id, tokens in counts.items() if id in self.texts)

    def assert_writable(self) -> None:
        """Refuses at once what would be refused at its end.

        Raises:
            ReadOnly, Conflict: This process may not append.
        """
        self.held()

    def held(self) -> Lease:
        """The right to write to the branch.

        Raises:
            ReadOnly, Conflict: This process may not append.
        """
        if self.lost is not None:
            raise self.lost
        if self.lease is None:
            raise ReadOnly
        return self.lease

    async def _load_counts(self, bodies: Collection[str]) -> None:
        if self.tokenizer is not None:
            tokenizer = self.tokenizer
            self.keep_counts(await self.bodies.counts(bodies, tokenizer), tokenizer)

    async def _append(
        self,
        make: Callable[[State], tuple[Sequence[Event], Mapping[str, Cleaned]] | None],
        *,
        closes_draft: bool,
    ) -> list[Recorded]:
        async with self._lock:
            self.held()
            made = make(self.state)
            if made is None:
                return []
            events, bodies = made
            also = uncounted(events, bodies.values(), self._replaced)
            recorded = numbered([*events, *also], after=self.state.n)
            if not recorded:
                return []
            # Folded first, so that nothing comes to disk that can't be folded, and so that the
            # state never names a text that is not at hand.
            state = fold(recorded, self.state)
            wanted = await self.load_texts(state, bodies)
            await self._write(Batch(recorded, bodies, closes_draft))
            self._replaced.clear()
            self.texts.update((id, cleaned.text) for id, cleaned in bodies.items())
            before, self.state = self.state, state
            if state.folding.verbatim_from != before.folding.verbatim_from:
                self._forget_folded()
            if checkpoints.is_due(before.n, state.n):
                await self._keep_checkpoint(state)
        for entry in recorded:
            self._tell(entry)
        # A content store may be given more than should stay here.
        for body in bodies.keys() - wanted:
            self.texts.pop(body, None)
        return recorded[: len(events)]

    async def _write(self, batch: Batch) -> None:
        lease = self.held()
        try:
            await self.log.append(batch, lease)
        except Conflict as conflict:
            self.lost = conflict
            raise

    async def keep_last_checkpoint(self) -> None:
        """Leaves a checkpoint at the end, so that the next start has nothing to fold."""
        if not self.read_only and self.state.n > self._opened_at:
            await self._keep_checkpoint(self.state)

    async def _keep_checkpoint(self, state: State) -> None:
        try:
            await checkpoints.keep(self.database, self.log.branch, state)
        except StorageError as error:
            # The events are on disk; without a checkpoint the next start only folds more of them.
            LOGGER.warning("no checkpoint after event %d: %s", state.n, error.sentence)

    def _forget_folded(self) -> None:
        """Lets go of texts and counts that no prompt needs any more."""
        wanted = texts_of(self.state)
        for held in (self.texts, self.counts):
            for body in held.keys() - wanted:
                del held[body]

    def _tell(self, recorded: Recorded) -> None:
        for listener in self._listeners:
            listener(recorded)


def uncounted(
    events: Sequence[Event], texts: Iterable[Cleaned], noted: Mapping[str, int] = EMPTY
) -> list[SecretsReplaced]:
    """The event that tells what was replaced in texts besides what messages say themselves.

    Args:
        events: What is recorded with the texts.
        texts: The texts that are stored with them.
        noted: What was replaced elsewhere, by kind.
    """
    kinds = Counter(noted)
    for text in texts:
        kinds.update(text.kinds)
    for event in events:
        if isinstance(event, Message):
            kinds.subtract(dict(event.kinds))
    more = tuple((kind, number) for kind, number in kinds.items() if number > 0)
    return [SecretsReplaced(more)] if more else []
