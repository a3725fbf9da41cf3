"""Changes working memory: what is decided, what is pruned and what caps ask for are one write."""

from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory.budget import Budget
from memory.errors import StrataError
from memory.events import Event, Recorded
from memory.fold import fold
from memory.ids import new_id
from memory.journal import Journal
from memory.privacy import Cleaned, Door
from memory.state import State
from memory.storage.log import numbered
from memory.task_graph import old_tasks
from memory.work import Work
from memory.work_caps import compacted, kept_tokens, task_tokens
from memory.work_events import TasksPruned
from memory.work_parts import Text

SHARE = 4
"""Goal and tasks to do may have one part in so many of the room of a prompt, which they never
leave."""


class WorkError(StrataError):
    """Something about goals, tasks or values can't be done, and why."""


class NoRoom(WorkError):
    """Working memory is full of what may not leave."""


@dataclass(slots=True)
class Writing:
    """The texts of the events that are being decided on."""

    door: Door
    texts: dict[str, str]
    """Texts at hand, by body id."""
    bodies: dict[str, Cleaned] = field(default_factory=dict)
    beside: list[Cleaned] = field(default_factory=list)
    """What is stored inside of another text."""

    def text(self, text: str) -> Text:
        """A text that is to be stored."""
        cleaned = self.door.clean(text)
        body = new_id()
        self.bodies[body] = cleaned
        return Text(body, len(cleaned.text))

    def inside(self, text: str) -> str:
        """A text that will be a part of one that is to be stored."""
        self.beside.append(self.door.clean(text))
        return self.beside[-1].text

    def read(self, text: Text) -> str:
        """A text that is stored."""
        return self.texts[text.body]

    @property
    def readable(self) -> Mapping[str, str]:
        """The texts that are stored and those that are about to be, by body id."""
        return ChainMap({id: cleaned.text for id, cleaned in self.bodies.items()}, self.texts)


Decide = Callable[[State, Writing], Sequence[Event]]
Finished = Callable[[str], None]


class WorkKeeping:
    """Appends what was decided about working memory.

    Args:
        journal: The open session.
        budget: The levels of the model's window, as they are now.
        finished: Is told `goal` or `task` when one has ended.
    """

    def __init__(
        self, journal: Journal, budget: Callable[[], Budget], finished: Finished | None = None
    ) -> None:
        self.journal = journal
        self._budget = budget
        self._finished = finished

    @property
    def door(self) -> Door:
        """What every text passes before it is stored."""
        return self.journal.door

    @property
    def work(self) -> Work:
        """Working memory as it is."""
        return self.journal.state.work

    def read(self, text: Text) -> str:
        """A text of working memory."""
        return self.journal.texts[text.body]

    async def carry_out(self, decide: Decide) -> list[Recorded]:
        """Appends the events that are decided on, and what follows from them.

        Raises:
            NoRoom: What may not leave would pass a cap; nothing was changed.
            StorageError: The database refused; nothing was changed.
        """

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
            writing = Writing(self.door, self.journal.texts)
            events = list(decide(state, writing))
            after = fold(numbered(events, state.n), state)
            if events:
                self._assert_room(state, after)
            events += _following(after)
            self.journal.note(*writing.beside)
            return (events, writing.bodies) if events else None

        return await self.journal.append(make)

    async def tidy(self) -> None:
        """Has done tasks leave that are old, and what passes a cap that was lowered."""
        if _following(self.journal.state):
            await self.carry_out(lambda _state, _writing: ())

    def checked(self, text: str, what: str, most: int) -> str:
        """A text as it may be stored, without blanks at its ends.

        Args:
            text: As somebody wrote it.
            what: What it is, for sentences.
            most: Characters that it may have.

        Raises:
            WorkError: There is nothing in it, or it is too long.
        """
        cleaned = self.door.clean(text.strip())
        text = cleaned.text
        if not text:
            raise WorkError(f"The {what} is empty.", "Write what it is.")
        if len(text) > most:
            raise WorkError(
                f"The {what} has {len(text):,} characters, but it may have {most:,}.",
                "Say it shorter; the rest can be a message.",
            )
        self.journal.note(cleaned)
        return text

    def finished(self, what: str) -> None:
        """Tells that a goal or a task has ended."""
        if self._finished is not None:
            self._finished(what)

    def _assert_room(self, before: State, after: State) -> None:
        kept = kept_tokens(after.work)
        if kept <= kept_tokens(before.work):
            return
        most = after.rules.work.session_tokens
        if kept > most:
            raise NoRoom(
                f"That would need {kept:,} tokens of working memory, which may have {most:,}.",
                "Finish or remove tasks, or remove values, first.",
            )
        standing, room = standing_tokens(after.work), self._budget().room // SHARE
        if standing > max(room, standing_tokens(before.work)):
            raise NoRoom(
                f"Goal and tasks to do would have about {standing:,} tokens, but they may have "
                f"{room:,}: a quarter of what fits into a prompt.",
                "Say it shorter, or finish tasks first.",
            )


def standing_tokens(work: Work) -> int:
    """Tokens of what stands in every prompt word for word: the goal and the tasks to do."""
    goal = work.goal.text.chars // 4 + 1 if work.goal else 0
    to_do = (task for task in work.tasks if task.status in ("open", "running"))
    return goal + sum(map(task_tokens, to_do))


def _following(state: State) -> list[Event]:
    """What leaves of itself after the events so far."""
    events: list[Event] = []
    old = old_tasks(state.work.tasks, datetime.now(UTC)) if state.work.tasks else ()
    if old:
        events.append(TasksPruned(old))
        state = fold(numbered(events, state.n), state)
    if state.thresholds is not None:
        leaving = compacted(state.work, state.thresholds.work)
        events += [leaving] if leaving is not None else []
    return events
