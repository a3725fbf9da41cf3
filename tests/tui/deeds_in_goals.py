"""The keys of the goals screen, as deeds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import Static

from app.screens.asked_line import AskedInput
from app.screens.asking import Asking
from app.screens.chat import ChatScreen
from app.screens.goals import GoalsScreen
from memory import Memory
from memory.work_views import TaskView, WorkView
from tests.tui.conftest import memory_in
from tests.tui.deeds import WIDE, Doing, deed
from widgets.entries import MessageEntry


async def work_on(memory: Memory, *, messages: bool = True) -> None:
    """A goal that has ended, one with three tasks, of which one runs, a note, a value, a run."""
    if messages:
        await memory.add("user", "Help me to move.")
        await memory.add("assistant", "Gladly.")
    await memory.goals.set("Open a bank account")
    await memory.execution.ran(
        tool="fetch_page", arguments="{}", result="a page", ok=True, error="", duration_s=0.4,
        number=2,
    )  # fmt: skip
    await memory.goals.complete()
    await memory.goals.set("Rent a flat in Lisbon")
    await memory.tasks.add("list districts")
    await memory.tasks.add("see Campo Grande", ["t1"])
    await memory.tasks.add("call the agent")
    await memory.tasks.finish("t1")
    await memory.tasks.start("t2")
    await memory.notebook.note("The agent answers by e-mail.")
    await memory.notebook.set_value("budget", 1_100)
    await memory.execution.ran(
        tool="read_file", arguments='{"path": "flats.md"}', result="", ok=False,
        error="NoSuchFile", duration_s=0.1, number=2,
    )  # fmt: skip


@asynccontextmanager
async def working(data: Path) -> AsyncIterator[None]:
    """A session with a goal."""
    async with memory_in(data) as memory:
        await work_on(memory)
    yield


def work(screen: GoalsScreen) -> WorkView:
    """Working memory as the screen sees it."""
    return screen._snapshot.work


def task(screen: GoalsScreen, id: str) -> TaskView:
    return next(task for task in work(screen).tasks if task.id == id)


def listed(screen: GoalsScreen) -> str:
    """What the list says."""
    return "\n".join(row.text for row in screen._list.shown.rows)


def opened(screen: GoalsScreen) -> str:
    """What is told of the chosen row."""
    return "\n".join(row.text for row in screen._detail.shown.rows)


def said(screen: GoalsScreen) -> str:
    return str(screen.query_one("#goals-said", Static).content)


async def goals(doing: Doing, chosen: str) -> GoalsScreen:
    """Opens the screen and chooses a row."""
    await doing.chat.press("ctrl+t")
    screen = await doing.chat.over(GoalsScreen)
    await doing.chat.until(lambda: chosen in screen._list.shown.keys)
    screen._list.mark(chosen)
    screen._show_chosen()
    return screen


async def answer(doing: Doing, words: str, *, first: str = "") -> None:
    """Presses the key, and writes what is asked for."""
    await doing.press()
    field = doing.chat.screen.query_one(AskedInput)
    await doing.chat.until(lambda: field.has_focus)
    assert field.value == first
    await doing.chat.press(*["backspace"] * len(first), *words, "enter")


@deed("chat.goals", working, size=WIDE)
async def _goals(doing: Doing) -> None:
    await doing.press()
    screen = await doing.chat.over(GoalsScreen)
    await doing.chat.until(lambda: "● Rent a flat in Lisbon" in listed(screen))
    assert screen._list.cursor == "task:t2"
    assert "waits for t1 list districts ✓" in opened(screen)


@deed("goals.set", working)
async def _set(doing: Doing) -> None:
    screen = await goals(doing, "goal")
    await answer(doing, "Learn Portuguese")
    await doing.chat.until(lambda: "● Learn Portuguese" in listed(screen))
    assert work(screen).archives[0].text == "Rent a flat in Lisbon"


@deed("goals.add", working)
async def _add(doing: Doing) -> None:
    screen = await goals(doing, "goal")
    await answer(doing, "write to the agent after t2")
    await doing.chat.until(lambda: len(work(screen).tasks) == 4)
    assert task(screen, "t4").after == ("t2",)


@deed("goals.edit", working)
async def _edit(doing: Doing) -> None:
    screen = await goals(doing, "task:t3")
    await answer(doing, "write", first="call the agent")
    await doing.chat.until(lambda: task(screen, "t3").text == "write")


@deed("goals.start", working)
async def _start(doing: Doing) -> None:
    screen = await goals(doing, "task:t3")
    await doing.press()
    await doing.chat.until(lambda: task(screen, "t3").status == "running")


@deed("goals.finish", working)
async def _finish(doing: Doing) -> None:
    screen = await goals(doing, "task:t2")
    await doing.press()
    await doing.chat.until(lambda: task(screen, "t2").status == "done")
    assert said(screen).startswith("Task t2 is done.")


@deed("goals.fail", working)
async def _fail(doing: Doing) -> None:
    screen = await goals(doing, "task:t2")
    await answer(doing, "no time")
    await doing.chat.until(lambda: task(screen, "t2").error == "no time")


@deed("goals.progress", working)
async def _progress(doing: Doing) -> None:
    screen = await goals(doing, "task:t2")
    await answer(doing, "40%", first="0%")
    await doing.chat.until(lambda: task(screen, "t2").progress == 0.4)


@deed("goals.after", working)
async def _after(doing: Doing) -> None:
    screen = await goals(doing, "task:t2")
    await answer(doing, "t3", first="t1")
    await doing.chat.until(lambda: task(screen, "t2").after == ("t3",))


@deed("goals.reopen", working)
async def _reopen(doing: Doing) -> None:
    screen = await goals(doing, "archive:g1")
    await doing.press()
    await doing.chat.until(lambda: "● Open a bank account" in listed(screen))


@deed("goals.remove", working)
async def _remove(doing: Doing) -> None:
    screen = await goals(doing, "value:budget")
    await doing.press()
    await doing.chat.over(Asking)
    await doing.chat.press("y")
    await doing.chat.until(lambda: not work(screen).values)


@deed("goals.note", working)
async def _note(doing: Doing) -> None:
    screen = await goals(doing, "goal")
    await answer(doing, "Dogs are welcome.")
    await doing.chat.until(lambda: len(work(screen).notes) == 2)


@deed("goals.value", working)
async def _value(doing: Doing) -> None:
    screen = await goals(doing, "goal")
    await answer(doing, "rooms=2")
    await doing.chat.until(lambda: [v.name for v in work(screen).values] == ["budget", "rooms"])


@deed("goals.message", working)
async def _message(doing: Doing) -> None:
    chat = doing.chat
    screen = await goals(doing, "goal")
    run = f"run:{work(screen).executions[0].id}"
    screen._list.mark(run)
    await doing.press()
    await chat.over(ChatScreen)
    await chat.until(lambda: chat.transcript.has_focus)
    chosen = chat.transcript.chosen
    assert isinstance(chosen, MessageEntry)
    assert chosen.number == 2


@deed("goals.back", working)
async def _back(doing: Doing) -> None:
    screen = await goals(doing, "goal")
    await doing.chat.press("enter")
    assert screen._detail.has_focus
    await doing.press()
    assert screen._list.has_focus
    await doing.press()
    await doing.chat.until(lambda: doing.chat.composer.has_focus)
