"""The block of working memory in the last user turn: what of it, in which words (PROMPT-1). Pure.

The goal and the tasks to do stand in it whole, whatever they take. The rest is taken in by
importance while there is room. What is taken follows from lengths alone, so that a past request
can be written again without any token count.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memory.archiving import read_record
from memory.state import State
from memory.task_graph import ready_ids
from memory.tokens import Tally, estimate
from memory.work import Work
from memory.work_parts import Archive, Execution, Task, Text

HEADING = "## Working Memory"
SHARE = 10
"""The block may have one part in so many of the model's window."""
EXECUTIONS = 5
"""Tool calls that are told, the newest ones."""
VALUE_CHARS = 300
FAILED_CHARS = 200
NOTE_CHARS = 500
CALL_CHARS = 100
GOAL_CHARS = 120
"""Characters of each entry, of a failed task's reason as well, of a call and its result."""
OUTCOME_CHARS = 40
"""Characters that tell how an archived goal went, about."""
MOMENTS = 8
"""Moments whose lines are kept: one snapshot asks for them several times."""
FRAME = "<memory>\n\n</memory>\n\n"


@dataclass(frozen=True, slots=True)
class Shown:
    """A text inside a line."""

    text: Text
    most: int | None = None
    """Characters of it, in one line; None for all of it as it is."""
    write: Callable[[str], str] = str
    """From the text to what is shown of it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the block: words of ours, and texts by reference."""

    segments: tuple[str | Shown, ...]

    @property
    def tokens(self) -> int:
        """Tokens of it by estimate."""
        return self.counted(None)

    def counted(self, tally: Tally | None) -> int:
        """Tokens of it; a text that stands whole is counted where its count is known."""
        chars = len("\n")
        tokens = 0
        for part in self.segments:
            if isinstance(part, str):
                chars += len(part)
            elif part.most is not None:
                chars += min(part.text.chars, part.most)
            elif tally is not None:
                tokens += tally.body(part.text.body, part.text.chars)
            else:
                tokens += estimate(part.text.chars)
        return tokens + estimate(chars)

    def write(self, texts: Mapping[str, str]) -> str:
        """The line with its texts."""
        return "".join(
            part if isinstance(part, str) else _shown(part, texts[part.text.body])
            for part in self.segments
        )


class _Moment:
    """Working memory at a moment, told from another by being it: cheap to look up."""

    __slots__ = ("work",)

    def __init__(self, work: Work) -> None:
        self.work = work

    def __hash__(self) -> int:
        return id(self.work)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Moment) and other.work is self.work


def working_lines(state: State) -> tuple[Line, ...]:
    """The lines of the block in their order; none where there is nothing to tell."""
    if not _tells(state.work):
        return ()
    question = state.folding.question
    return _chosen(_Moment(state.work), _room(state), question.number if question else 0)


@lru_cache(maxsize=MOMENTS)
def _chosen(moment: _Moment, room: int, asked: int) -> tuple[Line, ...]:
    work = moment.work
    first = (*_goal(work), *_to_do(work))
    room -= estimate(len(HEADING) + len(FRAME)) + sum(line.tokens for line in first)
    chosen: dict[str, tuple[Line, ...]] = {}
    for name, entries in _rest(work, asked):
        taken = _that_fit(entries, room - estimate(len(name) + 2))
        if taken:
            chosen[name] = taken
            room -= estimate(len(name) + 2) + sum(line.tokens for line in taken)
    lines = list(first)
    for name in ORDER:
        if name in chosen:
            lines += [Line((f"{name}:",)), *chosen[name]]
    return (Line((HEADING,)), *lines) if lines else ()


def working_tokens(state: State, tally: Tally) -> int:
    """Tokens of the block; 0 where there is none."""
    lines = working_lines(state)
    if not lines:
        return 0
    return estimate(len(FRAME)) + sum(line.counted(tally) for line in lines)


def write_block(lines: Sequence[Line], texts: Mapping[str, str]) -> str:
    """The block as the model reads it."""
    return "\n".join(line.write(texts) for line in lines)


def one_line(text: str, most: int) -> str:
    """A text in one line of at most so many characters."""
    line = " ".join(text[: 8 * most].split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _tells(work: Work) -> bool:
    return bool(
        work.goal or work.tasks or work.notes or work.values or work.archives or work.preferences
    )


def _room(state: State) -> int:
    """Tokens that the block may have."""
    rules = state.thresholds
    most = rules.work.prompt_tokens if rules else 0
    windows = (state.model.window if state.model else None, state.learned_window)
    return min([most, *(window // SHARE for window in windows if window)])


def _goal(work: Work) -> Iterator[Line]:
    if work.goal is not None:
        yield Line((f"Goal ({work.goal.id}): ", Shown(work.goal.text)))


def _to_do(work: Work) -> Iterator[Line]:
    to_do = [task for task in work.tasks if task.status in ("open", "running")]
    done = work.counts.left_done + sum(task.status == "done" for task in work.tasks)
    if to_do or done:
        yield Line((f"Tasks ({done} done):" if done else "Tasks:",))
    ready = ready_ids(work.tasks)
    for task in to_do:
        yield Line((f"- {task.id} ({_standing(task, ready)}): ", Shown(task.text)))


def _standing(task: Task, ready: frozenset[str]) -> str:
    if task.id in ready:
        word = "ready"
    elif task.status == "running":
        word = "running"
    else:
        word = f"after {', '.join(task.after)}"
    return f"{word}, {task.progress:.0%}" if task.progress else word


PREFERENCES = "Preferences of the user"
VALUES = "Values"
FAILED = "Failed tasks"
CONTEXT = "Context"
CALLS = "Last tool calls"
EARLIER = "Earlier goals"
ORDER = (FAILED, VALUES, CONTEXT, CALLS, EARLIER, PREFERENCES)


def _rest(work: Work, asked: int) -> Iterator[tuple[str, list[Line]]]:
    """What is taken while there is room, by importance; of each kind the newest first.

    Calls since the message `asked` follow it anyhow. Told here as well, they would change what
    stands before their own results, which a model would have to read again each time.
    """
    likes = reversed(work.preferences)
    yield PREFERENCES, [Line((f"- {p.name}: ", Shown(p.text, VALUE_CHARS))) for p in likes]
    yield VALUES, [Line((f"- {v.name} = ", Shown(v.text, VALUE_CHARS))) for v in work.values[::-1]]
    failed = [task for task in work.tasks if task.status == "failed"]
    yield FAILED, [_failed(task) for task in reversed(failed)]
    yield CONTEXT, [Line(("- ", Shown(n.text, NOTE_CHARS))) for n in reversed(work.notes)]
    before = [e for e in work.executions if e.number is None or e.number < asked or not asked]
    yield CALLS, [_call(execution) for execution in before[: -EXECUTIONS - 1 : -1]]
    yield EARLIER, [_earlier(archive) for archive in reversed(work.archives)]


def _that_fit(entries: Iterable[Line], room: int) -> tuple[Line, ...]:
    """The first of the entries that fit, in the opposite order: the newest stands last."""
    taken: list[Line] = []
    for line in entries:
        room -= line.tokens
        if room < 0:
            break
        taken.append(line)
    return tuple(reversed(taken))


def _failed(task: Task) -> Line:
    error: tuple[str | Shown, ...] = (": ", Shown(task.error, FAILED_CHARS)) if task.error else ()
    return Line((f"- {task.id} ", Shown(task.text, FAILED_CHARS), *error))


def _call(execution: Execution) -> Line:
    outcome = "ok" if execution.ok else f"failed ({execution.error})"
    return Line(
        (
            f"- {execution.tool} ",
            Shown(execution.arguments, CALL_CHARS),
            f" {outcome}: ",
            Shown(execution.result, CALL_CHARS),
        )
    )


def _earlier(archive: Archive) -> Line:
    return Line(
        (
            f"- {archive.id} {archive.status}: ",
            Shown(archive.text, GOAL_CHARS),
            Shown(archive.record, OUTCOME_CHARS, _outcome),
        )
    )


def _outcome(record: str) -> str:
    """How an archived goal went, in a few words."""
    kept = read_record(record)
    told = []
    if kept.executions:
        told.append(f"{kept.executions} tool calls, {kept.success_rate:.0%} ok")
    if kept.tasks:
        told.append(f"{kept.done} of {kept.tasks} tasks")
    return f" ({'; '.join(told)})" if told else ""


def _shown(part: Shown, text: str) -> str:
    if part.write is not str:
        return part.write(text)
    return text if part.most is None else one_line(text, part.most)
