"""What can happen to goals, tasks, executions and preferences.

Events hold ids, figures and short names; texts stand in the body table.
"""

from dataclasses import dataclass
from typing import ClassVar

from memory.events import Event
from memory.work_parts import Counts, Execution, Found, Goal, Note, Preference, Task, Text
from memory.work_views import GoalStatus, StepType, TaskStatus, ValueType


@dataclass(frozen=True, slots=True)
class WorkEvent(Event):
    """Base of what changes working and execution memory."""


@dataclass(frozen=True, slots=True)
class GoalSet(WorkEvent):
    """A goal is active from here on; tasks and notes that had no goal are its own now."""

    KIND: ClassVar[str] = "goal_set"
    id: str
    text: Text


@dataclass(frozen=True, slots=True)
class GoalChanged(WorkEvent):
    """The active goal says something else."""

    KIND: ClassVar[str] = "goal_changed"
    id: str
    text: Text


@dataclass(frozen=True, slots=True)
class GoalEnded(WorkEvent):
    """The active goal ended and was archived; its details leave the active state."""

    KIND: ClassVar[str] = "goal_ended"
    id: str
    status: GoalStatus
    record: Text
    """Its statistics as JSON."""
    tokens: int
    tokens_before: int
    replaced: bool = False
    """Whether another goal took its place before anybody said that it is completed."""


@dataclass(frozen=True, slots=True)
class GoalRemoved(WorkEvent):
    """A goal, active or archived, is gone as if it had never been set."""

    KIND: ClassVar[str] = "goal_removed"
    id: str


@dataclass(frozen=True, slots=True)
class GoalReopened(WorkEvent):
    """An archived goal is active again, with the details it had."""

    KIND: ClassVar[str] = "goal_reopened"
    goal: Goal
    counts: Counts
    tasks: tuple[Task, ...] = ()
    notes: tuple[Note, ...] = ()
    executions: tuple[Execution, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskAdded(WorkEvent):
    """There is one more task."""

    KIND: ClassVar[str] = "task_added"
    id: str
    text: Text
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskChanged(WorkEvent):
    """A task as it is from here on."""

    KIND: ClassVar[str] = "task_changed"
    id: str
    text: Text
    status: TaskStatus
    progress: float
    after: tuple[str, ...] = ()
    error: Text | None = None
    begins: bool = False
    """Whether it is the task at hand from here on."""


@dataclass(frozen=True, slots=True)
class TaskRemoved(WorkEvent):
    """A task is gone; what waited for it no longer does."""

    KIND: ClassVar[str] = "task_removed"
    id: str


@dataclass(frozen=True, slots=True)
class TasksPruned(WorkEvent):
    """Tasks that were done long ago left; counters stay."""

    KIND: ClassVar[str] = "tasks_pruned"
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ContextNoted(WorkEvent):
    """A piece of context was noted."""

    KIND: ClassVar[str] = "context_noted"
    id: str
    text: Text


@dataclass(frozen=True, slots=True)
class ContextChanged(WorkEvent):
    """A piece of context says something else, or is gone."""

    KIND: ClassVar[str] = "context_changed"
    id: str
    text: Text | None
    """None where it is gone."""


@dataclass(frozen=True, slots=True)
class ValueSet(WorkEvent):
    """A working value is this from here on."""

    KIND: ClassVar[str] = "value_set"
    name: str
    type: ValueType
    text: Text


@dataclass(frozen=True, slots=True)
class ValueRemoved(WorkEvent):
    """A working value is gone."""

    KIND: ClassVar[str] = "value_removed"
    name: str


@dataclass(frozen=True, slots=True)
class ToolExecuted(WorkEvent):
    """A tool was executed."""

    KIND: ClassVar[str] = "tool_executed"
    id: str
    tool: str
    arguments: Text
    """As JSON, shortened."""
    result: Text
    """What came of it, in one line."""
    ok: bool
    error: str
    """The kind of failure; empty where there was none."""
    duration_s: float
    number: int | None = None
    """The message with its result."""


@dataclass(frozen=True, slots=True)
class StepTaken(WorkEvent):
    """A step was taken that is no tool's execution, or says more about one."""

    KIND: ClassVar[str] = "step"
    type: StepType
    text: Text
    success: bool = True
    found: tuple[Found, ...] = ()
    """What it discovered and was not known yet."""
    confidence: float | None = None
    """0 to 1."""


@dataclass(frozen=True, slots=True)
class EnvironmentSeen(WorkEvent):
    """Where the work happens."""

    KIND: ClassVar[str] = "environment"
    workspace: Text
    memory_used_mb: int | None
    disk_used_percent: float | None


@dataclass(frozen=True, slots=True)
class WorkCompacted(WorkEvent):
    """A cap was passed: what is oldest left, as counts (GOAL-5)."""

    KIND: ClassVar[str] = "work_compacted"
    tokens_before: int
    tokens_after: int
    """Of session memory, by estimate."""
    executions: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    archives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreferencesSeen(WorkEvent):
    """The user's preferences, as the agent knows them from all sessions."""

    KIND: ClassVar[str] = "preferences"
    items: tuple[Preference, ...]


@dataclass(frozen=True, slots=True)
class PreferenceSet(Event):
    """In an agent's own stream: the user prefers this."""

    KIND: ClassVar[str] = "preference_set"
    name: str
    text: Text | None
    """None where it no longer holds."""


@dataclass(frozen=True, slots=True)
class WorkspaceUsed(Event):
    """In an agent's own stream: a session was held in this folder."""

    KIND: ClassVar[str] = "workspace"
    text: Text


WORK_EVENTS: tuple[type[Event], ...] = (
    GoalSet,
    GoalChanged,
    GoalEnded,
    GoalRemoved,
    GoalReopened,
    TaskAdded,
    TaskChanged,
    TaskRemoved,
    TasksPruned,
    ContextNoted,
    ContextChanged,
    ValueSet,
    ValueRemoved,
    ToolExecuted,
    StepTaken,
    EnvironmentSeen,
    WorkCompacted,
    PreferencesSeen,
    PreferenceSet,
    WorkspaceUsed,
)
