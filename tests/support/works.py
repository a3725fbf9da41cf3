"""Goals, steps, statistics, items, facts and passages made by hand, for what is drawn of them."""

from dataclasses import replace

from memory.parts import ItemType
from memory.recall_views import FoundView, RecallView
from memory.snapshot import FileView
from memory.views import FactsView, FactView
from memory.work_views import (
    ArchiveView,
    EnvironmentView,
    ExecutionView,
    GoalView,
    ItemView,
    StepType,
    StepView,
    TaskStatus,
    TaskView,
    ThemeView,
    ToolStatsView,
    ValueView,
    WorkView,
)

AT = "2026-11-21T11:40:00.000Z"
EARLIER = "2026-11-20T09:12:00.000Z"


def task(
    id: str,
    text: str,
    status: TaskStatus = "open",
    *,
    after: tuple[str, ...] = (),
    ready: bool = False,
    progress: float = 0.0,
    error: str = "",
) -> TaskView:
    """A task below the goal."""
    return TaskView(id, text, status, progress, after, ready, AT, error)


TASKS = (
    task("t1", "list districts", "done", progress=1.0),
    task("t2", "set the budget", "done", progress=1.0),
    task("t3", "see Campo Grande", "running", after=("t1", "t2"), progress=0.4),
    task("t4", "ask about the dog", ready=True, after=("t1",)),
    task("t5", "call the agent", "failed", after=("t1",), error="the agent answers by e-mail only"),
    task("t6", "write to the agent", after=("t3", "t4")),
)


def step(id: str, type: StepType, text: str, *, success: bool = True, **found: str) -> StepView:
    """A step of execution memory."""
    sure = 0.8 if type == "reasoning" else None
    return StepView(id, type, "t3", text, success, found, sure, AT)


STEPS = (
    step("s1", "reasoning", "the yellow line ends at Odivelas", metro="yellow line"),
    step("s2", "tool_execution", "fetch_page campo-grande.example", rent="€1,080", dogs="welcome"),
    step("s3", "tool_execution", "read_file notes/flats.md", success=False),
    step("s4", "replanning", "list the files first"),
    step("s5", "validation", "the rent is below the budget"),
)


def execution(id: str, tool: str, number: int, *, error: str = "") -> ExecutionView:
    """A tool that was executed."""
    result = error or f"4.1k characters, kept as c{number}"
    return ExecutionView(
        id, tool, '{"path": "notes/flats.md"}', result, not error, error, AT, 0.2, number
    )


ARCHIVE = ArchiveView(
    id="g1",
    text="Open a bank account",
    status="completed",
    ended_at=EARLIER,
    executions=12,
    success_rate=11 / 12,
    by_tool={"fetch_page": 9, "read_file": 3},
    errors={"Timeout": 1},
    first_at=EARLIER,
    last_at=EARLIER,
    themes=(ThemeView(("bank", "account"), 4, 3, 1),),
    context="The bank wants a tax number first.",
    tokens=180,
    tokens_before=2_400,
)

WORK = WorkView(
    goal=GoalView("g2", "Rent a flat in Lisbon before 1 April", AT, executions=7, failures=1),
    tasks=TASKS,
    context="The agent answers by e-mail only.",
    notes=(("n1", "The agent answers by e-mail only."),),
    values=(
        ValueView("budget", "number", "1100"),
        ValueView("districts", "list", "Lumiar, Benfica"),
    ),
    executions=(
        execution("s3", "read_file", 14, error="NoSuchFile"),
        execution("s2", "fetch_page", 12),
    ),
    archives=(ARCHIVE,),
    completed=1,
    current_task="t3",
    steps=STEPS,
    success_patterns={"fetch_page t3": 3},
    error_patterns={"NoSuchFile": "list_files before read_file", "Timeout": ""},
    plan_changes=1,
    insights=3,
    tokens=1_240,
    archived_tokens=180,
    tools=ToolStatsView(
        total=31,
        failures=2,
        by_tool={"fetch_page": 18, "read_file": 12, "run_command": 1},
        failures_by_tool={"read_file": 2},
        seconds_by_tool={"fetch_page": 22.4, "read_file": 0.4, "run_command": 3.1},
    ),
    environment=EnvironmentView("/home/ada/flats", 9_400, 61.0, AT),
)


def item(
    number: int, type: ItemType, source: str, chars: int, digest: str = "", **others: object
) -> ItemView:
    """A stored item."""
    return ItemView(f"c{number}", type, source, chars, AT, digest=digest, **others)  # type: ignore[arg-type]


ITEMS = (
    item(5, "action_result", "read_file", 4_120, "notes/flats.md, 88 lines", in_prompt="full"),
    item(
        4, "web_content", "fetch_page", 31_800, "Campo Grande: flats to rent", in_prompt="receipt"
    ),
    item(3, "pasted_text", "user", 2_400_000, "a log with 31,000 lines", in_prompt="receipt"),
    item(2, "custom", "user", 210, "what the agent said", tags=("agent", "flat")),
    item(1, "action_result", "run_command", 96),
)
"""The newest first."""


FILES = (
    FileView("/home/ada/flats/AGENT.md", 312, 1_180, False, AT, ""),
    FileView(
        "/home/ada/flats/MEMORY.md",
        2_204,
        9_012,
        True,
        EARLIER,
        "is cut to the first 8,950 characters of 31 kB (memory_file_chars)",
        2,
    ),
    FileView(
        "/home/ada/flats/.agent-context.md", 0, 0, False, None, "is a folder, and is not read"
    ),
)


def fact(number: int, text: str, importance: float, *conflicts: str) -> FactView:
    """Something that is known."""
    id = f"f{number}"
    known = FactView(id, text, True, False, importance, "user", None, AT, AT, None)
    return replace(known, conflicts_with=conflicts)


FACTS = FactsView(
    live=4,
    ended=2,
    pinned=1,
    shown=(
        replace(fact(1, "They move to Lisbon in April with a dog, Biscuit.", 0.8), pinned=True),
        replace(fact(4, "The agent answers by e-mail only, and never by phone.", 0.8), confirmed=2),
        fact(6, "The budget is €1,100 a month.", 0.7, "f7"),
        fact(7, "The budget may be €1,200 a month where heating is in it.", 0.6),
    ),
)


def passage(number: int, text: str, score: float, why_not: str = "") -> FoundView:
    """A message of this session that was found."""
    return FoundView(
        passage=number,
        kind="message",
        role="user",
        at=EARLIER,
        here=True,
        session="s",
        number=number,
        origin="user",
        score=score,
        text=text,
        tokens=42,
        parts={"words": score / 2, "meaning": score / 3, "recency": score / 6, "long": -0.4},
        why_not=why_not,
    )


FOUND_FACT = replace(
    passage(9, "The budget is €1,100 a month.", 5.1), kind="fact", number=0, session="", here=False
)
ELSEWHERE = replace(
    passage(88, "1,240 is too much for me.", 7.1), role="assistant", here=False, session="t"
)
IMPORTED = replace(
    passage(12, "Rents of 2025", 4.0), kind="content", role="tool", number=0, origin="import"
)
RECALLED = RecallView(
    number=201,
    facts=(FOUND_FACT,),
    texts=(
        passage(74, "No pets in Saldanha, sorry: the owner was quite clear about it.", 8.3),
        ELSEWHERE,
        IMPORTED,
    ),
    left_out=(
        passage(60, "Thanks!", 2.9, "it has too little to do with the message"),
        passage(61, "Alvalade is quiet and green.", 4.4, "the budget is used up"),
    ),
    budget=2_000,
    tokens=412,
    meaning=True,
    duration_s=0.12,
)
