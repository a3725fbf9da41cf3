"""The @commands about the goal, its context, values and the user's preferences (GOAL-8)."""

import re
from collections.abc import AsyncGenerator, Sequence

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, Reported
from memory.errors import StrataError
from memory.notebook import parsed
from memory.work_parts import Value
from memory.work_views import ArchiveView, WorkView
from widgets.failure_words import failures_in_words
from widgets.figures import count
from widgets.plain import one_line, short_line

GOAL_ID = re.compile(r"g\d+")
NOTE_ID = re.compile(r"n\d+")
NO_GOAL = "No goal is set. @goal TEXT sets one."
SHOWN = 100
"""Characters of a text inside a sentence or a list."""


class NoSuchGoal(StrataError):
    """No goal of the id is kept."""


async def _goal(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    goals = conversation.memory.goals
    word, rest = split(argument)
    given = GOAL_ID.fullmatch(rest)
    if not argument or (word, rest) == ("list", ""):
        yield Reported(_goal_list(conversation.memory.snapshot().work))
    elif word in ("done", "complete") and not rest:
        yield Reported(_archived(await goals.complete()))
    elif word == "fail":
        yield Reported(_archived(await goals.fail(rest)))
    elif word == "edit" and rest:
        change = await goals.edit(rest)
        yield Reported(f"Goal {change.id} now is: {clipped(change.text)}")
    elif word in ("clear", "remove") and (not rest or given):
        yield Reported(f"Goal {await goals.remove(rest or None)} is removed.")
    elif word == "reopen" and (not rest or given):
        change = await goals.reopen(rest or None)
        again = f"Goal {change.id} is active again: {clipped(change.text)}"
        yield Reported(f"{again}{_also(change.ended)}")
    elif word == "show" and given:
        yield Reported(_shown(conversation.memory.snapshot().work, rest))
    elif word in ("set", "edit") and not rest:
        yield Reported(f"Write it after the command: @goal {word} TEXT.", "note")
    else:
        change = await goals.set(rest if word == "set" else argument)
        if not change.changed:
            yield Reported(f"That is the goal already ({change.id}).", "note")
        else:
            set_ = f"Goal {change.id} is set: {clipped(change.text)}"
            yield Reported(f"{set_}{_also(change.ended)}")


async def _note(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    notebook = conversation.memory.notebook
    word, rest = split(argument)
    id, text = split(rest)
    if not argument or (word, rest) == ("list", ""):
        notes = conversation.memory.snapshot().work.notes
        lines = [f"{note}  {clipped(said)}" for note, said in notes]
        yield Reported("\n".join(lines) if lines else "Nothing is noted. @note TEXT notes it.")
    elif word == "remove" and NOTE_ID.fullmatch(rest):
        await notebook.remove_note(rest)
        yield Reported(f"Note {rest} is removed.")
    elif word == "edit" and NOTE_ID.fullmatch(id) and text:
        await notebook.edit_note(id, text)
        yield Reported(f"Note {id} now is: {clipped(text)}")
    else:
        before = notebook.notes()
        note = await notebook.note(argument)
        if note in before:
            yield Reported(f"That is noted already ({note.id}).", "note")
            return
        gone = len(before) + 1 - len(notebook.notes())
        left = f" The oldest {count(gone, 'note')} made way." if gone else ""
        yield Reported(f"Noted as {note.id}.{left}")


async def _value(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    notebook = conversation.memory.notebook
    word, rest = split(argument)
    values = {value.name: value for value in notebook.values()}
    name, equals, text = argument.partition("=")
    if not argument or argument == "list":
        lines = [f"{v.name}{_type(v)} = {clipped(notebook.text(v))}" for v in values.values()]
        yield Reported(
            "\n".join(lines) if lines else "No value is set. @value NAME=VALUE sets one."
        )
    elif equals and len(name.split()) == 1:
        value = await notebook.set_value(name, parsed(text))
        yield Reported(f"{value.name} is {clipped(notebook.text(value))}{_type(value)}.")
    elif word == "remove" and rest:
        await notebook.remove_value(rest)
        yield Reported(f"{rest} is removed.")
    elif argument in values:
        value = values[argument]
        yield Reported(f"{value.name}{_type(value)} = {one_line(notebook.text(value))}")
    else:
        yield Reported(
            f"There is no value {clipped(argument)}. @value NAME=VALUE sets one.", "note"
        )


async def _preference(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    preferences = conversation.memory.preferences
    word, rest = split(argument)
    known = (await preferences.known()).preferences
    if not argument or argument == "list":
        lines = [f"{name}  {clipped(text)}" for name, text in known.items()]
        empty = "Nothing is kept. @preference NAME TEXT keeps what you prefer, in all sessions."
        yield Reported("\n".join(lines) if lines else empty)
    elif word == "remove" and rest:
        await preferences.remove(rest)
        yield Reported(f"{rest} is removed, in all sessions of this agent.")
    elif rest:
        await preferences.set(word, rest)
        yield Reported(f"Kept for all sessions of this agent: {word} is {clipped(rest)}.")
    elif word in known:
        yield Reported(f"{word}  {one_line(known[word])}")
    else:
        yield Reported(f"Write it after the name: @preference {clipped(word)} TEXT.", "note")


def split(text: str) -> tuple[str, str]:
    """The first word of a text, and the rest."""
    first, _, rest = text.strip().partition(" ")
    if "\n" in first:
        first, _, after = text.strip().partition("\n")
        rest = after
    return first, rest.strip()


def clipped(text: str) -> str:
    """A text in one line, short enough for a sentence."""
    return short_line(text, SHOWN)


def goal_line(archive: ArchiveView) -> str:
    """An archived goal in one line."""
    how = "replaced" if archive.replaced else archive.status
    calls = f", {count(archive.executions, 'tool call')}" if archive.executions else ""
    return f"{archive.id}  {how}  {clipped(archive.text)}{calls}"


def _type(value: Value) -> str:
    """What kind of value it is, where its name does not say so."""
    return "" if value.name == value.type else f" ({value.type})"


def _goal_list(work: WorkView) -> str:
    goal = work.goal
    lines = [f"{goal.id}  active  {clipped(goal.text)}" if goal else NO_GOAL]
    lines += [goal_line(archive) for archive in work.archives]
    hidden = work.completed + work.failed - len(work.archives)
    if hidden > 0:
        lines.append(f"{count(hidden, 'older goal')} kept as counts only.")
    return "\n".join(lines)


def _shown(work: WorkView, id: str) -> str:
    """All that is kept of a goal.

    Raises:
        NoSuchGoal: Nothing is.
    """
    found = next((archive for archive in work.archives if archive.id == id), None)
    if found is None:
        raise NoSuchGoal(f"No archived goal is called {id}.", "@goal list shows what is kept.")
    lines = [goal_line(found)]
    if found.why:
        lines.append(f"Why: {one_line(found.why)}")
    if found.executions:
        tools = ", ".join(f"{one_line(t)} {n}" for t, n in found.by_tool.items())
        lines.append(f"Tools: {tools}; {found.success_rate:.0%} went well")
        lines.append(f"From {found.first_at} to {found.last_at}")
    if found.errors:
        failures = failures_in_words(found.errors).items()
        lines.append("Failures: " + ", ".join(f"{kind} {n}" for kind, n in failures))
    if found.tasks:
        lines.append(f"Tasks: {found.tasks}, {found.done} done, {found.failed} failed")
    lines += [
        f"  {' '.join(theme.words) or 'others'}: {theme.tasks}, {theme.done} done"
        for theme in found.themes
    ]
    if found.context:
        lines.append(f"Context: {one_line(found.context)}")
    return "\n".join(lines)


def _archived(goal: ArchiveView) -> str:
    calls = "no tool calls"
    if goal.executions:
        calls = f"{count(goal.executions, 'tool call')}, {goal.success_rate:.0%} went well"
    tasks = f", {goal.done} of {count(goal.tasks, 'task')} done" if goal.tasks else ""
    how = "failed and is archived" if goal.status == "failed" else "is completed and archived"
    return f"Goal {goal.id} {how}: {calls}{tasks}."


def _also(ended: ArchiveView | None) -> str:
    """What became of the goal before."""
    return "" if ended is None else f" ({_archived(ended)})"


GOAL_COMMANDS: Sequence[Command] = (
    Command("goal", "[TEXT]", "the goal: TEXT, done, fail, edit, list, reopen, clear", _goal),
    Command("note", "[TEXT]", "note what matters for the goal; list, edit, remove", _note),
    Command("value", "[NAME=VALUE]", "keep a count, flag or text; list, remove", _value),
    Command(
        "preference",
        "[NAME TEXT]",
        "what you prefer, in all sessions; list, remove",
        _preference,
    ),
)
