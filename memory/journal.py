"""The session as one process holds it: its state, its texts, and the way to change them."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memory.errors import StrataError
from memory.events import Event, Recorded
from memory.privacy import Cleaned
from memory.prompt import texts_of
from memory.state import State, apply
from memory.storage import checkpoints, leases
from memory.storage.bodies import Bodies
from memory.storage.database import Database
from memory.storage.drafts import Draft, Drafts
from memory.storage.failures import Conflict
from memory.storage.leases import Lease
from memory.storage.log import Batch, Log
from memory.tokens import Tally

Listener = Callable[[Recorded], None]


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
    lost: Conflict | None = None
    """Why this process may no longer write, once it may not."""
    _listeners: list[Listener] = field(default_factory=list)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def bodies(self) -> Bodies:
        """The body table."""
        return Bodies(self.database)

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
        async with self._lock:
            made = make(self.state)
            if made is None:
                return []
            events, bodies = made
            recorded = await self._write(Batch(events, bodies, closes_draft))
            before = self.state.n
            self.texts.update((id, cleaned.text) for id, cleaned in bodies.items())
            for entry in recorded:
                self.state = apply(self.state, entry)
            if checkpoints.is_due(before, self.state.n):
                await checkpoints.keep(self.database, self.log.branch, self.state)
        for entry in recorded:
            self._tell(entry)
        return recorded

    async def write_draft(self, draft: Draft) -> None:
        """Replaces the draft of the answer that is streaming.

        Raises:
            ReadOnly, Conflict, StorageError: As `append`.
        """
        await self.drafts.write(draft, self._held())

    async def drop_draft(self) -> None:
        """Removes the draft without making it a message.

        Raises:
            ReadOnly, Conflict, StorageError: As `append`.
        """
        await self.drafts.drop(self._held())

    async def renew(self) -> None:
        """Puts off the end of the lease; notes it where somebody took the session over."""
        if not self.read_only and self.lease is not None:
            try:
                await leases.renew(self.database, self.lease)
            except Conflict as conflict:
                self.lost = conflict

    async def refresh(self) -> bool:
        """Folds what another process has appended; returns whether there was anything."""
        async with self._lock:
            recorded = await self.log.read(after=self.state.n)
            for entry in recorded:
                self.state = apply(self.state, entry)
            await self.load_texts()
        for entry in recorded:
            self._tell(entry)
        return bool(recorded)

    async def load_texts(self) -> None:
        """Reads the texts and counts that the state's prompt needs and that are not here yet."""
        wanted = texts_of(self.state)
        missing = wanted - self.texts.keys()
        self.texts.update(await self.bodies.texts(missing))
        if self.tokenizer is not None:
            uncounted = wanted - self.counts.keys()
            self.counts.update(await self.bodies.counts(uncounted, self.tokenizer))

    def forget_folded(self) -> None:
        """Lets go of texts and counts that no prompt needs any more."""
        wanted = texts_of(self.state)
        for body in self.texts.keys() - wanted:
            del self.texts[body]
        for body in self.counts.keys() - wanted:
            del self.counts[body]

    async def use_tokenizer(self, tokenizer: str | None) -> None:
        """Counts with another tokenizer from here on."""
        if tokenizer != self.tokenizer:
            self.tokenizer = tokenizer
            self.counts.clear()
            await self.load_texts()

    async def _write(self, batch: Batch) -> list[Recorded]:
        lease = self._held()
        try:
            return await self.log.append(batch, head=self.state.n, lease=lease)
        except Conflict as conflict:
            self.lost = conflict
            raise

    def _held(self) -> Lease:
        if self.lost is not None:
            raise self.lost
        if self.lease is None:
            raise ReadOnly
        return self.lease

    def _tell(self, recorded: Recorded) -> None:
        for listener in self._listeners:
            listener(recorded)
