"""What the vault's file says of goals, tasks and tools, and how it is read back. Pure."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from memory.clock import parse_time
from memory.work import Work
from memory.work_parts import Task
from memory.work_views import GoalStatus, TaskStatus, ValueType

S1Status = Literal["Pending", "Running", "Completed", "Failed"]
TO_S1: dict[TaskStatus, S1Status] = {
    "open": "Pending",
    "running": "Running",
    "done": "Completed",
    "failed": "Failed",
}
FROM_S1: dict[S1Status, TaskStatus] = {word: status for status, word in TO_S1.items()}
"""S1's words for how a task is, and ours."""


Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
LONGEST_RECORD = 50_000
"""Characters of a goal's statistics: those of two hundred tools with long names."""


class _Part(BaseModel):
    """Whatever else stands in the file is not for us."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class KeptTask(_Part):
    """A task as S1 keeps it, with what it waits for."""

    id: str
    description: str
    status: S1Status
    progress: Share = 0.0
    after: list[str] = Field(default_factory=list)
    error: str = ""


class KeptValue(_Part):
    """A working value."""

    name: str
    type: ValueType
    text: str


class KeptArchive(_Part):
    """A goal that has ended."""

    text: str
    status: GoalStatus
    record: str
    tokens: Count
    tokens_before: Count


class _Record(_Part):
    """What `memory.archiving` writes of a goal."""

    executions: Count = 0
    success_rate: Share | None = None
    by_tool: dict[str, Count] | None = None
    errors: dict[str, Count] | None = None
    first: str | None = None
    last: str | None = None
    tasks: Count = 0
    done: Count = 0
    failed: Count = 0
    themes: list[tuple[str, Count, Count, Count]] = Field(default_factory=list)
    context: str = ""
    why: str = ""
    replaced: bool = False


class KeptWork(_Part):
    """What S1's shape has no place for."""

    goal: str | None = None
    notes: list[str] = Field(default_factory=list)
    values: list[KeptValue] = Field(default_factory=list)
    archives: list[KeptArchive] = Field(default_factory=list)


def sound_record(text: str) -> str:
    """An archived goal's statistics as they may be kept; nothing of them where they are broken."""
    if len(text) > LONGEST_RECORD:
        return "{}"
    try:
        record = _Record.model_validate_json(text)
    except ValidationError:
        return "{}"
    return record.model_dump_json(exclude_unset=True)


def task_entry(task: Task, texts: Mapping[str, str]) -> dict[str, Any]:
    """A task as S1 keeps it, with what it waits for and why it failed."""
    entry = {
        "id": task.id,
        "description": texts[task.text.body],
        "status": TO_S1[task.status],
        "progress": task.progress,
        "created_at": int(parse_time(task.created_at).timestamp()),
        "updated_at": int(parse_time(task.updated_at).timestamp()),
        "after": list(task.after),
    }
    return entry | ({"error": texts[task.error.body]} if task.error else {})


def work_entry(work: Work, texts: Mapping[str, str]) -> dict[str, Any]:
    """The goal, its context, values and archived goals."""
    return {
        "goal": texts[work.goal.text.body] if work.goal else None,
        "notes": [texts[note.text.body] for note in work.notes],
        "values": [
            {"name": value.name, "type": value.type, "text": texts[value.text.body]}
            for value in work.values
        ],
        "archives": [
            {
                "text": texts[archive.text.body],
                "status": archive.status,
                "record": texts[archive.record.body],
                "tokens": archive.tokens,
                "tokens_before": archive.tokens_before,
            }
            for archive in work.archives
        ],
    }


def workspace(work: Work, texts: Mapping[str, str]) -> str:
    """The folder that was worked in last; empty where nobody knows."""
    return texts[work.environment.workspace.body] if work.environment else ""


def environment(work: Work, texts: Mapping[str, str], newest: int) -> dict[str, Any]:
    """Where the work happened last, as S1 keeps it; figures that nobody knows are left out.

    Args:
        work: Working memory.
        texts: Texts by body id.
        newest: When something was said last, in seconds since 1970.
    """
    seen = work.environment
    if seen is None:
        return {"workspace": "", "last_update": newest, "system_snapshot": {}}
    figures = {
        "memory_usage_mb": seen.memory_used_mb,
        "disk_usage_percent": seen.disk_used_percent,
    }
    return {
        "workspace": workspace(work, texts),
        "last_update": int(parse_time(seen.at).timestamp()),
        "system_snapshot": {name: figure for name, figure in figures.items() if figure is not None},
    }
