"""What an open session keeps beside the conversation: content, goals, tasks, notes, steps."""

from typing import TYPE_CHECKING

from memory.journal import Journal
from memory.looking import Looking
from memory.storage.sessions import SessionInfo
from memory.upkeep import Upkeep
from memory.work_keeping import WorkKeeping

if TYPE_CHECKING:
    from memory.content_store import Content
    from memory.execution import Execution
    from memory.goals import Goals
    from memory.notebook import Notebook
    from memory.preferences import Preferences
    from memory.tasks import Tasks


class Strata(Looking):
    """The strata of an open session, each loaded when it is first wanted."""

    def __init__(self, journal: Journal, info: SessionInfo, upkeep: Upkeep) -> None:
        super().__init__(journal, info, upkeep)
        self._work = WorkKeeping(journal, upkeep.budget, upkeep.finished)
        self._content: Content | None = None

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
