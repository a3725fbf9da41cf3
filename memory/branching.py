"""The branches of a session: which there are, and a new one from any message (CHAT-4, CHAT-5)."""

from dataclasses import dataclass

from memory import telemetry
from memory.errors import StrataError
from memory.events import Event, Forked, Message, SessionRenamed
from memory.finishing import finish
from memory.journal import Journal
from memory.parts import ForkReason, MessageRef
from memory.state import State
from memory.storage import branches, checkpoints
from memory.storage.log import Segment, numbered
from memory.storage.sessions import SessionInfo
from memory.views import BranchInfo

PREVIEW_CHARS = 80
LOOK_BACK = 8
"""Messages read at once in search of a question."""


class NoSuchMessage(StrataError):
    """The session has no message of this number."""

    def __init__(self, number: int, newest: int) -> None:
        there = f"The newest is message {newest}." if newest else "Nothing has been said yet."
        super().__init__(f"There is no message {number} in this session.", there)


class BeforeLog(StrataError):
    """What is to be branched from is not in the log."""

    def __init__(self, number: int, first: int) -> None:
        super().__init__(
            f"Message {number} is only known by its summary: the session was restored from there.",
            f"Branches can begin at message {first} or later.",
        )


class NotEditable(StrataError):
    """A message of somebody else."""

    def __init__(self, number: int) -> None:
        super().__init__(
            f"Message {number} is not yours.", "Only what you wrote yourself can be edited."
        )


class NothingAsked(StrataError):
    """There is nothing before a message that it could be an answer to."""

    def __init__(self, number: int) -> None:
        super().__init__(f"Message {number} answers nothing.", "Choose an answer of the model's.")


@dataclass(frozen=True, slots=True)
class _Root:
    """Where a new branch leaves an old one."""

    branch: str
    n: int


class Branches:
    """The branches of an open session.

    Args:
        journal: The session.
        info: Its line in the list.
    """

    def __init__(self, journal: Journal, info: SessionInfo) -> None:
        self._journal = journal
        self._info = info

    async def list(self) -> list[BranchInfo]:
        """All branches of the session, in the order in which they were begun."""
        journal = self._journal
        rows = await branches.rows(journal.database, journal.log.stream)
        texts = await journal.bodies.texts([row.first_body for row in rows if row.first_body])
        return [
            BranchInfo(
                id=row.id,
                parent=row.parent,
                forked_at=row.shared,
                reason=row.reason,
                messages=row.messages,
                last_used=row.last_used,
                current=row.id == self._info.branch,
                preview=" ".join(texts.get(row.first_body or "", "").split())[:PREVIEW_CHARS],
            )
            for row in rows
        ]

    @telemetry.operation("memory.fork")
    async def fork(self, message: int, reason: ForkReason) -> str:
        """Begins a branch that shares everything up to a message, and no event after it.

        The branch has the title and the model of now, and the folding of then. This session stays
        as it is, and stays open; the branch is to be opened by its id.

        Args:
            message: The newest message that is shared; 0 for none, as where the first is edited.
            reason: What the branch is for.

        Returns:
            The id of the branch; it is on disk.

        Raises:
            ReadOnly: The session is only watched here.
            NoSuchMessage: There is none of this number.
            BeforeLog: It is not in the log of this session.
            StorageError: The database refused; nothing was written.
        """
        journal = self._journal
        lease = journal.held()
        state = journal.state
        if not 0 <= message <= state.messages or not state.messages:
            raise NoSuchMessage(message, state.messages)
        if message < state.before_log:
            raise BeforeLog(message, state.before_log)
        root = await self._root(message, state)
        then = await checkpoints.state_at(journal.database, journal.log, root.n)
        first: list[Event] = [Forked(root.branch, root.n, message, reason), *_kept(then, state)]
        new = branches.NewBranch(
            stream=journal.log.stream,
            parent=root.branch,
            parent_n=root.n,
            messages=message,
            model=state.model.name if state.model else None,
            recorded=numbered(first, after=root.n),
        )
        return await finish(branches.create(journal.database, new, lease))

    async def assert_own(self, number: int) -> None:
        """Refuses a message that the user did not write.

        Raises:
            NoSuchMessage, BeforeLog: It is not there.
            NotEditable: Somebody else wrote it.
        """
        (ref,) = (await self._spoken(number, number)).values()
        if ref.role != "user":
            raise NotEditable(number)

    async def asked_before(self, number: int | None) -> int:
        """The message after which the model is to answer again.

        Args:
            number: An answer, or what was answered; the newest message without it.

        Raises:
            NoSuchMessage, BeforeLog: It is not there.
            NothingAsked: It answers nothing.
        """
        state = self._journal.state
        last = state.messages if number is None else number
        await self._spoken(last, last)
        upto = last
        while upto > state.before_log:
            # Mostly the question stands right before its answer.
            first = max(state.before_log + 1, upto - LOOK_BACK)
            for spoken, ref in reversed((await self._spoken(first, upto)).items()):
                if ref.role in ("user", "tool"):
                    return spoken
            upto = first - 1
        raise NothingAsked(last)

    async def _spoken(self, first: int, last: int) -> dict[int, MessageRef]:
        """The messages from one number to another, both of which have to be there."""
        state = self._journal.state
        if not 1 <= last <= state.messages:
            raise NoSuchMessage(last, state.messages)
        if first <= state.before_log:
            raise BeforeLog(first, state.before_log)
        recorded = await self._journal.log.messages(first, last)
        refs = [entry.event.ref for entry in recorded if isinstance(entry.event, Message)]
        return {ref.number: ref for ref in refs}

    async def _root(self, message: int, state: State) -> _Root:
        """The branch that the message itself stands in, and its last event before the next one.

        So a branch made again and again from the same message has the same parent each time, and
        does not grow a chain of branches that are only passed through.
        """
        log = self._journal.log
        around = {
            entry.event.ref.number: entry.n
            for entry in await log.messages(message, message + 1)
            if isinstance(entry.event, Message)
        }
        last = around[message + 1] - 1 if message + 1 in around else state.n
        owner = _segment_of(log.segments, around.get(message, 1))
        return _Root(owner.branch, min(last, owner.high))


def _segment_of(segments: tuple[Segment, ...], n: int) -> Segment:
    """The segment that event `n` stands in."""
    return next(segment for segment in segments if segment.low <= n <= segment.high)


def _kept(then: State, now: State) -> list[Event]:
    """What a branch keeps of the present: who answers, and what the session is called."""
    kept: list[Event] = []
    if now.model is not None and then.model != now.model:
        kept.append(now.model)
    if now.title is not None and (then.title, then.titled_by) != (now.title, now.titled_by):
        kept.append(SessionRenamed(now.title, now.titled_by or "user"))
    return kept
