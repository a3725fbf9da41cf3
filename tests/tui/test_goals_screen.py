"""The goals screen: goal and tasks seen whole and corrected by hand (GOAL-1 to 8, VIEW-1)."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.cells import cell_len

from app.palette import Palette
from app.screens.asking import Asking
from app.screens.chat import ChatScreen
from app.screens.content import ContentScreen
from app.screens.goals import GoalsScreen
from app.screens.goals_detail import detail_rows, title_of
from app.screens.goals_list import first_key, list_rows
from app.screens.goals_words import command_for, question_for
from app.screens.travel import TravelScreen
from memory.wish import Wish
from memory.work_views import WorkView
from tests.support.snapshots import snapshot_of
from tests.support.works import WORK
from tests.tui.conftest import Chat, OpenChat
from tests.tui.deeds import WIDE
from tests.tui.deeds_in_content import store_things
from tests.tui.deeds_in_goals import listed, opened, said, task, work, working

pytestmark = pytest.mark.asyncio(loop_scope="session")
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
SNAPSHOT = replace(snapshot_of(), work=WORK)


def told(key: str, width: int = 60, state: WorkView = WORK) -> list[str]:
    return [row.text.rstrip() for row in detail_rows(state, key, width, NOW).rows]


# -- rows


async def test_the_list_has_all_that_belongs_to_the_goal() -> None:
    """GOAL-1 to 8: tasks with their ids, values, notes, runs, ended goals."""
    view = list_rows(SNAPSHOT, 70, NOW)
    rows = [row.text.rstrip() for row in view.rows]

    assert "  ○ t4 ask about the dog" in [row.removesuffix("ready").rstrip() for row in rows]
    assert "runs  7, 1 failed, the newest 2" in rows
    assert "ended goals  1 completed, 0 failed" in rows
    assert first_key(WORK) == "task:t3"
    assert {"goal", "task:t6", "value:budget", "note:n1", "run:s2", "archive:g1"} <= set(view.keys)


async def test_failures_are_told_in_words() -> None:
    """GOAL-3, GOAL-4: in the list of runs and where one of them is opened."""
    rows = [row.text for row in list_rows(SNAPSHOT, 70, NOW).rows]
    assert any("no such file" in row for row in rows)
    assert "came out  no such file" in told("run:s3")
    assert not any("NoSuchFile" in row for row in rows)


async def test_an_ended_goal_opens_with_its_statistics() -> None:
    """GOAL-4: executions, success rate, tools, failures, times, themes, context."""
    rows = told("archive:g1")

    assert rows[0] == "Open a bank account"
    assert "runs      12 runs 92 %" in rows
    assert any(row.startswith("fetch_page") and row.endswith(" 9") for row in rows)
    assert any(row.startswith("took too long") for row in rows)
    assert "bank account: 4, 3 done, 1 failed" in rows
    assert "The bank wants a tax number first." in rows
    assert "tokens    2.4k → 180" in rows


async def test_a_task_opens_with_what_it_waits_for_and_its_steps() -> None:
    """GOAL-2, GOAL-6: and what waits for it."""
    rows = told("task:t3")

    assert "waits for t1 list districts ✓, t2 set the budget ✓" in rows
    assert "before    t6 write to the agent" in rows
    assert any(row.startswith("V ✓ the rent is below") for row in rows)
    assert "the agent answers by e-mail only" in told("task:t5")
    assert "waits for t1 (gone)" in told("task:t4", state=replace(WORK, tasks=WORK.tasks[3:4]))


async def test_a_run_opens_with_arguments_and_result() -> None:
    """GOAL-3: name, arguments, result, success, error, time, duration."""
    rows = told("run:s3")
    assert "came out  no such file" in rows
    assert "took      0.2 s" in rows
    assert '{"path": "notes/flats.md"}' in rows
    assert "message   14" in rows


@pytest.mark.parametrize("width", [8, 20, 47, 130])
async def test_rows_keep_to_their_width(width: int) -> None:
    """VIEW-1: any text; what is gone is nothing."""
    odd = "漢字[b]👩‍💻 \x1b[31m\u202e" * 9
    archive = replace(WORK.archives[0], text=odd, context=odd, by_tool={odd: 2}, errors={odd: 1})
    runs = tuple(replace(run, tool=odd, arguments=odd, error=odd) for run in WORK.executions)
    state = replace(WORK, archives=(archive,), executions=runs, notes=(("n1", odd),))
    view = list_rows(replace(SNAPSHOT, work=state), width, NOW)
    rows = [*view.rows]
    for key in {key for key in view.keys if key}:
        assert title_of(key)
        rows += detail_rows(state, key, width, NOW).rows
    assert all(cell_len(row.text) <= width for row in rows)
    assert not any("\x1b" in row.text or "\u202e" in row.text for row in rows)
    assert not detail_rows(state, "task:gone", width, NOW).rows
    assert not detail_rows(state, None, width, NOW).rows


async def test_each_deed_is_a_command() -> None:
    """GOAL-8: what a key does here can be typed in the chat."""
    assert command_for("set", "task:t1", "Rent") == "@goal set Rent"
    assert command_for("finish", "goal", "") == "@goal done"
    assert command_for("finish", "task:t3", "") == "@task done t3"
    assert command_for("fail", "task:t3", "too late") == "@task fail t3 too late"
    assert command_for("after", "task:t3", "") == "@task after t3 none"
    assert command_for("edit", "value:budget", "900") == "@value budget=900"
    assert command_for("remove", "note:n1", "") == "@note remove n1"
    assert command_for("reopen", "archive:g1", "") == "@goal reopen g1"
    assert command_for("edit", "goal", "") == command_for("add", "goal", "") == ""
    assert "“Rent a flat" in (question_for("finish", "goal", WORK) or "")
    assert question_for("start", "task:t3", WORK) is None


# -- on the screen


async def goals(chat: Chat, state: str = "ready") -> GoalsScreen:
    await chat.until(lambda: chat.state == state)
    await chat.press("ctrl+t")
    return await chat.over(GoalsScreen)


async def test_a_goal_is_completed_only_when_that_is_confirmed(
    open_chat: OpenChat, data: Path
) -> None:
    """GOAL-4: no is the safe answer; then it stands among the ended ones."""
    async with working(data), open_chat(size=WIDE) as chat:
        screen = await goals(chat)
        screen._list.mark("goal")
        for answer in ("n", "y"):
            await chat.press("f")
            await chat.over(Asking)
            assert "○ Rent" not in listed(screen)
            await chat.press(answer)
            await chat.over(GoalsScreen)
        await chat.until(lambda: work(screen).goal is None)
        assert "is completed and archived" in said(screen)
        assert [archive.id for archive in work(screen).archives] == ["g2", "g1"]
        await chat.until(lambda: "No goal yet" in listed(screen))


async def test_what_can_not_be_done_is_said(open_chat: OpenChat, data: Path) -> None:
    """GOAL-2: a circle is refused and named; what is not chosen is asked for."""
    async with working(data), open_chat(size=WIDE) as chat:
        screen = await goals(chat)
        screen._list.mark("task:t1")
        await chat.press("w", *"t2", "enter")
        await chat.until(lambda: "t1 → t2 → t1" in said(screen))
        assert task(screen, "t1").after == ()
        screen._list.mark("note:n1")
        await chat.press("s")
        await chat.until(lambda: said(screen) == "Choose a task first.")
        await chat.press("m")
        assert said(screen).startswith("Choose a run")


async def test_nothing_changes_where_the_line_is_left(open_chat: OpenChat, data: Path) -> None:
    """GOAL-8: Escape leaves it as it was."""
    async with working(data), open_chat() as chat:
        screen = await goals(chat)
        await chat.press("a", *"never", "escape")
        await chat.until(lambda: screen._list.has_focus)
        assert len(work(screen).tasks) == 3


async def test_a_session_that_is_only_read_is_not_changed(open_chat: OpenChat, data: Path) -> None:
    """STORE-5: it says so."""
    async with working(data), open_chat(wish=Wish(read_only=True)) as chat:
        screen = await goals(chat, "read-only")
        await chat.press("n", *"a note", "enter")
        await chat.until(lambda: "read-only" in said(screen))
        assert len(work(screen).notes) == 1


async def test_what_the_model_changes_meanwhile_is_seen(open_chat: OpenChat, data: Path) -> None:
    """VIEW-1: and what is chosen stays chosen."""
    async with working(data), open_chat(size=WIDE) as chat:
        screen = await goals(chat)
        assert screen._list.cursor == "task:t2"
        talk = chat.app._chat.talk
        assert talk is not None
        await talk._memory.tasks.add("pack the books")
        await chat.until(lambda: "pack the books" in listed(screen))
        assert screen._list.cursor == "task:t2"
        assert "see Campo Grande" in opened(screen)


async def test_without_a_goal_it_says_how_one_is_set(open_chat: OpenChat) -> None:
    """VIEW-1: and every key can be pressed."""
    async with open_chat() as chat:
        screen = await goals(chat)
        await chat.until(lambda: "No goal yet. g sets one" in listed(screen))
        await chat.press("s", "f", "x", "p", "w", "r", "e", "delete", "m", "enter")
        await chat.press("g", *"Read a book", "enter")
        await chat.until(lambda: "● Read a book" in listed(screen))
        assert "Goal g1 is set: Read a book" in said(screen)


# -- from the chat


async def test_panes_open_their_screens(open_chat: OpenChat, data: Path) -> None:
    """VIEW-1: Enter on a task, a stored item; the core's layer opens the goal's pane."""
    async with working(data), open_chat(size=(200, 60)) as chat:
        await chat.ready()
        await chat.until(lambda: "working" in chat.panes.visible_names)
        chat.app._chat._beside.open_layer("working", None)  # type: ignore[union-attr]
        pane = chat.panes.pane("working")
        await chat.until(lambda: pane.has_focus)
        pane.mark("task:t3")
        await chat.press("enter")
        screen = await chat.over(GoalsScreen)
        assert screen._list.cursor == "task:t3"
        await chat.press("escape")
        await chat.over(ChatScreen)
        talk = chat.app._chat.talk
        assert talk is not None
        await store_things(talk._memory)
        await chat.until(lambda: "content" in chat.panes.visible_names)
        chat.panes.focus_pane("content")
        await chat.until(lambda: "c2" in chat.panes.pane("content").shown.keys)
        chat.panes.pane("content").mark("c2")
        await chat.press("enter")
        stored = await chat.over(ContentScreen)
        await chat.until(lambda: stored._item is not None and stored._item.id == "c2")


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_the_palette_shows_a_pane(open_chat: OpenChat, size: tuple[int, int]) -> None:
    """VIEW-1, CHAT-7: also one that has nothing to show yet, and in the drawer."""
    async with open_chat(size=size) as chat:
        await chat.ready()
        assert "tools" not in chat.panes.visible_names
        await chat.press("ctrl+p")
        await chat.over(Palette)
        await chat.press(*"pane tools")
        await chat.pilot.pause(0.3)
        await chat.press("enter")
        await chat.over(ChatScreen)
        await chat.until(lambda: chat.panes.pane("tools").has_focus)
        assert "No tool was called yet" in chat.panes.pane("tools").shown.rows[0].text


async def test_panes_go_back_in_time(open_chat: OpenChat, data: Path) -> None:
    """VIEW-4: goals and tasks as they were; what was not there yet stands aside."""
    async with working(data), open_chat(size=(200, 60)) as chat:
        await chat.ready()
        talk = chat.app._chat.talk
        assert talk is not None
        memory = talk._memory
        await memory.add("user", "And now?")
        await memory.add("assistant", "Now we pack.")
        await memory.goals.complete()
        await memory.goals.set("Pack the books")
        await memory.add("user", "Fine.")
        await memory.add("assistant", "Yes.")
        await chat.press("f4")
        screen = await chat.over(TravelScreen)
        panes = screen._beside.panes  # type: ignore[union-attr]

        def goal() -> str:
            rows = panes.pane("working").shown.rows
            return rows[0].text if rows else ""

        await chat.until(lambda: "Pack the books" in goal())
        await chat.press("left", "left")
        await chat.until(lambda: "Rent a flat in Lisbon" in goal())
        assert "archive:g1" in panes.pane("working").shown.keys
        assert "archive:g2" not in panes.pane("working").shown.keys
        await chat.press("home")
        await chat.until(lambda: "working" not in panes.visible_names)
