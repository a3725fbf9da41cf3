"""What the goals screen asks before it changes something, and the @command that does it. Pure."""

from typing import TYPE_CHECKING

from widgets.panes.view import clipped
from widgets.plain import one_line

if TYPE_CHECKING:
    from memory.work_views import WorkView

Asked = tuple[str, str]
"""What is asked for, and what stands there at first."""
ADDING: dict[str, Asked] = {
    "set": ("Goal", ""),
    "add": ("Task, such as: call the agent after t1", ""),
    "note": ("Note", ""),
    "value": ("Value, as NAME=VALUE", ""),
}
NEEDS = {
    "edit": "Choose a goal, a task, a note or a value first.",
    "start": "Choose a task first.",
    "finish": "Choose the goal or a task first.",
    "fail": "Choose the goal or a task first.",
    "progress": "Choose a task first.",
    "after": "Choose a task first.",
    "reopen": "Choose a task or an ended goal first.",
    "remove": "Choose a goal, a task, a note or a value first.",
}
"""What is said where a deed does not fit what is chosen."""
FITS = {
    "edit": ("goal", "task", "note", "value"),
    "start": ("task",),
    "finish": ("goal", "task"),
    "fail": ("goal", "task"),
    "progress": ("task",),
    "after": ("task",),
    "reopen": ("task", "archive"),
    "remove": ("goal", "archive", "task", "note", "value"),
}
LONGEST_NAMED = 60


def fits(deed: str, key: str) -> bool:
    """Whether a deed can be done with what is chosen."""
    return deed in ADDING or key.partition(":")[0] in FITS[deed]


def ask_for(deed: str, key: str, work: "WorkView") -> Asked | None:
    """What a deed has to ask; None where nothing is asked.

    Args:
        deed: What the user wants.
        key: The key of the chosen row, which it fits.
        work: Working memory.
    """
    if deed in ADDING:
        return ADDING[deed]
    kind, _, id = key.partition(":")
    if deed == "edit":
        return (f"{kind} {id}".strip().capitalize(), text_of(key, work))
    if deed == "fail":
        return (f"Why {id or 'the goal'} failed; Enter for no reason", "")
    task = next((task for task in work.tasks if task.id == id), None)
    if deed == "progress":
        return (f"How far {id} is", f"{task.progress:.0%}" if task else "")
    if deed == "after":
        return (f"{id} waits for", " ".join(task.after) if task else "")
    return None


def question_for(deed: str, key: str, work: "WorkView") -> str | None:
    """What is asked before something ends; None where nothing is."""
    kind, _, id = key.partition(":")
    named = f"“{clipped(one_line(text_of(key, work)), LONGEST_NAMED)}”"
    if deed == "finish" and kind == "goal":
        return f"Is the goal {named} completed? It is archived with its tasks."
    if deed == "remove":
        what = {"goal": "the goal", "archive": f"goal {id}"}.get(kind, f"{kind} {id}")
        return f"Remove {what}, {named}, as if it had never been there?"
    return None


def command_for(deed: str, key: str, words: str) -> str:
    """The @command that does it; empty where there is nothing to do.

    Args:
        deed: What the user wants.
        key: The key of the chosen row.
        words: What was asked for.
    """
    kind, _, id = key.partition(":")
    if deed in ADDING:
        begun = {"set": "@goal set", "add": "@task add", "note": "@note", "value": "@value"}[deed]
        return f"{begun} {words}" if words else ""
    if deed in ("edit", "progress") and not words:
        return ""
    if kind == "task":
        word = "done" if deed == "finish" else deed
        return f"@task {word} {id} {words or ('none' if deed == 'after' else '')}".rstrip()
    if kind == "goal":
        word = "done" if deed == "finish" else deed
        return f"@goal {word} {words}".rstrip()
    if kind == "value":
        return f"@value {id}={words}" if deed == "edit" else f"@value remove {id}"
    return f"@{'goal' if kind == 'archive' else kind} {deed} {id} {words}".rstrip()


def text_of(key: str, work: "WorkView") -> str:
    """What the chosen row says in full."""
    kind, _, id = key.partition(":")
    if kind == "goal":
        return work.goal.text if work.goal else ""
    texts: dict[str, dict[str, str]] = {
        "task": {task.id: task.text for task in work.tasks},
        "note": dict(work.notes),
        "value": {value.name: value.text for value in work.values},
        "archive": {archive.id: archive.text for archive in work.archives},
    }
    return texts.get(kind, {}).get(id, "")
