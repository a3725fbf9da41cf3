"""What an open session keeps beside the conversation: content, work, and what helpers share."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from memory import telemetry
from memory.fact_keeping import FactKeeping
from memory.indexing import Indexing
from memory.journal import Journal
from memory.looking import Looking
from memory.parts import MemoryScope, add_usage
from memory.storage.sessions import SessionInfo
from memory.telling import told_of_passages
from memory.unsent import Unsent
from memory.upkeep import Upkeep
from memory.work_keeping import WorkKeeping

if TYPE_CHECKING:
    from memory.content_store import Content
    from memory.execution import Execution
    from memory.goals import Goals
    from memory.helping import HelperInfo
    from memory.importing import Importing
    from memory.notebook import Notebook
    from memory.preferences import Preferences
    from memory.recalling import Remembered
    from memory.tasks import Tasks


class Strata(Looking):
    """The strata of an open session, each loaded when it is first wanted."""

    def __init__(self, journal: Journal, info: SessionInfo, upkeep: Upkeep) -> None:
        super().__init__(journal, info, upkeep)
        self._work = WorkKeeping(journal, upkeep.budget, upkeep.finished)
        self._content: Content | None = None
        self.unsent = Unsent(journal)
        """What the user has begun to write."""

    @property
    def content(self) -> "Content":
        """What is kept outside the prompt and cited by handles."""
        if self._content is None:
            self._content = self._opened_content()
        return self._content

    @property
    def goals(self) -> "Goals":
        """The goal, and those that have ended."""
        from memory.goals import Goals

        return Goals(self._work)

    @property
    def tasks(self) -> "Tasks":
        """What is to be done for the goal."""
        from memory.tasks import Tasks

        return Tasks(self._work)

    @property
    def notebook(self) -> "Notebook":
        """Context of the goal, and typed values."""
        from memory.notebook import Notebook

        return Notebook(self._work)

    @property
    def execution(self) -> "Execution":
        """What tools did, and the steps of the current task."""
        from memory.execution import Execution

        return Execution(self._work)

    @property
    def preferences(self) -> "Preferences":
        """What the user prefers, across the sessions of the agent."""
        from memory.preferences import Preferences

        return Preferences(self._work)

    @property
    def facts(self) -> FactKeeping:
        """What the agent knows from all of its sessions."""
        return self._facts

    # -- long-term memory

    @telemetry.operation("memory.recall", told_of_passages)
    async def recall(
        self,
        text: str,
        k: int = 5,
        budget: int = 2_000,
        filter: Mapping[str, object] | None = None,
        *,
        now: datetime | None = None,
    ) -> "list[Remembered]":
        """What of all that was said, learned, summed up or stored has to do with a text.

        Args:
            text: A question, or anything else.
            k: At most so many passages.
            budget: Tokens of all of them together, by estimate; what doesn't fit is passed over.
            filter: What may be found, by these keys, each with one value or several: `kind`
                (message, fact, summary, content), `source` (user, assistant, tool; or import,
                library), `tag` (at least one of them), `session` (title or id); and `since` and
                `until`: moments, or texts such as `2h` or `2026-11-20`.
            now: What "last week" and the age of a passage are relative to; the present without it.

        Returns:
            Passages, best first, each with its score and where it is from.

        Raises:
            BadFilter: The filter has a key or a value that is not known.
            UnknownSession: It names a session that is not there.
            NoMoment: It has a time that is none.
            StorageError: The database refused.
        """
        from memory.recalling import Recalling  # rarely needed

        indexing, across = self._indexing, self._upkeep.config.recall.across_sessions
        recalling = Recalling(self._journal, self.info, indexing.library, across=across, now=now)
        return await recalling.recall(text, k, budget, filter or {}, indexing.embedder)

    @property
    def indexing(self) -> Indexing:
        """What keeps searches complete, in the background."""
        return self._indexing

    # -- helpers

    @telemetry.operation("memory.helper.begin")
    async def take_on(
        self, helper: "Strata", scope: MemoryScope, call: str = ""
    ) -> Mapping[str, str]:
        """Has another session, in which nothing was said yet, begin to work for this one.

        Both stay open while it works, in one process; with a shared memory it stores all of its
        tool results here.

        Args:
            helper: The session; made with this one as its owner (`Wish.owner`).
            scope: What it has of this memory.
            call: The tool call that asked for it; empty where the user did.

        Returns:
            From each stored item's id there to its id here, where they may differ.

        Raises:
            ReadOnly, Conflict, StorageError: It has not begun.
        """
        from memory import helping  # rarely needed

        journal = helper._journal  # noqa: SLF001 (another one of the same kind)
        await helping.begin(self._journal, self.info, journal, scope, call)
        content, named = await helping.content_for(journal, self.content, scope)
        helper.use_content(content)
        return named

    def dismiss(self, helper: "Strata") -> None:
        """Ends the work of a helper: what it has used counts for this session from here on."""
        self._elsewhere = add_usage(self._elsewhere, helper.state.usage)
        helper.use_content(None)

    async def helpers(self) -> "list[HelperInfo]":
        """The helpers of this session, the first one first."""
        from memory import helping  # rarely needed

        return await helping.helpers_of(self._journal.database, self.info.id)

    async def helper_of(self, message: int) -> int | None:
        """The number of the helper whose answer a message is; None where it is of none."""
        from memory import helping  # rarely needed

        return await helping.helper_of(self._journal, self.info.id, message)

    def importing(self, label: str) -> "Importing":
        """What takes in conversations of elsewhere, as sessions of this agent.

        Args:
            label: What this process is, told to others that want a session.
        """
        from memory.importing import Importing  # rarely needed

        return Importing(self._journal.database, self.info.agent, self._upkeep.config, label)

    def use_content(self, content: "Content | None") -> None:
        """Has another store stand as the session's content; None for its own."""
        self._content = content

    def _opened_content(self) -> "Content":
        helping = self.state.helping
        if helping is not None and helping.scope == "shared":
            from memory.content_sharing import SharedContent

            return SharedContent(self._journal)
        from memory.content_store import Content

        return Content(self._journal)
