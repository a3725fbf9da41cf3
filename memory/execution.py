"""What was executed, and the steps of the current task (GOAL-3, GOAL-6, GOAL-7)."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from math import isfinite

from memory import telemetry
from memory.clock import parse_time
from memory.events import Event
from memory.privacy import Door
from memory.state import State
from memory.work import Work
from memory.work_events import EnvironmentSeen, StepTaken, ToolExecuted
from memory.work_keeping import WorkError, WorkKeeping, Writing
from memory.work_parts import Environment, Found, Step
from memory.work_views import StepType
from memory.working import one_line

ARGUMENT_CHARS = 400
"""Characters of a call's arguments that are kept; the message with the call has all of them."""
RESULT_CHARS = 200
"""Characters of a result's first line that are kept; the message has all of it."""
ERROR_CHARS = 60
TOOL_CHARS = 64
LONGEST_STEP = 1_000
LONGEST_FOUND = 500
"""Characters of a step, and of one piece of context that it discovered."""
MOST_FOUND = 20
"""Pieces of context of one step."""
ENVIRONMENT_MINUTES = 10
"""Between two records of the same folder's environment."""
FAILED = "tool_failed"


class Execution:
    """Records what tools did and which steps were taken."""

    def __init__(self, keeping: WorkKeeping) -> None:
        self._keeping = keeping

    async def ran(
        self,
        *,
        tool: str,
        arguments: str,
        result: str,
        ok: bool,
        error: str = "",
        duration_s: float = 0.0,
        number: int | None = None,
    ) -> None:
        """Records that a tool was executed: below the goal, as a step, and in the statistics.

        Args:
            tool: Its name.
            arguments: What it was called with, as JSON.
            result: What came of it; one line is kept.
            ok: Whether it went well.
            error: The kind of failure, such as `FileNotFound`.
            duration_s: Seconds it took.
            number: The message with the result.

        Raises:
            StorageError: The database refused; nothing was recorded.
        """
        door = self._keeping.door
        await door.ahead(arguments, result)
        name = one_line(door.clean(tool).text, TOOL_CHARS) or "unnamed"
        kind = "" if ok else one_line(door.clean(error).text, ERROR_CHARS) or "Error"
        called = one_line(door.clean(arguments).text, ARGUMENT_CHARS)
        came = one_line(door.clean(result).text, RESULT_CHARS)

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            event = ToolExecuted(
                id=f"e{state.work.tools.total + 1}",
                tool=name,
                arguments=writing.text(called),
                result=writing.text(came),
                ok=ok,
                error=kind,
                duration_s=round(max(0.0, duration_s), 3) if isfinite(duration_s) else 0.0,
                number=number,
            )
            return (event,)

        self._tell_of(tool, duration_s, ok=ok)
        with telemetry.span("memory.execution.record", self, ok=ok):
            await self._keeping.carry_out(decide)

    @telemetry.operation("memory.execution.step")
    async def step(
        self,
        type: StepType,
        description: str,
        *,
        success: bool = True,
        discovered: Mapping[str, object] | None = None,
        confidence: float | None = None,
    ) -> Step:
        """Records a step of the current task.

        Args:
            type: What kind of step it is.
            description: What was thought, checked or planned anew.
            success: Whether it led on.
            discovered: What was found out, by name; what is known already is kept once.
            confidence: 0 to 1.

        Raises:
            WorkError: There is nothing in it, or it is too long.
            StorageError: The database refused; nothing was recorded.
        """
        text = self._keeping.checked(description, "step", LONGEST_STEP)
        pieces = _pieces(discovered or {}, self._keeping.door)
        if confidence is not None and not 0 <= confidence <= 1:
            raise WorkError("Confidence is a share from 0 to 1.")

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            known = {(f.name, writing.read(f.text)) for f in state.work.steps.found}
            found = tuple(
                Found(name, writing.text(said))
                for name, said in pieces
                if (name, said) not in known
            )
            return (StepTaken(type, writing.text(text), success, found, confidence),)

        await self._keeping.carry_out(decide)
        return self._keeping.work.steps.taken[-1]

    @telemetry.operation("memory.execution.environment")
    async def seen(
        self, *, workspace: str, memory_used_mb: int | None, disk_used_percent: float | None
    ) -> None:
        """Records where the work happens, if it has changed; figures at most every ten minutes.

        Args:
            workspace: The folder.
            memory_used_mb: Memory in use on this machine, in megabytes.
            disk_used_percent: Share of the folder's disk in use, 0 to 100.

        Raises:
            StorageError: The database refused; nothing was recorded.
        """
        now = datetime.now(UTC)
        where = self._keeping.door.clean(workspace).text

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            known = state.work.environment
            if known is not None and writing.read(known.workspace) == where:
                if _recent(known, now) or _same(known, memory_used_mb, disk_used_percent):
                    return ()
                return (EnvironmentSeen(known.workspace, memory_used_mb, disk_used_percent),)
            seen = EnvironmentSeen(writing.text(where), memory_used_mb, disk_used_percent)
            return (seen,)

        await self._keeping.carry_out(decide)

    def _tell_of(self, tool: str, seconds: float, *, ok: bool) -> None:
        """Has a span for the execution; a name that no request offers may be any text.

        Nor is the kind of error told: tools of others give it.
        """
        offered = self._keeping.journal.state.tools
        known = tool if offered is not None and tool in offered.names else None
        telemetry.past(
            f"execute_tool {known or 'unknown'}",
            self,
            seconds if isfinite(seconds) else 0.0,
            **{
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": known,
                "error.type": None if ok else FAILED,
            },
        )

    @property
    def work(self) -> Work:
        """Everything that is counted."""
        return self._keeping.work


def _pieces(discovered: Mapping[str, object], door: Door) -> list[tuple[str, str]]:
    """What was discovered as names and texts, each once."""
    pieces: dict[tuple[str, str], None] = {}
    for name, value in list(discovered.items())[:MOST_FOUND]:
        said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        key = one_line(door.clean(str(name)).text, TOOL_CHARS)
        pieces[key, one_line(door.clean(said).text, LONGEST_FOUND)] = None
    return [piece for piece in pieces if all(piece)]


def _recent(known: Environment, now: datetime) -> bool:
    return now - parse_time(known.at) < timedelta(minutes=ENVIRONMENT_MINUTES)


def _same(known: Environment, memory_used_mb: int | None, disk_used_percent: float | None) -> bool:
    return (known.memory_used_mb, known.disk_used_percent) == (memory_used_mb, disk_used_percent)
