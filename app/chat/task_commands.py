"""The @commands about tasks and steps (GOAL-2, GOAL-6, GOAL-8)."""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import get_args

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.goal_commands import clipped, split
from app.chat.happenings import Happening, Reported
from memory.errors import StrataError
from memory.tasks import Tasks
from memory.work_views import StepType, StepView, TaskView, WorkView
from widgets.failure_words import pattern_words
from widgets.figures import count
from widgets.plain import printable

TASK_ID = re.compile(r"t\d+")
AFTER = re.compile(r"(?s)(.*\S)\s+after\s+(t\d+(?:\s*(?:,|and|\s)\s*t\d+)*)")
IDS = re.compile(r"t\d+")
SHARE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*(%?)")
SHOWN_STEPS = 20
"""Of the newest steps, in the list."""
WAYS = (
    "@task add TEXT [after t1,t2], start t1, done t1, fail t1 WHY, progress t1 50%, "
    "edit t1 TEXT, after t1 t2, reopen t1, remove t1, list"
)


class TaskUnclear(StrataError):
    """A command about a task lacks what it needs."""


Act = Callable[[Tasks, str, str], Awaitable[str]]


async def _task(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    word, rest = split(argument)
    if not argument or (word, rest) == ("list", ""):
        yield Reported(_list(conversation.memory.snapshot().work))
        return
    id, more = split(rest)
    if word in ACTS and TASK_ID.fullmatch(id) and rest:
        yield Reported(await ACTS[word](conversation.memory.tasks, id, more))
    elif TASK_ID.fullmatch(argument):
        yield Reported(_one(conversation.memory.snapshot().work, argument))
    elif TASK_ID.fullmatch(rest):
        yield Reported(f"There is no {clipped(word)} for a task. {WAYS}", "note")
    elif word in ACTS:
        yield Reported(f"Say which task, by its id: @task {word} t1. @task list shows all.", "note")
    elif word == "add" and not rest:
        yield Reported(f"Write what is to be done. {WAYS}", "note")
    else:
        yield Reported(await _add(conversation.memory.tasks, rest if word == "add" else argument))


async def _step(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    word, rest = split(argument)
    if not argument or argument == "list":
        yield Reported(_steps(conversation.memory.snapshot().work))
        return
    type_: StepType = "reasoning"
    for known in get_args(StepType):
        if word == known and rest:
            type_, argument = known, rest
    step = await conversation.memory.execution.step(type_, argument)
    yield Reported(f"Noted as step {step.id} ({step.type}).")


async def _add(tasks: Tasks, text: str) -> str:
    found = AFTER.fullmatch(text)
    after: list[str] = []
    if found is not None:
        text, after = found[1], IDS.findall(found[2])
    task = await tasks.add(text, after)
    return f"Task {task.id} is added{_waiting(task)}: {clipped(text)}"


async def _start(tasks: Tasks, id: str, _more: str) -> str:
    return f"Task {(await tasks.start(id)).id} is running."


async def _done(tasks: Tasks, id: str, _more: str) -> str:
    before = {task.id for task in tasks.ready()}
    await tasks.finish(id)
    freed = [task.id for task in tasks.ready() if task.id not in before]
    told = f" Ready now: {', '.join(freed)}." if freed else ""
    return f"Task {id} is done.{told}"


async def _fail(tasks: Tasks, id: str, more: str) -> str:
    await tasks.fail(id, more)
    return f"Task {id} failed{f': {clipped(more)}' if more else '.'}"


async def _progress(tasks: Tasks, id: str, more: str) -> str:
    share = SHARE.fullmatch(more)
    if share is None:
        raise TaskUnclear("Write how far it is:", f"@task progress {id} 50%.")
    number = float(share[1])
    task = await tasks.progress(id, number / 100 if share[2] or number > 1 else number)
    return f"Task {id} is at {task.progress:.0%}."


async def _edit(tasks: Tasks, id: str, more: str) -> str:
    task = await tasks.edit(id, more)
    return f"Task {id} now is: {clipped(task.text)}"


async def _after(tasks: Tasks, id: str, more: str) -> str:
    wanted = IDS.findall(more)
    if not wanted and more.strip().casefold() not in ("none", "nothing"):
        raise TaskUnclear("Write what it waits for:", f"@task after {id} t2, or {id} none.")
    task = await tasks.depend(id, wanted)
    return f"Task {id}{_waiting(task) or ' waits for nothing'}."


async def _reopen(tasks: Tasks, id: str, _more: str) -> str:
    return f"Task {(await tasks.reopen(id)).id} is open again."


async def _remove(tasks: Tasks, id: str, _more: str) -> str:
    waited = [task.id for task in tasks.all() if id in task.after]
    await tasks.remove(id)
    freed = f" {', '.join(waited)} no longer waits for it." if waited else ""
    return f"Task {id} is removed.{freed}"


ACTS: dict[str, Act] = {
    "start": _start,
    "done": _done,
    "finish": _done,
    "fail": _fail,
    "progress": _progress,
    "edit": _edit,
    "after": _after,
    "reopen": _reopen,
    "remove": _remove,
}


def _waiting(task: TaskView) -> str:
    if not task.after:
        return ""
    ready = ", ready" if task.ready else ""
    return f" after {', '.join(task.after)}{ready}"


def _list(work: WorkView) -> str:
    lines = [
        f"{task.id}  {_standing(task):<12}  {clipped(task.text)}{_more(task)}"
        for task in work.tasks
    ]
    gone = work.tasks_done + work.tasks_failed
    gone -= sum(task.status in ("done", "failed") for task in work.tasks)
    if gone > 0:
        lines.append(f"{count(gone, 'older task')} kept as counts only.")
    return "\n".join(lines) if lines else "There are no tasks. @task add TEXT adds one."


def _one(work: WorkView, id: str) -> str:
    found = [task for task in work.tasks if task.id == id]
    told = [f"{id}  {_standing(task)}{_more(task)}\n{printable(task.text)}" for task in found]
    return "\n".join(told) or f"There is no task {id}. @task list shows all of them."


def _standing(task: TaskView) -> str:
    open_ = "ready" if task.ready else "waiting"
    word = open_ if task.status == "open" else task.status
    return f"{word} {task.progress:.0%}" if 0 < task.progress < 1 else word


def _more(task: TaskView) -> str:
    after = f" (after {', '.join(task.after)})" if task.after and task.status == "open" else ""
    error = f": {clipped(task.error)}" if task.error else ""
    return f"{after}{error}"


def _taken(step: StepView) -> str:
    failed = "" if step.success else "failed: "
    return f"{step.id}  {step.type:<14}  {failed}{clipped(step.description)}"


def _steps(work: WorkView) -> str:
    lines = [_taken(step) for step in work.steps[-SHOWN_STEPS:]]
    lines += [f"{name} = {clipped(text)}" for name, text in work.discovered.items()]
    lines += [
        f"{pattern_words(what)}: {f'solved by {clipped(how)}' if how else 'not solved yet'}"
        for what, how in work.error_patterns.items()
    ]
    return "\n".join(lines) if lines else "No step was taken yet."


TASK_COMMANDS: Sequence[Command] = (
    Command("task", "[WHAT]", "add TEXT [after t1], start, done, fail, edit, list", _task),
    Command("step", "[TEXT]", "the steps of the task at hand, or note one", _step),
)
