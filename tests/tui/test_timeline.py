"""The Timeline screen: every compaction, opened, taken back, and holding again (VIEW-3)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Static
from textual.worker import Worker

from app.screens.asking import Asking
from app.screens.compactions import first_folded, taken_back_with
from app.screens.timeline import TimelineScreen
from app.screens.timeline_deeds import RewriteDeeds, TimelineDeeds
from app.screens.timeline_rows import bar_pieces, list_rows
from memory.clock import parse_time
from memory.errors import StrataError
from memory.memory import Memory
from memory.parts import SummarySlot
from memory.rewriting import Rewritten
from memory.snapshot import CompactionProgress
from tests.memory.doubles import ScriptedModel, Unwilling, chat_model, opened, say
from themes import strata
from widgets.panes.pane import Pane

SIZES = [(80, 24), (120, 40), (200, 60)]
MODEL = "embedded/qwen2.5-coder-1.5b"


@asynccontextmanager
async def session(path: Path, messages: int = 17) -> AsyncIterator[Memory]:
    """A session of short windows; each summary says which it is, the first two fail."""
    asked: list[int] = []

    def reply(_: object) -> str | Exception:
        asked.append(1)
        if len(asked) <= 2:
            return Unwilling("The model did not answer.")
        return f"Summary number {len(asked)} tells what was said."

    model = ScriptedModel(reply, name=MODEL)
    chat = chat_model(32_768)
    async with opened(path, chat=chat, model=model, profile="stress") as memory:
        await say(memory, messages, length=600)
        yield memory


class Timeline(App[None]):
    """The Timeline screen over a memory, as the chat opens it."""

    def __init__(self, memory: Memory, screen: TimelineScreen) -> None:
        super().__init__()
        self.memory = memory
        self.timeline = screen
        self.register_theme(strata.DARK)
        self.theme = strata.DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return strata.stratum_variables(dark=True)

    def on_mount(self) -> None:
        self.push_screen(self.timeline)

    @property
    def list(self) -> Pane:
        return self.timeline.query_one("#pane-compactions", Pane)

    @property
    def detail(self) -> Pane:
        return self.timeline.query_one("#pane-opened", Pane)

    @property
    def said(self) -> str:
        return str(self.timeline.query_one("#timeline-said", Static).content)

    @property
    def question(self) -> str:
        assert isinstance(self.screen, Asking)
        return " ".join(str(self.screen.query_one(Static).content).split())


@asynccontextmanager
async def timeline(
    memory: Memory, size: tuple[int, int] = (80, 24), selected: str | None = None
) -> AsyncIterator[tuple[Timeline, Pilot[None]]]:
    async def changed() -> None:
        await memory.settled()
        screen.update(await memory.compactions(), memory.snapshot())

    async def undo(compaction: str) -> None:
        await memory.undo(compaction)
        await changed()

    async def redo() -> None:
        await memory.redo()
        await changed()

    async def pin(text: str, number: int | None) -> None:
        await memory.pinning.pin_text(text, number)
        await changed()

    async def preview(slot: SummarySlot, instructions: str, model: str) -> Rewritten:
        if model:
            raise StrataError(f"There is no model {model}.")
        return await memory.rewriting.preview(slot, instructions)

    async def accept(written: Rewritten) -> None:
        await memory.rewriting.accept(written)
        await changed()

    deeds = TimelineDeeds(
        view=memory.reports.compaction_view,
        versions=memory.rewriting.versions,
        undo=undo,
        redo=redo,
        pin=pin,
        rewrite=RewriteDeeds(preview, accept, MODEL),
    )
    records, snapshot = await memory.compactions(), memory.snapshot()
    screen = TimelineScreen(records, snapshot, deeds, selected)
    app = Timeline(memory, screen)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


def texts(pane: Pane) -> str:
    return "\n".join(row.text.rstrip() for row in pane.shown.rows)


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Presses keys, and waits for what each has set going, but for an answer to a question."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
        async with asyncio.timeout(120):
            while any(_goes_on(pilot.app, worker) for worker in pilot.app.workers):
                await pilot.pause(0.01)


def _goes_on(app: App[None], worker: Worker[object]) -> bool:
    waits = isinstance(app.screen, Asking) and worker.group == "ask"
    return not worker.is_finished and not waits


@pytest.mark.parametrize("size", SIZES)
async def test_every_compaction_has_its_row(tmp_path: Path, size: tuple[int, int]) -> None:
    """VIEW-3: newest on top, with trigger, tokens before and after, and duration."""
    async with session(tmp_path) as memory, timeline(memory, size) as (app, _):
        rows = texts(app.list).split("\n")
        assert rows[0].split()[:3] == ["msg", "why", "when"]
        assert [row.split()[:2] for row in rows[1:]] == [
            ["17", "count"],
            ["13", "count"],
            ["9", "count"],
        ]
        assert all(" → " in row and "%" in row and " s" in row for row in rows[1:])
        assert app.list.figures == "3 compactions · next in 4 messages"
        assert app.focused is app.list


async def test_a_compaction_opens_to_all_there_is_to_know(tmp_path: Path) -> None:
    """VIEW-3: trigger, policy, stages, tokens, author, summaries, and what stood before."""
    async with session(tmp_path) as memory, timeline(memory) as (app, pilot):
        assert not app.detail.display
        await press(pilot, "enter")
        assert app.focused is app.detail
        record = (await memory.compactions())[-1].event
        told = texts(app.detail)
        assert f"{record.tokens_before:,} → {record.tokens_after:,} tokens" in told
        assert "count: enough messages had left the window · 4 messages folded, 10–13" in told
        assert "policy cascade" in told
        assert "auto" in told
        assert "folded into summaries" in told
        assert "short-term  10–13 · v3 · by qwen2.5-coder-1.5b" in told
        assert "long-term  1–9 · v2 · by qwen2.5-coder-1.5b" in told
        assert told.count("before") >= 3
        assert app.detail.figures.startswith("in force · ")
        await press(pilot, "escape", "down", "enter")
        told = texts(app.detail)
        assert "carried over unchanged" in told
        assert "The first one: nothing stood here before." in told


async def test_failures_of_the_escalation_are_told(tmp_path: Path) -> None:
    """COMPACT-12: a summary by rule says so, and why no model wrote it."""
    async with session(tmp_path) as memory, timeline(memory) as (app, pilot):
        await press(pilot, "down", "down", "enter")
        told = texts(app.detail)
        assert told.count("The model did not answer.") == 2
        assert "by rule, no model" in told
        assert "The first one: nothing stood here before." in told
        assert "long-term" not in told


async def test_escape_goes_back_step_by_step(tmp_path: Path) -> None:
    """VIEW-3: from what is opened to the list, from the list to the chat."""
    async with session(tmp_path) as memory, timeline(memory) as (app, pilot):
        await press(pilot, "enter", "escape")
        assert app.focused is app.list
        assert not app.detail.display
        await press(pilot, "escape")
        assert app.screen is not app.timeline


async def test_wide_terminals_open_beside_the_list(tmp_path: Path) -> None:
    """VIEW-3: what is chosen shows at once."""
    async with session(tmp_path) as memory, timeline(memory, (120, 40)) as (app, pilot):
        assert app.detail.region.x >= app.list.region.right
        await press(pilot, "down")
        assert app.detail.border_title == "at message 13"
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert not app.detail.display


async def test_it_can_be_opened_at_a_compaction(tmp_path: Path) -> None:
    """VIEW-3: as a pane does."""
    async with session(tmp_path) as memory:
        chosen = (await memory.compactions())[1].event.id
        async with timeline(memory, selected=chosen) as (app, _):
            assert app.list.cursor == chosen
            assert "policy cascade" in texts(app.detail)
            assert app.detail.display


async def test_an_undo_asks_first_and_names_what_goes_with_it(tmp_path: Path) -> None:
    """COMPACT-11, VIEW-3: the safe answer stands first."""
    async with session(tmp_path) as memory, timeline(memory) as (app, pilot):
        await press(pilot, "down", "u")
        assert "Take back the compaction at message 13?" in app.question
        assert "the one that came after, at message 17." in app.question
        assert "Messages 6–13 stand word for word again" in app.question
        await press(pilot, "enter")
        assert app.screen is app.timeline
        assert not any(record.undone for record in await memory.compactions())
        await press(pilot, "u", "y")
        assert [r.undone for r in await memory.compactions()] == [False, True, True]
        assert app.said.startswith("Taken back: the compaction at message 13.")
        rows = texts(app.list).split("\n")
        assert any("@compact-memories" in row for row in rows)
        assert sum(row.endswith("undone") or " undone" in row for row in rows) == 2


async def test_a_redo_asks_first_and_goes_the_same_way_back(tmp_path: Path) -> None:
    """COMPACT-11, VIEW-3: the compaction undone last holds again."""
    async with session(tmp_path) as memory:
        await memory.undo((await memory.compactions())[1].event.id)
        async with timeline(memory) as (app, pilot):
            for at in (13, 17):
                await press(pilot, "r")
                assert f"Let the compaction at message {at} hold again?" in app.question
                await press(pilot, "tab", "enter")
                assert app.said == f"The compaction at message {at} holds again."
            assert not any(record.undone for record in await memory.compactions())
            await press(pilot, "r")
            assert app.said == "There is no compaction to redo."


async def test_what_memory_refuses_is_said_in_the_screen(tmp_path: Path) -> None:
    """ALL-2: one sentence, and nothing has changed."""
    async with session(tmp_path) as memory, timeline(memory) as (app, pilot):

        async def refuse(_: str) -> None:
            raise StrataError("Without it [b]the prompt[/b] would not fit.", "Choose another.")

        app.timeline._deeds = replace(app.timeline._deeds, undo=refuse)
        await press(pilot, "u", "y")
        assert app.said == "Without it [b]the prompt[/b] would not fit. Choose another."
        await press(pilot, "down")
        assert app.said == ""


async def test_a_read_only_session_only_shows(tmp_path: Path) -> None:
    """STORE-5: nothing is asked that can't be done."""
    async with session(tmp_path) as memory, timeline(memory) as (app, pilot):
        app.timeline.update(await memory.compactions(), replace(memory.snapshot(), read_only=True))
        await press(pilot, "u")
        assert "read-only" in app.said
        for key in ("r", "w", "p"):
            await press(pilot, key)
            assert app.screen is app.timeline
            assert "read-only" in app.said


async def test_it_is_never_stale(tmp_path: Path) -> None:
    """VIEW-3: a compaction that comes while one looks stands on top; the choice stays."""
    async with session(tmp_path) as memory, timeline(memory) as (app, pilot):
        await press(pilot, "down")
        chosen = app.list.cursor
        running = CompactionProgress("count", 21, "short-term summary")
        app.timeline.update(await memory.compactions(), replace(memory.snapshot(), running=running))
        assert "● short-term summary" in texts(app.list).split("\n")[1]
        await say(memory, 4, length=600)
        app.timeline.update(await memory.compactions(), memory.snapshot())
        assert texts(app.list).split("\n")[1].split()[0] == "21"
        assert app.list.cursor == chosen


async def test_memory_may_change_while_it_comes_or_goes(tmp_path: Path) -> None:
    """ALL-2, VIEW-3: what changes before it stands is there once it does; later is no failure."""
    async with session(tmp_path) as memory, timeline(memory) as (app, pilot):
        old, now = app.timeline, memory.snapshot()
        coming = TimelineScreen((), replace(now, recent_compactions=()), old._deeds)
        coming.update(await memory.compactions(), now)
        app.push_screen(coming)
        await pilot.pause()
        shown = texts(coming._list).split("\n")
        assert len(shown) > len(await memory.compactions())
        await press(pilot, "escape")
        coming.update((), now)
        old.update(await memory.compactions(), now)


async def test_an_empty_timeline_says_what_will_stand_there(tmp_path: Path) -> None:
    """VIEW-3: and when."""
    async with opened(tmp_path, chat=chat_model()) as memory:
        await say(memory, 41)
        async with timeline(memory) as (app, pilot):
            told = texts(app.list)
            assert told == "No compaction yet: the first comes at message 129, 88 from now."
            await press(pilot, "u")
            assert app.said == "There is no compaction to undo."
            await press(pilot, "enter")
            assert not app.detail.display


@pytest.mark.parametrize("width", [20, 36, 56, 74, 96, 196])
async def test_rows_of_the_list_are_of_one_width(tmp_path: Path, width: int) -> None:
    """VIEW-3: columns stand below each other, and those that have no room are left out."""
    async with session(tmp_path, 13) as memory:
        await memory.undo()
        records, snapshot = await memory.compactions(), memory.snapshot()
    snapshot = replace(snapshot, automatic_waits=False)

    rows = list_rows(records, snapshot, width, parse_time(records[-1].at)).rows

    lengths = {len(row.text) for row in rows[1:]}
    assert len(lengths) == 1
    assert lengths.pop() <= max(width, 28)
    places = {row.text.index("→") for row in rows[1:]}
    assert len(places) == 1


@pytest.mark.parametrize(("before_it", "after_it"), [(0, 0), (1, 0), (10, 9), (10, 20), (7, 7)])
def test_a_bar_has_its_length_whatever_the_figures(before_it: int, after_it: int) -> None:
    """VIEW-3: what is left is never nothing, and never more than there was."""
    pieces = bar_pieces(before_it, after_it, 10, 12, "short-term")

    assert sum(len(piece.text) for piece in pieces) == 12
    assert pieces[0].text


async def test_what_goes_with_an_undo_is_known(tmp_path: Path) -> None:
    """COMPACT-11: the ones that came after and still hold, and where the oldest began."""
    async with session(tmp_path) as memory:
        await memory.undo()
        await say(memory, 3, length=600)
        assert await memory.compact() is not None
        records = await memory.compactions()
        snapshot = memory.snapshot()

    assert [r.undone for r in records] == [False, False, True, False]
    assert taken_back_with(records[0], records) == [records[1], records[3]]
    assert [first_folded(r, records) for r in records] == [1, 6, 10, 10]
    assert snapshot.redoable is None
