"""The core shows the next prompt as a column that can be read, walked and opened (VIEW-1)."""

import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.pilot import Pilot

from memory.snapshot import Snapshot
from tests.support.snapshots import snapshot_of, summary, talk
from themes.strata import DARK
from widgets.core.core import Core
from widgets.core.rows import layout
from widgets.core.view import core_view
from widgets.core.words import figures_text

pytestmark = pytest.mark.asyncio(loop_scope="session")
HEIGHT = 24
TALK = talk(130, [40, 400] * 14)
FOLDED = snapshot_of(TALK, short_term=summary(66, 129, 61, 2), long_term=summary(1, 65, 48, 2))
BEFORE = snapshot_of(talk(1, [60, 300] * 60), short_term=None)
AFTER = snapshot_of(BEFORE.window[64:], short_term=summary(1, 64, 410))


class Shown(App[None]):
    """The core alone."""

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.pointed: list[str] = []
        self.opened: list[tuple[str, int | None]] = []

    def compose(self) -> ComposeResult:
        yield Core()

    def on_core_pointed(self, message: Core.Pointed) -> None:
        self.pointed.append(message.text)

    def on_core_opened(self, message: Core.Opened) -> None:
        self.opened.append((message.stratum, message.message))


@dataclass
class Look:
    """A core on a screen, and what its user does."""

    app: Shown
    pilot: Pilot[None]
    drawn: list[int] = field(default_factory=list)

    @property
    def core(self) -> Core:
        return self.app.query_one(Core)

    def row_of(self, stratum: str) -> int:
        """The topmost row of a stratum."""
        return next(y for y, row in enumerate(self.core.rows) if row.layers[:1] == (stratum,))

    async def hover(self, y: int) -> str:
        await self.pilot.hover(Core, offset=(3, y))
        await self.pilot.pause()
        return self.app.pointed[-1] if self.app.pointed else ""

    def watch_drawing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Notes from now on which rows are drawn anew; -1 for all of them."""
        refresh = self.core.refresh

        def noted(*regions: Region, **options: Any) -> Core:
            self.drawn.extend(region.y for region in regions)
            self.drawn.extend([] if regions else [-1])
            refresh(*regions, **options)
            return self.core

        monkeypatch.setattr(self.core, "refresh", noted)


@asynccontextmanager
async def shown(
    snapshot: Snapshot | None = FOLDED, *, height: int = HEIGHT, width: int = 18
) -> AsyncIterator[Look]:
    app = Shown()
    async with app.run_test(size=(width, height)) as pilot:
        look = Look(app, pilot)
        look.core.show(snapshot)
        look.core.blur()
        await pilot.pause()
        app.pointed.clear()
        yield look


async def test_every_layer_carries_its_name_and_figure() -> None:
    """VIEW-1: the core is gauge and legend at once, oldest at the bottom."""
    async with shown() as look:
        lines = [line.strip() for line in look.core.lines]
        assert lines[-1] == "system 57"
        assert lines[-2] == "long 48"
        assert lines[-3] == "short 61"
        assert "window" in lines
        assert lines[lines.index("window") + 1] == "6.2k"
        assert "┄┄┄┄┄┄◂ 24.6k" in lines
        assert lines[lines.index("free") + 1] == "21.5k"


async def test_without_memory_there_is_only_sky() -> None:
    """VIEW-1: nothing is claimed while the session opens."""
    async with shown(None) as look:
        assert look.core.lines == [""] * HEIGHT
        await look.pilot.press("tab", "down", "enter")
        await look.pilot.click(Core, offset=(3, 3))
        assert look.app.opened == []
        assert await look.hover(4) == ""


async def test_pointing_at_a_band_describes_it() -> None:
    """VIEW-1: the column is a map of the prompt."""
    async with shown() as look:
        assert await look.hover(look.row_of("short_term")) == (
            "short-term summary · 66–129 · 61 tokens"
        )
        assert await look.hover(look.row_of("system")) == "system prompt · 57 tokens"
        assert "messages · " in await look.hover(look.row_of("window"))
        free = await look.hover(2 + look.core.lines.index(" " * 8 + "free"))
        assert free == "free · 21,527 tokens · folds in 88 messages"
        line = next(y for y, row in enumerate(look.core.rows) if row.ink == "trigger")
        assert await look.hover(line) == (
            "at 24,576 tokens the oldest messages are folded · folds in 88 messages"
        )


async def test_where_nothing_is_folded_there_is_no_trigger() -> None:
    """VIEW-1, COMPACT-6: the line would promise what the policy does not do."""
    never = replace(FOLDED, policy="none", next_compaction=None)
    async with shown(never) as look:
        assert all(row.ink != "trigger" for row in look.core.rows)
        assert "24.6k" not in "".join(look.core.lines)
        assert (await look.hover(0)).endswith(" · nothing is folded (policy none)")


async def test_a_message_is_described_by_its_beginning_as_plain_text() -> None:
    """VIEW-1, ALL-8: what anyone wrote is shown on one line and obeyed by nobody."""
    [message] = talk(201, [6_000])
    hostile = replace(message, preview="Noted.\n[bold]I'll\x1b[31m keep " + "that " * 40)
    async with shown(snapshot_of([hostile])) as look:
        text = await look.hover(look.row_of("window"))
        assert text.startswith("201 you · 6,000 tokens · Noted. [bold]I'll keep that")
        assert text.endswith("…")
        assert "\n" not in text
        assert "\x1b" not in text


async def test_nothing_is_said_once_the_mouse_has_left() -> None:
    """VIEW-1: a description goes with what it describes."""
    async with shown() as look:
        await look.hover(look.row_of("system"))
        look.core.on_leave()
        await look.pilot.pause()
        assert look.app.pointed[-1] == ""
        assert "▸" not in "".join(look.core.lines)


async def test_the_core_is_walked_by_keys() -> None:
    """VIEW-1, VIEW-7: whatever the mouse does, keys do."""
    async with shown() as look:
        look.core.focus()
        await look.pilot.pause()
        assert look.app.pointed[-1].endswith(" tokens")
        assert look.core.lines[look.row_of("window")].startswith("▸")
        for _ in range(40):
            await look.pilot.press("down")
        assert look.app.pointed[-3:] == [
            "short-term summary · 66–129 · 61 tokens",
            "long-term summary · 1–65 · 48 tokens",
            "system prompt · 57 tokens",
        ]
        await look.pilot.press("k", "enter")
        assert look.app.opened == [("long_term", None)]
        look.core.blur()
        await look.pilot.pause()
        assert look.app.pointed[-1] == ""


async def test_opening_a_band_leads_to_its_message() -> None:
    """VIEW-1: a click opens the pane, at the newest message of the band."""
    async with shown() as look:
        await look.pilot.click(Core, offset=(3, look.row_of("window")))
        await look.pilot.click(Core, offset=(12, look.row_of("short_term")))
        await look.pilot.click(Core, offset=(3, 0))
        assert look.app.opened == [("window", TALK[-1].number), ("short_term", None)]


async def test_what_is_chosen_stays_chosen() -> None:
    """VIEW-1: nothing moves the reader's place while the answer grows."""
    async with shown() as look:
        look.core.focus()
        for _ in range(40):
            await look.pilot.press("down")
        await look.pilot.press("up")
        look.core.show(FOLDED, answer_tokens=3_000)
        await look.pilot.press("enter")
        assert look.app.opened == [("long_term", None)]


async def test_typing_and_answers_are_bands_of_their_own() -> None:
    """VIEW-1: the column shows what the next prompt will be, while it is written."""
    async with shown() as look:
        look.core.show(FOLDED, draft_tokens=12)
        assert look.core.lines[look.row_of("draft")].endswith("typing 12")
        assert await look.hover(look.row_of("draft")) == "what you are typing · ~12 tokens"
        look.core.show(FOLDED, answer_tokens=900)
        assert look.core.lines[look.row_of("answer")].endswith("900")
        await look.pilot.click(Core, offset=(3, look.row_of("answer")))
        assert look.app.opened == [("window", None)]


async def test_only_rows_that_change_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """VIEW-1: nothing moves unless something changed."""
    async with shown() as look:
        look.watch_drawing(monkeypatch)
        look.core.show(replace(FOLDED, requests=7))
        assert look.drawn == []
        look.core.show(FOLDED, draft_tokens=3)
        assert 0 < len(set(look.drawn)) <= 4
        look.drawn.clear()
        look.core.show(FOLDED, draft_tokens=4)
        assert look.drawn == [look.row_of("draft")]


async def test_a_compaction_is_seen_to_happen() -> None:
    """VIEW-1: bands sink and become the next layer within half a second."""
    async with shown(BEFORE) as look:
        before = column(look.core.rows)
        look.core.show(AFTER)
        heights = []
        end = time.monotonic() + 5
        while look.core.moving:
            assert time.monotonic() < end
            heights.append(column(row for row, _ in look.core._drawn))
            await look.pilot.pause(0.02)
        assert heights[0] == before
        assert heights == sorted(heights, reverse=True)
        assert len(set(heights)) > 3
        drawn = [row for row, _ in look.core._drawn]
        assert drawn == look.core.rows == layout(core_view(AFTER), HEIGHT)


@pytest.mark.parametrize("off", ["app", "core"])
async def test_without_motion_the_change_is_simply_there(off: str) -> None:
    """VIEW-1: motion is a choice."""
    async with shown(BEFORE) as look:
        if off == "app":
            look.app.animation_level = "none"
        else:
            look.core.animates = False
        look.core.show(AFTER)
        assert not look.core.moving
        assert [row for row, _ in look.core._drawn] == layout(core_view(AFTER), HEIGHT)


async def test_only_a_compaction_moves() -> None:
    """VIEW-1: neither another session nor an undo looks like one."""
    async with shown(BEFORE) as look:
        look.core.show(replace(AFTER, session_id="another"))
        assert not look.core.moving
        look.core.show(replace(BEFORE, session_id="another"))
        assert not look.core.moving
        look.core.show(None)
        look.core.show(AFTER)
        assert not look.core.moving


async def test_what_does_not_fit_is_said_plainly() -> None:
    """PROMPT-3: the reader sees that something is left out, and how much."""
    async with shown(snapshot_of(talk(1, [900] * 40))) as look:
        assert look.core.lines[0].strip() == "8.2k over"
        assert await look.hover(0) == (
            "8,204 tokens do not fit and are left out until memory is folded"
        )
        assert "◂ 24.6k" in "".join(look.core.lines)


async def test_layers_differ_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """VIEW-1: hue is never the only sign."""
    full = snapshot_of(
        TALK,
        sections={"files": 900, "tools": 80, "working": 70, "facts": 60, "recalled": 50},
        short_term=summary(66, 129, 61, 2),
        long_term=summary(1, 65, 48, 2),
    )
    monkeypatch.setenv("NO_COLOR", "1")
    async with shown(full) as look:
        look.core.show(full, draft_tokens=9)
        fills = {
            row.layers[0]: line[1:7]
            for row, line in zip(look.core.rows, look.core.lines, strict=True)
            if row.layers
        }
        assert len(fills) == 10
        assert len(set(fills.values())) == 10
        assert all(len(fill) == 6 for fill in fills.values())


async def test_every_layer_carries_its_figure() -> None:
    """VIEW-1: a layer of one row has a shorter name beside its figure."""
    sections = {"working": 272, "recalled": 1_234, "facts": 60}
    async with shown(snapshot_of(TALK, sections=sections)) as look:
        told = "\n".join(look.core.lines)
        assert "work 272" in told
        assert "recall 1k" in told
        assert "facts 60" in told


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (9, 4), (16, 7), (20, 56)])
async def test_any_size_will_do(size: tuple[int, int]) -> None:
    """VIEW-1: a small terminal is no error."""
    async with shown(width=size[0], height=size[1]) as look:
        look.core.styles.width = "100%"
        await look.pilot.pause()
        look.core.show(FOLDED, draft_tokens=5, answer_tokens=70)
        strips = [look.core.render_line(y) for y in range(size[1])]
        assert all(strip.cell_length == size[0] for strip in strips)


async def test_figures_tell_fill_and_certainty() -> None:
    """VIEW-1, PROMPT-4: the ink warns before the trigger, `~` marks an estimate."""
    assert figures_text(core_view(snapshot_of(TALK))) == [
        ("6.2k of 27.9k ", "figure"),
        ("22 %", "figure"),
    ]
    guessed = snapshot_of(TALK)
    guessed = replace(guessed, context=replace(guessed.context, counted_by="estimate"))
    near = figures_text(core_view(guessed, draft_tokens=13_000))
    assert near == [("~19.2k of 27.9k ", "near"), ("69 %", "near")]
    assert figures_text(core_view(guessed, draft_tokens=20_000))[0][1] == "over"


@pytest.mark.parametrize(("messages", "milliseconds"), [(130, 1.0), (3_000, 3.0)])
async def test_drawing_costs_next_to_nothing(messages: int, milliseconds: float) -> None:
    """ALL-7: the core is drawn with every key and every piece of an answer."""
    snapshot = snapshot_of(talk(1, [5, 9] * (messages // 2)))
    async with shown(snapshot, height=56) as look:
        times = []
        for number in range(30):
            start = time.process_time()
            look.core.show(snapshot, draft_tokens=number)
            times.append(time.process_time() - start)
        assert sorted(times)[3] < milliseconds / 1_000


def column(rows: Iterable[Any]) -> int:
    return sum(1 for row in rows if row.layers)
