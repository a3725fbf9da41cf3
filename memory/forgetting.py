"""Forgets for good: what was said, learned or kept, and whatever quotes it (RECALL-6, RECALL-7).

First it is written down what is to go, so that the next start finishes what is killed. Then one
transaction takes it away. Then everybody who has the database open lets go of it, the index and
the vault are put right, and the file is written anew.
"""

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory import telemetry
from memory.background import Background
from memory.clock import utc_now
from memory.config import PrivacyConfig
from memory.content.handles import ItemHandle, MessagesHandle, UnknownItem, parse_handle
from memory.content_store import Content
from memory.digesting import Digesting
from memory.dooming import Dooming, Plan
from memory.errors import StrataError
from memory.expiring import expired, keeps_for_ever
from memory.extracting import Extracting
from memory.fact_keeping import FactKeeping
from memory.finishing import finish
from memory.indexing import Indexing
from memory.journal import Journal
from memory.letting_go import LettingGo
from memory.quoting import Quotes, Telling
from memory.shelf import Shelf
from memory.storage import purging
from memory.storage.database import Transaction
from memory.storage.forgetting import Doomed, Gone, carry_out, replace_texts
from memory.storage.quoted import cuts, quotes_of
from memory.storage.vault import Vault
from memory.upkeep import Upkeep
from memory.vault_keeper import VaultKeeper

LOGGER = logging.getLogger("strata.memory")
DAY_S = 86_400.0
OLD_PAGES = (
    "Another program reads the database: old pages of it may still have the text. The next start "
    "removes them."
)
_NUMBERS = re.compile(r"#?(\d+)(?:\s*(?:-|to|\.\.)\s*#?(\d+))?")
_FACT = re.compile(r"f\d+")
_QUOTED = re.compile(r"[\"“](.*)[\"”]", re.DOTALL)


class Retained(StrataError):
    """What retention has taken away."""

    def __init__(self, told: str) -> None:
        super().__init__(f"Forgotten by age, as [privacy] says: {told}.")


@dataclass(frozen=True, slots=True)
class Strings:
    """What holds texts in memory, or works with them behind the conversation."""

    journal: Journal
    facts: FactKeeping
    indexing: Indexing
    upkeep: Upkeep
    vault: VaultKeeper
    shelf: Shelf
    digesting: Digesting
    extracting: Extracting
    look_again: Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Done:
    """What was forgotten."""

    cut: int = 0
    """Texts that quoted it, and were cut."""
    notes: list[str] = field(default_factory=list)
    """What the user should know: who still holds it, what could not be cleaned."""


class Forgetting:
    """Finds out what would go, and takes it away.

    Args:
        strings: The parts of an open session.
    """

    def __init__(self, strings: Strings) -> None:
        self._strings = strings
        self._journal = strings.journal
        self._database = strings.journal.database
        self._dooming = Dooming(strings.journal)
        self._letting_go = LettingGo(strings.journal, self._let_go)
        self._busy = asyncio.Lock()
        self._pauses = 0
        """How many want nothing to be written behind the conversation for now."""
        self._ended = False
        self._retention = Background("strata retention")
        self._watchers: tuple[Callable[[], None], ...] = ()

    def watch(self, watcher: Callable[[], None]) -> None:
        """Has `watcher` called once texts have gone, whoever took them away."""
        self._watchers = (*self._watchers, watcher)

    @telemetry.operation("memory.forget.plan")
    async def plan(self, what: str) -> Plan:
        """What would go; nothing is changed.

        Args:
            what: A message's number or a range of them, the handle of stored content, a fact's
                id, or any text. In quotation marks it is always a text.

        Raises:
            NothingToForget: There is nothing of the kind.
            StrataError: There is no content of the handle.
            StorageError: The database refused.
        """
        what = what.strip()
        if (quoted := _QUOTED.fullmatch(what)) is not None:
            return await self._dooming.text(quoted[1])
        if (numbers := _NUMBERS.fullmatch(what)) is not None:
            return await self._dooming.messages(int(numbers[1]), int(numbers[2] or numbers[1]))
        if _FACT.fullmatch(what):
            return await self._dooming.fact(what)
        handle = _handle(what)
        if isinstance(handle, ItemHandle):
            return await self._dooming.item(await Content(self._journal).item(handle.id))
        if handle is not None:
            return await self._dooming.messages(handle.first, handle.last)
        return await self._dooming.text(what)

    @telemetry.operation("memory.forget")
    async def carry_out(self, plan: Plan) -> Done:
        """Takes away what was planned; on disk and in every file when this returns.

        Raises:
            ReadOnly, Conflict, StorageError: Nothing was forgotten; or, where `begun` was
                written, the next start finishes it.
        """
        self._journal.assert_writable()
        return await finish(self._carried_out(plan.doomed))

    async def begin(self, privacy: PrivacyConfig) -> None:
        """Finishes what a kill cut short, and does in the background what age has made due.

        Raises:
            StorageError: The database refused.
        """
        if self._database.frozen:
            return  # nobody can have anything forgotten there
        await self._letting_go.begin()
        if self._journal.read_only:
            return
        await purging.drop_dead(self._database)
        for left in await purging.unfinished(self._database):
            try:
                await self._finish(left.id, left.doomed, gone=left.gone)
            except StrataError as error:
                LOGGER.warning("what was begun to be forgotten: %s", error)
        if not keeps_for_ever(privacy) and self._journal.state.helping is None:
            self._retention.begin(lambda: self._retain_daily(privacy))

    @telemetry.operation("memory.retention")
    async def retain(self, privacy: PrivacyConfig, now: datetime) -> str:
        """Forgets what is too old by then, in all sessions; says how much, empty for nothing.

        Raises:
            ReadOnly, Conflict, StorageError: As `carry_out`.
        """
        self._journal.assert_writable()
        found = await expired(self._database, privacy, now)
        if not found.doomed:
            return ""
        await finish(self._carried_out(found.doomed))
        return found.told

    async def stop(self) -> None:
        """Ends what is done in the background, and begins nothing more there."""
        self._ended = True
        await self._retention.stop()
        await self._letting_go.stop()

    async def leave(self) -> None:
        """Tells others that nothing is held here any more."""
        if not self._database.frozen:
            await self._letting_go.leave()

    # -- inside

    async def _retain_daily(self, privacy: PrivacyConfig) -> None:
        while True:
            try:
                told = await self.retain(privacy, datetime.now(UTC))
                if told:
                    self._strings.upkeep.tell(Retained(told))
            except StrataError as error:
                LOGGER.warning("what is too old was not forgotten: %s", error)
            await asyncio.sleep(DAY_S)

    async def _carried_out(self, doomed: Doomed) -> Done:
        async with self._busy:
            id = await purging.begin(self._database, doomed)
            return await self._finish(id, doomed)

    async def _finish(self, id: int, doomed: Doomed, *, gone: bool = False) -> Done:
        """Goes on from where it is: what is to go, or has gone and is to be cleaned up after."""
        done = Done()
        with ExitStack() as at_work:
            at_work.enter_context(purging.at_work(self._database, id))
            async with self._paused():
                quotes, taken = Quotes(Telling()), Gone(utc_now())
                if not gone:
                    quotes = await quotes_of(
                        self._database, doomed.streams, doomed.texts, doomed.needles
                    )
                    async with self._letting_go.turn:
                        id, taken = await self._take_away(id, doomed, quotes, at_work)
                        self._letting_go.mine(id)
                    done.cut = sum(taken.cut.values())
                self._letting_go.mine(id)
                await self._clean_vault(doomed.streams, done)
                done.notes += [_late(label) for label in await self._letting_go.others(id)]
                taken.passages += await self._sweep(doomed, quotes)
                await self._clean_index(taken, done)
                await self._read_anew(fold_anew=taken.renamed)
                await self._strings.vault.renew()
                if not await purging.clean(self._database, id):
                    done.notes.append(OLD_PAGES)
        return done

    async def _take_away(
        self, id: int, doomed: Doomed, quotes: Quotes, at_work: ExitStack
    ) -> tuple[int, Gone]:
        """Takes it away; returns the number that the forgetting has from now on."""
        own = self._journal.log.branch

        async def work(transaction: Transaction) -> tuple[int, Gone]:
            gone = await carry_out(transaction, doomed, quotes, own)
            number = await purging.mark_gone(transaction, id, doomed)
            at_work.enter_context(purging.at_work(self._database, number))
            return number, gone

        return await self._journal.rewrite(work)

    async def _sweep(self, doomed: Doomed, quotes: Quotes) -> list[int]:
        """Cuts what was still being written while the others let go."""

        async def write(transaction: Transaction) -> list[int]:
            found = await cuts(
                transaction, doomed.streams, quotes, (*doomed.texts, *doomed.summaries)
            )
            return await replace_texts(transaction, found) if found else []

        return await self._database.write(write)

    async def _clean_vault(self, streams: Sequence[str], done: Done) -> None:
        vault = Vault.beside(self._database.path)
        for stream in streams:
            row = await self._database.one("SELECT agent, name FROM stream WHERE id = ?", (stream,))
            if row is not None:
                try:
                    await asyncio.to_thread(vault.remove, *row)
                except StrataError as error:
                    done.notes.append(str(error))

    async def _clean_index(self, gone: Gone, done: Done) -> None:
        try:
            if not await self._strings.indexing.forget(gone.passages):
                await asyncio.to_thread(purging.remove_index, self._database.path.parent)
        except OSError as error:
            done.notes.append(f"Vectors of it may be left in {error.filename}: {error.strerror}.")
        except StrataError as error:
            done.notes.append(str(error))

    @asynccontextmanager
    async def _paused(self) -> AsyncIterator[None]:
        """Nothing is written behind the conversation meanwhile: it could quote what goes."""
        strings = self._strings
        self._pauses += 1
        try:
            await strings.upkeep.stop()
            await strings.digesting.stop()
            await strings.extracting.stop()
            yield
        finally:
            self._pauses -= 1
            if not self._pauses and not self._ended:
                await strings.digesting.begin()
                strings.extracting.start()
                strings.upkeep.start()

    async def _let_go(self) -> None:
        """Lets go of what another process has forgotten."""
        async with self._paused():
            await self._read_anew(fold_anew=True)
            if not self._journal.read_only:
                await self._strings.vault.renew()

    async def _read_anew(self, *, fold_anew: bool) -> None:
        await self._journal.read_anew(fold_anew=fold_anew)
        await self._strings.facts.refresh()
        await self._strings.shelf.renew()
        await self._strings.look_again()
        for watcher in self._watchers:
            watcher()


def _late(label: str) -> str:
    return (
        f"{label[:1].upper()}{label[1:]} did not answer in time and may still hold the text. "
        "Close it."
    )


def _handle(what: str) -> ItemHandle | MessagesHandle | None:
    """What is named as receipts name it; None for a text."""
    try:
        return parse_handle(what)
    except UnknownItem:
        return None
