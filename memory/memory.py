"""The face of the memory library: everything a program does with a session goes through it."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memory import host_tracing, opening, telemetry, titles
from memory.answer import (
    EmptyMessage,
    NewMessage,
    StoredMessage,
    append_many,
    append_message,
)
from memory.compacting import Compacting
from memory.config import MemoryConfig
from memory.digesting import Digesting
from memory.events import ModelChosen
from memory.extracting import Extracting
from memory.finishing import finish
from memory.forgetting import Forgetting, Strings
from memory.journal import Journal
from memory.keeping_up import KeepingUp
from memory.measuring import Measuring
from memory.parts import Origin, Role
from memory.protocols import Embedder, LanguageModel, VectorIndex
from memory.reporting import Reporting
from memory.storage.failures import StorageError
from memory.storage.sessions import SessionInfo
from memory.telling import told_of_message, told_of_messages
from memory.tokens import TokenCounter
from memory.upkeep import Upkeep
from memory.vault_keeper import VaultKeeper
from memory.wish import Wish

if TYPE_CHECKING:
    from memory.attaching import Attachment
    from memory.storage.keys import Key
    from memory.vault_reading import KeptSession

LOGGER = logging.getLogger("strata.memory")


class Memory(Compacting):
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
        index: VectorIndex | None = None,
    ) -> None:
        super().__init__(journal, info, config, upkeep)
        self._measuring = Measuring(journal, embedder)
        self._reporting = Reporting(journal, searched=config.recall.enabled)
        if embedder is not None:
            self._facts.use(embedder)
            self._recollecting.use(embedder)
        self._vault = VaultKeeper(journal, info.id, config, upkeep.tell)
        self._keeping_up = KeepingUp(journal, self._facts)
        self._digesting = Digesting(journal, config, upkeep)
        self._extracting = Extracting(journal, config, upkeep, self._facts)
        self._indexing.use(embedder, index)
        self._forgetting = Forgetting(
            Strings(
                journal,
                self._facts,
                self._indexing,
                upkeep,
                self._vault,
                self._shelf,
                self._digesting,
                self._extracting,
                self._look_again,
            )
        )

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
        index: VectorIndex | None = None,
        chat_model: ModelChosen | None = None,
        wish: Wish | None = None,
        key: "Key | None" = None,
    ) -> AsyncIterator["Memory"]:
        """Opens a session below the data directory `directory`; leaving the block closes it.

        Args:
            directory: The data directory; made where it is missing.
            session: Title or id; the agent's newest without it. Made where there is none.
            config: Thresholds and wording.
            model: Writes the summaries; without it they are made by rule.
            counter: Counts tokens; without it they are estimated.
            embedder: Tells how near texts are in meaning; without it they are found by words.
            index: Finds what is near; without it vectors are compared one by one.
            chat_model: The model that answers, whose window and template count.
            wish: Which session in more detail; `session` goes before it.
            key: Opens an encrypted data directory, or lets a new one be encrypted. This process
                keeps it for the directory.

        Raises:
            StorageError: The database can't be opened.
            Locked, WrongKey: It is encrypted, and not by the given key.
            NotEncrypted: A key was given for a plain one.
            SessionHeld: Another process writes to the session.
        """
        config = config or MemoryConfig()
        wish = wish or Wish()
        wish = replace(wish, session=session or wish.session)
        if key is not None:
            from memory.storage.keys import unlock  # rarely needed

            await asyncio.to_thread(unlock, Path(directory), key)
        await host_tracing.follow()
        with telemetry.span("memory.open") as span:
            journal, info = await opening.open_journal(Path(directory), wish, config, chat_model)
            span.tell(**journal.about, events=journal.state.n, read_only=journal.read_only)
        upkeep = Upkeep(journal, config, model, counter, passive=wish.passive)
        memory = cls(journal, info, config, upkeep, embedder, index)
        try:
            await memory._begin()
            yield memory
            await memory.wind_up()
        finally:
            await finish(memory._end())

    # -- what is said

    @telemetry.operation("memory.add", told_of_message)
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

    @telemetry.operation("memory.add_all", told_of_messages)
    async def add_all(self, messages: Sequence[NewMessage]) -> list[StoredMessage]:
        """Appends many messages, a few hundred in each transaction.

        Raises:
            StorageError: The database refused; what was returned before is kept.
        """
        if self.state.helping is not None:
            from memory.helping import kept_by_owner  # rarely needed

            messages = await kept_by_owner(self._content, self._journal, messages)
        stored = await append_many(self._journal, messages)
        self._upkeep.start()
        return stored

    async def attach(self, name: str, text: str) -> StoredMessage:
        """Adds a message with a text that the user attaches; the content store keeps it as well.

        Args:
            name: What it is called.
            text: The text. One that takes more than half the room is cited, not shown.

        Returns:
            The message, with the item; it is on disk.

        Raises:
            StorageError: The database refused; nothing was attached.
        """
        from memory.attaching import Attachment  # rarely needed

        return await self.hand_in(Attachment(name, text))

    @telemetry.operation("memory.attach", told_of_message)
    async def hand_in(self, attached: "Attachment") -> StoredMessage:
        """Adds a message with a text that is kept as a content item as well, as `attach` does.

        Raises:
            StorageError: The database refused; nothing was attached.
        """
        from memory.attaching import attach  # rarely needed

        stored = await attach(self._journal, attached, self.room_for_message)
        self._upkeep.start()
        return stored

    @telemetry.operation("memory.restore")
    async def restore(self, kept: "KeptSession") -> None:
        """Lets this session, in which nothing was said yet, go on as the kept one.

        Raises:
            SessionNotEmpty: Something was said; nothing was changed.
            StorageError: The database refused; nothing was changed.
        """
        from memory.restoring import restore  # rarely needed, and slow to load

        await restore(self._journal, kept)
        await self._work.tidy()

    def start_upkeep(self) -> None:
        """Starts in the background what compaction has become due."""
        self._upkeep.start()

    # -- what is kept, and what goes

    @property
    def reports(self) -> Reporting:
        """What compactions kept and lost."""
        return self._reporting

    @property
    def forgetting(self) -> Forgetting:
        """What is taken away for good (RECALL-6)."""
        return self._forgetting

    # -- the background

    async def settled(self) -> None:
        """Waits for everything in the background."""
        await self._settled_but_later()
        await self._upkeep.counting.settled()
        await self._extracting.settled()
        await self._indexing.settled()

    async def wind_up(self) -> None:
        """Waits for everything in the background; for what a later start takes up, a while only."""
        await self._settled_but_later()
        await self._extracting.leave()
        await self._indexing.leave(loaded=self._recollecting.embedded)

    async def _settled_but_later(self) -> None:
        await self._upkeep.settled()
        await self._reporting.settled()
        await self._measuring.settled()
        await self._vault.settled()
        await self._digesting.settled()
        await self._shelf.settled()

    # -- what may change

    @telemetry.operation("memory.use_model")
    async def use_model(
        self,
        chat: ModelChosen,
        counter: TokenCounter | None,
        summaries: LanguageModel | None,
        *,
        embedder: Embedder | None = None,
    ) -> None:
        """From here on this model answers, this one counts, and this one writes summaries.

        An embedder stays in use where no other is given. A session that was opened
        passively compacts in the background from here on.
        """
        self._upkeep.use(summaries, counter)
        if embedder is not None:
            self._measuring.use(embedder)
            self._indexing.use(embedder)
            self._facts.use(embedder)
            self._recollecting.use(embedder)
        await self._journal.use_tokenizer(chat.tokenizer)
        if not self.read_only:
            await opening.record_model(self._journal, chat)
        await self._upkeep.count()
        self._upkeep.start()
        self._extracting.start()

    def use_briefly(self, embedder: Embedder) -> None:
        """From here on what is asked for is searched by meaning as well.

        Nothing else is embedded or measured: for who leaves soon. A later start does it.
        """
        self._facts.use(embedder)
        self._recollecting.use(embedder)
        self._indexing.use_briefly(embedder)

    @telemetry.operation("memory.use_policy")
    async def use_policy(self, name: str) -> None:
        """Folds by another policy in this session from here on.

        Raises:
            UnknownPolicy: There is none of the name.
            BrokenPolicy: Its package does not give one.
        """
        from memory.compaction.policies import find

        await opening.choose_policy(self._journal, find(name).name)
        self._upkeep.start()

    @telemetry.operation("memory.follow_agent")
    async def follow_agent(self) -> None:
        """Lets the session go on as its agent is defined now: profile and default policy.

        Raises:
            ReadOnly, StorageError: Nothing was changed.
        """
        await opening.follow_agent(self._journal, self.info, self.config)

    @telemetry.operation("memory.rename")
    async def rename(self, title: str) -> None:
        """Gives the session a title.

        Raises:
            EmptyMessage: The title is empty.
        """
        await titles.rename(self._journal, title)

    @telemetry.operation("memory.rename")
    async def suggest_title(self, title: str, by: Literal["model", "rule"]) -> str | None:
        """Gives the session a title that nobody asked for; returns it where it was taken.

        A title by the user stays, whoever was faster; one by rule makes way for a model's.
        """
        return await titles.suggest(self._journal, self.info, title, by)

    # -- inside

    async def _look_again(self) -> None:
        """Lets go of what is kept of texts that may have been forgotten."""
        self._requests.let_go()
        await self._read_records()

    @telemetry.operation("memory.begin")
    async def _begin(self) -> None:
        await self._read_records()
        await self._facts.refresh()
        await self._shelf.begin()
        await self._digesting.begin()
        self._keeping_up.begin()
        self._vault.begin()
        self._measuring.begin(self._records)
        self._reporting.begin(self._records)
        self._extracting.begin(self._records)
        if not self.read_only:
            await self._work.tidy()
            await self.preferences.see()
        await self._forgetting.begin(self.config.privacy)
        self._upkeep.start()
        self._shelf.describe()
        if not self._journal.database.frozen:
            self._indexing.begin()

    @telemetry.operation("memory.close")
    async def _end(self) -> None:
        await self._forgetting.stop()  # first: it begins anew what it has stopped
        await self._upkeep.stop()
        await self._indexing.stop()
        await self._measuring.stop()
        await self._reporting.stop()
        await self._digesting.stop()
        await self._extracting.stop()
        await self._shelf.stop()
        await self._requests.leave()
        await self.unsent.stop()
        await self._keeping_up.stop()
        journal = self._journal
        try:
            await self._vault.close()
            await self._forgetting.leave()
            await opening.give_back(journal)
        except StorageError as error:
            # It ends by itself soon, and this process's end ends it at once.
            LOGGER.warning("the session could not be given back: %s", error.sentence)
        finally:
            await journal.database.close()
