"""What working and execution memory are made of: plain values, of which texts are named by id."""

from dataclasses import dataclass, field

from memory.work_views import GoalStatus, StepType, TaskStatus, ValueType


@dataclass(frozen=True, slots=True)
class Text:
    """A text of the body table and its length."""

    body: str
    chars: int


@dataclass(frozen=True, slots=True)
class Goal:
    """The active goal."""

    id: str
    text: Text
    set_at: str


@dataclass(frozen=True, slots=True)
class Task:
    """A task below the goal."""

    id: str
    text: Text
    created_at: str
    updated_at: str
    status: TaskStatus = "open"
    progress: float = 0.0
    """0 to 1."""
    after: tuple[str, ...] = ()
    """Tasks that have to be done first."""
    error: Text | None = None
    """Why it failed."""


@dataclass(frozen=True, slots=True)
class Note:
    """A piece of the goal's context."""

    id: str
    text: Text


@dataclass(frozen=True, slots=True)
class Value:
    """A typed working value."""

    name: str
    type: ValueType
    text: Text


@dataclass(frozen=True, slots=True)
class Execution:
    """A tool that was executed under the goal."""

    id: str
    tool: str
    arguments: Text
    result: Text
    ok: bool
    error: str
    """The kind of failure; empty where there was none."""
    at: str
    duration_s: float
    number: int | None
    """The message with its result."""


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of context that a step discovered."""

    name: str
    text: Text


@dataclass(frozen=True, slots=True)
class Step:
    """A step of execution memory."""

    id: str
    type: StepType
    task: str
    """Id of the task it was taken under; empty where there was none."""
    text: Text
    success: bool
    at: str
    tool: str = ""
    """The tool that was executed."""
    found: tuple[Found, ...] = ()
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ErrorPattern:
    """A kind of failure of a tool, and what solved it."""

    tool: str
    error: str
    times: int
    under: str
    """The task, or else the goal, under which it was met last."""
    waiting: bool
    """Whether it was met again since it was solved, or never was."""
    solved: Text | None = None
    """Arguments of the call that went well."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What was done under the active goal, the details that have left included."""

    executions: int = 0
    failures: int = 0
    by_tool: dict[str, int] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    first_at: str | None = None
    last_at: str | None = None
    tasks: int = 0
    left_done: int = 0
    left_failed: int = 0
    """Tasks whose details have left, by their outcome."""
    notes: int = 0
    chars: int = 0
    """Characters of all texts of executions, tasks and notes."""


@dataclass(frozen=True, slots=True)
class Archive:
    """A goal that has ended."""

    id: str
    text: Text
    status: GoalStatus
    ended_at: str
    n: int
    """The event by which it ended."""
    record: Text
    """The statistics as JSON."""
    tokens: int
    tokens_before: int


@dataclass(frozen=True, slots=True)
class Environment:
    """Where the work happens, as last seen."""

    workspace: Text
    memory_used_mb: int | None
    disk_used_percent: float | None
    at: str


@dataclass(frozen=True, slots=True)
class Preference:
    """What the user prefers, across sessions."""

    name: str
    text: Text
