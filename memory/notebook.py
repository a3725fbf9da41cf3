"""Context and typed values of the work at hand (GOAL-8, S0)."""

import json
import math
import re
from collections.abc import Sequence

from memory import telemetry
from memory.events import Event
from memory.state import State
from memory.work import Work
from memory.work_events import ContextChanged, ContextNoted, ValueRemoved, ValueSet
from memory.work_keeping import WorkError, WorkKeeping, Writing
from memory.work_parts import Note, Value
from memory.work_views import ValueType

NAME = re.compile(r"[^\W\d][\w.-]{0,39}")
"""What a value may be called."""
LONGEST_VALUE = 4_000
"""Characters of a value; what is longer belongs into the content store."""
MOST_VALUES = 100

_WHOLE = re.compile(r"[+-]?\d{1,18}")
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class Notebook:
    """Notes about the goal, and values with a name and a type."""

    def __init__(self, keeping: WorkKeeping) -> None:
        self._keeping = keeping

    # -- context

    def notes(self) -> tuple[Note, ...]:
        """The context, oldest first."""
        return self._keeping.work.notes

    def text(self, entry: Note | Value) -> str:
        """What a note or a value says."""
        return self._keeping.read(entry.text)

    @telemetry.operation("memory.note.add")
    async def note(self, text: str) -> Note:
        """Notes a piece of context; the oldest ones leave where together they are too long.

        Returns:
            The note; the one that says the same already, where there is one.

        Raises:
            WorkError: There is nothing in it, or it alone is too long.
            StorageError: The database refused; nothing was changed.
        """
        text = self._keeping.checked(text, "note", self._longest_note())
        noted: list[Note] = []

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            noted[:] = [note for note in state.work.notes if writing.read(note.text) == text]
            if noted:
                return ()
            noted[:] = [Note(f"n{state.work.note_count + 1}", writing.text(text))]
            return (ContextNoted(noted[0].id, noted[0].text),)

        await self._keeping.carry_out(decide)
        return noted[0]

    @telemetry.operation("memory.note.edit")
    async def edit_note(self, id: str, text: str) -> Note:
        """Has a note say something else.

        Raises:
            WorkError: There is none of the id, nothing in the text, or it is too long.
            StorageError: The database refused; nothing was changed.
        """
        text = self._keeping.checked(text, "note", self._longest_note())
        noted: list[Note] = []

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            _find(state.work, id)
            noted[:] = [Note(id, writing.text(text))]
            return (ContextChanged(id, noted[0].text),)

        await self._keeping.carry_out(decide)
        return noted[0]

    @telemetry.operation("memory.note.remove")
    async def remove_note(self, id: str) -> None:
        """Removes a note.

        Raises:
            WorkError: There is none of the id.
            StorageError: The database refused; nothing was changed.
        """

        def decide(state: State, _writing: Writing) -> Sequence[Event]:
            _find(state.work, id)
            return (ContextChanged(id, None),)

        await self._keeping.carry_out(decide)

    # -- values

    def values(self) -> tuple[Value, ...]:
        """The values, in the order in which they were set first."""
        return self._keeping.work.values

    @telemetry.operation("memory.value.set")
    async def set_value(self, name: str, value: object) -> Value:
        """Sets a value.

        Args:
            name: Letters, digits, `_`, `.` and `-`, beginning with a letter or `_`.
            value: What JSON can say; a text is kept as a text. `parsed` makes others of it.

        Raises:
            WorkError: The name or the value can't be kept.
            StorageError: The database refused; nothing was changed.
        """
        name = checked_name(name, self._keeping)
        cleaned = self._keeping.door.clean_named(name, _written(value))
        # What stands for a secret is a text, whatever the secret was.
        type_ = type_of(cleaned.text if cleaned.redacted else value)
        text = self._keeping.checked(cleaned.text, "value", LONGEST_VALUE)
        self._keeping.journal.note(cleaned)
        kept: list[Value] = []

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            same = [known for known in state.work.values if known.name == name]
            if same and same[0].type == type_ and writing.read(same[0].text) == text:
                kept[:] = same
                return ()
            if not same and len(state.work.values) >= MOST_VALUES:
                raise WorkError(
                    f"There are {MOST_VALUES} values already.",
                    "Remove one first: @value remove NAME.",
                )
            kept[:] = [Value(name, type_, writing.text(text))]
            return (ValueSet(name, type_, kept[0].text),)

        await self._keeping.carry_out(decide)
        return kept[0]

    @telemetry.operation("memory.value.remove")
    async def remove_value(self, name: str) -> None:
        """Removes a value.

        Raises:
            WorkError: There is none of the name.
            StorageError: The database refused; nothing was changed.
        """

        def decide(state: State, _writing: Writing) -> Sequence[Event]:
            if all(value.name != name for value in state.work.values):
                raise WorkError(f"There is no value {name}.", "@value lists those there are.")
            return (ValueRemoved(name),)

        await self._keeping.carry_out(decide)

    def _longest_note(self) -> int:
        return self._keeping.journal.state.rules.work.context_chars


def parsed(text: str) -> object:
    """A value as a person writes it: a number, a flag, a list, JSON, or else the text itself."""
    text = text.strip()
    if text.casefold() in _FLAGS:
        return _FLAGS[text.casefold()]
    if _WHOLE.fullmatch(text):
        return int(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, float) and not math.isfinite(value):
        return text
    return value if isinstance(value, int | float | list | dict) else text


def type_of(value: object) -> ValueType:
    """How a value is typed: whole numbers of things are counts."""
    match value:
        case bool():
            return "flag"
        case int():
            return "count" if value >= 0 else "number"
        case float():
            return "number"
        case str():
            return "text"
        case list() | tuple():
            return "list"
    return "json"


def _written(value: object) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise WorkError("That value can't be written as JSON.", "Give it as a text.") from error


def checked_name(name: str, keeping: WorkKeeping) -> str:
    """A name as it may be kept.

    Raises:
        WorkError: It is none.
    """
    name = name.strip()
    if NAME.fullmatch(name) is None:
        raise WorkError(
            f"{name[:60]!r} can't be the name of a value.",
            "It begins with a letter and has letters, digits, _, . and -, up to 40 of them.",
        )
    return keeping.checked(name, "name", 40)


def _find(work: Work, id: str) -> Note:
    for note in work.notes:
        if note.id == id:
            return note
    raise WorkError(f"There is no note {id}.", "@note list shows all of them.")
