"""Tools by which the model keeps its goal, tasks, notes, values and steps (GOAL-8)."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from app.tools.tool import Desk, OwnTool, Tool, ToolResult
from memory.tasks import Tasks
from memory.work_views import ArchiveView, StepType
from widgets.figures import count


def _listed(value: object) -> object:
    """Ids as a list, also where a model writes them as one text."""
    return value.replace(",", " ").split() if isinstance(value, str) else value


Ids = Annotated[list[str], BeforeValidator(_listed)]


class GoalText(BaseModel):
    """Arguments of `set_goal`."""

    text: str


class Nothing(BaseModel):
    """Arguments of a tool that takes none."""


class Why(BaseModel):
    """Arguments of `fail_goal`."""

    why: str = ""


class NewTask(BaseModel):
    """Arguments of `add_task`."""

    text: str
    after: Annotated[Ids, Field(description="ids of tasks to do first")] = []


class TaskId(BaseModel):
    """Arguments of `start_task` and `finish_task`."""

    id: Annotated[str, Field(description="such as t1")]


class FailedTask(TaskId):
    """Arguments of `fail_task`."""

    why: str = ""


class NoteText(BaseModel):
    """Arguments of `note_context`."""

    text: str


class NamedValue(BaseModel):
    """Arguments of `set_value`."""

    name: str
    value: Any


class Names(BaseModel):
    """Arguments of `read_values`."""

    names: Annotated[Ids, Field(description="all without it")] = []


class NewStep(BaseModel):
    """Arguments of `note_step`."""

    type: StepType = "reasoning"
    text: str
    success: bool = True
    discovered: Annotated[dict[str, Any], Field(description="what was found out, by name")] = {}
    confidence: Annotated[float | None, Field(ge=0, le=1)] = None


async def _set_goal(arguments: GoalText, desk: Desk) -> ToolResult:
    change = await desk.memory.goals.set(arguments.text)
    if not change.changed:
        return _told(f"{change.id} is the active goal already.")
    before = f" {change.ended.id} was archived as completed." if change.ended else ""
    return _told(f"{change.id} is the active goal.{before}")


async def _complete_goal(arguments: Nothing, desk: Desk) -> ToolResult:
    return _told(_archived(await desk.memory.goals.complete()))


async def _fail_goal(arguments: Why, desk: Desk) -> ToolResult:
    return _told(_archived(await desk.memory.goals.fail(arguments.why)))


async def _add_task(arguments: NewTask, desk: Desk) -> ToolResult:
    task = await desk.memory.tasks.add(arguments.text, arguments.after)
    waits = f", after {', '.join(task.after)}" if task.after else ""
    return _told(f"{task.id} was added{waits}.")


async def _start_task(arguments: TaskId, desk: Desk) -> ToolResult:
    return _told(f"{(await desk.memory.tasks.start(arguments.id)).id} is running.")


async def _finish_task(arguments: TaskId, desk: Desk) -> ToolResult:
    tasks = desk.memory.tasks
    task = await tasks.finish(arguments.id)
    return _told(f"{task.id} is done. {_next(tasks)}")


async def _fail_task(arguments: FailedTask, desk: Desk) -> ToolResult:
    tasks = desk.memory.tasks
    task = await tasks.fail(arguments.id, arguments.why)
    return _told(f"{task.id} failed. {_next(tasks)}")


async def _note_context(arguments: NoteText, desk: Desk) -> ToolResult:
    note = await desk.memory.notebook.note(arguments.text)
    return _told(f"Noted as {note.id}.")


async def _set_value(arguments: NamedValue, desk: Desk) -> ToolResult:
    value = await desk.memory.notebook.set_value(arguments.name, arguments.value)
    return _told(f"{value.name} is set ({value.type}).")


async def _read_values(arguments: Names, desk: Desk) -> ToolResult:
    notebook = desk.memory.notebook
    wanted = [v for v in notebook.values() if not arguments.names or v.name in arguments.names]
    missing = sorted(set(arguments.names) - {value.name for value in wanted})
    lines = [f"{value.name} ({value.type}) = {notebook.text(value)}" for value in wanted]
    lines += [f"{name} is not set" for name in missing]
    return _told("\n".join(lines) or "No value is set.")


async def _note_step(arguments: NewStep, desk: Desk) -> ToolResult:
    step = await desk.memory.execution.step(
        arguments.type,
        arguments.text,
        success=arguments.success,
        discovered=arguments.discovered,
        confidence=arguments.confidence,
    )
    found = f", {len(step.found)} discovered" if step.found else ""
    return _told(f"Step {step.id} was noted{found}.")


def _told(text: str) -> ToolResult:
    return ToolResult(text, source="working memory", is_content=False)


def _archived(goal: ArchiveView) -> str:
    calls = f"{count(goal.executions, 'tool call')}, {goal.success_rate:.0%} went well"
    counts = f"; {goal.done} of {count(goal.tasks, 'task')} done" if goal.tasks else ""
    told = calls if goal.executions else "no tool calls"
    return f"{goal.id} was archived as {goal.status}: {told}{counts}."


def _next(tasks: Tasks) -> str:
    """What a model may go on with."""
    ids = [task.id for task in tasks.ready()]
    if ids:
        return f"Ready: {', '.join(ids)}."
    to_do = sum(task.status in ("open", "running") for task in tasks.all())
    return f"{to_do} to do, none ready." if to_do else "No task is left to do."


GOAL_TOOLS: tuple[Tool, ...] = (
    OwnTool("set_goal", "Set the goal; the one before is archived.", GoalText, _set_goal),
    OwnTool("complete_goal", "The goal is reached: archive it.", Nothing, _complete_goal),
    OwnTool("fail_goal", "Give the goal up: archive it as failed.", Why, _fail_goal),
    OwnTool("add_task", "Add a task for the goal.", NewTask, _add_task),
    OwnTool("start_task", "Begin with a task that is ready.", TaskId, _start_task),
    OwnTool("finish_task", "A task is done.", TaskId, _finish_task),
    OwnTool("fail_task", "A task failed.", FailedTask, _fail_task),
    OwnTool("note_context", "Keep a fact that matters for the goal.", NoteText, _note_context),
    OwnTool("set_value", "Keep a count, flag, text, list or object.", NamedValue, _set_value),
    OwnTool("read_values", "Read kept values.", Names, _read_values),
    OwnTool("note_step", "Note a step of the task at hand.", NewStep, _note_step),
)
"""All of them are quick and change one session in order, so none runs alone."""
