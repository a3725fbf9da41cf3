"""What screens see of goals, tasks, executions and stored content. Immutable, plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memory.parts import ItemType

GoalStatus = Literal["active", "completed", "failed"]
TaskStatus = Literal["open", "running", "done", "failed"]
StepType = Literal["reasoning", "tool_execution", "validation", "replanning"]
ValueType = Literal["count", "number", "flag", "text", "list", "json"]


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task below the active goal."""

    id: str
    text: str
    status: TaskStatus
    progress: float
    """0 to 1."""
    after: tuple[str, ...]
    """Tasks that have to be done first."""
    ready: bool
    """Whether it is open and everything it waits for is done."""
    updated_at: str
    error: str = ""
    """Why it failed."""


@dataclass(frozen=True, slots=True)
class ThemeView:
    """Tasks of an archived goal that share words."""

    words: tuple[str, ...]
    tasks: int
    done: int
    failed: int


@dataclass(frozen=True, slots=True)
class ArchiveView:
    """A goal that has ended: what is kept of it (GOAL-4)."""

    id: str
    text: str
    status: GoalStatus
    ended_at: str
    executions: int
    success_rate: float
    """0 to 1; 1 where nothing was executed."""
    by_tool: Mapping[str, int]
    errors: Mapping[str, int]
    """Failures by type."""
    first_at: str | None
    last_at: str | None
    """When the first and the last tool was executed."""
    themes: tuple[ThemeView, ...]
    context: str
    tokens: int
    """Tokens of the archive, by estimate."""
    tokens_before: int
    """Tokens of what it took the place of."""
    why: str = ""
    """Why it failed."""
    replaced: bool = False
    """Whether another goal took its place before anybody said that it is completed."""
    tasks: int = 0
    done: int = 0
    failed: int = 0
    """Tasks, and how many of them were done and failed."""


@dataclass(frozen=True, slots=True)
class ExecutionView:
    """A tool that was executed under the active goal."""

    id: str
    tool: str
    arguments: str
    """As JSON, shortened."""
    result: str
    """What came of it, in one line."""
    ok: bool
    error: str
    """The kind of failure; empty where there was none."""
    at: str
    duration_s: float
    number: int | None
    """The message with its result."""


@dataclass(frozen=True, slots=True)
class StepView:
    """A step of execution memory (GOAL-6)."""

    id: str
    type: StepType
    task: str
    description: str
    success: bool
    discovered: Mapping[str, str]
    confidence: float | None
    at: str


@dataclass(frozen=True, slots=True)
class ValueView:
    """A typed working value (GOAL-8)."""

    name: str
    type: ValueType
    text: str


@dataclass(frozen=True, slots=True)
class GoalView:
    """The active goal."""

    id: str
    text: str
    set_at: str
    executions: int
    failures: int


@dataclass(frozen=True, slots=True)
class ToolStatsView:
    """How often tools were called in the session (GOAL-7)."""

    total: int = 0
    failures: int = 0
    by_tool: Mapping[str, int] = field(default_factory=dict)
    failures_by_tool: Mapping[str, int] = field(default_factory=dict)
    seconds_by_tool: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EnvironmentView:
    """Where the work happens, as last seen (GOAL-7)."""

    workspace: str
    memory_used_mb: int | None
    disk_used_percent: float | None
    at: str


@dataclass(frozen=True, slots=True)
class WorkView:
    """Working and execution memory at a moment; tokens by estimate."""

    goal: GoalView | None = None
    tasks: tuple[TaskView, ...] = ()
    context: str = ""
    values: tuple[ValueView, ...] = ()
    executions: tuple[ExecutionView, ...] = ()
    """The newest first."""
    archives: tuple[ArchiveView, ...] = ()
    """The newest first."""
    completed: int = 0
    failed: int = 0
    current_task: str | None = None
    """Id of the task whose steps these are."""
    steps: tuple[StepView, ...] = ()
    """Oldest first."""
    success_patterns: Mapping[str, int] = field(default_factory=dict)
    """Tool and task that went well together, and how often."""
    error_patterns: Mapping[str, str] = field(default_factory=dict)
    """A kind of failure, and what solved it; empty where nothing has yet."""
    plan_changes: int = 0
    insights: int = 0
    """Different pieces of context that were discovered."""
    tokens: int = 0
    cap: int = 12_000
    warning: int = 10_000
    archived_tokens: int = 0
    archived_cap: int = 6_000
    tools: ToolStatsView = field(default_factory=ToolStatsView)
    environment: EnvironmentView | None = None
    tasks_done: int = 0
    tasks_failed: int = 0
    """Below the active goal, those included whose details have left."""
    discovered: Mapping[str, str] = field(default_factory=dict)
    """What was discovered under the current task, by name."""
    preferences: Mapping[str, str] = field(default_factory=dict)
    """What the user prefers, across sessions."""
    notes: tuple[tuple[str, str], ...] = ()
    """The context's notes as ids and texts, oldest first."""

    @property
    def task_text(self) -> str | None:
        """What the current task says."""
        return next((task.text for task in self.tasks if task.id == self.current_task), None)


@dataclass(frozen=True, slots=True)
class ItemView:
    """A stored item as lists show it: data about it, never the content."""

    id: str
    type: ItemType
    source: str
    chars: int
    at: str
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    number: int | None = None
    """The message it stands in."""
    digest: str = ""
    """What it is, in one line."""
    in_prompt: Literal["full", "receipt", "no"] = "no"
    """How the next request shows it."""
