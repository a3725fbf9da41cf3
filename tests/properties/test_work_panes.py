"""The panes of working memory, content and tools as pure functions, over random works (VIEW-1)."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memory.work_views import (
    ArchiveView,
    EnvironmentView,
    GoalView,
    ItemView,
    StepView,
    TaskView,
    ToolStatsView,
    ValueView,
    WorkView,
)
from tests.properties.depth import PURE
from tests.support.snapshots import snapshot_of
from tests.support.works import ARCHIVE, AT
from widgets.panes.aside import Out, places
from widgets.panes.content import content_rows
from widgets.panes.fitting import paragraph, thin_bar
from widgets.panes.goals import goal_rows
from widgets.panes.steps import step_rows
from widgets.panes.task_tree import task_tree
from widgets.panes.tools import tool_rows

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
WIDTHS = st.integers(6, 140)
TEXT = st.one_of(
    st.text(max_size=60),
    st.sampled_from(["漢字" * 30, "👩‍💻❤️" * 9, "a\u0301" * 40, "\x1b[31m\u202e", "word " * 40, ""]),
)
SHARE = st.floats(0, 1)
IDS = st.sampled_from([f"t{number}" for number in range(9)])
TASKS = st.lists(
    st.builds(
        TaskView,
        id=IDS,
        text=TEXT,
        status=st.sampled_from(["open", "running", "done", "failed"]),
        progress=SHARE,
        after=st.lists(IDS, max_size=4).map(tuple),
        ready=st.booleans(),
        updated_at=st.just(AT),
        error=TEXT,
    ),
    max_size=9,
).map(tuple)
STEPS = st.lists(
    st.builds(
        StepView,
        id=IDS,
        type=st.sampled_from(["reasoning", "tool_execution", "validation", "replanning"]),
        task=IDS,
        description=TEXT,
        success=st.booleans(),
        discovered=st.dictionaries(TEXT, TEXT, max_size=3),
        confidence=st.none() | SHARE,
        at=st.just(AT),
    ),
    max_size=5,
).map(tuple)
NUMBERS = st.integers(0, 3_000_000)
TOOLS = st.builds(
    ToolStatsView,
    total=NUMBERS,
    failures=NUMBERS,
    by_tool=st.dictionaries(TEXT, NUMBERS, min_size=1, max_size=4),
    failures_by_tool=st.dictionaries(TEXT, NUMBERS, max_size=4),
    seconds_by_tool=st.dictionaries(TEXT, st.floats(0, 1e5), max_size=4),
)
ENVIRONMENTS = st.none() | st.builds(
    EnvironmentView,
    workspace=TEXT,
    memory_used_mb=st.none() | NUMBERS,
    disk_used_percent=st.none() | st.floats(0, 100),
    at=st.just(AT),
)
ARCHIVES = st.lists(st.builds(lambda text: replace(ARCHIVE, text=text), TEXT), max_size=3).map(
    tuple
)
WORKS = st.builds(
    WorkView,
    goal=st.none() | st.builds(GoalView, st.just("g"), TEXT, st.just(AT), NUMBERS, NUMBERS),
    tasks=TASKS,
    context=TEXT,
    values=st.lists(
        st.builds(ValueView, TEXT, st.sampled_from(["count", "text", "json"]), TEXT), max_size=3
    ).map(tuple),
    archives=ARCHIVES,
    current_task=IDS,
    steps=STEPS,
    success_patterns=st.dictionaries(TEXT, NUMBERS, max_size=3),
    error_patterns=st.dictionaries(TEXT, TEXT, max_size=3),
    tokens=st.integers(0, 13_000),
    archived_tokens=st.integers(0, 7_000),
    tools=TOOLS,
    environment=ENVIRONMENTS,
)
ITEMS = st.lists(
    st.builds(
        ItemView,
        id=st.integers(1, 99_999).map("c{}".format),
        type=st.sampled_from(["action_result", "web_content", "pasted_text", "code", "custom"]),
        source=TEXT,
        chars=NUMBERS,
        at=st.just(AT),
        digest=TEXT,
        in_prompt=st.sampled_from(["full", "receipt", "no"]),
    ),
    max_size=6,
).map(tuple)
EMPTY = snapshot_of()


@PURE
@given(WORKS, ITEMS, WIDTHS)
def test_no_row_is_wider_than_its_pane(
    work: WorkView, items: tuple[ItemView, ...], width: int
) -> None:
    """VIEW-1: whatever is written in them, and every row has a key or none."""
    snapshot = replace(EMPTY, work=work, items=items)
    for rows in (goal_rows, step_rows, content_rows, tool_rows):
        view = rows(snapshot, width, NOW)
        assert len(view.keys) in (0, len(view.rows))
        assert view.rows
        for row in view.rows:
            assert cell_len(row.text) <= width
            assert "\n" not in row.text
            assert "\x1b" not in row.text


@PURE
@given(TASKS)
def test_a_tree_has_each_task_once_and_below_what_it_waits_for(tasks: tuple[TaskView, ...]) -> None:
    """GOAL-2: a task stands one step deeper than the one above it that it waits for."""
    tree = task_tree(tasks)
    known = {task.id: task for task in tasks}

    assert sorted(branch.task.id for branch in tree) == sorted(known)
    above: dict[int, str] = {}
    for branch in tree:
        waits = {id for id in branch.task.after if id in known} - {branch.task.id}
        beside = {other.id for other in branch.beside}
        if branch.depth:
            assert above[branch.depth - 1] in waits
            assert beside == waits - {above[branch.depth - 1]}
        else:
            assert beside == waits
        above[branch.depth] = branch.task.id


@PURE
@given(TEXT, WIDTHS, st.integers(1, 4))
def test_paragraphs_have_as_many_rows_as_they_may(text: str, width: int, most: int) -> None:
    """VIEW-1: what is left out is said to be."""
    whole, part = paragraph(text, width), paragraph(text, width, most=most)
    assert len(part) == min(most, len(whole))
    if len(part) < len(whole):
        assert part[-1].text.endswith("…")


@PURE
@given(SHARE, st.integers(0, 60))
def test_bars_are_as_long_as_asked(share: float, cells: int) -> None:
    """VIEW-1: true to the share, with at least a cell for what is not empty."""
    full, free = thin_bar(share, cells, "working")
    assert len(full.text) + len(free.text) == cells
    if cells:
        assert bool(full.text) is (share > 0)


@PURE
@given(st.lists(st.builds(Out, TEXT, TEXT, st.booleans()), max_size=6), st.integers(0, 60))
def test_names_aside_stand_beside_each_other(panes: list[Out], width: int) -> None:
    """VIEW-1: in their order, none cut."""
    found = places(panes, width)
    assert [Out(named.kind, named.title, named.full) for named in found] == panes[: len(found)]
    assert all(named.end <= width for named in found)


def test_an_archive_of_nothing_is_told() -> None:
    """GOAL-4: a goal for which nothing was run has no rate."""
    bare = replace(ARCHIVE, executions=0)
    assert isinstance(bare, ArchiveView)
    work = WorkView(archives=(bare,))
    rows = goal_rows(replace(EMPTY, work=work), 60, NOW).rows
    assert "nothing run" in rows[-1].text
