"""Keeps the vault up to date behind the conversation (STORE-3)."""

import asyncio
import logging
from collections.abc import Callable

from memory import telemetry, undoing
from memory.background import Background
from memory.config import MemoryConfig
from memory.errors import StrataError
from memory.events import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Message,
    Recorded,
    SummaryRewritten,
)
from memory.journal import Journal
from memory.state import State
from memory.storage.vault import Vault, VaultFailed
from memory.tokens import Tally
from memory.vault import Kept, dated_summaries, vault_files

LOGGER = logging.getLogger("strata.memory")
CHANGES = (Compacted, CompactionUndone, CompactionRedone, SummaryRewritten)
"""What changes the files."""


def keeps_vault(config: MemoryConfig, *, encrypted: bool) -> bool:
    """Whether readable files stand beside the database: the one place that decides it.

    Beside an encrypted database there must be none.
    """
    return config.vault and not encrypted


class VaultKeeper:
    """Writes a session's files after each compaction and at its end, one write at a time.

    The database is the truth: where a file can't be written, the conversation goes on.

    Args:
        journal: The open session.
        session: Its id.
        config: Whether there is a vault at all.
        warn: Told once what went wrong.
    """

    def __init__(
        self,
        journal: Journal,
        session: str,
        config: MemoryConfig,
        warn: Callable[[StrataError], None],
    ) -> None:
        self._journal = journal
        self._session = session
        self._wanted = keeps_vault(config, encrypted=journal.database.encrypted)
        self._vault = Vault.beside(journal.database.path)
        self._warn: Callable[[StrataError], None] | None = warn
        self._background = Background("strata vault")
        self._again = False
        journal.listen(self._note)

    def begin(self) -> None:
        """Clears away what a killed process left half written."""
        if self._active:
            agent = self._journal.state.agent
            self._background.begin(lambda: self._clear(agent))

    async def settled(self) -> None:
        """Waits until the files are what they should be, or can't be."""
        await self._background.settled()

    async def renew(self) -> None:
        """Removes all files of the session, and writes those that it has now anew.

        For texts that were forgotten: what was kept aside may have them too.

        Raises:
            VaultFailed: A file can't be removed.
        """
        await self.settled()
        agent = self._journal.state.agent
        await asyncio.to_thread(self._vault.remove, agent, self._session)
        self._start()
        await self.settled()

    async def close(self) -> None:
        """Writes what holds at the end; nobody is warned any more, but the log says it."""
        self._warn = None
        self._start()
        await self.settled()

    @property
    def _active(self) -> bool:
        # A helper's steps go with the session that they were taken for, which has files itself.
        helps = self._journal.state.helping is not None
        return self._wanted and not self._journal.read_only and not helps

    def _note(self, recorded: Recorded) -> None:
        if isinstance(recorded.event, CHANGES):
            self._start()

    def _start(self) -> None:
        """Begins to write in the background, or has it done once more."""
        if not self._active:
            return
        self._again = True
        self._background.begin(self._work)

    async def _clear(self, agent: str) -> None:
        await asyncio.to_thread(self._vault.clean, agent, self._session)
        await self._work()

    async def _work(self) -> None:
        while self._again:
            self._again = False
            try:
                for note in await self._write():
                    self._tell(VaultFailed(note, "A new one was written from the database."))
            except StrataError as error:
                self._tell(error)

    @telemetry.operation("memory.vault")
    async def _write(self) -> list[str]:
        """Writes what holds now; returns what was kept aside."""
        journal = self._journal
        # All of one moment, since the event loop goes on.
        state, texts, counts = journal.state, dict(journal.texts), dict(journal.counts)
        if not state.messages:
            return []
        records = await undoing.compactions(journal, upto=state.n)
        dated = dated_summaries(state.agent, self._session, records)
        missing = await asyncio.to_thread(self._vault.missing, dated)
        fresh = {path: dated[path] for path in missing}
        texts.update(
            await journal.bodies.texts(
                [
                    body
                    for ref in fresh.values()
                    for body in (ref.body, ref.details)
                    if body is not None
                ]
            )
        )
        kept = Kept(
            session=self._session,
            state=state,
            texts=texts,
            tally=Tally.for_model(state.model, counts),
            said=await self._said(state),
            dated=fresh,
        )
        return await asyncio.to_thread(lambda: self._vault.write(vault_files(kept)))

    async def _said(self, state: State) -> dict[int, Recorded]:
        """The messages that stand word for word, by number."""
        folding, log = state.folding, self._journal.log
        spans = [(ref.number, ref.number) for ref in folding.pinned]
        if folding.verbatim_from is not None:
            spans.append((folding.verbatim_from, state.messages))
        said = [entry for first, last in spans for entry in await log.messages(first, last)]
        return {e.event.ref.number: e for e in said if isinstance(e.event, Message)}

    def _tell(self, error: StrataError) -> None:
        LOGGER.warning("vault: %s", error)
        if self._warn is not None:
            self._warn(error)
            self._warn = None
