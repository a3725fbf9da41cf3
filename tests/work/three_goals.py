"""S2's long run: three goals with 50, 75 and 30 tool calls, as plain data and as a run of it."""

import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memory.memory import Memory
from memory.parts import WorkCaps
from memory.work_caps import archived_tokens, context_chars, session_tokens

TOOLS = ("load_building", "get_elements", "query_elements", "measure_distance")
GOALS = (
    ("Count the doors of the building", "doors", 50),
    ("Check the fire exits against the rules", "exits", 75),
    ("Analyse the windows of the facade", "windows", 30),
)
FAILS_EVERY = 16
ERRORS = ("FileNotFound", "BadArguments")


@dataclass(frozen=True)
class Call:
    """A tool call of the run."""

    tool: str
    arguments: str
    result: str
    ok: bool
    error: str


@dataclass(frozen=True)
class Ended:
    """What the archiving of a goal has cost and saved."""

    goal: str
    operations: int
    ms: float
    """Milliseconds until it was on disk."""
    cpu_ms: float
    tokens_before: int
    tokens: int
    detailed: int
    """Tokens of the details that were still there: the rest had become counts already."""

    @property
    def saved(self) -> float:
        """Share of the tokens that are gone."""
        return 1 - self.tokens / self.tokens_before


def calls(subject: str, count: int) -> list[Call]:
    """So many calls about a subject, every sixteenth a failure."""
    made = []
    for n in range(1, count + 1):
        ok = n % FAILS_EVERY != 0
        floor = n % 3 + 1
        made.append(
            Call(
                tool=TOOLS[n % len(TOOLS)],
                arguments=json.dumps({"floor": floor, "kind": subject, "page": n}),
                result=f"Floor {floor} has {n * 3} {subject}; the widest measures {90 + n} cm."
                if ok
                else f"There is no page {n} of {subject}.",
                ok=ok,
                error="" if ok else ERRORS[n // FAILS_EVERY % 2],
            )
        )
    return made


async def work_on(memory: Memory, subject: str, operations: Sequence[Call]) -> None:
    """Five tasks, ten notes and the calls of a goal; caps are checked after each."""
    tasks = [
        await memory.tasks.add(f"Look at the {subject} of floor {floor}") for floor in (1, 2, 3)
    ]
    tasks.append(await memory.tasks.add(f"Compare the {subject}", [task.id for task in tasks]))
    last = await memory.tasks.add("Write the report", [tasks[-1].id])
    share = len(operations) // 5
    for place, task in enumerate((*tasks, last)):
        await memory.tasks.start(task.id)
        for call in operations[place * share : (place + 1) * share]:
            await memory.execution.ran(
                tool=call.tool,
                arguments=call.arguments,
                result=call.result,
                ok=call.ok,
                error=call.error,
                duration_s=0.1,
            )
            assert_caps(memory)
        for note in (1, 2):
            await memory.notebook.note(
                f"Note {note} of {task.id}: the {subject} of this floor were measured twice, "
                "since the first plan showed another scale than the building has."
            )
        await memory.tasks.finish(task.id)
        assert_caps(memory)


async def long_run(memory: Memory) -> list[Ended]:
    """The three goals one after the other; the third stays active."""
    ended: list[Ended] = []
    for text, subject, count in GOALS:
        standing = memory.state.work
        detailed = session_tokens(standing) - archived_tokens(standing)
        started, worked = time.perf_counter(), time.process_time()
        change = await memory.goals.set(text)
        spent = 1_000 * (time.perf_counter() - started)
        cpu = 1_000 * (time.process_time() - worked)
        if change.ended is not None:
            archive = change.ended
            before = GOALS[len(ended)]
            sizes = (archive.tokens_before, archive.tokens, detailed)
            ended.append(Ended(before[0], before[2], spent, cpu, *sizes))
        await work_on(memory, subject, calls(subject, count))
    return ended


def assert_caps(memory: Memory) -> None:
    """Every cap of GOAL-5 holds."""
    work, caps = memory.state.work, memory.state.rules.work
    check_caps(memory, caps)
    assert work.counts.executions >= len(work.executions)


def check_caps(memory: Memory, caps: WorkCaps) -> None:
    """Every cap holds in the state as it is."""
    work = memory.state.work
    assert session_tokens(work) <= caps.session_tokens
    assert archived_tokens(work) <= caps.archive_tokens
    assert len(work.archives) <= caps.archives
    assert len(work.executions) <= caps.executions
    assert sum(task.status == "failed" for task in work.tasks) <= caps.failed_tasks
    assert context_chars(work) <= caps.context_chars
    assert len(work.steps.taken) <= 100


def statistics_of(subject: str, count: int) -> dict[str, object]:
    """What an archive must say of the calls."""
    made = calls(subject, count)
    failures = [call for call in made if not call.ok]
    return {
        "executions": count,
        "success_rate": round((count - len(failures)) / count, 4),
        "by_tool": dict(Counter(call.tool for call in made)),
        "errors": dict(Counter(call.error for call in failures)),
    }
