"""Goals: set, ended, corrected (GOAL-1, GOAL-4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory import telemetry
from memory.archiving import archive_tokens, record_of
from memory.events import Event, Recorded
from memory.state import State
from memory.storage import checkpoints
from memory.work import Work, worked
from memory.work_caps import goal_details_tokens
from memory.work_events import GoalChanged, GoalEnded, GoalRemoved, GoalReopened, GoalSet
from memory.work_keeping import Decide, WorkError, WorkKeeping, Writing
from memory.work_parts import Archive, Goal
from memory.work_viewing import archive_view, goal_view
from memory.work_views import ArchiveView, GoalStatus, GoalView

LONGEST_GOAL = 4_000
"""Characters of a goal: it stands in every prompt in full."""


@dataclass(frozen=True, slots=True)
class GoalChange:
    """What a change of goals has come to."""

    id: str
    text: str
    changed: bool = True
    """Whether anything is other than before."""
    ended: ArchiveView | None = None
    """The goal that was archived."""


class Goals:
    """The goal of a session and those that have ended."""

    def __init__(self, keeping: WorkKeeping) -> None:
        self._keeping = keeping

    @property
    def active(self) -> GoalView | None:
        """The active goal."""
        return goal_view(self._keeping.work, self._keeping.journal.texts)

    @property
    def archived(self) -> tuple[ArchiveView, ...]:
        """Goals that have ended, oldest first."""
        texts = self._keeping.journal.texts
        return tuple(archive_view(archive, texts) for archive in self._keeping.work.archives)

    @telemetry.operation("memory.goal.set")
    async def set(self, text: str) -> GoalChange:
        """Sets a goal; the one before is archived as completed.

        Returns:
            The goal; unchanged where it is the active one already.

        Raises:
            WorkError: There is nothing in it, or it is too long.
            StorageError: The database refused; nothing was changed.
        """
        text = self._checked(text)

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            work = state.work
            if work.goal is not None and writing.read(work.goal.text) == text:
                return ()
            return (*_replaced(work, writing), GoalSet(f"g{work.goals + 1}", writing.text(text)))

        recorded, ended = await self._carry_out(decide)
        goal = _active(self._keeping.work)
        return GoalChange(goal.id, self._keeping.read(goal.text), bool(recorded), ended)

    @telemetry.operation("memory.goal.edit")
    async def edit(self, text: str) -> GoalChange:
        """Has the active goal say something else.

        Raises:
            WorkError: There is none, or nothing in it, or it is too long.
            StorageError: The database refused; nothing was changed.
        """
        text = self._checked(text)

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            return (GoalChanged(_active(state.work).id, writing.text(text)),)

        await self._carry_out(decide)
        goal = _active(self._keeping.work)
        return GoalChange(goal.id, self._keeping.read(goal.text))

    @telemetry.operation("memory.goal.complete")
    async def complete(self) -> ArchiveView:
        """Archives the active goal as completed.

        Raises:
            WorkError: There is none.
            StorageError: The database refused; nothing was changed.
        """
        return await self._end("completed", "")

    @telemetry.operation("memory.goal.fail")
    async def fail(self, why: str = "") -> ArchiveView:
        """Archives the active goal as failed.

        Raises:
            WorkError: There is none.
            StorageError: The database refused; nothing was changed.
        """
        return await self._end("failed", why)

    @telemetry.operation("memory.goal.remove")
    async def remove(self, id: str | None = None) -> str:
        """Removes a goal as if it had never been set, with its tasks and its context.

        Args:
            id: The goal, active or archived; the active one without it.

        Returns:
            Its id.

        Raises:
            WorkError: There is none.
            StorageError: The database refused; nothing was changed.
        """
        gone: list[str] = []

        def decide(state: State, _writing: Writing) -> Sequence[Event]:
            gone[:] = [id or _active(state.work).id]
            known = {archive.id for archive in state.work.archives}
            known.update([state.work.goal.id] if state.work.goal else [])
            if gone[0] not in known:
                raise _unknown(gone[0])
            return (GoalRemoved(gone[0]),)

        await self._carry_out(decide)
        return gone[0]

    @telemetry.operation("memory.goal.reopen")
    async def reopen(self, id: str | None = None) -> GoalChange:
        """Makes an archived goal the active one again, with the details it had.

        Args:
            id: The goal; the one that ended last without it. The active one is archived.

        Raises:
            WorkError: There is none.
            StorageError: The database refused; nothing was changed.
        """
        archive = self._ended(id)
        journal = self._keeping.journal
        then = await checkpoints.state_at(journal.database, journal.log, archive.n - 1)
        was = then.work

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            if archive not in state.work.archives:
                raise _unknown(archive.id)
            goal = Goal(archive.id, archive.text, was.goal.set_at if was.goal else "")
            back = GoalReopened(goal, was.counts, was.tasks, was.notes, was.executions)
            return (*_replaced(state.work, writing), back)

        _, ended = await self._carry_out(decide)
        return GoalChange(archive.id, self._keeping.read(archive.text), ended=ended)

    # -- inside

    def _ended(self, id: str | None) -> Archive:
        """The archived goal of an id, or the one that ended last."""
        work = self._keeping.work
        found = [archive for archive in work.archives if id is None or archive.id == id]
        if found:
            return found[-1]
        if id is None:
            raise WorkError("No goal has ended.")
        if work.goal is not None and work.goal.id == id:
            raise WorkError(f"Goal {id} is the active one.")
        raise _unknown(id)

    async def _end(self, status: GoalStatus, why: str) -> ArchiveView:
        def decide(state: State, writing: Writing) -> Sequence[Event]:
            _active(state.work)
            return (_ending(state.work, writing, status, why=why),)

        _, ended = await self._carry_out(decide)
        if ended is None:
            raise LookupError("a goal ended and was not archived")
        return ended

    async def _carry_out(self, decide: Decide) -> tuple[list[Recorded], ArchiveView | None]:
        """Appends what is decided; returns it, with the goal that was archived by it."""
        before: list[tuple[Work, Writing]] = []

        def decided(state: State, writing: Writing) -> Sequence[Event]:
            before[:] = [(state.work, writing)]
            return decide(state, writing)

        recorded = await self._keeping.carry_out(decided)
        for entry in recorded:
            if isinstance(entry.event, GoalEnded):
                self._keeping.finished("goal")
                work, writing = before[0]
                after = worked(entry.event, work, entry.at, entry.n)
                return recorded, archive_view(after.archives[-1], writing.readable)
        return recorded, None

    def _checked(self, text: str) -> str:
        """A goal's text as it may be stored.

        Raises:
            WorkError: There is nothing in it, or it is too long.
        """
        return self._keeping.checked(text, "goal", LONGEST_GOAL)


def _active(work: Work) -> Goal:
    if work.goal is None:
        raise WorkError("No goal is set.", "@goal TEXT sets one.")
    return work.goal


def _unknown(id: str) -> WorkError:
    return WorkError(f"There is no goal {id}.", "@goal list shows those that are kept.")


def _replaced(work: Work, writing: Writing) -> Sequence[GoalEnded]:
    """The end of the active goal, where there is one, because another takes its place."""
    return (_ending(work, writing, "completed", replaced=True),) if work.goal else ()


def _ending(
    work: Work, writing: Writing, status: GoalStatus, *, why: str = "", replaced: bool = False
) -> GoalEnded:
    goal = _active(work)
    why = writing.inside(why)  # before it is cut: half a secret is known by nobody
    record = writing.text(record_of(work, writing.texts, why=why, replaced=replaced))
    return GoalEnded(
        id=goal.id,
        status=status,
        record=record,
        tokens=archive_tokens(goal.text.chars, record.chars),
        tokens_before=goal_details_tokens(work),
        replaced=replaced,
    )
