"""Memory beside the conversation: panes drawn from a snapshot (VIEW-1)."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection

from memory.clock import parse_time
from memory.compaction.triggers import Forecast
from memory.memory import Memory
from memory.snapshot import BreakerView, CompactionProgress, Snapshot
from tests.memory.doubles import ScriptedModel, chat_model, opened, say
from themes import strata
from widgets.panes.ages import age
from widgets.panes.column import Panes
from widgets.panes.copied import copied
from widgets.panes.pane import Pane
from widgets.panes.registry import PANES
from widgets.panes.summaries import long_term_rows, short_term_rows
from widgets.panes.timeline import timeline_rows
from widgets.panes.view import PaneView, wrapped
from widgets.panes.window import window_rows
from widgets.rows import Piece, Row

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
WIDTH = 34
MODEL = "embedded/qwen2.5-coder-1.5b"
SUMMARY = "They dropped Saldanha (no pets) and Alvalade (too dear)."


@asynccontextmanager
async def stress(path: Path, messages: int) -> AsyncIterator[Memory]:
    """A session of short windows, folded by a model that always says the same."""
    model = ScriptedModel((SUMMARY,), name=MODEL)
    chat = chat_model(32_768)
    async with opened(path, chat=chat, model=model, profile="stress") as memory:
        await say(memory, messages, length=600)
        yield memory


async def snapshot_of(path: Path, messages: int) -> Snapshot:
    async with stress(path, messages) as memory:
        return memory.snapshot()


def texts(view: PaneView) -> list[str]:
    return [row.text for row in view.rows]


def sentence(view: PaneView) -> str:
    return " ".join(texts(view))


# -- what each shows


async def test_summaries_say_what_they_cover_and_who_wrote_them(tmp_path: Path) -> None:
    """VIEW-1: text, author, age; range, version and tokens in the border."""
    snapshot = await snapshot_of(tmp_path, 13)
    assert snapshot.short_term is not None
    now = parse_time(snapshot.short_term.made_at) + timedelta(minutes=3)
    tokens = snapshot.short_term.tokens

    short = short_term_rows(snapshot, WIDTH, now)
    long = long_term_rows(snapshot, WIDTH, now)

    assert SUMMARY in sentence(short)
    assert texts(short)[-1] == "by qwen2.5-coder-1.5b    3 min ago"
    assert short.figures == f"6–9 · v2 · {tokens} tok"
    assert texts(long)[-1] == "carried over unchanged   3 min ago"
    assert long.figures == f"1–5 · v1 · {tokens} tok"


async def test_summaries_lead_to_the_compaction_that_made_them(tmp_path: Path) -> None:
    """VIEW-1, VIEW-3: every row of the text opens it."""
    async with stress(tmp_path, 13) as memory:
        snapshot, records = memory.snapshot(), await memory.compactions()

    short = short_term_rows(snapshot, WIDTH, NOW)

    assert short.keys == (records[-1].event.id,) * len(short.rows)
    forgotten = replace(snapshot, recent_compactions=())
    assert set(short_term_rows(forgotten, WIDTH, NOW).keys) == {""}


async def test_the_window_lists_its_messages_newest_first(tmp_path: Path) -> None:
    """VIEW-1: number, speaker, preview, tokens; a row opens its message."""
    snapshot = await snapshot_of(tmp_path, 12)

    view = window_rows(snapshot, WIDTH, NOW)

    assert view.keys == ("12", "11", "10", "9", "8", "7", "6")
    assert texts(view)[0].startswith("12 strata Note 12: Ada")
    assert texts(view)[1].startswith("11 you    Note 11: Ada")
    assert all(len(row) == WIDTH and "… " in row for row in texts(view))
    assert texts(view)[0].endswith(f" {snapshot.window[-1].tokens}")
    assert view.figures.startswith("6–12 · 7 messages · ")
    assert view.figures.endswith(" tok")


async def test_an_empty_or_stopped_message_is_said_to_be_one(tmp_path: Path) -> None:
    """VIEW-1: a row is never bare."""
    snapshot = await snapshot_of(tmp_path, 2)
    first, second = snapshot.window
    window = (replace(first, preview=""), replace(second, interrupted=True))

    view = window_rows(replace(snapshot, window=window), WIDTH, NOW)

    assert "(stopped) Note 2" in texts(view)[0]
    assert "calls tools" in texts(view)[1]


async def test_the_timeline_lists_compactions_newest_first(tmp_path: Path) -> None:
    """VIEW-1: where, why, tokens before and after, duration; when the next one comes."""
    async with stress(tmp_path, 13) as memory:
        snapshot, records = memory.snapshot(), await memory.compactions()

    view = timeline_rows(snapshot, WIDTH, NOW)

    assert [row.split()[:2] for row in texts(view)] == [["13", "count"], ["9", "count"]]
    assert " → " in texts(view)[0]
    assert texts(view)[0].endswith(" s")
    assert view.keys == tuple(record.event.id for record in records[::-1])
    assert view.figures == "2 · next in 4 messages"


async def test_an_undone_compaction_is_marked_by_word_and_look(tmp_path: Path) -> None:
    """VIEW-1, COMPACT-11: it says that folding waits, and how it goes on."""
    async with stress(tmp_path, 13) as memory:
        await memory.undo()
        snapshot = memory.snapshot()

    view = timeline_rows(snapshot, WIDTH, NOW)

    undone = next(row for row in view.rows if row.text.startswith("13"))
    assert undone.text.endswith("undone")
    assert undone.pieces[0].style == "s"
    assert "@compact-memories" in sentence(view)
    assert view.figures == "2 · waits"


async def test_a_running_compaction_stands_on_top(tmp_path: Path) -> None:
    """VIEW-5: with the stage it is at."""
    snapshot = await snapshot_of(tmp_path, 13)
    running = CompactionProgress("count", 17, "long-term summary")

    view = timeline_rows(replace(snapshot, running=running), WIDTH, NOW)

    assert texts(view)[0] == "17 count ● long-term summary"
    assert view.keys[0] is None
    assert view.figures == "2 · folding now"


async def test_an_open_breaker_says_why_and_the_way_out(tmp_path: Path) -> None:
    """VIEW-1, COMPACT-7: the reason, for how long, and what ends it."""
    snapshot = await snapshot_of(tmp_path, 13)
    breaker = BreakerView(True, 3, "the model did not answer.", "2026-11-21T12:04:00.000Z")

    view = timeline_rows(replace(snapshot, breaker=breaker), WIDTH, NOW)

    told = sentence(view)
    assert "for 4 more minutes after 3 failures" in told
    assert "the model did not answer. @compact-memories" in told
    assert view.figures == "2 · rests"


async def test_empty_panes_say_what_will_stand_there_and_when(tmp_path: Path) -> None:
    """VIEW-1: one sentence, from the forecast, on whichever trigger comes next."""
    async with opened(tmp_path, chat=chat_model(32_768)) as memory:
        await say(memory, 41)
        snapshot = memory.snapshot()

    short = sentence(short_term_rows(snapshot, WIDTH, NOW))
    assert short == (
        "Nothing folded yet: the oldest messages become a summary here at message 129, 88 from now."
    )
    assert "with the second folding" in sentence(long_term_rows(snapshot, WIDTH, NOW))
    assert "at message 129, 88 from now" in sentence(timeline_rows(snapshot, WIDTH, NOW))
    by_tokens = replace(snapshot, next_compaction=Forecast("tokens", 12, 3_100, 6))
    assert "in about 3.1k tokens, some 12 messages from now" in sentence(
        short_term_rows(by_tokens, WIDTH, NOW)
    )
    due = replace(snapshot, next_compaction=Forecast("count", 0, 3_100, 0))
    assert "here with the next message." in sentence(short_term_rows(due, WIDTH, NOW))
    never = replace(snapshot, policy="none", next_compaction=None)
    assert "Policy none" in sentence(short_term_rows(never, WIDTH, NOW))
    nothing = replace(snapshot, window=())
    assert sentence(window_rows(nothing, WIDTH, NOW)).startswith("No messages yet")


@pytest.mark.parametrize("width", [2, 5, 12, 23, 38, 60, 117])
async def test_rows_keep_to_their_width(tmp_path: Path, width: int) -> None:
    """VIEW-1: at any width, with any text."""
    snapshot = await snapshot_of(tmp_path, 13)
    odd = tuple(replace(m, preview="[b]日本語[/b] \x1b[31m👩‍💻\n" * 9) for m in snapshot.window)
    snapshot = replace(snapshot, window=odd)

    for kind in PANES:
        view = kind.rows(snapshot, width, NOW)
        assert all("\x1b" not in row and "\n" not in row for row in texts(view))
        assert len(view.keys) in (0, len(view.rows))


def test_ages_are_told_in_one_unit() -> None:
    """VIEW-1: relative while it is recent."""
    at = "2026-11-21T12:00:00.000Z"

    def after(**passed: float) -> str:
        return age(at, NOW + timedelta(**passed))

    assert after(seconds=-5) == after(seconds=59) == "just now"
    assert after(minutes=3, seconds=50) == "3 min ago"
    assert after(hours=2, minutes=59) == "2 h ago"
    assert after(days=2).startswith("21 Nov ")


def test_copied_rows_join_as_they_were() -> None:
    """CHAT-1: without the breaks that only made the text fit."""
    rows = wrapped("one two three four\nfive", 9)
    assert [row.text for row in rows] == ["one two", "three", "four", "five"]

    assert copied(rows, Selection(None, None)) == "one two three four\nfive"
    assert copied(rows, Selection(Offset(4, 0), Offset(2, 2))) == "two three fo"


# -- on the screen


class Shown(App[None]):
    """Panes alone on a screen."""

    def __init__(self, columns: int = 1) -> None:
        super().__init__()
        self.columns = columns
        self.opened: list[tuple[str, str]] = []
        self.register_theme(strata.DARK)
        self.theme = strata.DARK.name

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return strata.stratum_variables(dark=True)

    def compose(self) -> ComposeResult:
        yield Panes(self.columns)

    def on_pane_opened(self, event: Pane.Opened) -> None:
        self.opened.append((event.pane, event.key))

    @property
    def panes(self) -> Panes:
        return self.query_one(Panes)

    def pane(self, name: str) -> Pane:
        return self.panes.pane(name)

    @property
    def heights(self) -> list[int]:
        return [self.pane(name).outer_size.height for name in self.panes.visible_names]


class Alone(Shown):
    """One pane."""

    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self.alone = pane

    def compose(self) -> ComposeResult:
        yield self.alone


@asynccontextmanager
async def shown(
    snapshot: Snapshot, size: tuple[int, int] = (38, 40), columns: int = 1
) -> AsyncIterator[tuple[Shown, Pilot[None]]]:
    app = Shown(columns)
    async with app.run_test(size=size) as pilot:
        app.panes.show(snapshot)
        await pilot.pause()
        yield app, pilot


def drawn(pane: Pane) -> Sequence[str]:
    return [pane.render_line(y).text.rstrip() for y in range(pane.size.height)]


async def test_panes_are_as_tall_as_their_content(tmp_path: Path) -> None:
    """VIEW-1: one below the other, and what is left of the room stays empty."""
    async with shown(await snapshot_of(tmp_path, 13)) as (app, pilot):
        for name in app.panes.visible_names:
            pane = app.pane(name)
            assert pane.outer_size.height == len(pane.shown.rows) + 2
        window = app.pane("window")
        assert drawn(window)[0].startswith(" 13 you    Note 13")
        assert window.figures == app.pane("window").shown.figures
        await pilot.resize_terminal(60, 16)
        await pilot.pause()
        assert sum(app.heights[:-1]) == 16
        assert all(len(row) <= 58 for row in drawn(window))


async def test_where_there_is_no_room_the_last_panes_wait_below(tmp_path: Path) -> None:
    """VIEW-1: they are reached by their keys."""
    async with shown(await snapshot_of(tmp_path, 13), size=(38, 9)) as (app, pilot):
        panes = app.panes
        assert app.pane("timeline").region.y >= 9
        panes.focus_pane("timeline")
        async with asyncio.timeout(20):
            while app.pane("timeline").region.bottom > 9:
                await pilot.pause(0.01)
        assert app.pane("timeline").region.y >= 0


async def test_two_columns_and_back(tmp_path: Path) -> None:
    """VIEW-1: layouts for wide and normal terminals."""
    async with shown(await snapshot_of(tmp_path, 13), size=(80, 30), columns=2) as (app, pilot):
        assert app.pane("window").region.x > app.pane("timeline").region.right
        assert app.pane("window").region.y == 0
        app.panes.arrange_columns(1)
        await pilot.pause()
        assert {app.pane(name).region.x for name in app.panes.names} == {0}
        assert app.pane("timeline").region.y == app.pane("recalled").region.bottom
        app.panes.arrange_columns(0)
        await pilot.pause()
        assert not app.panes.display


async def test_each_pane_can_be_hidden_shown_and_enlarged(tmp_path: Path) -> None:
    """VIEW-1: and one that was hidden is up to date when it comes back."""
    async with stress(tmp_path, 9) as memory, shown(memory.snapshot()) as (app, pilot):
        panes = app.panes
        panes.focus_pane("window")
        await pilot.press("delete")
        assert "window" not in panes.visible_names
        assert app.focused is app.pane("recalled")
        await say(memory, 1, length=600)
        panes.show(memory.snapshot())
        panes.enlarge("short_term")
        await pilot.pause()
        assert app.pane("short_term").outer_size == app.size
        assert not app.pane("long_term").display
        panes.focus_pane("window")
        await pilot.pause()
        assert panes.enlarged is None
        assert app.focused is app.pane("window")
        assert drawn(app.pane("window"))[0].strip("▸ ").startswith("10 strata")
        panes.toggle("window")
        assert not app.pane("window").display


async def test_rows_open_by_key_and_by_click(tmp_path: Path) -> None:
    """VIEW-1: the row that Enter would open is marked."""
    async with shown(await snapshot_of(tmp_path, 13)) as (app, pilot):
        app.panes.focus_pane("window")
        await pilot.press("down", "j", "k", "enter")
        assert app.opened == [("window", "12")]
        assert [row[0] for row in drawn(app.pane("window"))] == [" ", "▸", " ", " "]
        await pilot.click(app.pane("window"), offset=(8, 3))
        assert app.opened[-1] == ("window", "11")
        assert app.focused is app.pane("window")


async def test_what_is_marked_before_there_are_rows_stays_marked() -> None:
    """VIEW-1: a pane that gets the keys before its rows opens what was asked for."""
    rows = [Row((Piece(text, "text"),)) for text in ("one", "two")]
    pane = Pane("any", "any", "dim")
    pane.show(lambda _: PaneView(rows, keys=("first", "second")))
    pane.mark("second")
    pane.on_focus()
    async with Alone(pane).run_test(size=(40, 10)) as pilot:
        await pilot.pause()
        pane.focus()
        await pilot.pause()
        assert pane.cursor == "second"
        pane.show(lambda _: PaneView(rows[:1], keys=("first",)))
        assert pane.cursor == "first"


async def test_new_messages_move_no_reader(tmp_path: Path) -> None:
    """VIEW-1: who has scrolled keeps the place, and the mark stays on its message."""
    model = chat_model(200_000)
    async with opened(tmp_path, chat=model) as memory:
        await say(memory, 60)
        async with shown(memory.snapshot(), size=(38, 20)) as (app, pilot):
            window, heights = app.pane("window"), app.heights
            app.panes.focus_pane("window")
            await pilot.press(*["down"] * 20)
            before = drawn(window)
            assert window.cursor == "40"
            await say(memory, 2)
            app.panes.show(memory.snapshot())
            await pilot.pause()
            assert drawn(window) == before
            assert window.cursor == "40"
            assert app.heights == heights


async def test_what_looks_the_same_is_not_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VIEW-1: nothing moves unless something changed."""
    async with stress(tmp_path, 13) as memory, shown(memory.snapshot()) as (app, pilot):
        drawn_again: list[str] = []
        refresh = Pane.refresh

        def noted(pane: Pane, *regions: object, **options: object) -> Pane:
            drawn_again.append(pane.kind)
            return refresh(pane, *regions, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(Pane, "refresh", noted)
        app.panes.show(memory.snapshot())
        await pilot.pause()
        assert drawn_again == []
        await say(memory, 1, length=600)
        app.panes.show(memory.snapshot())
        await pilot.pause()
        assert "window" in drawn_again
        assert "short_term" not in drawn_again


async def test_text_in_a_pane_can_be_selected(tmp_path: Path) -> None:
    """CHAT-1: what is copied is the text, and marking it opens nothing."""
    async with shown(await snapshot_of(tmp_path, 13)) as (app, pilot):
        pane = app.pane("short_term")
        await pilot.mouse_down(pane, offset=(2, 1))
        await pilot.hover(pane, offset=(20, 2))
        await pilot.mouse_up(pane, offset=(20, 2))
        await pilot.pause()
        selected = app.screen.get_selected_text()
        assert selected is not None
        assert "\n" not in selected
        assert selected[:10] in SUMMARY
        assert selected in SUMMARY
        assert app.opened == []


async def test_memory_is_drawn_before_the_panes_come_and_after_they_have_gone(
    tmp_path: Path,
) -> None:
    """VIEW-1: a program that closes may still be told of memory."""
    snapshot = await snapshot_of(tmp_path, 13)
    async with shown(snapshot) as (app, _):
        panes = app.panes
        await panes.remove()
        panes.show(replace(snapshot, messages=snapshot.messages + 1))
        early = Panes()
        early.show(snapshot)
        assert [early.pane(name).kind for name in early.names] == list(early.names)
