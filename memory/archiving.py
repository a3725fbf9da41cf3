"""What is kept of a goal that has ended: statistics by rule, without a model (GOAL-4). Pure."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from memory.tokens import estimate
from memory.work import Work
from memory.work_parts import Task
from memory.work_views import ThemeView

CONTEXT_CHARS = 500
"""Characters of the context that an archive keeps (S2)."""
WHY_CHARS = 300
"""Characters of the reason why a goal failed."""
THEMES = 6
THEME_WORDS = 3
"""Themes of an archive, and words that name one."""
LEAST_IN_THEME = 2
SHORTEST_WORD = 3
KEPT_RECORDS = 64
"""Records that are kept as they were read: one archive is drawn many times."""

_WORD = re.compile(r"[^\W_]+")
_NO_THEME = frozenset(
    re.findall(
        r"\w+",
        "about after again against all also and any are because been before being between both but "
        "can could did does doing down each few for from further get had has have here how into "
        "its just let make more most new not now off once one only other our out over own same "
        "should some such than that the their them then there these they this those through too "
        "two under until use used using very was were what when where which while who will with "
        "you your",
    )
)


@dataclass(frozen=True, slots=True)
class Record:
    """What is kept of a goal beside its text."""

    executions: int = 0
    success_rate: float = 1.0
    by_tool: Mapping[str, int] | None = None
    errors: Mapping[str, int] | None = None
    first_at: str | None = None
    last_at: str | None = None
    tasks: int = 0
    done: int = 0
    failed: int = 0
    themes: tuple[ThemeView, ...] = ()
    context: str = ""
    why: str = ""
    replaced: bool = False


def record_of(
    work: Work, texts: Mapping[str, str], *, why: str = "", replaced: bool = False
) -> str:
    """The statistics of the active goal as JSON, in which nothing empty stands.

    Args:
        work: Working memory with the goal.
        texts: Texts by body id: of tasks and notes.
        why: Why the goal failed.
        replaced: Whether another goal takes its place.
    """
    counts = work.counts
    done = counts.left_done + sum(task.status == "done" for task in work.tasks)
    failed = counts.left_failed + sum(task.status == "failed" for task in work.tasks)
    went_well = counts.executions - counts.failures
    document: dict[str, Any] = {
        "executions": counts.executions,
        "success_rate": round(went_well / counts.executions, 4) if counts.executions else None,
        "by_tool": dict(counts.by_tool),
        "errors": dict(counts.errors),
        "first": counts.first_at,
        "last": counts.last_at if counts.executions > 1 else None,
        "tasks": counts.tasks,
        "done": done,
        "failed": failed,
        "themes": [
            [" ".join(theme.words), theme.tasks, theme.done, theme.failed]
            for theme in themes(work.tasks, texts)
        ],
        "context": context(work, texts)[:CONTEXT_CHARS],
        "why": why[:WHY_CHARS],
        "replaced": replaced,
    }
    kept = {key: value for key, value in document.items() if value}
    if document["success_rate"] == 0:
        kept["success_rate"] = 0
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=KEPT_RECORDS)
def read_record(text: str) -> Record:
    """What `record_of` wrote; an empty record where the text has been forgotten since."""
    try:
        kept = json.loads(text)
    except ValueError:
        return Record()
    if not isinstance(kept, dict):
        return Record()
    return Record(
        executions=kept.get("executions", 0),
        success_rate=kept.get("success_rate", 1.0),
        by_tool=kept.get("by_tool"),
        errors=kept.get("errors"),
        first_at=kept.get("first"),
        last_at=kept.get("last", kept.get("first")),
        tasks=kept.get("tasks", 0),
        done=kept.get("done", 0),
        failed=kept.get("failed", 0),
        themes=tuple(ThemeView(tuple(w.split()), t, d, f) for w, t, d, f in kept.get("themes", ())),
        context=kept.get("context", ""),
        why=kept.get("why", ""),
        replaced=kept.get("replaced", False),
    )


def context(work: Work, texts: Mapping[str, str]) -> str:
    """The context of the active goal: its notes, one a line."""
    return "\n".join(texts[note.text.body] for note in work.notes)


def themes(tasks: Sequence[Task], texts: Mapping[str, str]) -> tuple[ThemeView, ...]:
    """Tasks grouped by the words that most of a group share, the largest group first.

    What shares no word with another stands together at the end, without words.
    """
    left = [(task, _words(texts[task.text.body])) for task in tasks]
    found: list[ThemeView] = []
    while len(found) < THEMES - 1:
        shared = Counter(word for _, words in left for word in words)
        word, times = max(shared.items(), key=_weight, default=("", 0))
        if times < LEAST_IN_THEME:
            break
        group = [entry for entry in left if word in entry[1]]
        left = [entry for entry in left if word not in entry[1]]
        found.append(_theme(word, group))
    if left:
        found.append(_outcomes((), [task for task, _ in left]))
    return tuple(found)


def archive_tokens(text_chars: int, record_chars: int) -> int:
    """Tokens of an archived goal: its text and its statistics."""
    return estimate(text_chars + record_chars)


def _weight(entry: tuple[str, int]) -> tuple[int, int, str]:
    word, times = entry
    return times, len(word), word


def _theme(word: str, group: Sequence[tuple[Task, frozenset[str]]]) -> ThemeView:
    """The group of a word, named by it and by what else more than half of its tasks share."""
    shared = Counter(other for _, words in group for other in words)
    others = sorted(
        (other for other, times in shared.items() if other != word and times * 2 > len(group)),
        key=lambda other: (-shared[other], other),
    )
    words = (word, *others[: THEME_WORDS - 1])
    return _outcomes(words, [task for task, _ in group])


def _outcomes(words: tuple[str, ...], tasks: Sequence[Task]) -> ThemeView:
    done = sum(task.status == "done" for task in tasks)
    failed = sum(task.status == "failed" for task in tasks)
    return ThemeView(words, len(tasks), done, failed)


def _words(text: str) -> frozenset[str]:
    """The words of a task that may name its theme; a plural is its singular."""
    words = (word for word in _WORD.findall(text.casefold()) if not word.isdigit())
    return frozenset(
        _singular(word) for word in words if len(word) >= SHORTEST_WORD and word not in _NO_THEME
    )


def _singular(word: str) -> str:
    plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plural and len(word) > SHORTEST_WORD else word
