"""The part of the fold that is execution memory: the steps of the current task (GOAL-6)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memory.work_events import StepTaken, ToolExecuted
from memory.work_parts import ErrorPattern, Found, Step

MOST_STEPS = 100
"""First in, first out (S2)."""
MOST_FOUND = 100
"""Different pieces of context of one task."""
MOST_PATTERNS = 50
"""Combinations of tool and task, and kinds of failure, that are remembered; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps of the current task, and the patterns that outlast it."""

    task: str = ""
    """Id of the task that was started last and is running; empty for none."""
    taken: tuple[Step, ...] = ()
    """Oldest first."""
    count: int = 0
    """Steps ever taken."""
    found: tuple[Found, ...] = ()
    """What was discovered under this task, each once."""
    insights: int = 0
    """Different pieces of context that were discovered in the session."""
    plan_changes: int = 0
    successes: dict[str, int] = field(default_factory=dict)
    """Executions that went well, by tool and task (`read_file t1`)."""
    errors: tuple[ErrorPattern, ...] = ()

    def started(self, task: str) -> "Steps":
        """A task was started: the steps of the one before are gone."""
        return replace(self, task=task, taken=(), found=())

    def left(self, task: str) -> "Steps":
        """A task is no longer running."""
        return replace(self, task="") if self.task == task else self

    def stepped(self, event: StepTaken, at: str) -> "Steps":
        """One more step."""
        step = Step(
            id=f"s{self.count + 1}",
            type=event.type,
            task=self.task,
            text=event.text,
            success=event.success,
            at=at,
            found=event.found,
            confidence=event.confidence,
        )
        return replace(
            self._with(step),
            found=(*self.found, *event.found)[-MOST_FOUND:],
            insights=self.insights + len(event.found),
            plan_changes=self.plan_changes + (event.type == "replanning"),
        )

    def executed(self, event: ToolExecuted, under: str, at: str) -> "Steps":
        """A tool was executed: a step, and a pattern.

        Args:
            event: The execution.
            under: The task, or else the goal, that it served; empty where there was neither.
            at: When it was.
        """
        step = Step(
            id=f"s{self.count + 1}",
            type="tool_execution",
            task=self.task,
            text=event.result,
            success=event.ok,
            at=at,
            tool=event.tool,
        )
        done = self._with(step)
        if event.ok:
            key = f"{event.tool} {under}".strip()
            return replace(
                done,
                successes=counted(self.successes, key, MOST_PATTERNS),
                errors=tuple(_solved(pattern, event, under) for pattern in self.errors),
            )
        return replace(done, errors=_failed(self.errors, event, under))

    def _with(self, step: Step) -> "Steps":
        taken = (*self.taken, step)[-MOST_STEPS:]
        return replace(self, taken=taken, count=self.count + 1)


def counted(counts: Mapping[str, int], key: str, most: int) -> dict[str, int]:
    """The counts with one more of `key`; beyond `most` keys the one that came first goes."""
    counts = {**counts, key: counts.get(key, 0) + 1}
    if len(counts) > most:
        counts.pop(next(iter(counts)))
    return counts


def _solved(pattern: ErrorPattern, event: ToolExecuted, under: str) -> ErrorPattern:
    if pattern.waiting and pattern.tool == event.tool and pattern.under == under:
        return replace(pattern, waiting=False, solved=event.arguments)
    return pattern


def _failed(
    patterns: tuple[ErrorPattern, ...], event: ToolExecuted, under: str
) -> tuple[ErrorPattern, ...]:
    same = [p for p in patterns if p.tool == event.tool and p.error == event.error]
    others = tuple(p for p in patterns if p not in same)
    if same:
        newest = replace(same[0], times=same[0].times + 1, under=under, waiting=True)
    else:
        newest = ErrorPattern(event.tool, event.error, 1, under, waiting=True)
    return (*others, newest)[-MOST_PATTERNS:]
