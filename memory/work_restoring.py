"""Goals, tasks, notes and values of a kept session, as events of the one that goes on."""

from collections.abc import Iterator, Sequence

from memory.archiving import archive_tokens
from memory.events import Event
from memory.goals import LONGEST_GOAL
from memory.ids import new_id
from memory.notebook import LONGEST_VALUE, MOST_VALUES, NAME
from memory.privacy import Cleaned, Door
from memory.task_graph import cycle
from memory.tasks import LONGEST_TASK, LONGEST_WHY
from memory.vault_work import FROM_S1, LONGEST_RECORD, KeptTask, KeptWork, sound_record
from memory.work_events import ContextNoted, GoalEnded, GoalSet, TaskAdded, TaskChanged, ValueSet
from memory.work_parts import Task, Text


class Restored:
    """The events that bring work back; ids begin anew, what can't be kept is left out.

    Args:
        bodies: Takes the texts.
        door: What they pass.
    """

    def __init__(self, bodies: dict[str, Cleaned], door: Door) -> None:
        self._bodies = bodies
        self._door = door

    def events(self, kept: KeptWork, tasks: Sequence[KeptTask]) -> Iterator[Event]:
        """Archived goals, the active one, tasks, notes and values, in this order."""
        for place, archive in enumerate(kept.archives, start=1):
            goal = self._text(archive.text, LONGEST_GOAL)
            yield GoalSet(f"g{place}", goal)
            record = self._text(sound_record(archive.record), LONGEST_RECORD)
            tokens = archive_tokens(goal.chars, record.chars)
            yield GoalEnded(f"g{place}", archive.status, record, tokens, archive.tokens_before)
        if kept.goal:
            yield GoalSet(f"g{len(kept.archives) + 1}", self._text(kept.goal, LONGEST_GOAL))
        yield from self._tasks([task for task in tasks if task.description.strip()])
        for place, note in enumerate(filter(str.strip, kept.notes), start=1):
            yield ContextNoted(f"n{place}", self._text(note, LONGEST_VALUE))
        for value in kept.values[:MOST_VALUES]:
            if NAME.fullmatch(value.name) and self._door.clean(value.name).text == value.name:
                yield ValueSet(value.name, value.type, self._text(value.text, LONGEST_VALUE))

    def _tasks(self, kept: Sequence[KeptTask]) -> Iterator[Event]:
        texts = [self._text(task.description, LONGEST_TASK) for task in kept]
        tasks = _ordered(kept, texts)
        yield from (TaskAdded(task.id, task.text) for task in tasks)
        for task, said in zip(tasks, kept, strict=True):
            error = self._text(said.error, LONGEST_WHY) if said.error.strip() else None
            status = FROM_S1[said.status]
            yield TaskChanged(task.id, task.text, status, said.progress, task.after, error)

    def _text(self, words: str, most: int) -> Text:
        # Cleaned before it is cut: half a secret is known by nobody.
        cleaned = self._door.clean(self._door.clean(words.strip()).text[:most])
        body = new_id()
        self._bodies[body] = cleaned
        return Text(body, len(cleaned.text))


def _ordered(kept: Sequence[KeptTask], texts: Sequence[Text]) -> list[Task]:
    """The tasks under new ids; whoever would wait in a circle waits for nothing."""
    ids = {task.id: f"t{place}" for place, task in enumerate(kept, start=1)}
    tasks: list[Task] = []
    for place, (said, text) in enumerate(zip(kept, texts, strict=True), start=1):
        after = tuple(dict.fromkeys(ids[id] for id in said.after if id in ids))
        id = f"t{place}"
        waiting = after if cycle(id, after, tasks) is None else ()
        tasks.append(Task(id, text, "", "", after=waiting))
    return tasks
