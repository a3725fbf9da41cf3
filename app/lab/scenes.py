"""A recorded conversation as a play: scenes, and how long each of their parts is in sight. Pure."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.transfer.messages import RecordedMessage, read_jsonl

READ_CHARS = 240.0
"""Characters a second that are let pass: quick reading, and fifty messages in a minute and more."""
SHORTEST_S, LONGEST_S = 0.5, 2.0
"""Bounds of the time for one text: a word has to be noticed, and a page is not waited for."""
PIECES_A_SECOND = 12
"""Pieces of an answer that come in a second: it is seen to grow."""
COMMAND_S = 0.9
"""Time for a command and what it reports."""
CALL_S = 0.7
"""Time for which a call of a tool is seen to run."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What is shown in one go: what a user says with what follows on it, or a command."""

    spoken: tuple[RecordedMessage, ...] = ()
    command: str = ""
    """An @command in the place of messages."""
    tell: str = ""
    """What is said about it beside the conversation."""

    @property
    def messages(self) -> int:
        """How many messages it has."""
        return len(self.spoken)


def scenes_of(messages: Iterable[RecordedMessage]) -> tuple[Scene, ...]:
    """The scenes of a recorded conversation: each begins where the user speaks."""
    return tuple(_grouped(Scene((message,)) for message in messages))


def read_script(text: str, name: str) -> tuple[Scene, ...]:
    """The scenes of a script: a JSONL of messages that may have a `tell`, and of commands.

    Args:
        text: The script.
        name: What it is called, for what is told of a mistake.

    Raises:
        UnreadableRecording: A line is no message.
    """
    return tuple(_grouped(_line(line, name) for line in text.splitlines() if line.strip()))


def reading_s(text: str) -> float:
    """Seconds that a text takes at the usual speed."""
    return min(LONGEST_S, max(SHORTEST_S, len(text) / READ_CHARS))


def pieces(text: str) -> Iterator[tuple[str, float]]:
    """The pieces in which a text comes, each with the seconds after it at the usual speed."""
    if not text:
        return
    seconds = reading_s(text)
    many = max(1, round(seconds * PIECES_A_SECOND))
    step = -(-len(text) // many)
    for start in range(0, len(text), step):
        yield text[start : start + step], seconds * step / len(text)


def count_messages(scenes: Sequence[Scene]) -> int:
    """How many messages a play has."""
    return sum(scene.messages for scene in scenes)


def _line(line: str, name: str) -> Scene:
    values = json.loads(line)
    tell = str(values.get("tell", ""))
    if "command" in values:
        return Scene(command=str(values["command"]), tell=tell)
    return Scene(tuple(read_jsonl(line, name)), tell=tell)


def _grouped(scenes: Iterable[Scene]) -> Iterator[Scene]:
    """Joins what follows on a user's message to it."""
    current: Scene | None = None
    for scene in scenes:
        begins = scene.command or scene.spoken[0].role == "user"
        if current is None or begins or current.command:
            if current is not None:
                yield current
            current = scene
        else:
            tell = current.tell or scene.tell
            current = Scene((*current.spoken, *scene.spoken), tell=tell)
    if current is not None:
        yield current
