"""Goals, steps, stored content and tools beside the conversation (VIEW-1, GOAL-2 to 8, CONT-1)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memory.work_views import ItemView, ToolStatsView, WorkView
from tests.support.snapshots import snapshot_of, talk
from tests.support.works import FACTS, FILES, ITEMS, RECALLED, STEPS, TASKS, WORK, item, task
from tests.tui.test_panes import shown
from widgets.panes.aside import Aside, places
from widgets.panes.content import content_rows
from widgets.panes.goals import goal_rows
from widgets.panes.steps import step_rows
from widgets.panes.task_tree import task_tree
from widgets.panes.tools import tool_rows
from widgets.panes.view import PaneView

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
WIDTH = 34
EMPTY = snapshot_of(talk(1, [40, 60]))


def texts(view: PaneView) -> list[str]:
    return [row.text.rstrip() for row in view.rows]


def goals(work: WorkView, width: int = WIDTH) -> PaneView:
    return goal_rows(replace(EMPTY, work=work), width, NOW)


def line_of(rows: Sequence[str], words: str) -> str:
    (found,) = [row for row in rows if words in row]
    return found


# -- goals


def test_each_task_stands_once_below_what_it_waits_for() -> None:
    """GOAL-2: below the last of its dependencies; the others are named."""
    tree = {branch.task.id: branch for branch in task_tree(TASKS)}

    assert list(tree) == ["t1", "t4", "t6", "t5", "t2", "t3"]
    assert {id: branch.depth for id, branch in tree.items()} == {
        "t1": 0, "t4": 1, "t6": 2, "t5": 1, "t2": 0, "t3": 1,
    }  # fmt: skip
    assert [other.id for other in tree["t6"].beside] == ["t3"]


def test_tasks_that_wait_for_what_is_gone_stand_at_the_root() -> None:
    """GOAL-2: what was pruned holds nothing up; a circle would hide nothing."""
    odd = (task("a", "a", after=("gone", "a")), task("b", "b", after=("c",)),
           task("c", "c", after=("b",)))  # fmt: skip
    assert [(branch.task.id, branch.depth) for branch in task_tree(odd)] == [
        ("a", 0), ("b", 0), ("c", 0),
    ]  # fmt: skip


def test_marks_tell_what_is_ready_running_done_and_failed() -> None:
    """VIEW-1, GOAL-2: by sign and word, not by hue alone."""
    rows = texts(goals(WORK))

    assert rows[0] == "● Rent a flat in Lisbon before 1"
    assert rows[2].endswith(" 40 %")
    assert line_of(rows, "list districts") == "✓ list districts"
    assert line_of(rows, "ask about").split() == ["○", "ask", "about", "the", "dog", "ready"]
    assert line_of(rows, "✗ call") == "  ✗ call the agent"
    assert "    the agent answers by e-mail" in rows
    assert "    · write to the agent" in rows
    assert "      and after see Campo Grande" in rows
    assert line_of(rows, "▸ see").endswith("40 %")
    assert line_of(rows, "budget ").split() == ["budget", "1100", "number"]
    assert line_of(rows, "Open a bank").endswith("12 runs 92 %")


def test_rows_open_what_they_show() -> None:
    """VIEW-1: goal, task, value and archive each have a key of their own."""
    keys = [key for key in dict.fromkeys(goals(WORK).keys) if key]

    assert keys[:2] == ["goal", "task:t1"]
    assert keys[-3:] == ["value:districts", "note:n1", "archive:g1"]


@pytest.mark.parametrize(
    ("tokens", "level", "begins"),
    [(9_999, "", "2 of 6 done"), (10_000, "note", "10.0k of"), (12_000, "lost", "12.0k of")],
)
def test_caps_are_told_before_they_are_passed(tokens: int, level: str, begins: str) -> None:
    """GOAL-5: the warning begins at 10,000 tokens of 12,000."""
    view = goals(replace(WORK, tokens=tokens))

    assert view.level == level
    assert view.figures.startswith(begins)
    assert any("nearly full" in row for row in texts(view)) is bool(level)


def test_a_full_archive_is_told() -> None:
    """GOAL-5: archived goals have 6,000 tokens."""
    view = goals(replace(WORK, archived_tokens=6_100))
    assert view.level == "lost"
    assert "ended 6.1k of 6.0k" in view.figures


def test_ended_goals_stay_when_none_is_active() -> None:
    """GOAL-4: with when they ended, where there is room."""
    view = goals(WorkView(archives=WORK.archives, completed=1), 60)
    assert texts(view)[0].startswith("No goal now: @goal TEXT")
    assert texts(view)[-1].split()[-5:-3] == ["92", "%"]
    assert view.figures.startswith("1 goal ended")


# -- the others


def test_steps_stand_newest_on_top_with_what_they_found() -> None:
    """GOAL-6: type, what, success, seconds; discovered context; patterns counted."""
    view = step_rows(replace(EMPTY, work=WORK), WIDTH, NOW)
    rows = texts(view)

    assert rows[0] == "▸ see Campo Grande"
    assert rows[1].startswith("V ✓ the rent is below")
    assert line_of(rows, "T ✗").endswith("0.2 s")
    assert "    rent €1,080 · dogs welcome" in rows
    assert line_of(rows, "↑").endswith("×3")
    assert "solved by list_fi" in line_of(rows, "no such file:")
    assert line_of(rows, "took too long").endswith("not solved yet")
    assert view.figures == "5 steps · 1 failed · 1 new plan · 3 insights"
    assert view.keys[0] == "task:t3"
    assert view.keys[1] == f"step:{STEPS[-1].id}"


def test_items_tell_size_age_and_how_the_prompt_shows_them() -> None:
    """CONT-1: the newest first; the unit stands once, in the border."""
    snapshot = replace(EMPTY, items=ITEMS, content_items=34, content_chars=3_100_000)
    rows = texts(content_rows(snapshot, 60, NOW))

    assert rows[0].startswith("● c5 result read_file · notes/flats.md, 88 lin…")
    assert rows[0].endswith(" 4.1k 20 min")
    assert [row[0] for row in rows[:-1]] == ["●", "◐", "◐", "○", "○"]
    assert rows[2].split()[-3:] == ["2.4M", "20", "min"]
    assert rows[-1] == "29 older"
    view = content_rows(snapshot, WIDTH, NOW)
    assert view.figures == "34 items · 3.1M characters"
    assert view.keys == ("c5", "c4", "c3", "c2", "c1", "")


def test_tools_tell_calls_failures_seconds_and_where_they_work() -> None:
    """GOAL-7: the tool called most first, with a bar true to it."""
    view = tool_rows(replace(EMPTY, work=WORK), 50, NOW)
    rows = texts(view)

    assert [row.split()[0] for row in rows[:3]] == ["fetch_page", "read_file", "run_command"]
    assert rows[0].count("━") > rows[1].count("━") > rows[2].count("━") > 0
    assert rows[1].endswith("12 2 failed 0.4 s")
    assert rows[3] == "/home/ada/flats"
    assert rows[4].startswith("memory 9.4 GB · disk 61 %")
    assert view.figures == "31 calls · 2 failed"


def test_the_end_of_a_long_workspace_is_seen() -> None:
    """GOAL-7: the folder itself says more than its root."""
    assert WORK.environment is not None
    far = replace(WORK.environment, workspace="/home/ada/" + "deep/" * 20 + "flats")
    rows = texts(tool_rows(replace(EMPTY, work=replace(WORK, environment=far)), WIDTH, NOW))
    assert rows[3].startswith("…")
    assert rows[3].endswith("/flats")


@pytest.mark.parametrize("rows", [goal_rows, step_rows, content_rows, tool_rows])
def test_empty_panes_say_what_will_stand_there(rows: object) -> None:
    """VIEW-1: one dim sentence."""
    view = rows(EMPTY, WIDTH, NOW)  # type: ignore[operator]
    assert {piece.ink for row in view.rows for piece in row.pieces} == {"dim"}
    assert "will" in " ".join(texts(view))


# -- on the screen

FULL = replace(EMPTY, work=WORK, items=ITEMS, content_items=5, files=FILES)
FULL = replace(FULL, facts=FACTS, recalled=RECALLED)


async def test_panes_without_anything_stand_aside() -> None:
    """VIEW-1: their names stand in one line, and a click brings one."""
    async with shown(EMPTY) as (app, pilot):
        panes = app.panes
        assert panes.visible_names == ("long_term", "short_term", "window", "timeline")
        aside = app.query_one(Aside)
        assert aside.line == "also goals · recalled · facts +4"
        (spot,) = [place for place in places(aside.panes, 36) if place.kind == "facts"]
        await pilot.click(aside, offset=(spot.start + 2, 0))
        await pilot.pause()
        assert app.focused is app.pane("facts")
        assert aside.line == "also goals · recalled · steps +3"
        await pilot.press("delete")
        assert "facts" not in panes.visible_names


async def test_panes_come_when_there_is_something_to_show() -> None:
    """VIEW-1: goals at any width, the rest beside them where there are two columns."""
    async with shown(EMPTY, size=(80, 60), columns=2) as (app, pilot):
        panes = app.panes
        panes.show(FULL)
        await pilot.pause()
        assert panes.visible_names == panes.names
        assert not app.query_one(Aside).display
        assert app.pane("steps").region.x > app.pane("working").region.right


@pytest.mark.parametrize(
    ("rows", "out"),
    [
        (34, ("steps", "files", "content", "tools")),
        (46, ("files", "content", "tools")),
        (56, ("tools",)),
        (62, ()),
    ],
)
async def test_one_column_has_as_many_panes_as_have_room(rows: int, out: tuple[str, ...]) -> None:
    """VIEW-1: facts are among those that are always there; the others are named."""
    async with shown(FULL, size=(38, rows)) as (app, pilot):
        panes = app.panes
        await pilot.pause()
        assert [name for name in panes.names if name not in panes.visible_names] == [*out]
        assert app.query_one(Aside).line == (f"also {' · '.join(out)}" if out else "")
        assert panes.virtual_size.height <= panes.size.height
        panes.show(EMPTY)
        await pilot.pause()
        assert "facts" not in panes.visible_names


async def test_what_is_below_is_named() -> None:
    """VIEW-1: with what it is called, first; a drawer has all that have something to show."""
    async with shown(FULL, size=(38, 24)) as (app, pilot):
        await pilot.pause()
        assert app.query_one(Aside).line.startswith("also facts · compactions · ")
        app.panes.arrange_columns(1, all_asked=True)
        await pilot.pause()
        assert app.panes.visible_names == app.panes.names


async def test_what_was_hidden_stays_hidden_until_all_are_wanted() -> None:
    """VIEW-1: a pane that is filled does not come back by itself."""
    async with shown(FULL) as (app, pilot):
        panes = app.panes
        panes.focus_pane("working")
        await pilot.press("delete")
        panes.show(replace(FULL, work=replace(WORK, tokens=1_300)))
        await pilot.pause()
        assert "working" not in panes.visible_names
        panes.show_all()
        assert "working" in panes.visible_names
        assert "tools" not in panes.visible_names


async def test_an_enlarged_pane_is_alone() -> None:
    """VIEW-1: with all of its rows and figures."""
    async with shown(FULL, size=(100, 40)) as (app, pilot):
        app.panes.enlarge("tools")
        await pilot.pause()
        assert app.pane("tools").outer_size == app.size
        assert not app.query_one(Aside).display
        app.panes.enlarge(None)
        await pilot.pause()
        assert app.pane("tools").display


async def test_a_warning_stands_in_the_border_in_its_hue() -> None:
    """GOAL-5: near the cap."""
    async with shown(replace(FULL, work=replace(WORK, tokens=10_400))) as (app, _):
        pane = app.pane("working")
        assert pane.has_class("-figures-note")
        assert pane.figures.startswith("10.4k of 12.0k tok")


async def test_steering_characters_change_nothing() -> None:
    """ALL-8: what users, tools and models wrote is never markup and never control."""
    odd = "[b]x[/b]\x1b[31m\u202e"
    work = replace(
        WORK,
        tasks=(task("t1", odd, "failed", error=odd),),
        steps=(replace(STEPS[0], description=odd, discovered={odd: odd}),),
        tools=ToolStatsView(1, 1, {odd: 1}, {odd: 1}, {odd: 0.1}),
    )
    items: tuple[ItemView, ...] = (item(1, "custom", odd, 3, odd),)
    snapshot = replace(FULL, work=work, items=items)
    for rows in (goal_rows, step_rows, content_rows, tool_rows):
        told = "".join(texts(rows(snapshot, 60, NOW)))
        assert "\x1b" not in told
        assert "\u202e" not in told
        assert "[b]x[/b]" in told
